"""The machines: states, risks and what nobody noticed, as a reader can work them out from the facts."""

from __future__ import annotations

from pathlib import Path

import lasing

FOLDER = Path(__file__).parents[2] / "examples" / "etalis"


def test_the_machines() -> None:
    answers = lasing.run(FOLDER / "machine.etalis", FOLDER / "day.facts")
    found = {str(atom) for answer in answers for atom in answer.atoms if not atom.predicate.startswith("hot")}
    assert found == {
        "opened(m1,4,6)",
        "opened(m2,16,22)",
        "running(m1,1,15)",
        "running(m2,2,20)",
        "risk(m1,1,15)",
        "overlap(m1,1,15)",
        "overlap(m2,2,22)",
        "overheated(m1,7,12)",
        "unnoticed(m1,1,15)",
    }
