"""One Spark session for all tests in this folder: starting one takes longer than most of them."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run all of them in one worker, even if tests run in several."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.xdist_group("spark"))


@pytest.fixture(scope="session")
def spark() -> Iterator[Any]:
    import lasing.spark
    from lasing.engine_choice import load_kernels

    load_kernels()
    started = lasing.spark.session(
        "local[2]", "tests", {"spark.sql.shuffle.partitions": 2, "spark.driver.memory": "1g"}
    )
    yield started
    started.stop()


Files = Callable[[str, list[Any]], Path]


@pytest.fixture
def files(tmp_path: Path) -> Files:
    """Write tables as Parquet files that arrive one after the other."""

    def write(name: str, tables: list[Any]) -> Path:
        import os

        folder = tmp_path / name
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        for i, table in enumerate(tables):
            path = folder / f"{i:03}.parquet"
            pq.write_table(table, path)
            os.utime(path, (1_700_000_000 + i, 1_700_000_000 + i))  # Spark takes files by their time
        return folder

    return write


def parts(table: pa.Table, *cuts: int) -> list[pa.Table]:
    """A table, cut before some of its rows."""
    edges = [0, *cuts, table.num_rows]
    return [table.slice(first, last - first) for first, last in pairwise(edges)]
