"""The job that DatalogMTL can express, in MeTeoR: a join of two streams. Times of readings are arguments too."""

from __future__ import annotations

import csv
import sys
from pathlib import Path

from meteor_reasoner.materialization.coalesce import coalescing_d
from meteor_reasoner.materialization.materialize import materialize
from meteor_reasoner.utils.loader import load_dataset, load_program

RULES = [
    "Near(S,T,V,U,D):-Temp(S,T,V),Diamondminus[0,20]Smoke(S,U,D)",
    "Near(S,T,V,U,D):-Smoke(S,U,D),Diamondminus[0,20]Temp(S,T,V)",
]


def facts(path: Path, predicate: str) -> list[str]:
    """The facts of a file. Numbers are names to MeTeoR, and its syntax has no point in a name."""
    with path.open(newline="") as file:
        rows = list(csv.reader(file))[1:]
    return [f"{predicate}({sensor},t{time},v{value.replace('.', '_')})@{time}" for time, sensor, value in rows]


def main(job: str, folder: str, out: str) -> None:
    """Run the job: all facts at once, and the rules once, since they are not recursive."""
    if job != "join":
        raise SystemExit(f"{job} cannot be expressed")
    at = Path(folder)
    data = load_dataset(facts(at / "temp.csv", "Temp") + facts(at / "smoke.csv", "Smoke"))
    coalescing_d(data)
    materialize(data, load_program(RULES), K=1)
    with Path(out).open("w") as file:
        for entity in data["Near"]:
            sensor, *others = (term.name for term in entity)
            print(sensor, *(name[1:].replace("_", ".") for name in others), sep=",", file=file)


if __name__ == "__main__":
    main(*sys.argv[1:])
