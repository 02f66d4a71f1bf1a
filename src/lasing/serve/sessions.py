"""Sessions: what each open page runs. A session has a worker, and tells its page what happens by events."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Any

from lasing.serve.process import Killed, Worker
from lasing.serve.settings import Bounds, Given

Json = dict[str, Any]
Event = tuple[str, Json]

_MOST_WAITING = 200
"""How many events wait for a page that does not read them, before its run pauses."""
_BEATS = 12
"""How many times a second a fast run tells its page what happened."""
_SLOWEST, _FASTEST = 0.1, 2_000.0
_PULSE = 10.0


class Session:
    """One page's run. That page alone knows its id, and listens to its events."""

    def __init__(self, worker: Worker, bounds: Bounds) -> None:
        self.id = secrets.token_urlsafe(18)
        self._bounds = bounds
        self._worker = worker
        self._events: asyncio.Queue[Event | None] = asyncio.Queue()
        self._listens = 0
        self._asked = 0
        self._heard = time.monotonic()
        self._playing: asyncio.Task[None] | None = None
        self._goes_on = False
        self._halt = asyncio.Event()
        self._round = 0
        self._speed = 2.0

    @property
    def pid(self) -> int | None:
        """The process that evaluates, if one does."""
        return self._worker.pid

    @property
    def is_abandoned(self) -> bool:
        """Whether no page has listened for a while."""
        return not self._listens and not self._asked and time.monotonic() - self._heard > self._bounds.silence

    async def close(self) -> None:
        self._stop()
        self._events.put_nowait(None)
        await self._worker.close()

    # -- requests --------------------------------------------------------------------------------------------------

    async def answer(self, asked: Json) -> Json:
        """What a page asks of its session."""
        self._asked += 1
        try:
            return await self._answer(asked)
        finally:
            self._asked -= 1
            self._heard = time.monotonic()

    async def _answer(self, asked: Json) -> Json:
        match asked.get("do"):
            case "load":
                self._stop()
                return await self._load(asked)
            case "play":
                self._speed = _within(asked.get("speed", 2.0))
                self._goes_on = True
                if self._playing is None:
                    self._playing = asyncio.create_task(self._play())
                return {"playing": True}
            case "pause":
                self._stop()
                return {"playing": False}
            case "step":
                self._stop()
                await self._steps(1)
                return {"playing": False}
            case "explain":
                return await self._ask({"do": "explain", "goal": str(asked["goal"]), "time": int(asked["time"])})
            case other:
                return _finding("E787", f"there is no request {other!r}")

    async def _load(self, asked: Json) -> Json:
        def compiling(goes_on: bool) -> None:
            self._tell("compiling", {"compiling": goes_on})

        self._round += 1
        while not self._events.empty():  # what an earlier run still had to say
            self._events.get_nowait()
        return await self._ask({**asked, "do": "load"}, compiling)

    async def _ask(self, request: Json, compiling: Any = None) -> Json:
        try:
            return await self._worker.ask(request, on_compiling=compiling)
        except Killed as killed:
            self._tell("killed", killed.finding)
            return {"findings": [killed.finding], "killed": True}

    # -- playing ---------------------------------------------------------------------------------------------------

    async def _play(self) -> None:
        """Step again and again: as often as the speed says, in few requests however fast that is."""
        try:
            while self._goes_on:
                self._halt.clear()
                begun = time.monotonic()
                count = max(1, round(self._speed / _BEATS))
                if self._events.qsize() < _MOST_WAITING:
                    self._goes_on = await self._steps(count) and self._goes_on
                pause = count / self._speed - (time.monotonic() - begun)
                with suppress(TimeoutError):
                    async with asyncio.timeout(max(pause, 0.001)):
                        await self._halt.wait()
        finally:
            self._playing = None
            self._tell("paused", {})

    async def _steps(self, count: int) -> bool:
        """Take steps, and tell the page; whether there are more. A run that was replaced meanwhile says nothing."""
        of = self._round
        answer = await self._ask({"do": "step", "count": count})
        if answer.get("killed") or of != self._round:
            return False
        self._tell("moments", answer)
        return not answer.get("ended") and "findings" not in answer

    def _stop(self) -> None:
        """Take no more steps. The one that is being taken is not interrupted: the worker would have to be killed."""
        self._goes_on = False
        self._halt.set()

    # -- events ----------------------------------------------------------------------------------------------------

    def _tell(self, name: str, content: Json) -> None:
        self._events.put_nowait((name, content))

    async def events(self) -> AsyncIterator[Event]:
        """What happens, from now on; now and then a pulse, so that a page that is gone is noticed."""
        self._listens += 1
        try:
            yield "hello", {"session": self.id}
            while True:
                try:
                    async with asyncio.timeout(_PULSE):
                        event = await self._events.get()
                except TimeoutError:
                    event = ("pulse", {})
                if event is None:
                    return
                yield event
        finally:
            self._listens -= 1
            self._heard = time.monotonic()
            if not self._listens:
                self._stop()


def _within(speed: Any) -> float:
    return min(max(float(speed), _SLOWEST), _FASTEST)


def _finding(code: str, message: str, note: str = "") -> Json:
    return {"findings": [{"code": code, "severity": "error", "message": message, "note": note}]}


class Sessions:
    """All sessions of a server, at most as many as the bounds say; those that no page listens to end."""

    def __init__(self, given: Given, bounds: Bounds) -> None:
        self._given, self._bounds = given, bounds
        self._known: dict[str, Session] = {}
        self._spare = Worker(given, bounds)
        self._preparing: asyncio.Task[None] | None = None

    def __getitem__(self, name: str) -> Session | None:
        return self._known.get(name)

    def __len__(self) -> int:
        return len(self._known)

    async def open(self) -> Session | None:
        """A new session; None if there are too many."""
        await self.sweep()
        if len(self._known) >= self._bounds.sessions:
            return None
        session = Session(self._spare, self._bounds)
        self._known[session.id] = session
        self._spare = Worker(self._given, self._bounds)
        self.prepare()
        return session

    def prepare(self) -> None:
        """Start the process of the next session, because that takes a second or two."""
        if self._preparing is None or self._preparing.done():
            self._preparing = asyncio.create_task(self._spare.prepare())

    async def end(self, name: str) -> None:
        if (session := self._known.pop(name, None)) is not None:
            await session.close()

    async def sweep(self) -> None:
        """End the sessions that nobody listens to any more."""
        for name in [name for name, session in self._known.items() if session.is_abandoned]:
            await self.end(name)

    async def keep_sweeping(self) -> None:
        while True:
            await asyncio.sleep(max(self._bounds.silence / 4, 0.05))
            await self.sweep()

    async def close(self) -> None:
        if self._preparing is not None:
            self._preparing.cancel()
            with suppress(asyncio.CancelledError):
                await self._preparing
        await self._spare.close()
        for name in list(self._known):
            await self.end(name)
