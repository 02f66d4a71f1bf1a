"""A core whose output has inconsistencies too: they are noted, and left out of what it reports."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, cast

from lasing.entailment.contradictions import Contradictions
from lasing.live.cores import Core, CoreState, CoreWithPast, EncodedBatch, Facts, Own, TimePoint
from lasing.live.updates import ChangeSource
from lasing.logic.answers import Answer
from lasing.logic.examples import Examples
from lasing.logic.program import Fact
from lasing.logic.runs import Run


class Watched:
    """The core of a query with the outputs of `Contradictions.watched`."""

    def __init__(self, core: Core, contradictions: Contradictions) -> None:
        self._core = core
        self._contradictions = contradictions

    @property
    def time(self) -> int:
        return self._core.time

    def encode(self, time: int, facts: Facts) -> Any:
        return self._core.encode(time, facts)

    def push(self, time: int, encoded: Any) -> ChangeSource:
        return self._core.push(time, encoded).without(self._contradictions)

    def encode_batch(self, frames: Mapping[str, Any], time: str, time_point: TimePoint) -> EncodedBatch:
        return self._core.encode_batch(frames, time, time_point)

    def with_own(self, batch: Any, own: Own) -> EncodedBatch:
        return self._core.with_own(batch, own)

    def gathered(self, parts: Sequence[tuple[int, Any]]) -> EncodedBatch:
        return self._core.gathered(parts)

    def push_batch(self, end: int, batch: Any) -> ChangeSource:
        return self._core.push_batch(end, batch).without(self._contradictions)

    def recall(self, end: int, batch: Any, runs: Iterable[Run] = ()) -> None:
        self._core.recall(end, batch, runs)

    def holding(self) -> ChangeSource:
        return self._core.holding().without(self._contradictions.aside())

    def answer(self) -> Answer:
        return self._contradictions.aside().rest_of_answer(self._core.answer())

    def left_out(self) -> tuple[int, Mapping[tuple[int, str], int]]:
        return self._core.left_out()

    def examples(self) -> Examples:
        return self._core.examples()

    def remembered(self) -> Iterable[Run]:
        return self._core.remembered()

    def window(self) -> Iterable[Fact]:
        return self._core.window()

    # -- going back, if the core can -------------------------------------------------------------------------------

    def checkpoint(self) -> CoreState:
        return cast("CoreWithPast", self._core).checkpoint()

    def rewind(self, checkpoint: Any, start: int, reopen: Callable[[int], Core]) -> Core:
        again = cast("CoreWithPast", self._core).rewind(checkpoint, start, reopen)
        return self if again is self._core else again

    def look_back_to(self, time: int) -> None:
        cast("CoreWithPast", self._core).look_back_to(time)
