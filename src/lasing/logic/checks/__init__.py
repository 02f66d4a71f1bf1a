"""What must hold for a program, and what should. Each check is one function in the file of its name."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from lasing.errors import Diagnostic
from lasing.logic.checks.arity import arity
from lasing.logic.checks.dates_as_text import dates_as_text
from lasing.logic.checks.equal_readings import equal_readings
from lasing.logic.checks.never_fires import never_fires
from lasing.logic.checks.not_remembered import not_remembered
from lasing.logic.checks.own_cautions import own_cautions
from lasing.logic.checks.patterns import patterns
from lasing.logic.checks.safety import safety
from lasing.logic.checks.several_answers import several_answers
from lasing.logic.checks.shown import shown
from lasing.logic.checks.streams import streams
from lasing.logic.checks.tuple_windows import tuple_windows
from lasing.logic.checks.unbounded_state import unbounded_state
from lasing.logic.checks.unknown_predicates import unknown_predicates
from lasing.logic.checks.unwindowed import unwindowed
from lasing.logic.program import Program

Check = Callable[[Program], Iterator[Diagnostic]]

MISTAKES: tuple[Check, ...] = (arity, safety, tuple_windows, unwindowed, patterns, streams)
"""A program that fails one of these has no meaning."""

ONE_ANSWER: tuple[Check, ...] = (several_answers,)
"""A program that fails one of these may have any number of answers per time point. Callers that need exactly one reject
it."""

CAUTIONS: tuple[Check, ...] = (
    own_cautions,
    unknown_predicates,
    never_fires,
    not_remembered,
    unbounded_state,
    shown,
    equal_readings,
    dates_as_text,
)
"""A program that fails one of these runs, but may not do what its author meant."""


def findings(program: Program, checks: tuple[Check, ...]) -> list[Diagnostic]:
    """Everything that the checks find."""
    return [diagnostic for check in checks for diagnostic in check(program)]
