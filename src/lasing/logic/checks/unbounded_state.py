"""A program that must remember its stream forever."""

from __future__ import annotations

from collections.abc import Iterator

from lasing.errors import Diagnostic
from lasing.logic.facts import facts_of
from lasing.logic.formulas import offset_of
from lasing.logic.fragments import is_plain
from lasing.logic.lookback import formula_lookback, rule_lookback
from lasing.logic.narrowing import narrowed_rules
from lasing.logic.printer import formula_text
from lasing.logic.program import Program, Rule
from lasing.logic.rewrites import plain


def unbounded_state(program: Program) -> Iterator[Diagnostic]:
    """W103 for each literal that may need data of any age: `[*]`, `[T..U]`, and `a at T` without a window."""
    if any(caution.code in ("W217", "W218") for caution in program.cautions):
        return  # the language of the program says so in its own words
    derived = facts_of(program).only_derived
    rewritten: dict[int, list[Rule]] | None = None
    for index, (rule, narrow) in enumerate(zip(program.rules, narrowed_rules(program), strict=True)):
        doubtful = [f for f in narrow.body if formula_lookback(f, derived).points is None]
        if any(not is_plain(literal) for literal in doubtful):
            rewritten = _rewritten(program) if rewritten is None else rewritten
            plain_rules = rewritten.get(index, [rule])
            if all(rule_lookback(found, derived).points is not None for found in plain_rules):
                continue  # other literals bind the times that its formulas look at
        for literal in doubtful:
            yield Diagnostic(
                "W103",
                f"unbounded state: {formula_text(literal)} may need data of any age",
                rule.place(offset_of(literal)),
                "memory grows with the stream; a window such as [60] bounds it",
            )


def _rewritten(program: Program) -> dict[int, list[Rule]]:
    """The plain rules that each rule becomes."""
    found = plain(program)
    rules: dict[int, list[Rule]] = {}
    for index, rule in zip(found.origin, found.program.rules, strict=True):
        rules.setdefault(index, []).append(rule)
    return rules
