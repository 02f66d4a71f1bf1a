"""Another program on the checkpoint of a stream: it goes on where the old one stopped, or says why it cannot."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import lasing
from lasing.cli.pipeline_past import _show
from lasing.errors import LasingError
from lasing.pipeline.config import read_pipeline
from lasing.pipeline.kept import moment
from lasing.pipeline.kept_on_spark import SparkStates
from lasing.pipeline.progress import Progress
from lasing.pipeline.run import run_pipeline
from tests.spark.conftest import Files, parts
from tests.spark.test_batch import JOIN, stream
from tests.spark.test_pipeline import HEAD, SOURCE, found, pipeline

pytestmark = pytest.mark.usefixtures("spark")


def answers(program: str, table: Any, until: int | None = None) -> dict[int, frozenset[lasing.Atom]]:
    rows = [(row["time"], "p", *list(row.values())[1:]) for row in table.to_pylist()]
    return {answer.time: answer.atoms for answer in lasing.run(program, rows, end=until)}


def run(path: Path, new: Path | None = None) -> None:
    described = read_pipeline(path, new)
    with Progress(described.program) as progress:
        run_pipeline(described, progress)


def test_a_new_program_after_a_restart(files: Files, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = stream()
    first, second = parts(table, 200)
    folder = files("in", [first])
    sink = '[sinks.q]\nformat = "parquet"\npath = "out"\n'
    path = pipeline(tmp_path, HEAD.format(view="changes") + SOURCE.format(format="parquet") + sink)
    run(path)
    last = first["time"][-1].as_py()
    (tmp_path / "longer.lars").write_text(JOIN.replace("3", "4"))
    (tmp_path / "new.lars").write_text(JOIN.replace("3", "1"))
    files("more", [first, second])
    (tmp_path / "more" / "001.parquet").rename(folder / "001.parquet")

    old = answers(JOIN, first)
    new = answers(JOIN.replace("3", "1"), table)
    described = read_pipeline(path, tmp_path / "new.lars")
    kept = SparkStates(described)
    capsys.readouterr()
    _show(kept, kept.now, described, [], diff=True, form="text")
    signs = Counter(line[0] for line in capsys.readouterr().out.splitlines())
    at_last = answers(JOIN.replace("3", "1"), first)[last]
    assert signs["-"] == len(old[last] - at_last) > 0
    assert (signs["+"], signs["="]) == (0, len(at_last))

    with pytest.raises(LasingError, match=r"E608.*looks back 4 time points.*last 3 time points are kept"):
        run(path, tmp_path / "longer.lars")
    run(path, tmp_path / "new.lars")
    end = table["time"][-1].as_py()
    spliced = {**{t: a for t, a in old.items() if t <= last}, **{t: a for t, a in new.items() if t > last}}
    wanted, before = [], frozenset[lasing.Atom]()
    for time in sorted(spliced):
        wanted += [(time, 1, *a.args) for a in spliced[time] - before]
        wanted += [(time, -1, *a.args) for a in before - spliced[time]]
        before = spliced[time]
    assert found(tmp_path / "out") == sorted(wanted, key=repr)

    kept = SparkStates(described)
    now = moment(kept)
    assert now.time == end
    assert now.holding(now.task) == new[end]
    then = moment(kept, last)
    assert then.holding(then.task) == old[last]
    with pytest.raises(LasingError, match=r"E623"):
        moment(kept, -100)

    with pytest.raises(LasingError, match=r"E608.*belongs to another program(.|\n)*--replace"):
        run(path)
