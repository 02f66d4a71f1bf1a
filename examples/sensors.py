"""Sensor readings in a data frame, one rule, and which sensor was hot when."""

import pandas as pd

import lasing

readings = pd.DataFrame(
    {
        "ts": pd.to_datetime(["2026-01-31 08:00", "2026-01-31 08:01", "2026-01-31 08:03"], utc=True),
        "sensor": ["s1", "s2", "s1"],
        "celsius": [35.5, 20.0, 31.0],
    }
)
program = """
#tick 1 min.
hot(S) :- temp(S, V) in [1 min], V > 30.
"""
stream = lasing.Table(readings, predicate="temp", time="ts")
for answer in lasing.run(program, stream):
    print(answer)
