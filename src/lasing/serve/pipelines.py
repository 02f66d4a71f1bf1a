"""Look at a pipeline while it runs: the figures of its batches, and the newest rows of its outputs."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from datetime import datetime
from typing import Any

from lasing.logic.program import Program
from lasing.serve.describing import described
from lasing.serve.feed import Feed
from lasing.serve.texts import language_of

Json = dict[str, Any]

_LOOKS = 0.3


class WatchedPipeline:
    """What a page is told about a pipeline. The pipeline's thread adds batches, the server's thread reads them."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._feed = Feed()
        self._late = self._bad = 0
        self._results: dict[str, list[str]] = {}

    def close(self) -> None:
        """The pipeline does not know that it is watched, so nothing has to be undone."""

    def batch(self, record: Mapping[str, Any]) -> None:
        """A batch is finished."""
        self._late += record["late"]
        self._bad += sum(record["bad"].values())
        kept = ("batch", "events", "rows", "late", "evaluated_until", "waiting_for", "state_bytes", "seconds")
        figures = {name: record[name] for name in (*kept, "events_per_second")}
        so_far = {"late_so_far": self._late, "bad_so_far": self._bad, "results": dict(self._results)}
        self._feed.add({**figures, **so_far})

    def results(self, output: str, rows: list[dict[str, Any]]) -> None:
        """The newest rows of an output."""
        self._results[output] = [", ".join(f"{name} {_shown(value)}" for name, value in row.items()) for row in rows]

    # -- for the page ----------------------------------------------------------------------------------------------

    def about(self) -> Json:
        program = self._program
        text = "\n".join(source.text for source in program.sources) if program.sources else str(program)
        return {"kind": "pipeline", "program": text, "language": language_of(program), "about": described(program)}

    def explain(self, goal: str) -> Json:
        note = "lasing pipeline FILE --at TIME shows what held earlier"
        message = f"a pipeline cannot be asked about {goal}"
        return {"findings": [{"code": "E789", "severity": "error", "message": message, "note": note}]}

    async def events(self) -> AsyncIterator[tuple[str, Json]]:
        """The batches that are kept, then each new one."""
        number = 0
        yield "hello", {}
        while True:
            batches, number = self._feed.after(number)
            yield ("batches", {"batches": batches}) if batches else ("pulse", {})
            await asyncio.sleep(_LOOKS)


def _shown(value: Any) -> str:
    return value.isoformat() if isinstance(value, datetime) else str(value)
