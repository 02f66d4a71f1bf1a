"""What can be remembered: a predicate that rules derive now, and on which all answers agree."""

from __future__ import annotations

from collections.abc import Iterator

from lasing.errors import Diagnostic, similar
from lasing.logic.facts import facts_of
from lasing.logic.formulas import At, head_atom
from lasing.logic.program import Program
from lasing.logic.splitting import undecided


def streams(program: Program) -> Iterator[Diagnostic]:
    """E208 for a derived stream that no rule derives, that has a time in a head, or on which answers may differ."""
    if not program.streams:
        return
    facts, remembered = facts_of(program), program.remembered()
    for signature in program.streams:
        name, place = signature.predicate, program.place_of(signature)
        if name not in facts.derived:
            note = similar(name, facts.derived) or "facts of an input are in the stream without it"
            yield Diagnostic("E208", f"no rule derives {name}, so there is nothing to remember", place, note)
        elif name in undecided(program):
            note = (
                "a choice, a disjunction or a cycle through negation decides about it\n"
                "remember what it is chosen from, or read it in a window that ends before now, such as [5,-1]"
            )
            yield Diagnostic("E208", f"answers may differ on {name}, so it cannot be remembered", place, note)
    for rule in program.rules:
        for head in rule.heads:
            atom = head_atom(head)
            if isinstance(head, At) and atom.predicate in remembered:
                yield Diagnostic(
                    "E208",
                    f"{atom.predicate} is a derived stream, so it holds at the time of evaluation and at no other",
                    rule.place(atom.offset, len(atom.predicate)),
                    f"derive {atom.predicate} without a time, or remove it from #stream",
                )
