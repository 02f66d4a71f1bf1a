"""An engine that answers at once, and corrects its answers when facts come late (see `corrections`)."""

from __future__ import annotations

from typing import cast

from lasing.connectors.rows import by_time
from lasing.live.cores import Core, CoreWithPast, Facts
from lasing.live.corrections import Known, Past, corrections
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
        within = cast("CoreWithPast", core)
        if now > core.time and self._start is not None and core.time >= self._start:
            past.prepare(within)
        due = [fact for fact in self._own if fact.time <= now]
        self._own = self._own[len(due) :]
        own = [Known(time, facts := [atom], core.encode(time, facts), 1) for time, atom in due]
        parts = [*own, *new]
        self._enter_evaluation()
        changes = core.push_batch(now, core.gathered([(known.time, known.encoded) for known in parts]))
        self._leave_evaluation()
        for known in parts:
            past.take_in(known)
        past.answered(now, changes)
        if lateness.closing.over is not None:
            past.forget(lateness.closing.over)
            within.look_back_to(lateness.closing.over)
        return Update(now, changes, self._queries)

    def _correct(self, lateness: Lateness, past: Past, core: Core, late: Known) -> Update:
        """Evaluate again from the time point of late facts."""
        until, start = core.time, self._start
        assert start is not None, "the timeline has begun"
        past.insert(late)
        if late.time < start:  # they begin the timeline
            for time, atom in by_time(self.program.data):
                if late.time <= time < start:
                    past.insert(Known(time, facts := [atom], core.encode(time, facts), 1))
            self._start = start = late.time
        self._enter_evaluation()
        base, again, parts = past.go_back(cast("CoreWithPast", core), late.time, start, self._open)
        old = past.forget_answers(base)
        over = lateness.closing.over
        if over is not None and start <= over < late.time:  # no fact will come before that: stop there on the way
            before = [part for part in parts if part[0] <= over]
            if past.is_worth_stopping(base, over):
                past.answered(over, again.push_batch(over, again.gathered(before)))
                past.stop_at(cast("CoreWithPast", again))
                parts = parts[len(before) :]
        changes = again.push_batch(until, again.gathered(parts))
        self._core = again
        self._leave_evaluation()
        past.answered(until, changes)
        found = corrections(old, changes, late.time, until)
        now = [found.pop()] if found and found[-1].time == until else []
        return Update(until, KnownChanges(now), self._queries, found)
