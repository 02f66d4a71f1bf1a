"""Which language a text is in, and the error if there is none."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

import lasing
from lasing import languages
from lasing.errors import SourceText
from lasing.languages import LARS, SPARQL, front_end, is_program, read_question


def file(name: str) -> SourceText:
    return SourceText(name, "q :- p.", Path(name))


def test_the_ending_of_a_file_says_its_language() -> None:
    assert front_end([file("a.lars"), file("B.LARS")]) is LARS
    assert is_program("dir/a.lars")
    assert not is_program("a.facts")
    for ending in ("rq", "sparql", "rspql", "csparql", "CQELS"):
        assert front_end([file(f"a.{ending}")]) is SPARQL
        assert is_program(f"a.{ending}")


def test_text_is_lars_and_so_is_nothing() -> None:
    assert front_end([SourceText("program", "q :- p.")]) is LARS
    assert front_end([]) is LARS


def test_a_named_language_goes_before_any_ending() -> None:
    assert front_end([file("a.rules")], "lars") is LARS


def test_an_unknown_ending_is_an_error_that_lists_what_exists(tmp_path: Path) -> None:
    path = tmp_path / "a.rules"
    path.write_text("q :- p.", encoding="utf-8")
    with pytest.raises(lasing.LasingError, match="E511") as error:
        lasing.parse(path)
    assert ".lars (lars)" in error.value.diagnostics[0].note
    assert lasing.parse(path, language="lars").rules


def test_an_unknown_language_is_an_error_that_lists_what_exists() -> None:
    with pytest.raises(lasing.LasingError, match=r"E305.*cobol") as error:
        lasing.parse("q :- p.", language="cobol")
    assert error.value.diagnostics[0].note == "languages are lars, sparql, tesla, dotr, etalis, cql"


def test_programs_of_two_languages_do_not_mix(monkeypatch: pytest.MonkeyPatch) -> None:
    other = replace(LARS, name="other", endings=(".other",))
    monkeypatch.setattr(languages, "FRONT_ENDS", (LARS, other))
    assert front_end([file("a.other")]) is other
    with pytest.raises(lasing.LasingError, match=r"E511.*lars, other"):
        front_end([file("a.lars"), file("a.other")])


def test_queries_are_read_like_programs(tmp_path: Path) -> None:
    text = "SELECT ?s { ?s ?p ?o }"
    path = tmp_path / "q.rq"
    path.write_text(text, encoding="utf-8")
    assert lasing.parse(path).rules == lasing.parse(text, language="sparql").rules


def test_a_query_without_its_libraries_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(languages, "find_spec", lambda name: None if name == "rdflib" else object())
    with pytest.raises(lasing.LasingError, match=r"E705.*rdflib") as error:
        lasing.parse("ASK {}", language="sparql")
    assert "pip install 'lasing[rdf]'" in error.value.diagnostics[0].note


def test_sql_without_its_library_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(languages, "find_spec", lambda _: None)
    with pytest.raises(lasing.LasingError, match=r"E727.*sqlglot") as error:
        lasing.parse("SELECT 1", language="cql")
    assert "pip install 'lasing[cql]'" in error.value.diagnostics[0].note


def test_formulas_are_not_asked_beside_a_query() -> None:
    with pytest.raises(lasing.LasingError, match=r"E511.*formulas"):
        read_question([file("a.rq")], {}, SourceText("formula", "p"))


def test_the_libraries_of_queries_are_loaded_when_there_is_a_query() -> None:
    code = "import sys, lasing.cli; print(*({'rdflib', 'pyoxigraph'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""
