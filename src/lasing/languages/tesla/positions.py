"""Where events lie in time: open intervals as windows that end before now, and comparisons of times.

    within W from terminator     u in [W-1,-1]
    within W from X              u in [far(X)+W-1,-(near(X)+1)], X - W < u, u < X
    between X and terminator     u in [far(X)-1,-1], X < u
    between X and Y              u in [max(far)-1,-(min(near)+1)], min(X, Y) < u, u < max(X, Y)

`far` and `near` are how many time points before the terminator an event can lie, at the most and at the least. An open
interval of time points that has no time point is `None`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from lasing.algebra.terms import call
from lasing.languages.tesla.syntax import Position, TeslaProgram, Within
from lasing.logic.formulas import Compare, Formula, TimeWindow
from lasing.logic.terms import NOW, Term


@dataclass(frozen=True, slots=True)
class Moment:
    """The time of an event of the pattern: a term, and how far before now it can be."""

    time: Term
    far: int = 0
    near: int = 0

    @property
    def window(self) -> TimeWindow:
        return TimeWindow(self.far, -self.near)


TERMINATOR = Moment(NOW)


def placed(position: Position, time: Term, moments: Mapping[str, Moment], program: TeslaProgram) -> Moment | None:
    """When an event can happen that has this time and position; None if it never can."""
    if isinstance(position, Within):
        anchor = moments[position.anchor]
        far, near = anchor.far + program.points(position.length) - 1, anchor.near + 1
    else:
        one, other = moments[position.one], moments[position.other]
        far, near = max(one.far, other.far) - 1, min(one.near, other.near) + 1
    return Moment(time, far, near) if near <= far else None


def order(position: Position, time: Term, moments: Mapping[str, Moment], program: TeslaProgram) -> list[Formula]:
    """The comparisons that a time lies in an open interval, as far as its window does not already say so."""
    if isinstance(position, Within):
        anchor = moments[position.anchor]
        if anchor == TERMINATOR:
            return []
        length = program.points(position.length)
        return [Compare("<", time, anchor.time), Compare(">", time, call("-", anchor.time, length))]
    one, other = moments[position.one], moments[position.other]
    if TERMINATOR in (one, other):
        return [Compare(">", time, (other if one == TERMINATOR else one).time)]
    earlier, later = call("min", one.time, other.time), call("max", one.time, other.time)
    return [Compare(">", time, earlier), Compare("<", time, later)]
