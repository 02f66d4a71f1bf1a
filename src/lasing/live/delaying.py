"""An engine whose facts wait until they can be in order (see `lateness`)."""

from __future__ import annotations

from lasing.live.cores import Facts
from lasing.live.correcting import Correcting
from lasing.live.lateness import Lateness, Waiting
from lasing.live.updates import Update


class Delaying(Correcting):
    """Pushes that are answered once their time points are over."""

    def _push_to_wait(self, lateness: Lateness, now: int, instant: int, facts: Facts, source: str) -> Update:
        """Keep facts until they can be in order, and evaluate what is over."""
        if self._core is None:  # the start is unknown: check the facts now, and encode them later
            if self._unstarted is None:
                self._unstarted = self._open(now)
            self._unstarted.encode(now, facts)
            waiting = Waiting(facts)
        else:
            waiting = Waiting(facts, self._core.encode(now, facts))
        late = lateness.add(source, now, instant, waiting)
        if late is not None:
            self._set_aside(late)
        return self._move(lateness)

    def _move(self, lateness: Lateness, until: int | None = None) -> Update:
        """Evaluate what is over, or everything up to a time point."""
        over, core = lateness.closing.reached() if until is None else until, self._core
        if over is None or (core is not None and core.time >= over):
            return self._nothing()
        released = lateness.buffer.release_up_to(over)
        if core is None:
            start = self._first([time for time, _ in released], over)
            if start is None:
                return self._nothing()
            core, self._unstarted = self._open(start), None
            self._begin(start, core)
        if len(released) == 1 and not self._own:
            time, (first, *more) = released[0]
            if time == over and not more and first.encoded is not None:  # most pushes, if facts come in order
                return self._evaluate(core, over, first.encoded)
        parts = [(t, core.encode(t, w.facts) if w.encoded is None else w.encoded) for t, ws in released for w in ws]
        batch = core.gathered(parts)
        if self._own:
            batch = self._with_due(core, batch, over)
        self._enter_evaluation()
        update = Update(over, core.push_batch(over, batch), self._queries)
        self._leave_evaluation()
        return update
