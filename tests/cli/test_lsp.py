"""`lasing lsp` as an editor sees it: a process, and the protocol."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.lsp.client import LanguageClient

from tests.command import COMMAND

RULES = """#input temp/2.
hot(S) :- temp(S, V) in [5], V > 30.
warn("🔥", S) :- hot(S), not calm(S).
calm(S) :- temp(S, V), V < 10.
"""


class Editor:
    """An editor that has started the server, with the diagnostics that it was sent."""

    def __init__(self, client: LanguageClient, folder: Path) -> None:
        self.client = client
        self.folder = folder
        self.logged: list[str] = []
        self._shown: dict[str, types.PublishDiagnosticsParams] = {}
        self._news = asyncio.Event()
        self._versions: dict[str, int] = {}

        @client.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)  # type: ignore[untyped-decorator]
        def publish(params: types.PublishDiagnosticsParams) -> None:
            self._shown[params.uri] = params
            self._news.set()

        @client.feature(types.WINDOW_LOG_MESSAGE)  # type: ignore[untyped-decorator]
        def log(params: types.LogMessageParams) -> None:
            self.logged.append(params.message)

    def uri(self, name: str) -> str:
        return (self.folder / name).as_uri()

    def this(self, name: str) -> types.TextDocumentIdentifier:
        return types.TextDocumentIdentifier(self.uri(name))

    def open(self, name: str, text: str, language: str = "lars") -> None:
        self._versions[name] = 1
        item = types.TextDocumentItem(self.uri(name), language, 1, text)
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(item))

    def type(self, name: str, text: str) -> None:
        self._versions[name] += 1
        document = types.VersionedTextDocumentIdentifier(uri=self.uri(name), version=self._versions[name])
        change = types.TextDocumentContentChangeWholeDocument(text)
        self.client.text_document_did_change(types.DidChangeTextDocumentParams(document, [change]))

    async def codes(self, name: str, wanted: list[str]) -> list[types.Diagnostic]:
        """Wait until the newest version of a text has findings with these codes."""
        while True:
            self._news.clear()
            params = self._shown.get(self.uri(name))
            if params is not None and params.version == self._versions[name]:
                found = list(params.diagnostics)
                if [one.code for one in found] == wanted:
                    return found
            await self._news.wait()

    async def closed(self, name: str) -> None:
        """Close a text, and wait until its findings are gone."""
        self.client.text_document_did_close(types.DidCloseTextDocumentParams(self.this(name)))
        while self._shown[self.uri(name)].diagnostics:
            self._news.clear()
            await self._news.wait()


def edit(
    folder: Path, steps: Callable[[Editor], Awaitable[None]], encodings: list[types.PositionEncodingKind] | None = None
) -> None:
    """Go through steps with a server; it must leave by itself, and log nothing."""

    async def session() -> None:
        client = LanguageClient("tests", "1")
        editor = Editor(client, folder)
        await client.start_io(*COMMAND, "lsp", cwd=str(folder))
        general = types.GeneralClientCapabilities(position_encodings=encodings)
        await client.initialize_async(
            types.InitializeParams(
                capabilities=types.ClientCapabilities(general=general),
                workspace_folders=[types.WorkspaceFolder(folder.as_uri(), "folder")],
            )
        )
        client.initialized(types.InitializedParams())
        await steps(editor)
        await client.shutdown_async(None)
        client.exit(None)
        assert client._server is not None
        assert await client._server.wait() == 0
        await client.stop()  # type: ignore[no-untyped-call]
        assert editor.logged == []

    asyncio.run(asyncio.wait_for(session(), 900))


def _position(text: str, part: str) -> types.Position:
    """Where a part begins, in UTF-16."""
    before = text[: text.index(part)]
    line = before.rpartition("\n")[2]
    return types.Position(before.count("\n"), len(line.encode("utf-16-le")) // 2)


def test_findings_as_the_user_types(tmp_path: Path) -> None:
    async def steps(editor: Editor) -> None:
        editor.open("a.lars", RULES)
        assert await editor.codes("a.lars", []) == []
        broken = RULES.replace("hot(S),", "hot(X),")
        editor.type("a.lars", broken)
        editor.type("a.lars", broken + "% more")
        found = await editor.codes("a.lars", ["E201"])
        assert found[0].range.start == _position(broken, "S) :- hot(X)")
        assert {one.severity for one in found} == {types.DiagnosticSeverity.Error}
        editor.type("a.lars", RULES + "x(S) :- hott(S).")
        (warning,) = await editor.codes("a.lars", ["W101"])
        assert warning.severity == types.DiagnosticSeverity.Warning
        assert "did you mean hot?" in warning.message
        await editor.closed("a.lars")

    edit(tmp_path, steps)


def test_an_included_text_that_is_not_saved(tmp_path: Path) -> None:
    (tmp_path / "lib.lars").write_text("hot(S) :- temp(S, V), V > 3.\n")
    (tmp_path / "secret").mkdir()

    async def steps(editor: Editor) -> None:
        editor.open("main.lars", '#include "lib.lars".\nx(S) :- hot(S).\n#include "../out.lars".')
        await editor.codes("main.lars", ["E120"])
        editor.type("main.lars", '#include "lib.lars".\nx(S) :- hot(S).')
        await editor.codes("main.lars", [])
        editor.open("lib.lars", "hot(S) :- temp(V).\n")
        await editor.codes("lib.lars", ["E201"])
        editor.type("lib.lars", "hot(S) :- temp(S, W), V > 3.\n")
        (found,) = await editor.codes("main.lars", ["E201"])
        assert found.range.start == types.Position(0, 9)
        await editor.closed("lib.lars")
        await editor.codes("main.lars", [])

    edit(tmp_path, steps)


def test_hover_definition_and_references(tmp_path: Path) -> None:
    async def steps(editor: Editor) -> None:
        editor.open("a.lars", RULES)
        this = editor.this("a.lars")
        client, at = editor.client, _position(RULES, "calm(S).")
        shown = await client.text_document_hover_async(types.HoverParams(this, at))
        assert shown is not None
        assert isinstance(shown.contents, types.MarkupContent)
        assert "**calm/1** derived" in shown.contents.value
        assert shown.range == types.Range(at, types.Position(at.line, at.character + 4))
        found = await client.text_document_definition_async(types.DefinitionParams(this, at))
        assert isinstance(found, list)
        assert [one.range.start for one in found if isinstance(one, types.Location)] == [types.Position(3, 0)]
        context = types.ReferenceContext(include_declaration=True)
        places = await client.text_document_references_async(types.ReferenceParams(context, this, at))
        assert places is not None
        assert [place.range.start for place in places] == [at, types.Position(3, 0)]

    edit(tmp_path, steps)


def test_positions_in_the_encoding_that_the_editor_prefers(tmp_path: Path) -> None:
    async def steps(editor: Editor) -> None:
        editor.open("a.lars", RULES)
        line = RULES.splitlines()[2]
        at = types.Position(2, len(line[: line.index("calm")].encode()))
        shown = await editor.client.text_document_hover_async(types.HoverParams(editor.this("a.lars"), at))
        assert shown is not None
        assert shown.range == types.Range(at, types.Position(2, at.character + 4))

    edit(tmp_path, steps, [types.PositionEncodingKind.Utf8])


def test_rename_in_all_programs_of_the_folder(tmp_path: Path) -> None:
    (tmp_path / "main.lars").write_text('#include "a.lars".\nloud(S) :- "🔥" = "🔥", hot(S).\n')

    async def steps(editor: Editor) -> None:
        editor.open("a.lars", RULES)
        client, this, at = editor.client, editor.this("a.lars"), _position(RULES, "hot(S), not")
        prepared = await client.text_document_prepare_rename_async(types.PrepareRenameParams(this, at))
        assert isinstance(prepared, types.PrepareRenamePlaceholder)
        assert prepared.placeholder == "hot"
        done = await client.text_document_rename_async(
            types.RenameParams(new_name="warm", text_document=this, position=at)
        )
        assert done is not None
        assert done.changes is not None
        changed = {uri: [edit.range.start for edit in edits] for uri, edits in done.changes.items()}
        assert changed == {
            editor.uri("a.lars"): [types.Position(1, 0), at],
            editor.uri("main.lars"): [types.Position(1, 24)],
        }
        taken = types.RenameParams(new_name="loud", text_document=this, position=at)
        with pytest.raises(JsonRpcException, match=r"E792: loud is already a predicate"):
            await client.text_document_rename_async(taken)
        nothing = types.PrepareRenameParams(this, _position(RULES, "not"))
        with pytest.raises(JsonRpcException, match="E790"):
            await client.text_document_prepare_rename_async(nothing)

    edit(tmp_path, steps)


def test_completion_and_formatting(tmp_path: Path) -> None:
    async def steps(editor: Editor) -> None:
        client, text = editor.client, RULES + 'x("🔥",S):-ho'
        editor.open("a.lars", text)
        this = editor.this("a.lars")
        offered = await client.text_document_completion_async(types.CompletionParams(this, types.Position(4, 13)))
        assert isinstance(offered, list)
        (hot,) = (one for one in offered if one.label == "hot")
        assert isinstance(hot.text_edit, types.TextEdit)
        assert hot.text_edit.range == types.Range(types.Position(4, 11), types.Position(4, 13))
        editor.type("a.lars", text + "t(S).")
        options = types.FormattingOptions(tab_size=4, insert_spaces=True)
        (change,) = await client.text_document_formatting_async(types.DocumentFormattingParams(this, options)) or ()
        assert change.new_text == 'x("🔥", S) :- hot(S).\n'
        assert change.range == types.Range(types.Position(4, 0), types.Position(4, 18))

    edit(tmp_path, steps)


@pytest.mark.parametrize(
    ("name", "language", "text", "code"),
    [
        ("q.rq", "sparql", "SELECT ?x WHERE {", "E701"),
        ("p.tesla", "tesla", "define x", "E711"),
        ("p.dotr", "dotr", "define x", "E711"),
        ("p.etalis", "etalis", "e <- (p SEQ", "E731"),
        ("p.sql", "sql", "SELECT FROM", "E721"),
        ("notes.txt", "plaintext", "hello", "E511"),
        ("query.txt", "sql", "SELECT FROM", "E721"),
    ],
)
def test_other_languages(name: str, language: str, text: str, code: str, tmp_path: Path) -> None:
    async def steps(editor: Editor) -> None:
        editor.open(name, text, language)
        await editor.codes(name, [code])
        at = types.HoverParams(editor.this(name), types.Position(0, 1))
        assert await editor.client.text_document_hover_async(at) is None

    edit(tmp_path, steps)
