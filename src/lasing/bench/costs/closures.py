"""What the RDFS closure of a file costs, compared with maplib: ten levels of classes with 20,000 instances.

Both read the same N-Triples, and end with all triples in columns. maplib gets the two rules that matter here, as
queries that insert their results; ours has all rules of RDFS. They must agree on the classes of all instances.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import process_time

import numpy as np

import lasing

LEVELS, INSTANCES, TURNS = 10, 20_000, 5

_RDF, _RDFS = "http://www.w3.org/1999/02/22-rdf-syntax-ns#", "http://www.w3.org/2000/01/rdf-schema#"
_CLASS = "http://ex.org/C"
_PREFIXES = f"PREFIX rdf: <{_RDF}> PREFIX rdfs: <{_RDFS}>"
_INSERTS = (
    f"{_PREFIXES} CONSTRUCT {{ ?x rdfs:subClassOf ?y }} WHERE {{ ?x rdfs:subClassOf+ ?y }}",
    f"{_PREFIXES} CONSTRUCT {{ ?x a ?y }} WHERE {{ ?x a ?c . ?c rdfs:subClassOf+ ?y }}",
)

Closure = Callable[[Path], int]
"""Reads a file, closes it, and returns how many new triples say that something is of one of the classes."""


def closures() -> list[tuple[str, str, str]]:
    """Rows of a table: the system, its cost, and how that compares."""
    title = f"{LEVELS} levels, {INSTANCES:,} instances: "
    contenders: dict[str, Closure] = {"lasing, all rules of RDFS": _ours}
    missing: list[tuple[str, str, str]] = []
    if find_spec("maplib") is None:
        missing.append((f"{title}maplib", "", "not installed: pip install 'lasing[bench]'"))
    else:
        contenders["maplib, two rules"] = _maplib
    costs: dict[str, list[float]] = {name: [] for name in contenders}
    with TemporaryDirectory() as folder:
        path = Path(folder) / "levels.nt"
        write(path, LEVELS, INSTANCES)
        for name, close in contenders.items():  # once beforehand: kernels are compiled or loaded
            if (found := close(path)) != (LEVELS - 1) * INSTANCES:
                raise AssertionError(f"{name} finds {found:,} triples")
        for _ in range(TURNS):
            for name, close in contenders.items():
                begun = process_time()
                close(path)
                costs[name].append(process_time() - begun)
    ours, *others = costs.values()
    ratios = [median(mine / other for mine, other in zip(ours, theirs, strict=True)) for theirs in others]
    compared = ["", *(f"ours takes {ratio:.2f}x as long" for ratio in ratios)]
    rows = [
        (f"{title}{name}", f"{median(c):.3f} s", how) for (name, c), how in zip(costs.items(), compared, strict=True)
    ]
    return [*rows, *missing]


def write(path: Path, levels: int, instances: int) -> None:
    """A chain of classes, and instances of the lowest one."""
    with path.open("w", encoding="utf-8") as file:
        for level in range(levels - 1):
            file.write(f"<{_CLASS}{level}> <{_RDFS}subClassOf> <{_CLASS}{level + 1}> .\n")
        for instance in range(instances):
            file.write(f"<http://ex.org/i{instance}> <{_RDF}type> <{_CLASS}0> .\n")


def _ours(path: Path) -> int:
    found = lasing.run("#show triple/3.", "", start=0, end=0, data=path, entail="rdfs").columns()
    count = 0
    for changed in found or ():
        _, properties, values = changed.args[:3]
        is_type = np.array([str(term) == f"<{_RDF}type>" for term in properties.distinct])
        is_class = np.array([str(term).startswith(f"<{_CLASS}") for term in values.distinct])
        count += int((is_type[properties.numbers] & is_class[values.numbers]).sum())
    return count


def _maplib(path: Path) -> int:
    from maplib import Model

    model = Model()
    model.read(str(path))
    for insert in _INSERTS:
        model.insert(insert)
    query = f"SELECT ?x ?c WHERE {{ ?x a ?c FILTER(?c != <{_CLASS}0>) }}"
    return len(model.query(query))
