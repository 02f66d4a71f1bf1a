"""Reading files that are not as they should be."""

from __future__ import annotations

from pathlib import Path

import pytest

from lasing.connectors import files
from lasing.connectors.files import blocks, lines, read_text
from lasing.errors import Diagnostic, LasingError


def finding(path: Path) -> Diagnostic:
    with pytest.raises(LasingError) as caught:
        list(lines(path))
    return caught.value.diagnostics[0]


def test_lines_are_numbered_from_one_and_have_no_ends(tmp_path: Path) -> None:
    path = tmp_path / "a.facts"
    path.write_bytes(b"\xef\xbb\xbfone\r\n\ntwo")
    assert list(lines(path)) == [(1, "one"), (2, ""), (3, "two")]
    assert read_text(path) == "one\r\n\ntwo"


def test_blocks_end_at_line_ends_and_know_their_first_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "_BLOCK", 5)
    path = tmp_path / "a.facts"
    path.write_text("ä1\nä2\nä3\nälänger\nä5", encoding="utf-8")
    found = list(blocks(path))
    assert "".join(block.text for block in found) == path.read_text(encoding="utf-8")
    assert len(found) > 2
    before = ""
    for block in found:
        assert block.line == before.count("\n") + 1
        before += block.text
    assert list(lines(path)) == list(enumerate(["ä1", "ä2", "ä3", "älänger", "ä5"], 1))


def test_progress_counts_every_byte(tmp_path: Path) -> None:
    path = tmp_path / "a.facts"
    path.write_bytes(b"0123456789\n" * 20_000)
    seen: list[int] = []
    list(lines(path, seen.append))
    assert sum(seen) == 220_000


@pytest.mark.parametrize("line", [1, 3, 40_000])
def test_broken_utf_8_is_found_at_its_line_and_column(tmp_path: Path, line: int) -> None:
    path = tmp_path / "a.facts"
    path.write_bytes(b"p at 1.\n" * (line - 1) + b"p(\xff) at 1.\n")
    found = finding(path)
    assert (found.code, str(found.place)) == ("E402", f"{path}:{line}:3")
    assert "0xff" in found.message


def test_a_cut_character_at_the_end_is_broken_utf_8(tmp_path: Path) -> None:
    path = tmp_path / "a.lars"
    path.write_bytes("p(ä".encode()[:-1])
    with pytest.raises(LasingError, match="E402"):
        read_text(path)


def test_an_over_long_line_is_refused_before_it_is_read_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    longest = 2**20
    monkeypatch.setattr(files, "LONGEST_LINE", longest)
    path = tmp_path / "a.facts"
    with path.open("wb") as file:
        file.write(b"p at 1.\n")
        file.truncate(4 * longest)
    read: list[int] = []
    with pytest.raises(LasingError) as caught:
        list(lines(path, read.append))
    found = caught.value.diagnostics[0]
    assert (found.code, str(found.place)) == ("E507", f"{path}:2:1")
    assert sum(read) < 2 * longest


def test_a_missing_file_is_answered_with_those_that_exist(tmp_path: Path) -> None:
    (tmp_path / "b.facts").touch()
    (tmp_path / "c.csv").touch()
    found = finding(tmp_path / "a.facts")
    assert found.code == "E401"
    assert "b.facts" in found.note
    assert "c.csv" not in found.note


@pytest.mark.parametrize("name", ["folder", "folder/none/a.facts", "file/a.facts"])
def test_anything_but_a_file_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").touch()
    path = tmp_path / name
    assert finding(path).code == "E401"
    with pytest.raises(LasingError, match="E401"):
        read_text(path)
