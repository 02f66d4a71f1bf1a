"""A window over something that is derived now and forgotten."""

from __future__ import annotations

from collections.abc import Iterator

from lasing.errors import Diagnostic
from lasing.logic.facts import facts_of
from lasing.logic.formulas import (
    Always,
    At,
    Atom,
    Formula,
    Sometime,
    TimeWindow,
    Window,
    head_atom,
)
from lasing.logic.printer import formula_text
from lasing.logic.program import Program, body_nodes
from lasing.logic.splitting import undecided


def not_remembered(program: Program) -> Iterator[Diagnostic]:
    """W107 for each time window over a predicate that is only derived, without a time, and is no derived stream.

    The window sees what is derived at the time of evaluation, and nothing of what held before.
    """
    heads = [head for rule in program.rules for head in rule.heads]
    timed = {head_atom(head).predicate for head in heads if isinstance(head, At)}
    first = {atom.predicate: atom for atom in map(head_atom, reversed(heads))}
    facts = facts_of(program)
    forgotten = facts.only_derived - timed - facts.background - program.remembered()
    if not forgotten & facts.read:
        return
    for rule, nodes in body_nodes(program):
        for node in nodes:
            atom = _windowed(node)
            if atom is None or atom.predicate not in forgotten:
                continue
            name = atom.predicate
            ways = [f"derive {name} with its time: {first[name]} at T :- …"]
            if name not in undecided(program):
                ways.insert(0, f"remember it: #stream {name}/{len(atom.args)}.")
            yield Diagnostic(
                "W107",
                f"{formula_text(node)} {_sees(node)} {name}: what held of it at earlier time points is forgotten",
                rule.place(atom.offset, len(name)),
                "\nor ".join(ways),
            )


def _sees(node: Formula) -> str:
    ends_before_now = isinstance(node, Window) and isinstance(node.function, TimeWindow) and node.function.ahead < 0
    return "sees nothing of" if ends_before_now else "sees only the present of"


def _windowed(node: Formula) -> Atom | None:
    """The atom that a time window of more than one time point looks for."""
    match node:
        case Window(TimeWindow(0, 0)):
            return None
        case Window(TimeWindow(), Sometime(Atom() as atom) | Always(Atom() as atom) | At(_, Atom() as atom)):
            return atom
        case _:
            return None
