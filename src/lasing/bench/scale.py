"""How cost grows: none yet."""

from __future__ import annotations

from lasing.bench.records import Experiment

SCALE: tuple[Experiment, ...] = ()
