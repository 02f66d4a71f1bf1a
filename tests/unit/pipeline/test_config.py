"""Pipeline files with mistakes."""

from __future__ import annotations

from pathlib import Path

import pytest

from lasing import LasingError
from lasing.logic.own import functions_in
from lasing.pipeline.config import read_pipeline

DEEP = ["x = " + "[" * 100_000, "x = " + "{a=" * 100_000, "[" * 100_000, "a." * 100_000 + "b = 1"]


@pytest.mark.parametrize("text", DEEP)
def test_brackets_and_keys_without_end_are_an_error_of_one_sentence(tmp_path: Path, text: str) -> None:
    (tmp_path / "deep.toml").write_text(text)
    with pytest.raises(LasingError, match=r"E611.*deep\.toml is not TOML") as caught:
        read_pipeline(tmp_path / "deep.toml")
    assert len(str(caught.value)) < 300


FILE = """
program = "p.lars"
checkpoint = "state"
{top}
[sources.one]
format = "csv"
path = "one"
fact = "p"
schema = "time bigint, x bigint"
{one}
[sources.two]
format = "csv"
path = "two"
fact = "r"
schema = "time bigint, x bigint"
[sinks.q]
format = "console"
"""


def written(folder: Path, top: str, one: str) -> Path:
    (folder / "p.lars").write_text("q(X) :- p(X), r(X).", encoding="utf-8")
    (folder / "p.toml").write_text(FILE.format(top=top, one=one), encoding="utf-8")
    return folder / "p.toml"


@pytest.mark.parametrize(
    ("top", "one", "meant"),
    [
        ("", "", ["skip", "skip"]),
        ('missing = "error"', "", ["error", "error"]),
        ('missing = "error"', "missing = 0", [0, "error"]),
        ("missing = 1.5", 'missing = "skip"', ["skip", 1.5]),
        ("", 'missing = "none"', ["none", "skip"]),
    ],
)
def test_what_a_missing_value_means_by_source(tmp_path: Path, top: str, one: str, meant: list[object]) -> None:
    found = read_pipeline(written(tmp_path, top, one))
    assert [found.missing_in(source) for source in found.sources] == meant


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ("true", r"missing is True\n.*it must be text or a number"),
        ("[0]", r"missing is \[0\]\n.*it must be text or a number"),
        ("nan", "missing: the value for missing ones is nan, which is not a number"),
        (f"{2**63}", "missing: the value for missing ones is beyond 64 bits"),
    ],
)
@pytest.mark.parametrize("where", ["top", "one"])
def test_a_bad_rule_for_missing_values(tmp_path: Path, where: str, given: str, why: str) -> None:
    lines = {"top": "", "one": "", where: f"missing = {given}"}
    key = "" if where == "top" else "sources.one."
    with pytest.raises(LasingError, match=f"E612.*p.toml: {key}{why}") as caught:
        read_pipeline(written(tmp_path, **lines))
    assert len(caught.value.diagnostics) == 1


def test_functions_of_the_user_come_from_a_module_beside_the_file(tmp_path: Path) -> None:
    path = written(tmp_path, 'functions = "beside_it"', "")
    (tmp_path / "p.lars").write_text("q(@double(X)) :- p(X), r(X).", encoding="utf-8")
    with pytest.raises(LasingError, match="there is no module beside_it"):
        read_pipeline(path)
    (tmp_path / "beside_it.py").write_text("def double(x):\n    return 2 * x\n", encoding="utf-8")
    found = read_pipeline(path)
    assert set(functions_in(found.program)) == {"double"}
    with pytest.raises(LasingError, match="there is no function @double"):
        read_pipeline(written_with(tmp_path, "q(@double(X)) :- p(X), r(X)."))


def written_with(folder: Path, program: str) -> Path:
    path = written(folder, "", "")
    (folder / "p.lars").write_text(program, encoding="utf-8")
    return path
