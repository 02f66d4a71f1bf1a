"""The experiments on Spark yield the cells that they promise: here with a few thousand events."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from lasing.bench.spark import session as spark_session
from lasing.bench.spark.cells import IDENTITY, JOIN, OURS, PLAIN, Measurement
from lasing.bench.spark.replay import Replays
from lasing.bench.spark.state import MEASURES, States
from lasing.bench.spark.streams import Streams


@pytest.fixture(autouse=True)
def closed(spark: Any) -> Iterator[None]:
    partitions = spark.conf.get("spark.sql.shuffle.partitions")
    yield
    folder = spark_session.shared().folder
    spark_session.close()
    assert not folder.exists()
    assert spark.conf.get("spark.sql.shuffle.partitions") == partitions
    assert spark.range(3).count() == 3, "a session that was running goes on"


STREAMS = Streams({2_500: 2}, (2,), 1, (2_500, 2), 2, 1, 2)
REPLAYS = Replays(5_000, (2,), 1)
STATES = States((1_000,), 2_000, 2)


@pytest.mark.parametrize("measurement", [STREAMS, REPLAYS, STATES], ids=lambda m: type(m).__name__)
def test_cells_are_well_formed(measurement: Measurement) -> None:
    cells = list(measurement.cells())
    assert len(cells) == measurement.count()
    assert {cell.contender for cell in cells} == set(measurement.contenders)
    assert len({(cell.contender, *sorted(cell.settings.items())) for cell in cells}) == len(cells)
    for cell in cells:
        assert cell.settings.keys() == measurement.settings.keys()
        assert cell.cost is not None
        assert cell.cost > 0
        assert cell.spread is None or cell.spread[0] <= cell.cost <= cell.spread[1]
        assert (cell.spread is None) == (cell.note.endswith("a single run"))
        assert cell.ratio == 1 if cell.contender == OURS else cell.ratio is not None
    if measurement is STREAMS:
        assert [c.contender for c in cells] == [OURS, IDENTITY, PLAIN, JOIN]
        assert all((cell.derived or 0) > 0 for cell in cells if cell.contender == OURS)
    if measurement is STATES:
        assert tuple(cell.settings["measured"] for cell in cells) == MEASURES
