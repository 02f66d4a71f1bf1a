"""The protocol: each request goes to the function of its feature, and spans become ranges.

Texts come whole with every change, so that line ends and characters beyond 16 bits are counted in one place, `Lines`.
Programs are read in threads; a change is checked when no other one follows it for `QUIET` seconds.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer
from pygls.uris import from_fs_path, to_fs_path
from pygls.workspace import TextDocument

from lasing.errors import LasingError, SourceText
from lasing.languages import NAMES, is_program
from lasing.lsp.around import including
from lasing.lsp.completion import Category, completion
from lasing.lsp.diagnostics import diagnostics
from lasing.lsp.formatting import formatting
from lasing.lsp.hover import hover
from lasing.lsp.navigation import Found, definition, references
from lasing.lsp.occurrences import occurrences
from lasing.lsp.positions import Lines, Span
from lasing.lsp.reading import Opened, Reading, read
from lasing.lsp.rename import renamable, rename
from lasing.lsp.things import Predicate, thing_at

QUIET = 0.2
"""How many seconds without another change pass before a text is checked."""

_REQUEST_FAILED = -32803
_LANGUAGE_IDS = {**{name: name for name in NAMES}, "sql": "cql", "rsp-ql": "sparql"}
_KINDS: dict[Category, types.CompletionItemKind] = {
    "predicate": types.CompletionItemKind.Class,
    "keyword": types.CompletionItemKind.Keyword,
    "function": types.CompletionItemKind.Function,
    "window": types.CompletionItemKind.Snippet,
    "directive": types.CompletionItemKind.Keyword,
    "variable": types.CompletionItemKind.Variable,
    "constant": types.CompletionItemKind.Constant,
}


@dataclass(frozen=True, slots=True)
class _Asked:
    """A request about a position: the program of its text, the number of the text in it, and the offset."""

    reading: Reading
    source: int
    offset: int


class Server(LanguageServer):
    """A server for one editor. `allowed` are folders whose files programs may include."""

    def __init__(self, version: str, allowed: tuple[Path, ...] = ()) -> None:
        super().__init__("lasing", version, types.TextDocumentSyncKind.Full)
        self._allowed = allowed
        self._edition = 0
        self._readings: dict[str, tuple[int, Reading]] = {}
        self._checks: dict[str, asyncio.Task[None]] = {}

    # -- texts ---------------------------------------------------------------------------------------------------------

    def source(self, document: TextDocument) -> SourceText:
        """A text of the editor as a source, with its file if it has one."""
        path = to_fs_path(document.uri)
        if path is None:
            return SourceText(document.uri, document.source, None, self._allowed)
        return SourceText(path, document.source, Path(path), self._allowed)

    def _opened(self) -> Opened:
        paths = ((to_fs_path(d.uri), d.source) for d in self.workspace.text_documents.values())
        return {Path(path).resolve(): text for path, text in paths if path is not None}

    async def reading(self, uri: str) -> Reading:
        """The program of a text, as it is now."""
        edition = self._edition
        known = self._readings.get(uri)
        if known is not None and known[0] == edition:
            return known[1]
        source = self.source(self.workspace.get_text_document(uri))
        reading = await asyncio.to_thread(read, source, self._opened(), self.language_of(uri))
        if edition == self._edition:
            self._readings[uri] = edition, reading
        return reading

    async def asked(self, uri: str, position: types.Position) -> _Asked | None:
        """What a request is about; None if its text is not in the language of rules."""
        reading = await self.reading(uri)
        if not reading.is_rules or not reading.program.sources:
            return None
        offset = self._lines(reading.root.text).offset(position.line, position.character)
        return _Asked(reading, reading.source_number(reading.root), offset)

    async def around(self, asked: _Asked) -> list[Reading]:
        """The program asked about, and those that include its text."""
        if asked.reading.root.path is None:
            return [asked.reading]
        folders = [Path(path) for uri in self.workspace.folders if (path := to_fs_path(uri)) is not None]
        opened = self._opened()
        others = await asyncio.to_thread(including, asked.reading.root.path, opened, folders, self._allowed)
        return [asked.reading, *others]

    def language_of(self, uri: str) -> str | None:
        """The language that the editor names, if the ending of the file names none."""
        document = self.workspace.get_text_document(uri)
        return None if is_program(document.path) else _LANGUAGE_IDS.get(document.language_id or "")

    # -- positions -----------------------------------------------------------------------------------------------------

    def _lines(self, text: str) -> Lines:
        encoding = types.PositionEncodingKind(self.workspace.position_encoding or "utf-16")
        return Lines(text, encoding.value)

    def range(self, text: str, span: Span) -> types.Range:
        lines = self._lines(text)
        return types.Range(types.Position(*lines.position(span.begin)), types.Position(*lines.position(span.end)))

    def uri(self, source: SourceText) -> str:
        """The name that the editor has for a text."""
        if source.path is None:
            return source.name
        place = source.path.resolve()
        for document in self.workspace.text_documents.values():
            path = to_fs_path(document.uri)
            if path is not None and Path(path).resolve() == place:
                return str(document.uri)
        return str(from_fs_path(str(place)))

    def locations(self, reading: Reading, found: Sequence[Found]) -> list[types.Location]:
        sources = reading.program.sources
        return [types.Location(self.uri(sources[n]), self.range(sources[n].text, span)) for n, span in found]

    # -- checking ------------------------------------------------------------------------------------------------------

    def changed(self, uri: str, after: float) -> None:
        """Check a text soon, and all open texts that include it."""
        self._edition += 1
        path = to_fs_path(uri)
        place = None if path is None else Path(path).resolve()
        for document in list(self.workspace.text_documents.values()):
            known = self._readings.get(document.uri)
            includes = known is not None and any(
                source.path is not None and source.path.resolve() == place for source in known[1].program.sources
            )
            if document.uri == uri or includes or place is None:
                self._check_soon(document.uri, after)

    def everything_changed(self) -> None:
        """Files may have changed on the disk: check all open texts."""
        self._edition += 1
        for document in list(self.workspace.text_documents.values()):
            self._check_soon(document.uri, 0)

    def closed(self, uri: str) -> None:
        """Forget a text; others include it as it is on the disk from now on."""
        if (check := self._checks.pop(uri, None)) is not None:
            check.cancel()
        self.changed(uri, 0)
        self._readings.pop(uri, None)
        self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, []))

    def _check_soon(self, uri: str, after: float) -> None:
        if (earlier := self._checks.get(uri)) is not None:
            earlier.cancel()
        self._checks[uri] = asyncio.get_running_loop().create_task(self._check(uri, after))

    async def _check(self, uri: str, after: float) -> None:
        try:
            await asyncio.sleep(after)
            version = self.workspace.get_text_document(uri).version
            reading = await self.reading(uri)
            if self.workspace.get_text_document(uri).version != version:
                return  # the check of the later version follows
            shown = [
                types.Diagnostic(
                    range=self.range(reading.root.text, one.span),
                    message=one.message,
                    severity=types.DiagnosticSeverity.Warning
                    if one.diagnostic.severity == "warning"
                    else types.DiagnosticSeverity.Error,
                    code=one.diagnostic.code,
                    source="lasing",
                )
                for one in diagnostics(reading)
            ]
            self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, shown, version))
        except Exception as error:
            text = f"{uri} could not be checked: {type(error).__name__}: {error}"
            self.window_log_message(types.LogMessageParams(types.MessageType.Error, text))
            raise


def make_server(version: str, allowed: tuple[Path, ...] = ()) -> Server:
    """A server with all features."""
    server = Server(version, allowed)
    _texts(server)
    _questions(server)
    _changes(server)
    return server


def _texts(server: Server) -> None:
    """What the editor says about its texts."""

    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    async def opened(params: types.DidOpenTextDocumentParams) -> None:
        server.changed(params.text_document.uri, 0)

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    async def changed(params: types.DidChangeTextDocumentParams) -> None:
        server.changed(params.text_document.uri, QUIET)

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    async def closed(params: types.DidCloseTextDocumentParams) -> None:
        server.closed(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_SAVE)
    async def saved(_: types.DidSaveTextDocumentParams) -> None:
        server.everything_changed()

    @server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    async def files_changed(_: types.DidChangeWatchedFilesParams) -> None:
        server.everything_changed()


def _questions(server: Server) -> None:
    """Requests that change nothing."""

    @server.feature(types.TEXT_DOCUMENT_HOVER)
    async def on_hover(params: types.HoverParams) -> types.Hover | None:
        asked = await server.asked(params.text_document.uri, params.position)
        if asked is None:
            return None
        found = await asyncio.to_thread(hover, asked.reading, asked.source, asked.offset)
        if found is None:
            return None
        content = types.MarkupContent(types.MarkupKind.Markdown, found[0])
        return types.Hover(content, server.range(asked.reading.root.text, found[1]))

    @server.feature(types.TEXT_DOCUMENT_DEFINITION)
    async def on_definition(params: types.DefinitionParams) -> list[types.Location]:
        asked = await server.asked(params.text_document.uri, params.position)
        if asked is None:
            return []
        found = await asyncio.to_thread(definition, asked.reading.program, asked.source, asked.offset)
        if isinstance(found, Path):
            start = types.Position(0, 0)
            exists = found.is_file() and asked.reading.root.may_read(found)
            file = SourceText(str(found), "", found)
            return [types.Location(server.uri(file), types.Range(start, start))] if exists else []
        return server.locations(asked.reading, found)

    @server.feature(types.TEXT_DOCUMENT_REFERENCES)
    async def on_references(params: types.ReferenceParams) -> list[types.Location]:
        asked = await server.asked(params.text_document.uri, params.position)
        if asked is None:
            return []
        program = asked.reading.program
        with_definition = params.context.include_declaration
        found = await asyncio.to_thread(references, program, asked.source, asked.offset, with_definition)
        locations = server.locations(asked.reading, found)
        thing = thing_at(program, asked.source, asked.offset)
        if isinstance(thing, Predicate):
            with _refusals():
                around = await server.around(asked)
            for other in around[1:]:
                places = [o for o in occurrences(other.program) if o.predicate == thing.occurrence.predicate]
                locations += server.locations(other, [(o.source, o.span) for o in places])
        return _distinct(locations)

    @server.feature(
        types.TEXT_DOCUMENT_COMPLETION,
        types.CompletionOptions(trigger_characters=["#", "[", "("], resolve_provider=False),
    )
    async def on_completion(params: types.CompletionParams) -> list[types.CompletionItem]:
        asked = await server.asked(params.text_document.uri, params.position)
        if asked is None:
            return []
        found = await asyncio.to_thread(completion, asked.reading.program, asked.source, asked.offset)
        text = asked.reading.root.text
        return [
            types.CompletionItem(
                label=one.text,
                kind=_KINDS[one.category],
                detail=one.category,
                documentation=types.MarkupContent(types.MarkupKind.Markdown, one.about) if one.about else None,
                text_edit=types.TextEdit(server.range(text, one.replaces), one.text),
            )
            for one in found
        ]


def _changes(server: Server) -> None:
    """Requests for changes of texts."""

    @server.feature(types.TEXT_DOCUMENT_FORMATTING)
    async def on_formatting(params: types.DocumentFormattingParams) -> list[types.TextEdit]:
        uri = params.text_document.uri
        source = server.source(server.workspace.get_text_document(uri))
        found = await asyncio.to_thread(formatting, source, server.language_of(uri))
        return [] if found is None else [types.TextEdit(server.range(source.text, found[0]), found[1])]

    @server.feature(types.TEXT_DOCUMENT_PREPARE_RENAME)
    async def on_prepare(params: types.PrepareRenameParams) -> types.PrepareRenamePlaceholder | None:
        asked = await server.asked(params.text_document.uri, params.position)
        if asked is None:
            return None
        with _refusals():
            thing = renamable(asked.reading, asked.source, asked.offset)
        text = asked.reading.root.text
        name = text[thing.span.begin : thing.span.end]
        return types.PrepareRenamePlaceholder(range=server.range(text, thing.span), placeholder=name)

    @server.feature(types.TEXT_DOCUMENT_RENAME, types.RenameOptions(prepare_provider=True))
    async def on_rename(params: types.RenameParams) -> types.WorkspaceEdit | None:
        asked = await server.asked(params.text_document.uri, params.position)
        if asked is None:
            return None
        with _refusals():
            readings = await server.around(asked)
            found = await asyncio.to_thread(rename, readings, asked.source, asked.offset, params.new_name)
        located = [
            place
            for reading, places in zip(readings, found, strict=False)
            for place in server.locations(reading, places)
        ]
        changes: dict[str, list[types.TextEdit]] = {}
        for place in _distinct(located):
            changes.setdefault(place.uri, []).append(types.TextEdit(place.range, params.new_name))
        return types.WorkspaceEdit(changes=cast(Any, changes))


@contextmanager
def _refusals() -> Iterator[None]:
    """Tell the editor why a request is refused."""
    try:
        yield
    except LasingError as error:
        found = error.diagnostics[0]
        message = f"{found.code}: {'; '.join(filter(None, (found.message, found.note)))}"
        raise JsonRpcException(message, _REQUEST_FAILED) from None


def _distinct(locations: Sequence[types.Location]) -> list[types.Location]:
    """Locations without those that several programs have."""
    found = {(one.uri, one.range.start.line, one.range.start.character): one for one in reversed(locations)}
    return list(found.values())[::-1]
