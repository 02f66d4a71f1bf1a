"""Pipelines in this process: what they read, write and refuse, and when they go on."""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

import pytest

import lasing
from lasing import LasingError
from lasing.logic.facts import facts_of
from lasing.logic.program import Fact, Program
from lasing.pipeline.config import read_pipeline
from lasing.pipeline.kept import LocalStates
from lasing.pipeline.kept_on_spark import SparkStates
from lasing.pipeline.local import run as running
from lasing.pipeline.local.checkpoints import Checkpoints
from lasing.pipeline.local.disk import Disk
from lasing.pipeline.local.run import run_local
from lasing.pipeline.progress import Progress
from lasing.pipeline.run import run_pipeline
from lasing.timeline.clock import TurnedClock
from tests.differential.core_programs import core_example
from tests.differential.strategies import Example
from tests.unit.pipeline.local.pipelines import (
    HEAD,
    JOIN,
    LIVE,
    SOURCE,
    InThread,
    Row,
    csv_text,
    expected,
    found,
    json_rows,
    run,
    stream,
    written,
)

OUT = '[sinks.q]\nformat = "json"\npath = "out"\n'


def prepared(folder: Path, rows: list[Row], more: str = "", head: str = HEAD, sinks: str = OUT) -> Path:
    """A pipeline over a single file of CSV."""
    folder.mkdir(exist_ok=True)
    (folder / "in.csv").write_text(csv_text(rows))
    return written(folder, head + more + SOURCE.format(format="csv", path="in.csv") + sinks)


def answers(folder: Path) -> set[tuple[int, ...]]:
    return {tuple(row.values()) for row in json_rows(folder / "out")}


# -- what is written ---------------------------------------------------------------------------------------------------


def comparable(seed: int) -> tuple[Example, Program, list[Fact]]:
    """The first of a seed's examples whose output depends on facts, and not on their order; with these facts."""
    for number in count():
        example = core_example(1000 * seed + number)
        program = lasing.parse(example.program)
        facts = facts_of(program)
        used = [f for f in lasing.parse(example.stream_text).data if f.atom.predicate in facts.arity]
        if used and program.output() and not facts.counts_facts:
            return example, program, used
    raise AssertionError("there is always another example")


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.filterwarnings("ignore::lasing.LasingWarning")
def test_random_programs_answer_as_a_plain_run_does(
    tmp_path: Path, seed: int, capsys: pytest.CaptureFixture[str]
) -> None:
    example, program, used = comparable(seed)
    facts, outputs = facts_of(program), sorted(program.output())
    text = HEAD
    for predicate in dict.fromkeys(f.atom.predicate for f in used):
        columns = ["time", *(f"x{i}" for i in range(facts.arity[predicate]))]
        rows = [[f.time, *f.atom.args] for f in used if f.atom.predicate == predicate]
        cells: list[list[Any]] = [columns, *rows]
        (tmp_path / f"{predicate}.csv").write_text("".join(",".join(map(str, row)) + "\n" for row in cells))
        schema = ", ".join(["time bigint", *(f"{name} string" for name in columns[1:])])
        text += f'[sources.{predicate}]\nformat = "csv"\npath = "{predicate}.csv"\nschema = "{schema}"\nterms = true\n'
    text += "".join(f'[sinks.{name}]\nformat = "console"\n' for name in outputs)
    run(written(tmp_path, text, example.program))
    given = [(f.time, f.atom) for f in sorted(used, key=lambda f: f.time)]
    wanted = {f"{atom} at {a.time}." for a in lasing.run(example.program, given) for atom in a.atoms}
    assert set(capsys.readouterr().out.splitlines()) == wanted


def test_rows_that_come_late_are_set_aside(tmp_path: Path) -> None:
    rows = [(5, 1, 1, 1), (9, 1, 1, 1), (6, 1, 1, 2), (8, 1, 2, 2)]
    progress = run(prepared(tmp_path, rows, "delay = 2\n"))
    assert json_rows(tmp_path / "state-late") == [
        {"predicate": "p", "time": 6, "closed_until": 6, "late_by": 1, "fact": "p(1,1,2) at 6."}
    ]
    assert progress.total.late == 1
    assert answers(tmp_path) == expected(JOIN, {"p": [row for row in rows if row[0] != 6]}, "q")


