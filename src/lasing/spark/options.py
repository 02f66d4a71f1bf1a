"""What a user says about a program on Spark, beside the program itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lasing.connectors.missing import Missing
from lasing.connectors.sinks import View
from lasing.engine_choice import EngineName
from lasing.limits import Limits
from lasing.logic.program import Program
from lasing.spark.inputs import Order, Terms

Delay = int | str
"""A number of time points, or a duration such as "10 sec"."""


@dataclass(frozen=True)
class Options:
    """The arguments of `reason` other than the program."""

    input: str | None
    output: str | Sequence[str] | None
    time: str | Mapping[str, str]
    view: View
    start: Any
    end: Any
    delay: Delay | Mapping[str, Delay]
    idle: str | Mapping[str, str] | None
    order: Order | None
    shards: int | None
    slices: int | None
    replicate: tuple[str, ...]
    engine: EngineName
    limits: Limits
    missing: Missing | Mapping[str, Missing]
    background: tuple[str, ...]
    """The predicates of background facts given separately from the program."""
    terms: Terms | Mapping[str, Terms]
    clock: bool | Path = False
    replaces: Program | None = None
    partial: bool = False
