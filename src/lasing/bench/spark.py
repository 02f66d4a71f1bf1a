"""On Spark: none yet."""

from __future__ import annotations

from lasing.bench.records import Experiment

SPARK: tuple[Experiment, ...] = ()