def test_rows_of_a_file_in_a_folder_arrive_together(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    rows: list[Row] = [(5, 1, 1, 1), (2, 1, 1, 2), (3, 1, 2, 2)]
    (tmp_path / "in" / "a.csv").write_text(csv_text(rows))
    path = written(tmp_path, HEAD + SOURCE.format(format="csv", path="in") + OUT)
    assert run(path).total.late == 0
    assert answers(tmp_path) == expected(JOIN, {"p": rows}, "q")


def test_two_sources_wait_for_each_other(tmp_path: Path) -> None:
    (tmp_path / "p.csv").write_text("time,x\n1,1\n2,2\n9,3\n")
    (tmp_path / "r.csv").write_text("time,x\n2,2\n3,1\n")
    schema = 'schema = "time bigint, x bigint"\n'
    sources = "".join(f'[sources.{n}]\nformat = "csv"\npath = "{n}.csv"\n{schema}' for n in "pr")
    path = written(tmp_path, HEAD + sources + OUT, "q(X) :- p(X) in [3], r(X) in [3].")
    assert run(path).total.events == 5
    facts = {"p": [(1, 1), (2, 2), (9, 3)], "r": [(2, 2), (3, 1)]}
    assert answers(tmp_path) == expected("q(X) :- p(X) in [3], r(X) in [3].", facts, "q")


def test_a_source_that_is_far_ahead_is_held_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "MOST_WAITING", 10)
    (tmp_path / "p").mkdir()
    (tmp_path / "r").mkdir()
    facts: dict[str, list[tuple[int, ...]]] = {"p": [], "r": []}
    for number in range(12):
        rows = [(10 * number + i, i % 3) for i in range(10)]
        facts["p"] += rows
        facts["r"] += rows[:1]
        (tmp_path / "p" / f"{number:02}.csv").write_text("time,x\n" + "".join(f"{t},{x}\n" for t, x in rows))
        (tmp_path / "r" / f"{number:02}.csv").write_text("time,x\n" + "".join(f"{t},{x}\n" for t, x in rows[:1]))
    options = 'files_per_batch = 1\nschema = "time bigint, x bigint"\n'
    sources = "".join(f'[sources.{n}]\nformat = "csv"\npath = "{n}"\n{options}' for n in "pr")
    program = "q(X) :- p(X) in [3], r(X) in [3]."
    run(written(tmp_path, HEAD + sources + OUT, program))
    assert answers(tmp_path) == expected(program, facts, "q")


def test_a_batch_replays_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lasing.pipeline.local.replay._ROWS_AT_ONCE", 7)
    rows = stream(3)
    for view in ("answers", "changes", "intervals"):
        folder = tmp_path / view
        head = f'program = "join.lars"\nengine = "local"\nmode = "batch"\nview = "{view}"\nstart = 3\n'
        path = prepared(folder, rows, head=head)
        progress = run(path)
        once = json_rows(folder / "out")
        run(path)
        assert json_rows(folder / "out") == once  # results are replaced
        assert progress.total.late == sum(row[0] < 3 for row in rows)
        if view == "answers":
            assert answers(folder) == expected(JOIN, {"p": [row for row in rows if row[0] >= 3]}, "q")


def test_triples_from_rows(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "in.csv").write_text("time,id,value\n1,a,20\n2,b,30\n")
    (tmp_path / "map.toml").write_text('triples = [":{id} :val {value}"]\n[prefixes]\n"" = "http://x.org/"\n')
    source = '[sources.p]\nformat = "csv"\npath = "in.csv"\nschema = "time bigint, id string, value int"\n'
    text = HEAD + source + 'mapping = "map.toml"\nfact = "triple"\n[sinks.hot]\nformat = "console"\n'
    run(written(tmp_path, text, "hot(S) :- triple(S, P, V), V > 25."))
    assert capsys.readouterr().out == "hot(<http://x.org/b>) at 2.\n"


def test_bad_rows_are_skipped_counted_and_written(tmp_path: Path) -> None:
    path = prepared(tmp_path, [], 'bad_rows = "bad.jsonl"\n')
    (tmp_path / "in.csv").write_text("time,k,a,b\n1,1,2,3\n2,x,3,4\n\n3,1,3,1,9\n4,1,3,4\n")
    progress = run(path)
    assert [
        (row["line"], row["character"], row["column"], row["row"]) for row in json_rows(tmp_path / "bad.jsonl")
    ] == [
        (3, 3, "k", "2,x,3,4"),
        (5, 1, "", "3,1,3,1,9"),
    ]
    assert progress.total.bad_rows == 2
    assert progress.total.events == 2
    assert "2 bad rows" in progress.diagnostics()[0].message


