"""A pipeline that dies between any two changes to the disk, and is run again, writes what an undisturbed one writes."""

from __future__ import annotations

import os
import random
import shutil
from pathlib import Path
from typing import Any

import pyarrow.dataset as ds
import pytest

from tests.unit.pipeline.local.pipelines import (
    HEAD,
    SOURCE,
    DyingDisk,
    KilledError,
    csv_text,
    json_rows,
    run,
    stream,
    written,
)

SINKS = """
[sinks.q]
format = "{format}"
path = "out"
[sinks.screen]
output = "q"
format = "console"
[late]
format = "json"
path = "late"
"""


def prepared(folder: Path, seed: int, view: str, form: str) -> Path:
    """A pipeline over several files of CSV, some of whose rows are late or bad."""
    rows = stream(seed)
    (folder / "in").mkdir(parents=True)
    for number in range(4):
        path = folder / "in" / f"{number}.csv"
        part = rows[15 * number : 15 * number + 15]
        path.write_text(csv_text(part) + "bad,row\n")
        os.utime(path, (1_000_000 + number, 1_000_000 + number))
    head = HEAD + f'view = "{view}"\nbad_rows = "bad.jsonl"\nkeep = 2\ndelay = 1\n'
    return written(folder, head + SOURCE.format(format="csv", path="in") + SINKS.format(format=form))


def results(folder: Path, form: str) -> tuple[Any, ...]:
    return in_order(folder / "out", form), json_rows(folder / "late"), json_rows(folder / "bad.jsonl")


def in_order(folder: Path, form: str) -> list[tuple[Any, ...]]:
    """The rows in the files of a folder, file by file."""
    tables = [ds.dataset(path, format=form).to_table() for path in sorted(folder.iterdir())]
    return [row for table in tables for row in zip(*(c.to_pylist() for c in table.columns), strict=True)]


def printed(capsys: pytest.CaptureFixture[str]) -> list[str]:
    return capsys.readouterr().out.splitlines()


@pytest.mark.parametrize(("view", "form"), [("answers", "parquet"), ("changes", "json"), ("intervals", "csv")])
def test_death_between_any_two_changes_to_the_disk(
    tmp_path: Path, view: str, form: str, capsys: pytest.CaptureFixture[str]
) -> None:
    whole = DyingDisk()
    run(prepared(tmp_path / "whole", 1, view, form), whole)
    wanted = results(tmp_path / "whole", form)
    screen = set(printed(capsys))
    assert all(wanted)
    assert len(wanted[2]) == 4
    for last in range(1, whole.changes + 1):
        folder = tmp_path / "dying"
        path = prepared(folder, 1, view, form)
        with pytest.raises(KilledError):
            run(path, DyingDisk(last))
        run(path)
        _same_places(results(folder, form), wanted, folder, tmp_path / "whole")
        assert set(printed(capsys)) == screen
        assert run(path).total.events == 0
        assert printed(capsys) == []
        shutil.rmtree(folder)


def test_several_deaths_in_a_row(tmp_path: Path) -> None:
    run(prepared(tmp_path / "whole", 2, "changes", "json"))
    wanted = results(tmp_path / "whole", "json")
    chance = random.Random(2)
    for round_ in range(10):
        folder = tmp_path / f"dying{round_}"
        path = prepared(folder, 2, "changes", "json")
        for _ in range(200):
            try:
                run(path, DyingDisk(chance.randint(2, 12)))
                break
            except KilledError:
                continue
        else:
            run(path)
        _same_places(results(folder, "json"), wanted, folder, tmp_path / "whole")


def _same_places(got: tuple[Any, ...], wanted: tuple[Any, ...], folder: Path, other: Path) -> None:
    assert got[0] == wanted[0]
    assert got[1] == wanted[1]
    assert [{**row, "file": row["file"].replace(str(folder), "")} for row in got[2]] == [
        {**row, "file": row["file"].replace(str(other), "")} for row in wanted[2]
    ]
