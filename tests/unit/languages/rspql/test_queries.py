"""Queries that once had a wrong answer: `queries.txt` has them, with their data and what they answer."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import pyoxigraph as ox
import pytest

from tests.queries import Answer, Data, Engine, Graph, Solutions, Term, answered, canonical

PREFIXES = "PREFIX : <http://e/> PREFIX xsd: <http://www.w3.org/2001/XMLSchema#>\n"
_BLOCK = re.compile(r"^== ([^\n]*)\n-- data\n(.*?)-- query\n(.*?)-- rows\n(.*?)(?=^==|\Z)", re.MULTILINE | re.DOTALL)
_CELL = re.compile(r'-(?=\s|$)|<[^>]*>|"[^"]*"(?:\^\^<[^>]*>|@[\w-]+)?')


@dataclass(frozen=True)
class Case:
    title: str
    data: Data
    query: str
    rows: tuple[str, ...]


def _cases() -> list[Case]:
    text = (Path(__file__).parent / "queries.txt").read_text(encoding="utf-8")
    return [
        Case(title, Data.of(PREFIXES + data), PREFIXES + query, tuple(filter(None, rows.splitlines())))
        for title, data, query, rows in _BLOCK.findall(text)
    ]


CASES = _cases()


@pytest.mark.parametrize("engine", ["auto", "reference"])
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.title)
def test_query(case: Case, engine: Engine) -> None:
    found = answered(case.query, case.data, engine)
    assert canonical(found) == canonical(_expected(case, found))


def _expected(case: Case, found: Answer) -> Answer:
    if isinstance(found, bool):
        return {"true": True, "false": False}[case.rows[0]]
    rows = tuple(tuple(map(_term, _CELL.findall(row))) for row in case.rows)
    if isinstance(found, Solutions):
        return Solutions(found.columns, rows)
    return Graph(rows)  # type: ignore[arg-type]


def _term(text: str) -> Term | None:
    if text == "-":
        return None
    (quad,) = ox.parse(f"<urn:s> <urn:p> {text} .", format=ox.RdfFormat.N_TRIPLES)
    term: Term = quad.object
    return term


def test_every_block_is_read() -> None:
    text = (Path(__file__).parent / "queries.txt").read_text(encoding="utf-8")
    assert len(CASES) == text.count("\n== ")
