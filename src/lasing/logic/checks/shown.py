"""What is shown should be there to show."""

from __future__ import annotations

from collections.abc import Iterator

from lasing.errors import Diagnostic, similar
from lasing.logic.formulas import atoms_of
from lasing.logic.program import Program


def shown(program: Program) -> Iterator[Diagnostic]:
    """W104 for a predicate in `#show` that no rule and no stream has."""
    streamed = {s.predicate for s in program.inputs} | {f.atom.predicate for f in program.data}
    background = {a.predicate for a in program.background}
    used = {a.predicate for rule in program.rules for literal in rule.body for a in atoms_of(literal)}
    able = program.derived() | streamed | (used - background)
    for signature in program.show or ():
        if signature.predicate in able:
            continue
        if signature.predicate in background:
            note = "background holds at every time point and is not part of the output; derive a predicate from it"
        else:
            note = similar(signature.predicate, able) or f"the program has {', '.join(sorted(able)) or 'no rules'}"
        yield Diagnostic("W104", f"#show {signature} shows nothing", program.place_of(signature), note)
