"""RDF files and tables as background on Spark: the workers have them too."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import lasing
from lasing.logic.tables import FactTable
from lasing.pipeline.config import read_pipeline
from lasing.spark import reason

ROOMS = """
@prefix e: <http://ex.org/> .
e:s1 e:id 1 ; e:room e:kitchen . e:s2 e:id 2 ; e:room e:hall . e:s3 e:id 3 .
"""
PROGRAM = """
#prefix e: <http://ex.org/>.
hot(K, R) :- temp(K, V) in [2], V > 30, triple(S, e:id, K), triple(S, e:room, R).
"""
READINGS = pa.table({"time": [1, 2, 3, 6], "sensor": [1, 2, 3, 2], "celsius": [35, 20, 40, 33]})


def expected(program: str, **given: Any) -> list[tuple[object, ...]]:
    answers = lasing.run(program, lasing.Table(READINGS, "temp"), **given)
    return sorted((a.time, *map(str, atom.args)) for a in answers for atom in a.atoms)


def rows(frame: Any) -> list[tuple[object, ...]]:
    return sorted((row[0], *map(str, row[1:])) for row in frame.collect())


@pytest.mark.parametrize("shards", [1, 3])
def test_a_graph_is_background_for_every_shard(spark: Any, tmp_path: Path, shards: int) -> None:
    path = tmp_path / "rooms.ttl"
    path.write_text(ROOMS, encoding="utf-8")
    out = reason(PROGRAM, "temp", "hot", background=path, shards=shards)(spark.createDataFrame(READINGS))
    assert rows(out) == expected(PROGRAM, data=path)
    assert len(rows(out)) == 4


def test_a_table_is_divided_by_the_key_of_the_stream(spark: Any) -> None:
    program = "hot(K, R) :- temp(K, V) in [2], V > 30, room(K, R)."
    table = FactTable.of("room", [(k, f"r{k}") for k in range(1, 4)])
    known = reason(program, "temp", "hot", background=table, shards=3)
    assert rows(known(spark.createDataFrame(READINGS))) == expected(program, data=table)


def test_a_pipeline_names_its_graphs(tmp_path: Path) -> None:
    (tmp_path / "rooms.ttl").write_text(ROOMS, encoding="utf-8")
    (tmp_path / "hot.lars").write_text(PROGRAM.replace("triple", "static"), encoding="utf-8")
    (tmp_path / "p.toml").write_text(
        'program = "hot.lars"\ndata = ["static=rooms.ttl"]\nmode = "batch"\n'
        '[sources.temp]\nformat = "parquet"\npath = "in"\n[sinks.hot]\nformat = "console"\n',
        encoding="utf-8",
    )
    program = read_pipeline(tmp_path / "p.toml").program
    assert program.background_size == 5
    assert [table.predicate for table in program.tables] == ["static"]
