"""Which files a program may name: those of its own folder and below, and of folders that the user allows."""

from __future__ import annotations

from pathlib import Path

import pytest

import lasing
from tests.command import lasing as command


@pytest.fixture
def folders(tmp_path: Path) -> Path:
    """`rules/main.lars` includes a file below its folder, which includes one of a neighbouring folder."""
    (tmp_path / "rules" / "rooms").mkdir(parents=True)
    (tmp_path / "common").mkdir()
    (tmp_path / "rules" / "main.lars").write_text('#include "rooms/kitchen.lars".\nq(X) :- room(X).\n')
    (tmp_path / "rules" / "rooms" / "kitchen.lars").write_text('#include "../../common/names.lars".\nroom(kitchen).\n')
    (tmp_path / "common" / "names.lars").write_text("name(kitchen).\n")
    return tmp_path


def test_a_file_of_another_folder_is_not_included(folders: Path) -> None:
    with pytest.raises(lasing.LasingError) as raised:
        lasing.parse(folders / "rules" / "main.lars")
    (found,) = raised.value.diagnostics
    assert found.code == "E120"
    assert found.message == "the program may not include names.lars, which is in another folder"
    assert "--allow" in found.note
    assert found.place is not None
    assert found.place.line == 1


def test_an_allowed_folder_is_allowed_for_included_files_too(folders: Path) -> None:
    program = lasing.parse(folders / "rules" / "main.lars", allow=[folders / "common"])
    assert sorted(map(str, program.background)) == ["name(kitchen)", "room(kitchen)"]


def test_an_included_file_may_include_files_of_the_programs_folder(folders: Path) -> None:
    (folders / "rules" / "names.lars").write_text("name(hall).\n")
    (folders / "rules" / "rooms" / "kitchen.lars").write_text('#include "../names.lars".\n')
    program = lasing.parse(folders / "rules" / "main.lars")
    assert list(map(str, program.background)) == ["name(hall)"]


def test_a_link_does_not_lead_out_of_the_folder(folders: Path) -> None:
    (folders / "rules" / "rooms" / "kitchen.lars").write_text('#include "link.lars".\n')
    (folders / "rules" / "rooms" / "link.lars").symlink_to(folders / "common" / "names.lars")
    with pytest.raises(lasing.LasingError, match="may not include"):
        lasing.parse(folders / "rules" / "main.lars")


@pytest.mark.parametrize("name", ["check", "translate"])
def test_commands_take_allowed_folders(folders: Path, name: str) -> None:
    main = str(folders / "rules" / "main.lars")
    refused = command(name, main, folder=folders)
    assert refused.returncode == 1
    assert "E120" in refused.stderr
    assert command(name, main, "--allow", str(folders / "common"), folder=folders).returncode == 0


def test_a_query_reads_files_of_an_allowed_folder(tmp_path: Path) -> None:
    pytest.importorskip("rdflib", reason="queries need rdflib")
    (tmp_path / "asked").mkdir()
    (tmp_path / "city.ttl").write_text("<http://ex.org/a> <http://ex.org/p> 1 .\n")
    query = tmp_path / "asked" / "all.rq"
    query.write_text("SELECT ?s FROM <../city.ttl> WHERE { ?s ?p ?o }\n")
    refused = command("query", str(query), folder=tmp_path)
    assert "E704" in refused.stderr
    allowed = command("query", str(query), "--allow", str(tmp_path), "--format", "csv", folder=tmp_path)
    assert "http://ex.org/a" in allowed.stdout
