"""Pipelines for a campaign: made from a seed, run by either engine, and read again when they have ended."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import pyarrow.dataset as ds

from lasing.pipeline.config import read_pipeline
from lasing.pipeline.local.run import run_local
from lasing.pipeline.progress import Progress
from tests.campaign.cases import LOCAL
from tests.unit.pipeline.local.pipelines import Row, csv_text, stream

PROGRAMS = (
    "q(K, A, C) :- p(K, A, B) in [4], p(K, B, C) in [4].",
    "q(K, A) :- p(K, A, _) in [3], not p(K, A, 2) in [2].",
    "q(K, N) :- p(K, _, _) in [5], N = #count { A, B : p(K, A, B) in [5] }.",
)
VIEWS = ("answers", "changes", "intervals")
FORMS = ("json", "csv", "parquet")
TEXT = """
program = "q.lars"
engine = "{engine}"
view = "{view}"
checkpoint = "{checkpoint}"
{trigger}
checkpoint_every = "0 ms"
keep = 3
delay = {delay}
bad_rows = "bad"
shards = 2
[sources.p]
format = "csv"
path = "in"
schema = "time bigint, k bigint, a bigint, b bigint"
files_per_batch = 1
[sinks.q]
format = "{form}"
path = "{out}"
[late]
format = "json"
path = "late"
[spark]
master = "local[2]"
settings = {{ "spark.ui.enabled" = "false" }}
"""
FIRST_FILE = 1_700_000_000


@dataclass(frozen=True, slots=True)
class Workload:
    """A program, the settings of its pipeline, and the files that arrive."""

    engine: str
    program: str
    view: str
    form: str
    delay: int
    files: tuple[str, ...]

    def prepare(self, folder: Path, engine: str = "", files: int | None = None, **places: str) -> Path:
        """Write the pipeline and the first of its files. There is `end.toml`, which reads what is there and stops, and
        `live.toml`, which goes on."""
        (folder / "in").mkdir(parents=True, exist_ok=True)
        (folder / "q.lars").write_text(self.program)
        for name, trigger in (("live", ""), ("end", 'trigger = "available now"')):
            given = {"checkpoint": "state", "out": "out", **places}
            (folder / f"{name}.toml").write_text(
                TEXT.format(
                    engine=engine or self.engine,
                    view=self.view,
                    form=self.form,
                    delay=self.delay,
                    trigger=trigger,
                    **given,
                )
            )
        for number in range(len(self.files) if files is None else files):
            self.bring(folder, number)
        return folder / "end.toml"

    def bring(self, folder: Path, number: int, name: str = "") -> None:
        """Let a file arrive: as a whole, with the time of its number."""
        unfinished, path = folder / "unfinished", folder / "in" / (name or f"{number:04}.csv")
        unfinished.write_text(self.files[number])
        moment = (FIRST_FILE + number) * 10**9 + (1 if name else 0)
        os.utime(unfinished, ns=(moment, moment))
        unfinished.rename(path)


def workload(engine: str, chance: Random, files: int, rows: int = 8) -> Workload:
    """A random pipeline, a few of whose rows are late and a few of whose rows are bad."""
    given: list[Row] = stream(chance.randrange(2**32), files * rows)
    texts = []
    for number in range(files):
        bad = "bad,row,x,1\n" if chance.random() < 0.1 else ""
        texts.append(csv_text(given[number * rows : (number + 1) * rows]) + bad)
    return Workload(
        engine, chance.choice(PROGRAMS), chance.choice(VIEWS), chance.choice(FORMS), chance.randint(0, 3), tuple(texts)
    )


@dataclass(frozen=True, slots=True)
class Written:
    """All that a pipeline wrote; the rows of a time point have no order."""

    results: Counter[tuple[Any, ...]]
    late: Counter[tuple[Any, ...]]
    bad: Counter[tuple[int, str]]

    def difference(self, other: Written) -> str:
        """What differs, in a few words."""
        parts = []
        for name in ("results", "late", "bad"):
            mine, theirs = getattr(self, name), getattr(other, name)
            if mine != theirs:
                parts.append(f"{name}: lacks {dict(theirs - mine)}, has too many {dict(mine - theirs)}"[:2000])
        return "\n".join(parts)


def written(folder: Path, form: str, out: str = "out") -> Written:
    """Everything in a pipeline's folder."""
    late = (tuple(sorted(row.items())) for row in _json(folder / "late"))
    bad = ((row["line"], row["row"]) for row in _json(folder / "bad"))
    return Written(Counter(_rows(folder / out, form)), Counter(late), Counter(bad))


def _rows(folder: Path, form: str) -> Iterable[tuple[Any, ...]]:
    """The rows of all files. Spark writes an empty file where the first shard has no row; Arrow cannot read that."""
    files = [str(path) for path in sorted(folder.rglob(f"*.{form}")) if path.stat().st_size]
    if not files:
        return []
    table = ds.dataset(files, format=form).to_table()
    return zip(*(column.to_pylist() for column in table.columns), strict=True)


def _json(path: Path) -> list[dict[str, Any]]:
    files = sorted(path.rglob("*.json")) if path.is_dir() else [path] if path.exists() else []
    return [json.loads(line) for file in files for line in file.read_text().splitlines()]


def undisturbed(work: Workload, folder: Path) -> Written:
    """What the pipeline writes if nothing happens to it. This is the local engine's output for Spark too, so that it is
    compared at the same time."""
    folder.mkdir(parents=True)
    described = read_pipeline(work.prepare(folder, LOCAL))
    with Progress(described.program, quiet=True, starts_spark=False) as progress:
        run_local(described, progress)
    found = written(folder, work.form)
    assert found.results, "there is nothing to compare"
    return found


def check_equal(folder: Path, work: Workload, wanted: Written, out: str = "out") -> None:
    """Fail if a pipeline wrote anything else."""
    found = written(folder, work.form, out)
    assert found == wanted, found.difference(wanted)
