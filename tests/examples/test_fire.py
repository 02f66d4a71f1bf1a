"""The fire alarm: raw rows, an ontology and a pattern give the alarms that a reader can work out from the rows."""

from __future__ import annotations

import csv
import re
import shlex
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

import lasing
from tests.command import lasing as run_lasing

pytest.importorskip("pyoxigraph")

FIRE = Path(__file__).parents[2] / "examples" / "fire"
README = (FIRE / "README.md").read_text(encoding="utf-8")
SESSIONS = re.findall(r"```console\n\$ lasing ([^\n]*)\n(.*?)```", README, re.DOTALL)
ROOMS = {"t1": "kitchen", "t2": "lab", "t3": "archive", "d1": "kitchen", "d2": "lab"}


def alarms() -> list[tuple[datetime, str, str]]:
    """When there is an alarm, in which room, and by which reading: by hand, from the raw rows."""
    with (FIRE / "readings.csv").open(encoding="utf-8") as file:
        rows = [(datetime.fromisoformat(row["ts"]), row) for row in csv.DictReader(file)]
    used: set[str] = set()
    found = []
    for time, row in rows:
        if row["sensor"].startswith("d") and row["value"] == "1":
            room = ROOMS[row["sensor"]]
            high = [
                other["id"]
                for earlier, other in rows
                if other["sensor"].startswith("t")
                and ROOMS[other["sensor"]] == room
                and float(other["value"]) > 60
                and time - timedelta(minutes=5) < earlier < time
                and other["id"] not in used
            ]
            if high:
                used.add(high[-1])
                found.append((time, room, high[-1]))
    return found


def test_dotr_finds_the_alarms() -> None:
    stream = lasing.rdf.triples(FIRE / "readings.csv", FIRE / "readings.toml")
    entail: list[str | Path] = ["rdfs", FIRE / "building.lars"]
    found = []
    for answer in lasing.run(FIRE / "fire.dotr", stream, data=FIRE / "building.ttl", entail=entail):
        graphs: dict[object, dict[str, str]] = {}
        for atom in answer.atoms:
            node, name, value = atom.values
            graphs.setdefault(node, {})[str(name).strip("<>").rsplit("/")[-1]] = str(value).strip("<>").rsplit("/")[-1]
        for graph in graphs.values():
            assert graph["22-rdf-syntax-ns#type"] == "Fire"
            found.append((datetime.fromtimestamp(answer.time, UTC), graph["at_room"], graph["seen_by"]))
    assert found == alarms()
    assert len(found) == 3


def test_tesla_finds_the_same_alarms() -> None:
    streams = {name: lasing.Table(table(name), name, time="ts") for name in ("temp", "smoke")}
    answers = lasing.run(FIRE / "fire.tesla", streams)
    found = [(datetime.fromtimestamp(a.time, UTC), atom.values[0]) for a in answers for atom in a.atoms]
    assert found == [(time, room) for time, room, _ in alarms()]


def table(name: str) -> object:
    import pyarrow.csv as pacsv

    return pacsv.read_csv(FIRE / f"{name}.csv")


def test_nothing_is_found_without_the_ontology() -> None:
    done = run_lasing(
        "run", "fire.dotr", "readings.csv", "--mapping", "readings.toml", "--data", "building.ttl", "-q", folder=FIRE
    )
    assert (done.returncode, done.stdout) == (0, "")


@pytest.mark.parametrize(("command", "expected"), SESSIONS, ids=lambda text: text.split()[1])
def test_session_of_the_readme(command: str, expected: str) -> None:
    done = run_lasing(*shlex.split(command), folder=FIRE)
    assert done.stdout + done.stderr == expected


@pytest.mark.parametrize("name", ["fire.dotr", "fire.tesla", "building.lars"])
def test_programs_are_laid_out(name: str) -> None:
    assert run_lasing("fmt", "--check", name, folder=FIRE).returncode == 0


@pytest.mark.parametrize(("name", "shards"), [("fire.toml", "one"), ("rooms.toml", "by key")])
def test_pipelines_have_no_mistakes(name: str, shards: str) -> None:
    done = run_lasing("pipeline", name, "--check", folder=FIRE)
    assert done.returncode == 0, done.stderr
    assert f"shards      {shards}" in done.stdout
    assert "sink        fire to console" in done.stdout
