"""What `#show` names should occur."""

from __future__ import annotations

from collections.abc import Iterator

from lasing.errors import Diagnostic, similar
from lasing.logic.facts import facts_of
from lasing.logic.program import Program


def shown(program: Program) -> Iterator[Diagnostic]:
    """W104 for a predicate in `#show` that neither a rule nor a stream provides."""
    if any(caution.code == "W102" for caution in program.cautions):
        return  # the language of the program says why in its own words
    facts = facts_of(program)
    able = facts.derived | facts.streamed | (facts.read - facts.background)
    for output in program.outputs or ():
        if output.predicate in able:
            continue
        if output.predicate in facts.background:
            note = "background holds at every time point and is not part of the output; derive a predicate from it"
        else:
            note = similar(output.predicate, able) or f"the program has {', '.join(sorted(able)) or 'no rules'}"
        yield Diagnostic("W104", f"#show {output} shows nothing", program.place_of(output), note)
