"""The tables of costs, by name. Each function measures, and gives rows: what, its cost, and how that compares."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.util import find_spec

from lasing.bench.costs.interrupts import interrupts
from lasing.bench.costs.leaving import leaving
from lasing.bench.costs.models import models
from lasing.bench.costs.names import names
from lasing.bench.costs.reading import reading
from lasing.bench.costs.running import running

Row = tuple[str, str, str]
COLUMNS = ("what", "cost", "compared")


@dataclass(frozen=True, slots=True)
class CostTable:
    """A question, and the measurement that answers it; `needs` is a package without which there is none."""

    name: str
    title: str
    question: str
    measure: Callable[[], Sequence[Row]]
    needs: str = ""

    def missing(self) -> str:
        """Why it cannot be measured here; empty where it can."""
        return f"not installed: {self.needs}" if self.needs and find_spec(self.needs) is None else ""


COSTS: tuple[CostTable, ...] = (
    CostTable("reading", "Reading", "How fast are programs and streams read?", reading),
    CostTable("running", "Files in and out", "What does `lasing run` cost beside Arrow and `push_batch`?", running),
    CostTable("models", "Several answers", "What does splitting save, and what costs a long stream?", models, "clingo"),
    CostTable("names", "New names", "What do names cost that are always new, at first and at last?", names),
    CostTable("leaving", "Changes on their way out", "What does a change cost, by the kind of its values?", leaving),
    CostTable("interrupts", "Ctrl-C", "How soon does an evaluation that explodes end?", interrupts),
)
