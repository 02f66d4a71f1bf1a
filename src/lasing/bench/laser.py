"""Laser's experiments: none yet."""

from __future__ import annotations

from lasing.bench.records import Experiment

LASER: tuple[Experiment, ...] = ()
