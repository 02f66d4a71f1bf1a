"""All that can be measured, by the names by which it is asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec

from lasing.bench.bars import BLOCKS
from lasing.bench.course import Effort
from lasing.bench.laser import LASER
from lasing.bench.ratios import RATIOS
from lasing.bench.records import Experiment
from lasing.bench.scale import SCALE
from lasing.bench.spark import SPARK
from lasing.errors import LasingError

EXPERIMENTS: dict[str, Experiment] = {experiment.name: experiment for experiment in (*LASER, *SCALE, *SPARK)}

BARS = "bars"
SECTIONS: tuple[str, ...] = (*BLOCKS, RATIOS)
"""The tables of the bars, each with a name of its own."""

ON_SPARK = frozenset(experiment.name for experiment in SPARK)
GROUPS: dict[str, tuple[str, ...]] = {
    "laser": tuple(experiment.name for experiment in LASER),
    "scale": tuple(experiment.name for experiment in SCALE),
    "spark": tuple(experiment.name for experiment in SPARK),
}
"""Names that stand for several experiments, as `bars` does for all sections."""


@dataclass(frozen=True)
class Plan:
    """What is to be measured; `left_out` says of experiments why they are not."""

    experiments: tuple[Experiment, ...]
    sections: tuple[str, ...]
    left_out: Mapping[str, str]

    def count(self, effort: Effort) -> int:
        """How many cells, and tables of bars, there will be."""
        cells = (e.count(effort) for e in self.experiments if e.name not in self.left_out)
        return sum(cells) + len(self.sections)


def names() -> dict[str, str]:
    """Every name that can be asked for, and its question."""
    questions = {experiment.name: experiment.question for experiment in EXPERIMENTS.values()}
    for group, members in GROUPS.items():
        if group not in questions and members:
            questions[group] = f"All of {', '.join(members)}."
    return {**questions, BARS: f"Which bars does the engine clear? One by one: {', '.join(SECTIONS)}."}


def choose(asked: Sequence[str] = (), quick: bool = False) -> Plan:
    """The plan for the names that are asked for, or for all; ValueError says which name there is not.

    An experiment and a section may have the same name, which then stands for both.
    """
    for name in asked:
        known = dict.fromkeys((*EXPERIMENTS, *GROUPS, BARS, *SECTIONS))
        if name not in known:
            raise ValueError(f"there is no {name!r} among {', '.join(known)}")
    wanted = {one for name in asked for one in (name, *GROUPS.get(name, ()))}
    experiments = tuple(experiment for name, experiment in EXPERIMENTS.items() if not asked or name in wanted)
    sections = tuple(name for name in SECTIONS if not asked or BARS in asked or name in asked)
    on_spark = [experiment.name for experiment in experiments if experiment.name in ON_SPARK]
    why = ""
    if on_spark:
        why = "not measured by --quick, unless named" if quick and not asked else without_spark()
    left_out = dict.fromkeys(on_spark, why) if why else {}
    return Plan(experiments, sections, left_out)


def without_spark() -> str:
    """Why Spark cannot be measured here; empty where it can."""
    if any(find_spec(package) is None for package in ("pyspark", "pandas")):
        return "not installed: pip install 'lasing[spark]'"
    from lasing.spark.java import provide_java

    try:
        provide_java()
    except LasingError as error:
        found = error.diagnostics[0]
        return f"not installed: {found.message}" + (f" ({found.note})" if found.note else "")
    return ""
