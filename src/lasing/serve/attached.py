"""Look at an engine while it works: what goes in, what comes out, and how long that takes.

An engine belongs to the thread that pushes. So its methods get a lock and a clock around them, for as long as the page
is served; the server's thread takes the same lock when it asks for an explanation. An engine that nobody looks at is
not changed at all.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import AsyncIterator, Callable, Mapping
from functools import wraps
from typing import Any

from lasing.errors import LasingError, fault
from lasing.live.engine import Engine
from lasing.live.updates import Update
from lasing.logic.formulas import Atom
from lasing.logic.program import Program
from lasing.logic.results import formed, seen
from lasing.serve.describing import described
from lasing.serve.feed import Feed
from lasing.serve.server import Served, checked_address, serve_in_thread
from lasing.serve.settings import Settings
from lasing.serve.stepping import MOST_ATOMS, MOST_FACTS, atom_json, explained
from lasing.serve.texts import finding_json, language_of

Json = dict[str, Any]

_TAPPED = ("push", "push_at", "push_batch", "advance_to", "follow_clock", "flush", "replace")
_LOOKS = 0.2
"""How often, in seconds, a page is told what is new."""
_PATIENCE = 5.0
"""How long, in seconds, an explanation waits for an engine that is busy."""


def attach(
    engine: Engine,
    *,
    host: str = "127.0.0.1",
    port: int = 0,
    token: str | None = None,
    certificate: str = "",
    key: str = "",
) -> Served:
    """Serve a page that shows what an engine does, from a thread of its own; `url` says where, `close()` ends it.

    The page can look and ask why; it cannot push facts or change rules. By default only this machine can open it; for
    other hosts it has a token, which is part of the `url`.
    """
    watching = WatchedEngine(engine)
    try:
        return serve_in_thread(Settings(address=checked_address(host, port, token, certificate, key)), watching)
    except BaseException:
        watching.close()
        raise


class WatchedEngine:
    """An engine with a lock and a clock around it."""

    def __init__(self, engine: Engine) -> None:
        if getattr(engine, "_watched_by_a_page", False):
            raise fault("E789", "a page is attached to this engine already", note="close it first, or open its url")
        self._engine = engine
        self._lock = threading.RLock()
        self._depth = 0
        self._feed = Feed()
        self._begun = time.monotonic()
        self._figures: Json = {"pushes": 0, "facts": 0, "added": 0, "removed": 0, "seconds": 0.0, "slowest": 0.0}
        self._outputs = formed(engine.program.outputs)
        for name in _TAPPED:
            setattr(engine, name, self._tapped(getattr(engine, name)))
        vars(engine)["_watched_by_a_page"] = True

    def close(self) -> None:
        """Leave the engine as it was."""
        with self._lock:
            for name in (*_TAPPED, "_watched_by_a_page"):
                vars(self._engine).pop(name, None)

    def _tapped(self, method: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(method)
        def tapped(*args: Any, **options: Any) -> Any:
            with self._lock:
                if self._depth:  # a method that another one calls is part of it
                    return method(*args, **options)
                self._depth += 1
                begun = time.perf_counter()
                try:
                    result = method(*args, **options)
                finally:
                    self._depth -= 1
                facts = _facts_of(method.__name__, args, options)
                self._note(result, facts, time.perf_counter() - begun)
                return result

        return tapped

    def _note(self, result: Any, facts: Any, seconds: float) -> None:
        """Count a call, and keep what it changed."""
        number, shown = _counted(facts)
        figures = self._figures
        figures["pushes"] += 1
        figures["facts"] += number
        figures["seconds"] += seconds
        figures["slowest"] = max(figures["slowest"], seconds)
        moment: Json = {"facts": shown, "added": [], "removed": [], "seconds": seconds, "pushed": number}
        if isinstance(result, Update):
            try:
                added, removed = self._shown(result.added), self._shown(result.removed)
            except LasingError:  # there is not exactly one answer, so there are no changes
                added, removed = [], []
            figures["added"] += len(added)
            figures["removed"] += len(removed)
            moment["added"] = [atom_json(atom) for atom in added[:MOST_ATOMS]]
            moment["removed"] = [atom_json(atom) for atom in removed[:MOST_ATOMS]]
        engine = self._engine
        if engine.time is not None:
            moment |= {"time": engine.time, "shown": engine.program.time_text(engine.time)}
            self._feed.add(moment)

    def _shown(self, atoms: frozenset[Atom]) -> list[Atom]:
        shown = (
            atom
            if (output := self._outputs.get(atom.predicate)) is None
            else Atom(atom.predicate, seen(output, atom.values)[0])
            for atom in atoms
        )
        return sorted(set(shown), key=str)

    # -- for the page ----------------------------------------------------------------------------------------------

    def about(self) -> Json:
        program: Program = self._engine.program
        source = program.sources[0] if program.sources else None
        text = source.text if source is not None else str(program)
        return {"kind": "engine", "program": text, "language": language_of(program), "about": described(program)}

    def explain(self, goal: str) -> Json:
        """Why an atom holds now, or why not; fails if the engine is busy for too long."""
        if not self._lock.acquire(timeout=_PATIENCE):
            return {"findings": [_busy()]}
        try:
            return explained(self._engine, goal)
        except LasingError as error:
            return {"findings": [finding_json(d) for d in error.diagnostics]}
        finally:
            self._lock.release()

    async def events(self) -> AsyncIterator[tuple[str, Json]]:
        """The moments that are kept, then what is new, with the figures."""
        yield "hello", {}
        atoms, moments, number = await asyncio.to_thread(self._opening)
        yield "holding", {"atoms": atoms}
        while True:
            yield "moments", {"moments": moments, "figures": self._figures_now()}
            await asyncio.sleep(_LOOKS)
            moments, number = self._feed.after(number)

    def _opening(self) -> tuple[list[Any], list[Json], int]:
        """What a page that is opened begins with: what held before the first moment that is kept, and the moments."""
        with self._lock:
            try:
                atoms = self._shown(self._engine.answer().certain)
            except LasingError:  # stopped half way: there is no answer to show
                atoms = []
            moments, number = self._feed.after(0)
        held = {str(atom): atom_json(atom) for atom in atoms}
        for moment in reversed(moments):
            for atom in moment["added"]:
                held.pop(atom[1], None)
            held |= {atom[1]: atom for atom in moment["removed"]}
        return [held[name] for name in sorted(held)][:MOST_ATOMS], moments, number

    def _figures_now(self) -> Json:
        engine = self._engine
        return {
            **self._figures,
            "uptime": time.monotonic() - self._begun,
            "time": None if engine.time is None else engine.program.time_text(engine.time),
            "late": engine.late,
        }


def _facts_of(method: str, args: tuple[Any, ...], options: Mapping[str, Any]) -> Any:
    place = {"push": 1, "push_at": 2, "push_batch": 0}.get(method)
    if place is None:
        return ()
    return args[place] if len(args) > place else options.get("facts", ())


def _counted(facts: Any) -> tuple[int, list[Any]]:
    """How many facts were pushed, and the first of them for the page; those of tables are only counted."""
    if isinstance(facts, Mapping):
        return sum(len(frame) if hasattr(frame, "__len__") else 0 for frame in facts.values()), []
    if not isinstance(facts, list | tuple):
        return 0, []  # an iterator has been read
    shown = []
    for fact in facts[:MOST_FACTS]:
        atom = fact if isinstance(fact, Atom) else Atom(str(fact[0]), tuple(fact[1:]))
        shown.append(atom_json(atom))
    return len(facts), shown


def _busy() -> Json:
    note = "ask again in a moment"
    return {"code": "E789", "severity": "error", "message": "the engine is busy evaluating", "note": note}
