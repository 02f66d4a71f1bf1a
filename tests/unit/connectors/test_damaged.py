"""Files that are packed, damaged, or cut short."""

from __future__ import annotations

import gzip
import random
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

import lasing
from lasing.cli import app
from lasing.errors import LasingError

PROGRAM = "q(X) :- p(X, Y) in [2]."
TEXTS = {
    "p.facts": "p(a, 1) at 1.\np(b, 2) at 2.\n",
    "p.csv": "time,x,y\n1,a,1\n2,b,2\n",
    "p.jsonl": '{"time": 1, "x": "a", "y": 1}\n{"time": 2, "x": "b", "y": 2}\n',
}


@pytest.mark.parametrize("engine", ["local", "reference"])
@pytest.mark.parametrize("name", TEXTS)
def test_packed_files_are_read(name: str, engine: str, tmp_path: Path) -> None:
    path = tmp_path / f"{name}.gz"
    path.write_bytes(gzip.compress(TEXTS[name].encode()))
    answers = lasing.run(PROGRAM, path, engine=engine)  # type: ignore[arg-type]  # an engine's name
    assert [str(answer) for answer in answers] == ["1: q(a)", "2: q(a) q(b)"]


@pytest.mark.parametrize("engine", ["local", "reference"])
@pytest.mark.parametrize("name", TEXTS)
def test_a_damaged_packed_file_is_named(name: str, engine: str, tmp_path: Path) -> None:
    path = tmp_path / f"{name}.gz"
    packed = bytearray(gzip.compress(TEXTS[name].encode() * 50))
    packed[-12] ^= 0xFF
    for raw in (bytes(packed), bytes(packed[:-20]), b"p(a) at 1.\n"):
        path.write_bytes(raw)
        with pytest.raises(LasingError) as caught:
            list(lasing.run(PROGRAM, path, engine=engine, sort=True))  # type: ignore[arg-type]
        found = caught.value.diagnostics[0]
        assert (found.code, str(path) in found.message) == ("E401", True)


def test_parquet_is_packed_by_itself(tmp_path: Path) -> None:
    with pytest.raises(LasingError, match="E511"):
        lasing.run(PROGRAM, tmp_path / "p.parquet.gz")


def parquet(path: Path) -> bytes:
    count = 300
    table = pa.table(
        {
            "time": pa.array(range(count)),
            "x": pa.array([f"name {i % 7}" for i in range(count)]),
            "y": pa.array([i / 3 for i in range(count)]),
        }
    )
    pq.write_table(table, path, row_group_size=100, compression="snappy")
    return path.read_bytes()


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.filterwarnings("ignore::lasing.LasingWarning")
def test_a_damaged_parquet_file_is_read_or_refused_by_name(seed: int, tmp_path: Path) -> None:
    path = tmp_path / "p.parquet"
    sound, chance = parquet(path), random.Random(seed)
    refused = 0
    for _ in range(25):
        raw = bytearray(sound)
        for _ in range(chance.choice((1, 1, 3))):
            raw[chance.randrange(len(raw))] ^= 1 << chance.randrange(8)
        path.write_bytes(raw[: chance.choice((len(raw), len(raw), chance.randrange(len(raw))))])
        for engine in ("local", "reference"):
            try:
                list(lasing.run("q(X) :- p(X, Y).", path, engine=engine, end=400).changes())
            except LasingError as error:
                refused += 1
                found = error.diagnostics[0]
                assert str(path) in f"{found.message} {found.place}", found
    assert refused


def test_the_command_line_blames_the_file(tmp_path: Path) -> None:
    path, program = tmp_path / "p.parquet", tmp_path / "q.lars"
    raw = bytearray(parquet(path))
    raw[4:400] = bytes(396)
    path.write_bytes(raw)
    program.write_text(PROGRAM, encoding="utf-8")
    done = CliRunner().invoke(app, ["run", str(program), str(path)])
    assert done.exit_code != 0
    shown = str(done.exception) + done.output
    assert "E501" in shown
    assert str(path) in shown.replace("\n", "")
    assert "standard output" not in shown
