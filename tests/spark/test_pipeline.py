"""Pipelines from their files: what they read, write, print and refuse."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.dataset as ds
import pytest

from lasing.errors import LasingError
from lasing.pipeline.config import read_pipeline
from lasing.pipeline.progress import Progress
from lasing.pipeline.run import run_pipeline
from tests.spark.conftest import Files, parts
from tests.spark.expected import expected
from tests.spark.test_batch import JOIN, stream

pytestmark = pytest.mark.usefixtures("spark")

HEAD = """
program = "join.lars"
view = "{view}"
checkpoint = "checkpoint"
trigger = "available now"
shards = 2
"""
SOURCE = """
[sources.p]
format = "{format}"
path = "in"
schema = "time bigint, k bigint, a bigint, b bigint"
files_per_batch = 1
"""


def pipeline(folder: Path, text: str, program: str = JOIN) -> Path:
    (folder / "join.lars").write_text(program)
    path = folder / "join.toml"
    path.write_text(text)
    return path


def run(path: Path, metrics: Path | None = None) -> Progress:
    described = read_pipeline(path)
    with Progress(described.program, metrics) as progress:
        run_pipeline(described, progress)
    return progress


def found(folder: Path, form: str = "parquet", partitioning: str | None = "hive") -> list[tuple[Any, ...]]:
    table = ds.dataset(folder, format=form, partitioning=partitioning).to_table()
    if "batch" in table.column_names:
        table = table.drop_columns(["batch"])
    return sorted(zip(*(column.to_pylist() for column in table.columns), strict=True), key=repr)


def test_parquet_to_parquet_with_metrics(files: Files, tmp_path: Path) -> None:
    table = stream()
    files("in", parts(table, 150, 260))
    text = (
        HEAD.format(view="intervals")
        + SOURCE.format(format="parquet")
        + '[sinks.q]\nformat = "parquet"\npath = "out"\n'
    )
    path = pipeline(tmp_path, text)
    progress = run(path, tmp_path / "metrics.jsonl")
    wanted = expected(JOIN, {"p": table}, "q", "intervals")
    assert found(tmp_path / "out") == wanted
    assert progress.total.events == table.num_rows
    assert progress.total.rows == {"q": len(wanted)}
    lines = [json.loads(line) for line in (tmp_path / "metrics.jsonl").read_text().splitlines()]
    assert [line["batch"] for line in lines] == [0, 1, 2, 3]
    assert [line["events"] for line in lines] == [150, 110, table.num_rows - 260, 0]
    assert lines[-1]["evaluated_until"] == str(table["time"][-1].as_py())
    assert all(line["state_bytes"] > 0 for line in lines)
    assert run(path).total.events == 0  # nothing is done twice
    assert found(tmp_path / "out") == wanted


def test_csv_to_json_and_the_console(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = stream(60, 20)
    (tmp_path / "in").mkdir()
    pacsv.write_csv(table, tmp_path / "in" / "0.csv")
    sinks = '[sinks.q]\nformat = "json"\npath = "out"\n[sinks.screen]\noutput = "q"\nformat = "console"\n'
    run(pipeline(tmp_path, HEAD.format(view="changes") + SOURCE.format(format="csv") + sinks))
    wanted = expected(JOIN, {"p": table}, "q", "changes")
    assert found(tmp_path / "out", "json") == wanted
    printed = {line for line in capsys.readouterr().out.splitlines() if "q(" in line}
    assert printed == {f"{'+' if sign > 0 else '-'}q({k},{a},{c}) at {t}." for t, sign, k, a, c in wanted}


def test_a_batch_replays_files(files: Files, tmp_path: Path) -> None:
    table = stream()
    files("in", [table])
    head = 'program = "join.lars"\nmode = "batch"\nslices = 3\n'
    text = (
        head
        + SOURCE.format(format="parquet").replace("files_per_batch = 1\n", "")
        + ('[sinks.q]\nformat = "csv"\npath = "out"\n')
    )
    progress = run(pipeline(tmp_path, text))
    assert found(tmp_path / "out", "csv", None) == expected(JOIN, {"p": table}, "q", "answers")
    assert progress.total.events == table.num_rows


def test_a_corrupt_row_stops_the_pipeline_until_it_is_fixed(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    good = [f'{{"time": {t}, "k": 1, "a": {t % 3}, "b": {(t + 1) % 3}}}' for t in range(10)]
    (tmp_path / "in" / "0.json").write_text("\n".join(good[:5]))
    os.utime(tmp_path / "in" / "0.json", (1_700_000_000, 1_700_000_000))
    (tmp_path / "in" / "1.json").write_text("\n".join([*good[5:9], '{"time": 9, "k": 1, "a": zero}']))
    path = pipeline(
        tmp_path,
        HEAD.format(view="answers") + SOURCE.format(format="json") + '[sinks.q]\nformat = "parquet"\npath = "out"\n',
    )
    with pytest.raises(LasingError, match="E614") as caught:
        run(path)
    assert "sources.p: this row is not JSON" in str(caught.value)
    assert f"--> {tmp_path}/in/1.json:5:26" in str(caught.value)
    assert "it continues from" in str(caught.value)
    (tmp_path / "in" / "1.json").write_text("\n".join(good[5:]))
    run(path)
    table = pa.Table.from_pylist([json.loads(line) for line in good])
    assert found(tmp_path / "out") == expected(JOIN, {"p": table}, "q", "answers")


BAD_LINES = {
    "2,1,x,3": ("E614", "a is 'x', which is not of type bigint", "3:5"),
    "2,1,,3": ("E506", "there is no value for a", "3:5"),
    "2,1": ("E614", "this row has 2 cells, but the schema has 4 columns", "3:1"),
}


@pytest.mark.parametrize("line", BAD_LINES)
@pytest.mark.parametrize("mode", ["batch", "stream"])
def test_a_bad_row_is_named_with_its_file_and_column(tmp_path: Path, mode: str, line: str) -> None:
    code, message, place = BAD_LINES[line]
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "0.csv").write_text("time,k,a,b\n1,1,1,1\n")
    (tmp_path / "in" / "1.csv").write_text(f"time,k,a,b\n1,1,1,2\n{line}\n")
    head = f'program = "join.lars"\nmode = "{mode}"\ncheckpoint = "checkpoint"\ntrigger = "available now"\n'
    source = SOURCE.format(format="csv") + 'missing = "error"\n'
    with pytest.raises(LasingError, match=code) as caught:
        run(pipeline(tmp_path, head + source + '[sinks.q]\nformat = "csv"\npath = "out"\n'))
    (found,) = caught.value.diagnostics
    assert (found.code, found.message) == (code, f"sources.p: {message}")
    assert str(found.place) == f"{tmp_path}/in/1.csv:{place}"
    assert len(str(caught.value).splitlines()) < 10


@pytest.mark.parametrize("mode", ["batch", "stream"])
def test_rows_that_lack_a_value_are_left_out_and_counted_once(tmp_path: Path, mode: str) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "0.csv").write_text("time,k,a,b\n1,1,1,1\n1,,1,1\n,1,1,1\n2,1,1,2\n")
    (tmp_path / "in" / "1.csv").write_text("time,k,a,b\n9,,1,2\n8,1,,\n")
    for number in range(2):
        os.utime(tmp_path / "in" / f"{number}.csv", (1_700_000_000 + number, 1_700_000_000 + number))
    head = f'program = "join.lars"\nmode = "{mode}"\ncheckpoint = "checkpoint"\ntrigger = "available now"\nshards = 2\n'
    text = head + SOURCE.format(format="csv") + '[sinks.q]\nformat = "csv"\npath = "out"\n'
    progress = run(pipeline(tmp_path, text), tmp_path / "metrics.jsonl")
    whole = pa.table({"time": [1, 2], "k": [1, 1], "a": [1, 1], "b": [1, 2]})
    written = found(tmp_path / "out", "csv", "hive" if mode == "stream" else None)
    assert written == expected(JOIN, {"p": whole}, "q", "answers")
    assert progress.total.events == 2
    assert [d.message for d in progress.diagnostics()] == [
        "1 row of source p left out: no value in the column a",
        "2 rows of source p left out: no value in the column k",
        "1 row of source p left out: no value in the column time",
    ]
    lines = [json.loads(line)["missing"] for line in (tmp_path / "metrics.jsonl").read_text().splitlines()]
    batches = [{"p": {"time": 1, "k": 1}}, {"p": {"k": 1, "a": 1}}, {}]
    assert lines == (batches if mode == "stream" else [{"p": {"time": 1, "k": 2, "a": 1}}])


def test_a_source_has_a_value_for_missing_ones_and_shows_an_instance_without_one(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "0.csv").write_text("time,k,a,b\n1,1,1,1\n2,2,8,\n")
    text = HEAD.format(view="answers") + 'missing = "error"\n' + SOURCE.format(format="csv") + "missing = 0\n"
    text += '[sinks.q]\nformat = "csv"\npath = "out"\n'
    progress = run(pipeline(tmp_path, text, "q(K, N) :- p(K, A, B), N = A / B."))
    assert found(tmp_path / "out", "csv") == [(1, 1, 1)]
    (said,) = progress.diagnostics()
    assert said.message.endswith("for example with K = 2, A = 8, B = 0 at time point 2")


def test_a_header_that_differs_from_the_schema_is_named(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "0.csv").write_text("time,k,a,c\n1,1,1,2\n")
    head = 'program = "join.lars"\nmode = "batch"\n' + SOURCE.format(format="csv")
    with pytest.raises(LasingError, match=r"E614.*header does not match the schema, which is time,k,a,b"):
        run(pipeline(tmp_path, head + '[sinks.q]\nformat = "csv"\npath = "out"\n'))


def test_a_stream_of_one_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "in").write_text("time,k,a,b\n1,1,1,2\n")
    text = HEAD.format(view="answers") + SOURCE.format(format="csv") + '[sinks.q]\nformat = "csv"\npath = "out"\n'
    with pytest.raises(LasingError, match=r'E613.*sources.p: .*/in is one file(.|\n)*engine = "local"'):
        run(pipeline(tmp_path, text))


def test_a_schema_that_changes_stops_the_pipeline(files: Files, tmp_path: Path) -> None:
    table = stream(40, 20)
    first, second = parts(table, 20)
    text = (
        HEAD.format(view="answers") + SOURCE.format(format="parquet") + '[sinks.q]\nformat = "parquet"\npath = "out"\n'
    )
    path = pipeline(tmp_path, text)
    files("in", [first, second.rename_columns(["time", "k", "a", "c"])])
    with pytest.raises(LasingError, match=r"E505.*sources.p: .*001.parquet has no column b"):
        run(path)
    files("in", [first, second.set_column(3, "b", second["b"].cast(pa.string()))])
    with pytest.raises(LasingError, match="E614") as caught:
        run(path)
    assert "b" in str(caught.value)
    files("in", [first, second])
    run(path)
    assert found(tmp_path / "out") == expected(JOIN, {"p": table}, "q", "answers")


WRONG = """
program = "join.lars"
view = "pictures"
triger = "available now"
trigger = "sometimes"
delay = "10 sec"
checkpoint = 5
[sources.p]
format = "paper"
[sources.p2]
format = "csv"
fact = "p(k, a)"
path = "in"
[sources.r]
format = "json"
path = "in"
schema = "time string, x integr"
[sources.s]
format = "json"
fact = "p"
idle = "soon"
delay = "1 min"
path = "in"
schema = "time string, k int, a int"
[sinks.q]
format = "parquet"
[sinks.z]
format = "console"
"""


def test_every_mistake_of_a_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(LasingError) as caught:
        read_pipeline(pipeline(tmp_path, WRONG))
    said = str(caught.value)
    for words in (
        "view is 'pictures'",
        "triger is unknown",
        "did you mean trigger?",
        "trigger is 'sometimes'",
        "checkpoint is 5",
        "sources.p.format is 'paper'",
        "sources.p2.schema is missing",
        "sources.p2.fact: p has 3 arguments, not 2",
        "the type integr of x is not one of",
        "sources.s.time: time is of type string",
        "sinks.q.path is missing",
        "sinks.z.output: the program has no output z",
        "delay: the delay is 10 sec, but times are plain numbers",
        "sources.s.delay: the delay is 1 min, but times are plain numbers",
        "sources.s.idle: 'soon' is not a duration after which an input is idle",
        "sources.p2 and sources.p both bring p",
    ):
        assert words in said, words
    with pytest.raises(LasingError, match="E611"):
        read_pipeline(pipeline(tmp_path, "program = "))
    with pytest.raises(LasingError, match="E401"):
        read_pipeline(tmp_path / "none.toml")


@pytest.mark.parametrize("mode", ["stream", "batch"])
def test_a_limit_stops_a_pipeline_and_names_the_rule(files: Files, tmp_path: Path, mode: str) -> None:
    files("in", parts(stream()))
    text = HEAD.format(view="intervals") + f'mode = "{mode}"\nmax_atoms = 10\n' + SOURCE.format(format="parquet")
    path = pipeline(tmp_path, text + '[sinks.q]\nformat = "parquet"\npath = "out"\n')
    with pytest.raises(LasingError) as raised:
        run(path)
    finding = raised.value.diagnostics[0]
    assert finding.code == "E304"
    assert "more than 10 atoms" in finding.message
    assert "q(" in str(finding)


def test_limits_of_a_pipeline_are_checked(tmp_path: Path) -> None:
    text = HEAD.format(view="intervals") + 'max_memory = "lots"\n' + SOURCE.format(format="parquet")
    with pytest.raises(LasingError, match=r"E612.*max_memory is 'lots'"):
        read_pipeline(pipeline(tmp_path, text + '[sinks.q]\nformat = "parquet"\npath = "out"\n'))
