"""An engine that answers at once, and corrects its answers when facts come late (see `corrections`)."""

from __future__ import annotations

from typing import cast

from lasing.live.cores import Core, CoreWithPast, Facts
from lasing.live.corrections import Era, Known, Past
from lasing.live.lateness import Lateness, len_of
from lasing.live.listening import Listening
from lasing.live.updates import KnownChanges, Update


class Correcting(Listening):
    """Pushes that are answered at once."""

    def _push_and_correct(
        self, lateness: Lateness, past: Past, now: int, instant: int, facts: Facts, source: str
    ) -> Update:
        """Take facts in at their time point, whether or not it has passed."""
        number = len_of(facts)
        core = self._core
        encoded = (core or self._open(now)).encode(now, facts)  # before anything else, because it may refuse them
        late = lateness.judge(source, now, instant, facts)
        if late is not None:
            self._set_aside(late)
            return self._nothing()
        lateness.closing.move(lateness.closing.reached())
        if not number:
            return self._nothing()
        if core is None:
            start = self._first([now], now)
            assert start is not None, "there is a fact"
            core = self._open(start)
            self._begin(start, core)
            encoded = core.encode(now, facts)
        known = Known(now, facts, encoded, number)
        if now < core.time:
            return self._correct(lateness, past, core, known)
        return self._go_on(lateness, past, core, now, [known])

    def _go_on(self, lateness: Lateness, past: Past, core: Core, now: int, new: list[Known]) -> Update:
        """Advance to a time point, with its facts."""
        within, over = cast("CoreWithPast", core), lateness.closing.over
        if now > core.time and self._start is not None and core.time >= self._start:
            past.prepare(within)
        parts = [*self._due(core, now), *new] if self._own else new
        self._enter_evaluation()
        if len(parts) == 1 and parts[0].time == now:  # most pushes
            changes = core.push(now, parts[0].encoded)
        else:
            changes = core.push_batch(now, core.gathered([(known.time, known.encoded) for known in parts]))
        self._leave_evaluation()
        for known in parts:
            past.take_in(known)
        past.answered(now, changes)
        if over is not None:
            past.forget(over)
            within.look_back_to(over)
        return Update(now, changes, self._queries)

    def _due(self, core: Core, now: int) -> list[Known]:
        """The data facts of the program's own text up to a time point."""
        due = [fact for fact in self._own if fact.time <= now]
        self._own = self._own[len(due) :]
        return [Known(time, facts := [atom], core.encode(time, facts), 1) for time, atom in due]

    def _correct(self, lateness: Lateness, past: Past, core: Core, late: Known) -> Update:
        """Evaluate again from the time point of late facts."""
        until, start = core.time, self._start
        assert start is not None, "the timeline has begun"
        era = Era(self.program, cast("CoreWithPast", core), past, self._open)
        known = era.late(late.time, late.facts, late.number, late.encoded)
        self._enter_evaluation()
        self._start, found = era.correct(known, start, lateness.closing.over)
        self._core = era.core
        self._leave_evaluation()
        now = [found.pop()] if found and found[-1].time == until else []
        return Update(until, KnownChanges(now), self._queries, found)
