"""The arguments of `reason` other than the program, and their checks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lasing.connectors.bad_rows import STOP
from lasing.connectors.missing import Missing
from lasing.connectors.sinks import View
from lasing.engine_choice import EngineName
from lasing.errors import fault, similar
from lasing.limits import Limits
from lasing.spark.inputs import Order, Terms

Delay = int | str
"""A number of time points, or a duration such as "10 sec"."""


@dataclass(frozen=True)
class Options:
    """As the user gives them."""

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
    bad_rows: str | Mapping[str, str] = STOP
    max_bad_rows: float | None = None


def check_names(option: str, given: Any, predicates: Sequence[str]) -> None:
    """Fail if an option that is given by predicate names something that is not an input."""
    for predicate in given if isinstance(given, Mapping) else ():
        if predicate not in predicates:
            note = similar(predicate, predicates) or f"inputs are {', '.join(predicates)}"
            raise fault("E604", f"{option} is given for {predicate}, which is not an input", note=note)
