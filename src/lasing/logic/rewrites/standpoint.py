"""Where a formula is evaluated: on which part of the stream, at which time point, and how plain literals see it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from lasing.logic.formulas import TimeWindow
from lasing.logic.terms import Term, Variable, variables_of

Background = Literal["now", "ahead", "unclear"]


class Left(Exception):  # noqa: N818 -- no error: the rule stays as it is
    """A formula is not rewritten; the reason completes the sentence "it has …"."""


@dataclass(frozen=True, slots=True)
class Cut:
    """The timeline is cut to the time points from `back` before `lo` to `ahead` after `hi`.

    Without `lo`, it reaches back to the start. With a step, `lo` and `hi` are the same, and their pivot counts.
    """

    lo: Term | None
    hi: Term
    back: int = 0
    ahead: int = 0
    step: int = 1


@dataclass(frozen=True, slots=True)
class Standpoint:
    """A part of the stream, and the time point `time` (None: now) at which a formula is evaluated on it.

    If `exact`, the timeline is the window `seen`, opened now; otherwise it is that of the whole stream. `cuts` narrow
    it. Atoms are seen through `seen`, which has all time points that matter; None means without a window. `inside`
    means that `time` lies in the timeline. `background` holds up to now, or everywhere in the timeline (as in a window
    that was opened up to now), or it depends.
    """

    time: Term | None = None
    seen: TimeWindow | None = None
    exact: bool = False
    cuts: tuple[Cut, ...] = ()
    inside: bool = True
    background: Background = "now"

    @property
    def whole(self) -> bool:
        """Whether the timeline is that of the whole stream."""
        return not self.exact and not self.cuts

    @property
    def opened_now(self) -> bool:
        """Whether the timeline is a window as plain literals have it."""
        return self.exact and not self.cuts

    @property
    def has_points(self) -> bool:
        """Whether the timeline certainly has a time point: the one at which the window was opened."""
        return self.inside and not self.whole

    def variables(self) -> Iterator[Variable]:
        """The variables that the timeline depends on."""
        for cut in self.cuts:
            yield from variables_of(cut.hi)
            if cut.lo is not None:
                yield from variables_of(cut.lo)


NOW = Standpoint()
"""The whole stream, now: where the literals of a body are evaluated."""
