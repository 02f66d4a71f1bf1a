"""The server: the page, its examples, what it asks, and what it is told. It evaluates nothing itself."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager, suppress
from typing import Any, Protocol

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from lasing.languages import FRONT_ENDS
from lasing.serve.guard import Guard
from lasing.serve.page_files import examples, page_files
from lasing.serve.process import Killed, Worker
from lasing.serve.sessions import Event, Sessions
from lasing.serve.settings import MB, Bounds, Settings

Json = dict[str, Any]

_SLOW_BODY = 30.0
"""How many seconds a request may take to arrive."""
_FOR_THE_CHECKER = frozenset(("check", "format", "translate", "generate"))
_MORE_THAN_STREAM = 64_000
"""What a request has beside a program and a stream."""
_NAMES = {
    "lars": "LARS rules",
    "sparql": "SPARQL over streams",
    "tesla": "TESLA patterns",
    "dotr": "DOTR patterns",
    "etalis": "ETALIS events",
    "cql": "SQL over streams",
}


class Watched(Protocol):
    """An engine or a pipeline of this process that the page looks at."""

    def about(self) -> Json: ...
    def explain(self, goal: str) -> Json: ...
    def events(self) -> AsyncIterator[Event]: ...


def application(settings: Settings, attached: Watched | None = None, opening: Json | None = None) -> Guard:
    """The server as an ASGI application; `opening` is the program that the editor has at first."""
    pages = _Pages(settings, attached, opening)
    routes = [
        Route("/", pages.index),
        Route("/assets/{name}", pages.asset),
        Route("/api/about", pages.about),
        Route("/api/ask", pages.ask, methods=["POST"]),
        Route("/api/sessions", pages.open, methods=["POST"]),
        Route("/api/sessions/{id}", pages.session, methods=["POST"]),
        Route("/api/sessions/{id}/end", pages.end, methods=["POST"]),
        Route("/api/sessions/{id}/events", pages.events),
        Route("/api/attached/explain", pages.explain_attached, methods=["POST"]),
        Route("/api/attached/events", pages.attached_events),
    ]
    inner = Starlette(routes=routes, lifespan=pages.lifespan)
    inner.state.sessions = pages.sessions
    return Guard(inner, settings.address)


class _Refused(Exception):  # noqa: N818 -- it is a response
    def __init__(self, status: int, code: str, message: str, note: str = "") -> None:
        self.response = JSONResponse(_findings(code, message, note), status)


class _Pages:
    """The handlers."""

    def __init__(self, settings: Settings, attached: Watched | None, opening: Json | None) -> None:
        self._settings, self._attached, self._opening = settings, attached, opening
        self._bounds = settings.bounds
        self.sessions = Sessions(settings.given, settings.bounds)
        self._checker = Worker(settings.given, settings.bounds)

    @asynccontextmanager
    async def lifespan(self, _app: Starlette) -> AsyncIterator[None]:
        sweeping = asyncio.create_task(self.sessions.keep_sweeping())
        preparing: asyncio.Task[None] | None = None
        if self._attached is None:
            preparing = asyncio.create_task(self._checker.prepare())
            self.sessions.prepare()
        try:
            yield
        finally:
            for task in filter(None, (sweeping, preparing)):
                task.cancel()
                with suppress(asyncio.CancelledError):
                    await task
            await self.sessions.close()
            await self._checker.close()

    # -- the page --------------------------------------------------------------------------------------------------

    async def index(self, _request: Request) -> Response:
        page = page_files()["index.html"]
        return Response(page.content, media_type=page.type)

    async def asset(self, request: Request) -> Response:
        file = page_files().get(request.path_params["name"])
        if file is None:
            return Response("there is no such file", 404, media_type="text/plain")
        return Response(file.content, media_type=file.type, headers={"Cache-Control": "no-cache"})

    async def about(self, _request: Request) -> Response:
        from lasing import __version__

        if self._attached is not None:
            return JSONResponse({"version": __version__, "attached": self._attached.about()})
        languages = [{"name": one.name, "title": _NAMES[one.name], "endings": one.endings} for one in FRONT_ENDS]
        bounds = self._bounds
        limits = {"text": bounds.text, "stream": bounds.stream, "seconds": bounds.seconds, "memory": bounds.memory}
        found: Json = {"version": __version__, "languages": languages, "examples": examples(), "limits": limits}
        found["streams"] = [stream.shown for stream in self._settings.given.streams]
        if self._opening is not None:
            found["opening"] = self._opening
        return JSONResponse(found)

    # -- requests --------------------------------------------------------------------------------------------------

    async def ask(self, request: Request) -> Response:
        """What needs no run: mistakes while somebody types, layout, translation, a random stream."""
        return await _answered(self._ask(request))

    async def _ask(self, request: Request) -> Json:
        asked = await self._body(request)
        if asked.get("do") not in _FOR_THE_CHECKER:
            raise _Refused(400, "E787", f"there is no request {asked.get('do')!r}")
        try:
            return await self._checker.ask(asked, self._bounds.check_seconds)
        except Killed as killed:
            return {"findings": [killed.finding]}

    async def open(self, request: Request) -> Response:
        return await _answered(self._open(request))

    async def _open(self, request: Request) -> Json:
        await self._body(request)
        session = await self.sessions.open()
        if session is None:
            note = "close another tab with this page, or allow more: lasing serve --max-sessions 20"
            raise _Refused(503, "E784", f"{len(self.sessions)} pages are running something already", note)
        return {"session": session.id}

    async def session(self, request: Request) -> Response:
        return await _answered(self._in_session(request))

    async def _in_session(self, request: Request) -> Json:
        session = self.sessions[request.path_params["id"]]
        if session is None:
            raise _Refused(404, "E784", "this session has ended", "run the program again")
        return await session.answer(await self._body(request))

    async def end(self, request: Request) -> Response:
        await self.sessions.end(request.path_params["id"])
        return JSONResponse({})

    async def events(self, request: Request) -> Response:
        session = self.sessions[request.path_params["id"]]
        return Response(status_code=404) if session is None else _streamed(session.events())

    # -- an engine or a pipeline that runs -------------------------------------------------------------------------

    async def explain_attached(self, request: Request) -> Response:
        return await _answered(self._explain_attached(request))

    async def _explain_attached(self, request: Request) -> Json:
        asked = await self._body(request)
        if self._attached is None:
            raise _Refused(404, "E789", "this page is not attached to anything")
        goal = str(asked.get("goal", ""))
        return await asyncio.to_thread(self._attached.explain, goal)

    async def attached_events(self, _request: Request) -> Response:
        return Response(status_code=404) if self._attached is None else _streamed(self._attached.events())

    # -- bodies ----------------------------------------------------------------------------------------------------

    async def _body(self, request: Request) -> Json:
        """The JSON object of a request, if it is not too large and comes in time."""
        bounds = self._bounds
        most = 2 * bounds.text + bounds.stream * 4 // 3 + _MORE_THAN_STREAM
        raw = bytearray()
        try:
            async with asyncio.timeout(_SLOW_BODY):
                async for part in request.stream():
                    raw += part
                    if len(raw) > most:
                        raise _too_large("this is", bounds)
        except TimeoutError:
            raise _Refused(408, "E783", "the request took too long to arrive") from None
        try:
            asked = json.loads(raw or b"{}")
        except (ValueError, RecursionError):
            raise _Refused(400, "E787", "the request is not JSON") from None
        if not isinstance(asked, dict):
            raise _Refused(400, "E787", "the request is not a JSON object")
        _check_sizes(asked, bounds)
        return asked


def _check_sizes(asked: Json, bounds: Bounds) -> None:
    text = asked.get("text", "")
    if isinstance(text, str) and len(text.encode("utf-8", "surrogatepass")) > bounds.text:
        note = f"at most {bounds.text:,} bytes; lasing serve --max-text allows more"
        raise _Refused(413, "E783", "the program is too long for this page", note)
    stream = asked.get("stream")
    if isinstance(stream, dict):
        text, packed = str(stream.get("text", "")), str(stream.get("base64", ""))
        if len(text.encode("utf-8", "surrogatepass")) > bounds.stream or len(packed) * 3 // 4 > bounds.stream:
            raise _too_large("the stream is", bounds)


def _too_large(what: str, bounds: Bounds) -> _Refused:
    note = f"at most {bounds.stream / MB:g} MB; name a larger file on the command line: lasing serve PROGRAM STREAM"
    return _Refused(413, "E783", f"{what} too large for this page", note)


async def _answered(answer: Awaitable[Json]) -> Response:
    try:
        return JSONResponse(await answer)
    except _Refused as refused:
        return refused.response
    except (KeyError, TypeError, ValueError) as error:
        message = f"the request lacks something, or has something of the wrong kind: {type(error).__name__}"
        return JSONResponse(_findings("E787", message, ""), 400)


def _findings(code: str, message: str, note: str) -> Json:
    return {"findings": [{"code": code, "severity": "error", "message": message, "note": note}]}


def _streamed(events: AsyncIterator[Event]) -> Response:
    """Events as server-sent events."""

    async def lines() -> AsyncIterator[bytes]:
        async for name, content in events:
            yield f"event: {name}\ndata: {json.dumps(content)}\n\n".encode()

    return StreamingResponse(lines(), media_type="text/event-stream", headers={"X-Accel-Buffering": "no"})
