"""The cost of aggregates over a window: one reading a second of each of 50 sensors, compared with a shorter window, and
with the same query in Polars."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
from typing import Any

import numpy as np
import pyarrow as pa

import lasing
from lasing.bench.costs.medians import medians
from lasing.logic.functions import AGGREGATES, AggregateFunction

SENSORS, WARM_UP, TICKS = 50, 1000, 4000
SHORT, LONG = 60, 600
OF_NUMBERS = tuple(function for function, entry in AGGREGATES.items() if not entry.sorts)
KINDS: dict[str, tuple[AggregateFunction, ...]] = {
    "integers": OF_NUMBERS,
    "decimals": OF_NUMBERS,
    "rising decimals": ("min", "max"),
    "falling decimals": ("min", "max"),
}
"""Kinds of readings, with the aggregates that are measured. The order of readings matters to least and greatest."""
_BEGIN = 1_000_000


def program(function: AggregateFunction, window: int) -> str:
    """The aggregate of a sensor's readings in a window, at each of its readings."""
    return f"{function}(S,X) :- temp(S,_), X = #{function}{{V,T : temp(S,V) at T in [{window}]}}."


def readings(kind: str, sensors: int, ticks: int) -> pa.Table:
    """One reading of each sensor at each time point: whole numbers, or numbers with two places, in some order."""
    draw = np.random.default_rng(1)
    size = sensors * ticks
    values = draw.integers(0, 1000, size) if kind == "integers" else np.round(draw.normal(20, 5, size), 2)
    if kind not in ("integers", "decimals"):
        steps = np.arange(size) // sensors / 100
        values = np.round(20 + steps if kind == "rising decimals" else 20 - steps, 2)
    names = pa.array([f"s{i}" for i in range(sensors)])
    return pa.table(
        {
            "time": _BEGIN + np.repeat(np.arange(ticks), sensors),
            "sensor": names.take(pa.array(np.tile(np.arange(sensors), ticks))),
            "value": values,
        }
    )


def aggregates() -> list[tuple[str, str, str]]:
    """Rows of a table: the aggregate, processor time per reading, and the ratios to a short window and to Polars."""
    rows: list[tuple[str, str, str]] = []
    for kind, functions in KINDS.items():
        data = readings(kind, SENSORS, WARM_UP + TICKS)
        for function in functions:
            cost = _costs(function, data)
            others = [(f"in [{SHORT}]", cost[SHORT]), *((f"by {name}", cost[name]) for name in POLARS if name in cost)]
            compared = ", ".join(f"{cost[LONG] / other:.3g}x {name}" for name, other in others)
            rows.append((f"#{function} of {kind} in [{LONG}]", f"{cost[LONG] * 1e6:.2f} µs a reading", compared))
    return rows


def _costs(function: AggregateFunction, data: pa.Table) -> dict[str | int, float]:
    """Seconds of processor time per reading, by window for the engine, and by name for Polars if it is installed."""
    contenders: dict[str, Callable[[], float]] = {
        str(window): partial(_by_engine, function, window, data) for window in (SHORT, LONG)
    }
    if find_spec("polars") is not None:
        import polars

        frame = polars.from_arrow(data)
        contenders |= {name: partial(_by_polars, roll, function, frame) for name, roll in POLARS.items()}
    found = {result.name: result.median for result in medians(contenders)}
    return {int(name) if name.isdigit() else name: cost for name, cost in found.items()}


def _by_engine(function: AggregateFunction, window: int, data: pa.Table) -> float:
    engine = lasing.Engine(program(function, window), start=_BEGIN)
    engine.push_batch({"temp": data.slice(0, SENSORS * WARM_UP)})
    begun = time.process_time()
    engine.push_batch({"temp": data.slice(SENSORS * WARM_UP)})
    return (time.process_time() - begun) / (SENSORS * TICKS)


def _by_polars(roll: Callable[..., Any], function: AggregateFunction, frame: Any) -> float:
    begun = time.process_time()
    roll(function, frame, LONG)
    return (time.process_time() - begun) / len(frame)


def rolling(function: AggregateFunction, frame: Any, window: int) -> Any:
    """The same by Polars: a frame (sensor, time, value), from groups by a rolling window."""
    import polars as pl

    value = pl.len() if function == "count" else getattr(pl.col("value"), _IN_POLARS[function])()
    found = frame.rolling("time", period=f"{window + 1}i", group_by="sensor").agg(value.alias("value"))
    return found.select("sensor", "time", "value")


def rolling_by(function: AggregateFunction, frame: Any, window: int) -> Any:
    """The same by a rolling function of Polars, which is faster, but there is none for every aggregate."""
    import polars as pl

    counted = frame.with_columns(value=pl.lit(1, pl.Int64)) if function == "count" else frame
    value = getattr(pl.col("value"), f"rolling_{_IN_POLARS[function]}_by")("time", window_size=f"{window + 1}i")
    return counted.select("sensor", "time", value.over("sensor").alias("value"))


_IN_POLARS: dict[AggregateFunction, str] = {"count": "sum", "sum": "sum", "avg": "mean", "min": "min", "max": "max"}
POLARS: dict[str, Callable[[AggregateFunction, Any, int], Any]] = {
    "Polars' rolling": rolling,
    "its rolling functions": rolling_by,
}
