"""Whatever the arguments are, a command ends with an exit code and a sentence, never with a traceback."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from lasing.cli import app
from lasing.errors import LasingError

ODD = (
    *("", "-", "--", "0", "-1", "9" * 30, "-" + "9" * 30, "1e5", "nan", "1.5", "٣", "²", "x" * 5000, "%", "\n", "é"),
    *("2026-01-01", "2026-13-01", "0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00", "auto", "iso", "numbers"),
    *(
        "=",
        "p=",
        "p=-",
        "p()=s.facts",
        "p(,)=p.csv",
        "p(x=p.csv",
        "p(x,x)=p.csv",
        "P=p.csv",
        "not=p.csv",
        "p(a",
        "q(X)",
    ),
    *("nope.lars", "nope.facts", "folder.lars", "folder.facts", "loop.facts", "/", "..", "/dev/null", "/dev/full"),
    *("bytes.lars", "bytes.facts", "bytes.csv", "bytes.jsonl", "bytes.parquet", "bytes.toml"),
    *("p.lars", "m.lars", "s.facts", "p.csv", "out/x.csv", "o.json", "o.csv.gz", "o.parquet.gz", "x" * 300 + ".csv"),
    *("p/1", "p/-1", "p/99999999999999999999", "q/²", "n=4", "n=", "n=9e999", "csv", "parquet", "changes", "clingo"),
)
VALUES = {
    "run": ("--from", "--to", "--as", "--format", "-o", "--show", "--models", "--engine", "--time", "--times", "-c"),
    "check": ("--format", "--replicate", "-c"),
    "fmt --check": (),
    "pipeline --check": ("--metrics",),
    "models check": ("--at", "-i", "-f", "--from", "--to", "--times", "-c"),
    "models sat": ("--at", "-f", "--atoms", "--from", "--to", "--times", "-c"),
}


@st.composite
def command_lines(draw: st.DrawFn) -> list[str]:
    command = draw(st.sampled_from(sorted(VALUES)))
    files = draw(st.sampled_from(((), ("p.lars",), ("p.lars", "s.facts"), ("m.lars", "s.facts"))))
    options = draw(st.lists(st.sampled_from(VALUES[command]), max_size=2)) if VALUES[command] else []
    pairs = [word for option in options for word in (option, draw(st.sampled_from(ODD)))]
    return [*command.split(), *files, *pairs, *draw(st.lists(st.sampled_from(ODD), max_size=1))]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "p.lars").write_text("#tick 1 min.\nq(X) :- p(X) in [1].\n", encoding="utf-8")
    (tmp_path / "m.lars").write_text("{q(X)} :- p(X).\n", encoding="utf-8")
    (tmp_path / "s.facts").write_text("p(a) at 1.\np(b) at 3.\n", encoding="utf-8")
    (tmp_path / "p.csv").write_text("time,x\n1,a\n", encoding="utf-8")
    for ending in ("lars", "facts", "csv", "jsonl", "parquet", "toml"):
        (tmp_path / f"bytes.{ending}").write_bytes(bytes(range(256)) * 3)
    for name in ("folder.lars", "folder.facts"):
        (tmp_path / name).mkdir()
    (tmp_path / "loop.facts").symlink_to("loop.facts")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.usefixtures("folder")
@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(arguments=command_lines())
@example(["run", "p.lars", "--show", "q/²"])
@example(["run", "p.lars", "p.lars", "-o", "loop.facts"])
def test_no_arguments_end_in_a_traceback(arguments: list[str]) -> None:
    done = CliRunner().invoke(app, arguments, input="p(a) at 1.\n")
    assert done.exception is None or isinstance(done.exception, SystemExit | LasingError)


def test_an_endless_device_is_not_a_program(folder: Path) -> None:
    done = CliRunner().invoke(app, ["fmt", "--check", "/dev/zero"])
    assert isinstance(done.exception, LasingError)
    assert done.exception.diagnostics[0].code == "E507"
    (folder / "zeros.lars").write_bytes(b"q :- p.\0")
    done = CliRunner().invoke(app, ["check", "zeros.lars"])
    assert isinstance(done.exception, LasingError)
    assert done.exception.diagnostics[0].code == "E402"


def test_a_name_that_is_not_utf_8_is_printed_as_it_is(folder: Path) -> None:
    (folder / os.fsdecode(b"\xff.lars")).write_bytes(b"q :- p.\n")
    command = [sys.executable, "-m", "lasing", "check", os.fsdecode(b"\xff.lars")]
    done = subprocess.run(command, cwd=folder, capture_output=True, timeout=900, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"(\xff.lars:1:1)" in done.stdout
