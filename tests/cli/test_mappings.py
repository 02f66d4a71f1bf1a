"""`--mapping`: tables as triples, all in one way or each in its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.command import Done, lasing

pytest.importorskip("pyoxigraph")

PROGRAM = """
#prefix e: <http://ex.org/>.
hot(S) :- temp(S, e:celsius, V), V > 30.
open(D) :- door(D, e:is, "open").
"""
MAPPING = 'triples = ["e:{sensor} e:celsius {celsius}"]\n[prefixes]\ne = "http://ex.org/"\n'
DOORS = 'triples = ["e:{door} e:is {state}"]\n[prefixes]\ne = "http://ex.org/"\n'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    files = {
        "hot.lars": PROGRAM,
        "temp.csv": "time,sensor,celsius\n1,s1,35\n2,s2,20\n",
        "door.csv": "time,door,state\n2,d1,open\n",
        "temp.toml": MAPPING,
        "door.toml": DOORS,
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def run(folder: Path, *mappings: str) -> Done:
    options = [part for mapping in mappings for part in ("--mapping", mapping)]
    return lasing("run", "hot.lars", "temp=temp.csv", "door=door.csv", *options, "-q", folder=folder)


@pytest.mark.parametrize("mappings", [("temp=temp.toml", "door=door.toml"), ("door=door.toml", "temp.toml")])
def test_each_table_has_its_mapping(folder: Path, mappings: tuple[str, ...]) -> None:
    assert run(folder, *mappings).stdout == "hot(<http://ex.org/s1>) at 1.\nopen(<http://ex.org/d1>) at 2.\n"


@pytest.mark.parametrize(
    ("mappings", "message"),
    [
        (("dor=door.toml",), "no stream is called dor (did you mean door?)"),
        (("temp.toml", "door.toml"), "there are two mappings without a name"),
        (("temp=temp.toml", "temp=door.toml"), "there are two mappings for temp"),
    ],
)
def test_mistakes(folder: Path, mappings: tuple[str, ...], message: str) -> None:
    done = run(folder, *mappings)
    assert done.returncode == 2
    assert message in " ".join(done.stderr.replace("│", " ").split())
