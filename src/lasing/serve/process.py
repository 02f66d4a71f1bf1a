"""A worker process, from the outside: started, asked, watched, and killed when it takes too much."""

from __future__ import annotations

import asyncio
import json
import os
import sys
import tempfile
from asyncio.subprocess import PIPE, Process
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from lasing.serve.settings import MB, Bounds, Given

Json = dict[str, Any]
OnCompiling = Callable[[bool], None]
"""Called with whether kernels are being compiled, which has its own bound."""

_GLANCE = 0.05
"""How often, in seconds, the memory of a process is looked at while it works."""
_LONGEST_ANSWER = 64 * MB
_STARTING = 60.0


class Killed(Exception):  # noqa: N818 -- it is what happened to the process
    """The worker is no more; the finding says why, and what to do about it."""

    def __init__(self, code: str, message: str, note: str) -> None:
        self.finding: Json = {"code": code, "severity": "error", "message": message, "note": note}
        super().__init__(message)


class Worker:
    """One process. It answers one request at a time; `ask` waits for its turn."""

    def __init__(self, given: Given, bounds: Bounds) -> None:
        self._given, self._bounds = given, bounds
        self._process: Process | None = None
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._turn = asyncio.Lock()

    @property
    def pid(self) -> int | None:
        return None if self._process is None else self._process.pid

    async def prepare(self) -> None:
        """Start the process before anybody asks. If that fails, the first request says why."""
        async with self._turn:
            if self._process is None:
                try:
                    await self._start()
                except Killed:
                    await self._end()
                except asyncio.CancelledError:
                    await self._end()
                    raise

    async def ask(self, request: Json, seconds: float | None = None, on_compiling: OnCompiling | None = None) -> Json:
        """The answer to a request. Raises `Killed` if there is none, and then the next request begins a new process."""
        async with self._turn:
            try:
                process = self._process or await self._start()
                return await self._answer(process, request, seconds or self._bounds.seconds, on_compiling)
            except (Killed, asyncio.CancelledError):
                await self._end()
                raise
            except (BrokenPipeError, ConnectionResetError, ValueError):
                await self._end()
                raise _died() from None

    async def close(self) -> None:
        """End the process at once, whatever it does."""
        process = self._process
        if process is not None:
            with suppress(ProcessLookupError):
                process.kill()  # a request that waits for an answer sees the end of the pipe
        async with self._turn:
            await self._end()

    async def _start(self) -> Process:
        self._folder = tempfile.TemporaryDirectory(prefix="lasing-page-")
        command = (sys.executable, "-m", "lasing.serve.worker")
        self._process = process = await asyncio.create_subprocess_exec(
            *command, stdin=PIPE, stdout=PIPE, cwd=self._folder.name, limit=_LONGEST_ANSWER
        )
        bounds = self._bounds
        first = {"given": self._given.to_json(), "memory": bounds.memory, "seconds": bounds.seconds}
        ready = await self._exchange(process, first, _STARTING)
        if "failed" in ready:
            finding = ready["failed"][0]
            await self._end()
            raise Killed(finding["code"], finding["message"], finding["note"])
        return process

    async def _exchange(self, process: Process, content: Json, seconds: float) -> Json:
        assert process.stdin is not None, "it has a pipe"
        process.stdin.write(json.dumps(content).encode() + b"\n")
        await process.stdin.drain()
        return await self._line(process, seconds)

    async def _answer(self, process: Process, request: Json, seconds: float, on_compiling: OnCompiling | None) -> Json:
        watching = asyncio.create_task(self._watch_memory(process))
        try:
            said = await self._exchange(process, request, seconds)
            while "answer" not in said:
                phase = said["phase"]
                if on_compiling is not None:
                    on_compiling(phase == "compiling")
                said = await self._line(process, seconds if phase == "running" else self._bounds.compiling)
            answer: Json = said["answer"]
            return answer
        except Killed:
            if watching.done() and not watching.cancelled() and watching.result():
                raise self._too_large() from None
            raise
        finally:
            watching.cancel()

    async def _line(self, process: Process, seconds: float) -> Json:
        assert process.stdout is not None, "it has a pipe"
        try:
            async with asyncio.timeout(seconds):
                raw = await process.stdout.readline()
        except TimeoutError:
            note = "shorten the stream or its windows, or allow more: lasing serve --max-time '1 min'"
            raise Killed("E785", f"this took longer than {seconds:g} s and was stopped", note) from None
        if not raw:
            raise _died()
        found: Json = json.loads(raw)
        return found

    async def _watch_memory(self, process: Process) -> bool:
        """Kill the process when it is too large; whether that happened."""
        while _resident(process.pid) <= self._bounds.memory + _BASE:
            await asyncio.sleep(_GLANCE)
        with suppress(ProcessLookupError):
            process.kill()
        return True

    def _too_large(self) -> Killed:
        most = f"{self._bounds.memory / MB:,.0f} MB"
        note = "shorten the stream or its windows, or allow more: lasing serve --max-memory '4 GB'"
        return Killed("E786", f"this needed more than {most} of memory and was stopped", note)

    async def _end(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            with suppress(ProcessLookupError):
                process.kill()
            await process.wait()
        if self._folder is not None:
            self._folder.cleanup()
            self._folder = None


_BASE = 350 * MB
"""What a process takes before any evaluation: Python, NumPy, Arrow and the kernels."""


def _resident(pid: int) -> int:
    """The memory of another process in bytes; 0 if the system does not say, and then only its own limits hold."""
    try:
        return int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, IndexError):
        return 0


def _died() -> Killed:
    note = "run it again; if that happens each time, the program needs more than this page may take"
    return Killed("E787", "the process that evaluated this has ended", note)
