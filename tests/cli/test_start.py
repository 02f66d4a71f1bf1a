"""A command loads only what it uses, and ends with its exit code and all that it has written."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

import lasing
from lasing.cli import COMMANDS, app

LOADED = """
import sys
from lasing.cli import main

sys.argv = ["lasing", *sys.argv[1:]]
try:
    main()
except SystemExit as end:
    assert not end.code, end.code
print(*sorted({"numba", "http.client", "pygls", "lasing.explain"} & set(sys.modules)))
"""


@pytest.mark.parametrize(
    ("arguments", "loaded"),
    [(("--version",), ""), (("check", "p.lars"), ""), (("run", "p.lars", "s.facts"), "numba")],
)
def test_a_command_loads_only_what_it_uses(arguments: tuple[str, ...], loaded: str, tmp_path: Path) -> None:
    (tmp_path / "p.lars").write_text("hot(S) :- temp(S,V), V > 30.", encoding="utf-8")
    (tmp_path / "s.facts").write_text("temp(s1,70) at 1.", encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-c", LOADED, *arguments],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[-1] == loaded


def test_every_name_of_the_package_is_there_when_it_is_asked_for() -> None:
    assert [name for name in lasing.__all__ if getattr(lasing, name) is None] == []
    assert set(lasing.__all__) == set(lasing._HOMES)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        lasing.nothing  # noqa: B018 -- asking is the test


def test_help_names_every_command() -> None:
    said = CliRunner().invoke(app, ["--help"]).output
    assert [line.split()[0] for line in said.splitlines() if line.startswith("  ") and line.split()[0] in COMMANDS] == [
        *COMMANDS
    ]
    assert "Did you mean 'run'?" in CliRunner().invoke(app, ["rnu"]).output


@pytest.mark.parametrize(
    ("arguments", "code", "out"),
    [
        (("run", "p.lars", "s.facts"), 0, "hot(s1) at 1.\n"),
        (("run", "nope.lars"), 1, ""),
        (("run", "--nope"), 2, ""),
        (("--version",), 0, f"lasing {lasing.__version__}\n"),
    ],
)
def test_a_process_ends_with_its_code_and_all_that_it_has_written(
    arguments: tuple[str, ...], code: int, out: str, tmp_path: Path
) -> None:
    (tmp_path / "p.lars").write_text("hot(S) :- temp(S,V), V > 30.", encoding="utf-8")
    (tmp_path / "s.facts").write_text("temp(s1,70) at 1.", encoding="utf-8")
    command = [sys.executable, "-m", "lasing", *arguments]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=900, check=False)
    assert (done.returncode, done.stdout) == (code, out)
    assert bool(done.stderr) == bool(code)
