"""A regular expression that is written in the program must be one."""

from __future__ import annotations

from collections.abc import Iterator

from lasing.errors import Diagnostic
from lasing.logic.functions.patterns import PATTERN_FUNCTIONS, check_pattern
from lasing.logic.program import Program, calls_of

_FLAGS = {entry.name: (entry.most or 0) - 1 for entry in PATTERN_FUNCTIONS}
"""The place of the flags among the operands. The pattern is always the second one."""


def patterns(program: Program) -> Iterator[Diagnostic]:
    """E207 for `matches(X, "(")`. A pattern that is computed is checked when it is used, and then has no value."""
    for rule, call in calls_of(program):
        if call.operator in _FLAGS:
            place = _FLAGS[call.operator]
            given = call.operands[1], call.operands[place] if len(call.operands) > place else ""
            if all(isinstance(operand, str) for operand in given):
                try:
                    check_pattern(call.operator, *map(str, given))
                except ValueError as error:
                    message = f"{call.operands[1]} is not a regular expression: {error}"
                    note = "back-references and looking around are not supported" if "flag" not in str(error) else ""
                    yield Diagnostic("E207", message, rule.place(call.offset, len(call.operator)), note)
