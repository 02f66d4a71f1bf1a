"""`#first` and `#last` on the batch path: processor time per reading, compared with a window that nothing gathers.

50 sensors give one reading a second each. About half of the readings pass the filter.
"""

from __future__ import annotations

import time
from functools import partial

import numpy as np
import pyarrow as pa

import lasing
from lasing.bench.costs.medians import medians

SENSORS, WARM, MEASURED = 50, 1_000, 2_000
_READINGS = "temp(S, V) at T in [600], V > 45"
PROGRAMS = {
    "baseline: the window alone": f"seen :- {_READINGS}, V > 100.",
    "#last by time": f"q(S, U, W) :- s(S), (U, W) = #last{{T, V : {_READINGS}}}.",
    "#first by time": f"q(S, U, W) :- s(S), (U, W) = #first{{T, V : {_READINGS}}}.",
    "#last 10 by time": f"q(S, U, W) :- s(S), (U, W) = #last 10 {{T, V : {_READINGS}}}.",
    "#last by value": f"q(S, W) :- s(S), (W, _) = #last{{V, T : {_READINGS}}}.",
    "#max": f"q(S, W) :- s(S), W = #max{{V, T : {_READINGS}}}.",
}
SHORT = ("#last by time, window 60", PROGRAMS["#last by time"].replace("[600]", "[60]"))


def selecting() -> list[tuple[str, str, str]]:
    """Rows of a table: the case, microseconds per reading, and the ratio to the baseline."""
    background = " ".join(f"s({i})." for i in range(SENSORS))
    contenders = {name: partial(_seconds, f"{program} {background}") for name, program in (*PROGRAMS.items(), SHORT)}
    results = medians(contenders, 5)
    costs = [(result.name, result.median / (MEASURED * SENSORS)) for result in results]
    return [(name, f"{cost * 1e6:.2f} µs", f"{cost / costs[0][1]:.1f}x") for name, cost in costs]


def _seconds(program: str) -> float:
    """The processor time of the measured part, after the window has filled."""
    engine, warm = lasing.Engine(program, start=0), WARM * SENSORS
    readings = _table()
    engine.push_batch({"temp": readings.slice(0, warm)})
    begun = time.process_time()
    engine.push_batch({"temp": readings.slice(warm)})
    return time.process_time() - begun


def _table() -> pa.Table:
    points = WARM + MEASURED
    values = np.random.default_rng(1).integers(0, 100, points * SENSORS)
    sensors = np.tile(np.arange(SENSORS), points)
    return pa.table({"time": np.repeat(np.arange(points), SENSORS), "sensor": sensors, "value": values})