def test_too_many_bad_rows_end_the_run(tmp_path: Path) -> None:
    path = prepared(tmp_path, [], 'bad_rows = "skip"\nmax_bad_rows = 0.4\n')
    (tmp_path / "in.csv").write_text("time,k,a,b\n1,1,2,3\nx\n")
    with pytest.raises(LasingError, match="E517"):
        run(path)


def test_a_bad_row_stops_until_it_is_fixed(tmp_path: Path) -> None:
    path = prepared(tmp_path, [(1, 1, 2, 3)])
    with (tmp_path / "in.csv").open("a") as file:
        file.write("2,1,three,4\n")
    with pytest.raises(LasingError, match=r"(?s)E614.*in\.csv:3:5.*run it again"):
        run(path)
    rows: list[Row] = [(1, 1, 2, 3), (2, 1, 3, 4)]
    (tmp_path / "in.csv").write_text(csv_text(rows))
    run(path)
    assert answers(tmp_path) == expected(JOIN, {"p": rows}, "q")


def test_a_bad_term_is_a_bad_row(tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_text("time,x\n1,a\n2,99999999999999999999\n")
    source = '[sources.p]\nformat = "csv"\npath = "in.csv"\nschema = "time bigint, x string"\nterms = "x"\n'
    path = written(tmp_path, HEAD + 'bad_rows = "skip"\n' + source + OUT, "q(X) :- p(X).")
    progress = run(path)
    assert (progress.total.bad_rows, progress.total.events) == (1, 1)


def test_missing_values_are_counted_by_source(tmp_path: Path) -> None:
    path = prepared(tmp_path, [])
    (tmp_path / "in.csv").write_text("time,k,a,b\n1,1,2,3\n2,,3,4\n,1,1,1\n")
    progress = run(path)
    assert progress.done[0].missing == {"p": {"k": 1, "time": 1}}
    assert progress.total.events == 1


# -- as time goes on ---------------------------------------------------------------------------------------------------


def test_a_file_is_followed_as_it_grows_and_a_stop_leaves_a_checkpoint(tmp_path: Path) -> None:
    rows = stream(4, late=0)
    path = prepared(tmp_path, rows[:20], head=LIVE)
    with InThread(path) as runs:
        until = sorted({row[0] for row in rows})

        def reaches(point: int) -> Callable[[], bool]:
            return lambda: any(t >= point for t, *_ in answers(tmp_path)) if (tmp_path / "out").exists() else False

        wanted = sorted(expected(JOIN, {"p": rows}, "q"))
        runs.wait_until(reaches(max(t for t, *_ in wanted if t < rows[19][0])))
        with (tmp_path / "in.csv").open("a") as file:
            file.write("".join(f"{','.join(map(str, row))}\n" for row in rows[20:40]))
            file.write("1000,1")  # a line that has not ended is not a row
        runs.wait_until(reaches(max(t for t, *_ in wanted if t < rows[39][0])))
    with (tmp_path / "in.csv").open("r+") as file:
        text = file.read().removesuffix("1000,1")
    (tmp_path / "in.csv").write_text(text + "".join(f"{','.join(map(str, row))}\n" for row in rows[40:]))
    (tmp_path / "join.toml").write_text((tmp_path / "join.toml").read_text() + "")
    path.write_text(path.read_text().replace(LIVE, HEAD))
    run(path)
    assert answers(tmp_path) == set(wanted)
    assert until[-1] >= wanted[-1][0]


def test_time_passes_by_the_clock_when_nobody_speaks(tmp_path: Path) -> None:
    program = '#tick 1 sec.\nsilent(S) :- sensor(S), not temp(S) in [3].\nsensor("a").'
    (tmp_path / "in.csv").write_text("ts,s\n2026-01-01T00:00:00Z,a\n")
    source = '[sources.temp]\nformat = "csv"\npath = "in.csv"\nschema = "ts timestamp, s string"\ntime = "ts"\n'
    sink = '[sinks.silent]\nformat = "json"\npath = "out"\n'
    path = written(tmp_path, LIVE + "clock = true\n" + 'view = "changes"\n' + source + sink, program)
    begun = 1_767_225_600_000_000
    clock = TurnedClock(begun)
    with InThread(path, clock) as runs:
        runs.wait_until(lambda: Checkpoints(tmp_path / "state").numbers()[-1:] > [0])
        assert json_rows(tmp_path / "out") == []
        clock.turn_to(begun + 10_000_000)
        runs.wait_until(lambda: bool(json_rows(tmp_path / "out")))
    assert json_rows(tmp_path / "out") == [{"time": "2026-01-01T00:00:04.000Z", "change": 1, "S": "a"}]


def test_time_goes_on_without_an_idle_source(tmp_path: Path) -> None:
    (tmp_path / "p.csv").write_text("time,x\n1,1\n5,2\n")
    (tmp_path / "r.csv").write_text("time,x\n")
    schema = 'schema = "time bigint, x bigint"\n'
    sources = "".join(f'[sources.{n}]\nformat = "csv"\npath = "{n}.csv"\n{schema}' for n in "pr")
    path = written(tmp_path, LIVE + 'idle = "10 sec"\n' + sources + OUT, "q(X) :- p(X). q(X) :- r(X).")
    clock = TurnedClock(0)
    with InThread(path, clock) as runs:
        runs.wait_until(lambda: Checkpoints(tmp_path / "state").numbers()[-1:] > [0])
        assert json_rows(tmp_path / "out") == []  # r might still bring something
        clock.turn_to(11_000_000)
        with (tmp_path / "p.csv").open("a") as file:
            file.write("9,3\n")
        runs.wait_until(lambda: bool(json_rows(tmp_path / "out")))
    assert json_rows(tmp_path / "out") == [{"time": 1, "X": 1}, {"time": 5, "X": 2}]


def test_a_steady_rate(tmp_path: Path) -> None:
    source = '[sources.p]\nformat = "rate"\nfact = "p(value)"\nrows_per_second = 4\n'
    path = written(tmp_path, LIVE + source + OUT, "#tick 1 sec.\nq(X) :- p(X).")
    clock = TurnedClock(0)
    with InThread(path, clock) as runs:
        runs.wait_until(lambda: Checkpoints(tmp_path / "state").numbers() == [0])
        clock.turn_to(3_000_000)
        runs.wait_until(lambda: len(json_rows(tmp_path / "out")) == 11)
    assert [row["X"] for row in json_rows(tmp_path / "out")] == list(range(11))


# -- what is refused ---------------------------------------------------------------------------------------------------


def test_the_checkpoint_of_another_program(tmp_path: Path) -> None:
    path = prepared(tmp_path, stream(1))
    run(path)
    (tmp_path / "join.lars").write_text(JOIN.replace("[4]", "[5]"))
    with pytest.raises(LasingError, match=r"E608.*belongs to another program"):
        run(path)


def test_the_checkpoint_of_spark(tmp_path: Path) -> None:
    path = prepared(tmp_path, stream(1))
    for name in ("offsets", "commits"):
        (tmp_path / "state" / name).mkdir(parents=True)
    (tmp_path / "state" / "metadata").write_text("{}")
    with pytest.raises(LasingError, match=r"E608.*written by Spark"):
        run(path)
    with pytest.raises(LasingError, match=r"E608.*written by Spark"):
        LocalStates(read_pipeline(path))


def test_spark_does_not_take_the_checkpoint_of_a_local_pipeline(tmp_path: Path) -> None:
    path = prepared(tmp_path, stream(1))
    run(path)
    before = sorted((tmp_path / "state").rglob("*"))
    path.write_text(path.read_text().replace('engine = "local"', 'engine = "spark"'))
    described = read_pipeline(path)
    with (
        Progress(described.program, quiet=True) as progress,
        pytest.raises(LasingError, match=r"E608.*with engine = .local.") as caught,
    ):
        run_pipeline(described, progress)
    assert caught.value.diagnostics[0].note == 'use a new checkpoint, or engine = "local"'
    with pytest.raises(LasingError, match=r"E608.*with engine = .local."):
        SparkStates(described)
    assert sorted((tmp_path / "state").rglob("*")) == before


def test_a_second_pipeline_on_the_same_checkpoint(tmp_path: Path) -> None:
    path = prepared(tmp_path, stream(1), head=LIVE)
    with InThread(path) as runs:
        runs.wait_until(lambda: bool(Checkpoints(tmp_path / "state").numbers()))
        with pytest.raises(LasingError, match=f"E616.*process {os.getpid()}"):
            run(path)
    path.write_text(path.read_text().replace(LIVE, HEAD))
    run(path)
    assert answers(tmp_path) == expected(JOIN, {"p": _in_time(stream(1))}, "q")


def _in_time(rows: list[Row]) -> list[Row]:
    kept, newest = [], -1
    for row in rows:
        if row[0] >= newest:
            kept.append(row)
        newest = max(newest, row[0])
    return kept


class FullDisk(Disk):
    """A disk with no space, or one that must not be written, after some changes."""

    def __init__(self, after: int, error: int) -> None:
        self._left = after
        self._error = error

    def about_to(self, what: str, path: Path) -> None:  # noqa: ARG002 -- all changes are alike
        self._left -= 1
        if self._left < 0:
            raise OSError(self._error, os.strerror(self._error), str(path))


@pytest.mark.parametrize(("error", "code"), [(errno.ENOSPC, "E615"), (errno.EROFS, "E617"), (errno.EACCES, "E617")])
def test_a_disk_that_refuses_ends_the_run_and_then_it_goes_on(tmp_path: Path, error: int, code: str) -> None:
    rows = stream(5, late=0)
    for after in range(0, 9, 2):
        folder = tmp_path / str(after)
        path = prepared(folder, rows)
        with pytest.raises(LasingError, match=f"(?s){code}.*run it again") as caught:
            run(path, FullDisk(after, error))
        assert len(caught.value.diagnostics) == 1
        run(path)
        assert answers(folder) == expected(JOIN, {"p": rows}, "q")


def test_a_file_that_has_become_shorter(tmp_path: Path) -> None:
    rows = stream(6, late=0)
    path = prepared(tmp_path, rows)
    run(path)
    (tmp_path / "in.csv").write_text(csv_text(rows[:5]))
    with pytest.raises(LasingError, match=r"E619.*has become shorter"):
        run(path)


def test_a_folder_that_is_gone_after_a_restart(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "a.csv").write_text(csv_text(stream(6, late=0)))
    for head in (HEAD, LIVE):
        path = written(tmp_path, HEAD + SOURCE.format(format="csv", path="in") + OUT)
        run(path)
        path = written(tmp_path, head + SOURCE.format(format="csv", path="in") + OUT)
        folder.rename(tmp_path / "away")
        with pytest.raises(LasingError, match=r"E613.*in does not exist"):
            run(path)
        (tmp_path / "away").rename(folder)
    folder.rename(tmp_path / "away")
    folder.write_text(csv_text(stream(6, late=0)))
    with pytest.raises(LasingError, match=r"E613.*was read as files.*not as lines"):
        run(path)


def test_a_file_that_is_a_folder_after_a_restart(tmp_path: Path) -> None:
    path = prepared(tmp_path, stream(6, late=0))
    run(path)
    (tmp_path / "in.csv").rename(tmp_path / "a.csv")
    (tmp_path / "in.csv").mkdir()
    (tmp_path / "a.csv").rename(tmp_path / "in.csv" / "a.csv")
    with pytest.raises(LasingError, match=r"E613.*was read as lines.*not as files"):
        run(path)


def test_results_of_another_run_are_not_removed(tmp_path: Path) -> None:
    path = prepared(tmp_path, stream(1))
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "part-000000.json").write_text("{}\n")
    with pytest.raises(LasingError, match=r"E620.*has results of another run"):
        run(path)
    assert (tmp_path / "out" / "part-000000.json").read_text() == "{}\n"


def test_results_that_are_gone(tmp_path: Path) -> None:
    path = prepared(tmp_path, stream(1))
    run(path)
    (tmp_path / "out" / "part-000000.json").unlink()
    with pytest.raises(LasingError, match=r"E620.*the checkpoint says"):
        run(path)


def test_a_header_that_does_not_match(tmp_path: Path) -> None:
    path = prepared(tmp_path, [])
    (tmp_path / "in.csv").write_text("time,a,k,b\n1,2,3,4\n")
    with pytest.raises(LasingError, match=r"E614.*does not match the schema, which is time,k,a,b"):
        run(path)


def test_metrics_have_a_line_for_each_batch(tmp_path: Path) -> None:
    described = read_pipeline(prepared(tmp_path, stream(1, late=0)))
    with Progress(described.program, tmp_path / "metrics.jsonl", quiet=True) as progress:
        run_local(described, progress)
    lines = [json.loads(line) for line in (tmp_path / "metrics.jsonl").read_text().splitlines()]
    assert sum(line["events"] for line in lines) == 60
    assert all(line["state_bytes"] > 0 for line in lines)
    assert sum(line["rows"].get("q", 0) for line in lines) == len(found(tmp_path / "out", "json"))
