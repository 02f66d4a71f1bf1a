"""The cost tables by name. Each function measures and returns rows: the case, its cost, and how that compares."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.util import find_spec

from lasing.bench.costs.aggregates import aggregates
from lasing.bench.costs.alternatives import alternatives
from lasing.bench.costs.closures import closures
from lasing.bench.costs.endurance import endurance
from lasing.bench.costs.explaining import explaining
from lasing.bench.costs.functions import functions
from lasing.bench.costs.interrupts import interrupts
from lasing.bench.costs.lateness import lateness
from lasing.bench.costs.leaving import leaving
from lasing.bench.costs.local_pipeline import local_pipeline
from lasing.bench.costs.models import models
from lasing.bench.costs.names import names
from lasing.bench.costs.reading import reading
from lasing.bench.costs.replacing import replacing
from lasing.bench.costs.running import running
from lasing.bench.costs.selecting import selecting
from lasing.bench.costs.sql import sql

Row = tuple[str, str, str]
COLUMNS = ("what", "cost", "compared")


@dataclass(frozen=True, slots=True)
class CostTable:
    """A question, and the measurement that answers it; `needs` is a package that it requires."""

    name: str
    title: str
    question: str
    measure: Callable[[], Sequence[Row]]
    needs: str = ""

    def missing(self) -> str:
        """Why this cannot be measured here; empty if it can."""
        return f"not installed: {self.needs}" if self.needs and find_spec(self.needs) is None else ""


COSTS: tuple[CostTable, ...] = (
    CostTable("reading", "Reading", "How fast are programs and streams read?", reading),
    CostTable(
        "running", "Files in and out", "What does `lasing run` cost, compared with Arrow and `push_batch`?", running
    ),
    CostTable(
        "models", "Several answers", "What does splitting save, and what does a long stream cost?", models, "clingo"
    ),
    CostTable("names", "New names", "What do new names cost, at first and after millions of them?", names),
    CostTable(
        "leaving", "Handing out changes", "What does it cost to hand out a change, by the kind of its values?", leaving
    ),
    CostTable(
        "alternatives",
        "Other Python packages",
        "What do MeTeoR and PyReason cost on a program that they can run too?",
        alternatives,
    ),
    CostTable(
        "closures", "RDFS", "What does the RDFS closure of a file cost, compared with maplib?", closures, "pyoxigraph"
    ),
    CostTable(
        "aggregates",
        "Aggregates over a window",
        "What does a reading cost in an aggregate over a window, compared with a shorter one and with Polars?",
        aggregates,
    ),
    CostTable(
        "selecting", "First and last", "What do `#first` and `#last` cost per reading, by window and order?", selecting
    ),
    CostTable(
        "sql",
        "SQL over a window",
        "What does a row cost in a windowed GROUP BY, compared with DuckDB on each window?",
        sql,
        "duckdb",
    ),
    CostTable("functions", "Functions", "What does a function of a column of names cost?", functions),
    CostTable(
        "lateness", "Late facts", "What do a delay and corrections cost, compared with feeding in order?", lateness
    ),
    CostTable("replacing", "Changing rules", "How long does it take to replace a running program?", replacing),
    CostTable(
        "local-pipeline",
        "Pipelines in one process",
        "How fast is a pipeline without Spark, and how soon does it go on after a kill, compared with `lasing.run`?",
        local_pipeline,
    ),
    CostTable(
        "explain",
        "Explanations",
        "How long does an explanation take in a program of 20 rules over a window of 100,000 facts?",
        explaining,
    ),
    CostTable(
        "endurance",
        "How far one engine goes",
        "What does a fact cost after 10⁹ others, beside 10⁷ live ones, among 10⁵ rules?",
        endurance,
    ),
    CostTable("interrupts", "Ctrl-C", "How soon does an exploding evaluation end?", interrupts),
)
