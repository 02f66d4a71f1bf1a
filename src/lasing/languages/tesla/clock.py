"""Timers: events that the clock makes, such as `Timer(hour = 8, minute = 0)`, every day at eight, in UTC."""

from __future__ import annotations

from collections.abc import Iterator

from lasing.algebra.terms import call
from lasing.events.mistakes import Mistake
from lasing.languages.tesla.syntax import Constant, Description
from lasing.logic.formulas import Compare, Formula
from lasing.logic.terms import NOW

UNITS = {"hour": 3_600_000, "minute": 60_000, "second": 1_000}
_ENDS = {"hour": 24, "minute": 60, "second": 60}


def timer_mistakes(timer: Description) -> Iterator[Mistake]:
    """What is wrong with the constraints of a timer."""
    for constraint in timer.constraints:
        name, expression = constraint.attribute, constraint.expression
        if name not in UNITS:
            note = f"it has {', '.join(UNITS)}"
            yield Mistake(f"Timer has no attribute {name}", constraint.offset, len(name), note, "E712")
        elif constraint.comparison != "=" or not isinstance(expression, Constant) or not _in_range(name, expression):
            note = f"write {name} = and a number from 0 to {_ENDS[name] - 1}"
            yield Mistake(f"the {name} of a timer must be a number", constraint.offset, len(name), note, "E713")
    if not timer.constraints:
        note = "say when: Timer(hour = 8, minute = 0), Timer(minute = 30), Timer(second = 0)"
        yield Mistake("a timer needs a time", timer.offset, len(timer.type), note, "E712")


def _in_range(name: str, expression: Constant) -> bool:
    return isinstance(expression.value, int) and 0 <= expression.value < _ENDS[name]


def period_and_moment(timer: Description) -> tuple[int, int]:
    """After how many milliseconds a timer fires again, and when in that time. Smaller units that are not given are 0.

    >>> from lasing.languages.tesla.syntax import Constraint
    >>> period_and_moment(Description("Timer", (Constraint("minute", "=", Constant(30)),)))
    (3600000, 1800000)
    """
    largest = max(UNITS[constraint.attribute] for constraint in timer.constraints)
    moment = sum(
        UNITS[constraint.attribute] * constraint.expression.value
        for constraint in timer.constraints
        if isinstance(constraint.expression, Constant) and isinstance(constraint.expression.value, int)
    )
    return {3_600_000: 86_400_000, 60_000: 3_600_000, 1_000: 60_000}[largest], moment


def is_time(timer: Description, tick: int) -> Formula:
    """The literal that a timer fires now: in the time point that contains its moment."""
    period, moment = period_and_moment(timer)
    return Compare("=", call("mod", NOW, period // tick), moment // tick)
