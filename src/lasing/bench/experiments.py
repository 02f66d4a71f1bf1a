"""All experiments and tables by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec

from lasing.bench.barbieri.experiments import BARBIERI
from lasing.bench.bars.blocks import BLOCKS
from lasing.bench.bars.ratios import RATIOS
from lasing.bench.costs.tables import COSTS, CostTable
from lasing.bench.dotr.experiments import DOTR
from lasing.bench.laser.experiments import LASER
from lasing.bench.measuring.course import Effort
from lasing.bench.measuring.records import Experiment
from lasing.bench.peers.experiments import PEERS
from lasing.bench.scale.experiments import SCALE
from lasing.bench.spark.experiments import SPARK
from lasing.errors import LasingError

EXPERIMENTS: dict[str, Experiment] = {
    experiment.name: experiment for experiment in (*LASER, *SCALE, *BARBIERI, *DOTR, *SPARK, *PEERS)
}

BARS = "bars"
SECTIONS: tuple[str, ...] = (*BLOCKS, RATIOS)
"""The tables of bars, each with its own name."""

ON_SPARK = frozenset(experiment.name for experiment in SPARK)
OF_PEERS = frozenset(experiment.name for experiment in PEERS)
ON_RDF = frozenset(experiment.name for experiment in DOTR)
GROUPS: dict[str, tuple[str, ...]] = {
    "laser": tuple(experiment.name for experiment in LASER),
    "scale": tuple(experiment.name for experiment in SCALE),
    "dotr": tuple(experiment.name for experiment in DOTR),
    "spark": tuple(experiment.name for experiment in SPARK),
    "costs": tuple(table.name for table in COSTS),
}
"""Names for groups of experiments, as `bars` is for all sections."""
BARS_OF = {"dotr": ("events",)}
"""The tables of bars that belong to a group."""


_QUICKLY = "not measured by --quick, unless named"


@dataclass(frozen=True)
class Selection:
    """What to measure; `left_out` says which experiments and tables are not measured, and why."""

    experiments: tuple[Experiment, ...]
    sections: tuple[str, ...]
    left_out: Mapping[str, str]
    costs: tuple[CostTable, ...] = ()

    def count(self, effort: Effort) -> int:
        """The number of cells and tables of bars to measure."""
        cells = (e.count(effort) for e in self.experiments if e.name not in self.left_out)
        return sum(cells) + len(self.sections) + sum(table.name not in self.left_out for table in self.costs)


def names(asked: Sequence[str] = ()) -> dict[str, str]:
    """Every name that can be selected, or those of the given names and their groups, each with its question."""
    questions = {experiment.name: experiment.question for experiment in EXPERIMENTS.values()}
    questions |= {table.name: table.question for table in COSTS}
    for group, members in GROUPS.items():
        if group not in questions and members:
            questions[group] = f"All of {', '.join((*members, *BARS_OF.get(group, ())))}."
    questions |= {BARS: f"Which bars does the engine clear? One by one: {', '.join(SECTIONS)}."}
    wanted = {one for name in asked for one in (name, *GROUPS.get(name, ()))}
    return {name: question for name, question in questions.items() if not asked or name in wanted}


def choose(asked: Sequence[str] = (), quick: bool = False) -> Selection:
    """The selection for the given names, or for all; ValueError names one that does not exist.

    If an experiment and a section share a name, the name selects both.
    """
    for name in asked:
        known = dict.fromkeys((*EXPERIMENTS, *GROUPS, *(table.name for table in COSTS), BARS, *SECTIONS))
        if name not in known:
            raise ValueError(f"there is no {name!r} among {', '.join(known)}")
    wanted = {one for name in asked for one in (name, *GROUPS.get(name, ()))}
    experiments = tuple(experiment for name, experiment in EXPERIMENTS.items() if not asked or name in wanted)
    barred = {*asked, *(section for name in asked for section in BARS_OF.get(name, ()))}
    sections = tuple(name for name in SECTIONS if not asked or BARS in asked or name in barred)
    on_spark = [experiment.name for experiment in experiments if experiment.name in ON_SPARK]
    why = ""
    if on_spark:
        why = _QUICKLY if quick and not asked else without_spark()
    left_out = dict.fromkeys(on_spark, why) if why else {}
    if quick and not asked:  # it installs other systems, and one of them takes a quarter of a minute to start
        left_out |= {experiment.name: _QUICKLY for experiment in experiments if experiment.name in OF_PEERS}
    if missing := without_rdf():
        left_out |= {experiment.name: missing for experiment in experiments if experiment.name in ON_RDF}
    costs = tuple(table for table in COSTS if not asked or table.name in wanted)
    for table in costs:
        if found := _QUICKLY if quick and not asked else table.missing():
            left_out[table.name] = found
    return Selection(experiments, sections, left_out, costs)


def without_rdf() -> str:
    """Why queries over RDF cannot be measured here; empty if they can."""
    missing = any(find_spec(package) is None for package in ("pyoxigraph", "rdflib"))
    return "not installed: pip install 'lasing[rdf]'" if missing else ""


def without_spark() -> str:
    """Why Spark cannot be measured here; empty if it can."""
    if any(find_spec(package) is None for package in ("pyspark", "pandas")):
        return "not installed: pip install 'lasing[spark]'"
    from lasing.spark.java import provide_java

    try:
        provide_java()
    except LasingError as error:
        found = error.diagnostics[0]
        return f"not installed: {found.message}" + (f" ({found.note})" if found.note else "")
    return ""
