"""The findings of `lasing check`, at their places; and the layout of `lasing fmt`."""

from __future__ import annotations

from pathlib import Path

import pytest

from lasing.errors import SourceText
from lasing.lsp.around import including
from lasing.lsp.diagnostics import diagnostics
from lasing.lsp.formatting import formatting
from lasing.lsp.reading import Reading, read


def _underlined(reading: Reading) -> list[tuple[str, str]]:
    return [(one.diagnostic.code, reading.root.text[one.span.begin : one.span.end]) for one in diagnostics(reading)]


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("a.lars", 'ok("🔥→").\r\nq(X, Yé) :- p(X).', [("E201", "Yé")]),
        ("a.lars", "#input p/1.\nq(X) :- pp(X), p(X).", [("W101", "pp")]),
        ("a.lars", "p :- q", [("E105", "")]),
        ("a.lars", "", []),
        ("a.rq", "SELECT ?x WHERE { ?x ?y }", [("E701", "}")]),
        ("a.tesla", "define", [("E711", "")]),
        ("a.dotr", "define", [("E711", "")]),
        ("a.etalis", "e <- (p SEQ", [("E731", "")]),
        ("a.sql", "SELECT FROM", [("E721", "")]),
        ("a.txt", "p.", [("E511", "")]),
    ],
)
def test_findings_of_each_language(name: str, text: str, expected: list[tuple[str, str]]) -> None:
    found = _underlined(read(SourceText(name, text, Path(name)), {}))
    assert [code for code, _ in found] == [code for code, _ in expected]
    if name == "a.lars":
        assert found == expected


def test_a_finding_in_an_included_file_is_shown_at_the_include(tmp_path: Path) -> None:
    (tmp_path / "inner.lars").write_text("q(X) :- p(Y).")
    (tmp_path / "lib.lars").write_text('#include "inner.lars".')
    main = tmp_path / "main.lars"
    text = 'a.\n#include "lib.lars".\nr(X) :- q(X).'
    (shown,) = diagnostics(read(SourceText(str(main), text, main), {}))
    assert text[shown.span.begin : shown.span.end] == '"lib.lars"'
    assert shown.message.startswith(f"{tmp_path / 'inner.lars'}:1:3: X is unsafe")
    repaired = {(tmp_path / "inner.lars").resolve(): "q(X) :- p(X)."}
    assert diagnostics(read(SourceText(str(main), text, main), repaired)) == []


def test_includes_are_confined_also_if_the_file_is_open(tmp_path: Path) -> None:
    secret = tmp_path / "secret.lars"
    secret.write_text("s(1).")
    main = tmp_path / "rules" / "main.lars"
    text = '#include "../secret.lars".'
    opened = {secret.resolve(): "s(2)."}
    assert _underlined(read(SourceText(str(main), text, main), opened)) == [("E120", '"../secret.lars"')]
    allowed = read(SourceText(str(main), text, main, (tmp_path,)), opened)
    assert [str(atom) for atom in allowed.program.background] == ["s(2)"]


def test_files_that_include_each_other(tmp_path: Path) -> None:
    (tmp_path / "b.lars").write_text('#include "a.lars".\nq :- p.')
    main = tmp_path / "a.lars"
    reading = read(SourceText(str(main), '#include "b.lars".\np :- r.', main), {})
    assert [rule.heads[0].predicate for rule in reading.program.rules] == ["q", "p"]  # type: ignore[union-attr]


def test_programs_that_include_a_file(tmp_path: Path) -> None:
    lib = tmp_path / "rules" / "lib.lars"
    lib.parent.mkdir()
    lib.write_text("p :- q.")
    (tmp_path / "rules" / "middle.lars").write_text('#include "lib.lars".')
    (tmp_path / "main.lars").write_text('#include "rules/middle.lars".')
    (tmp_path / "other.lars").write_text("x :- y.")
    opened = {(tmp_path / "unsaved.lars").resolve(): '#include "rules/lib.lars".'}
    found = including(lib, opened, [tmp_path], ())
    assert sorted(Path(reading.root.name).name for reading in found) == ["main.lars", "middle.lars", "unsaved.lars"]


@pytest.mark.parametrize(
    ("name", "text", "formatted"),
    [
        ("a.lars", 'a("🔥").\r\np:-q.\nr.', 'a("🔥").\np :- q.\nr.\n'),
        ("a.lars", "p :- q.\n", "p :- q.\n"),
        ("a.lars", "p :- 'q'.", "p :- 'q'."),
        ("a.rq", "select ?x where {?x ?y ?z}", "SELECT ?x\nWHERE {\n  ?x ?y ?z\n}\n"),
        ("a.sql", "select a from s", "SELECT a FROM s\n"),
    ],
)
def test_formatting(name: str, text: str, formatted: str) -> None:
    found = formatting(SourceText(name, text, Path(name)))
    result = text if found is None else text[: found[0].begin] + found[1] + text[found[0].end :]
    assert result == formatted


def test_formatting_leaves_other_lines_alone() -> None:
    found = formatting(SourceText("a", "p.\nq:-p.\nr.\n"))
    assert found is not None
    assert found[1] == "q :- p.\n"
