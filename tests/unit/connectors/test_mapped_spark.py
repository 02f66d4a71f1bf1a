"""The triples of rows, made where Spark has them: the same as those of a table on one machine."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pyarrow as pa
import pytest

import lasing
from lasing.connectors.rdf.mapped_spark import triple_maker
from lasing.connectors.rdf.mapping import mapping_of

MAPPING = mapping_of(
    """
    triples = [
        "<http://ex.org/{id}> a <http://ex.org/Reading>",
        "<http://ex.org/{id}> <http://ex.org/celsius> {celsius}^^xsd:decimal",
        "<http://ex.org/{id}> <http://ex.org/at> _:place",
        "_:place <http://ex.org/name> {name}",
    ]
    """
)


def made(rows: list[dict[str, Any]], terms: frozenset[int] = frozenset()) -> list[tuple[Any, ...]]:
    table = pa.Table.from_pylist([{"time": row.get("time", 1), **row} for row in rows])
    table = table.select(["time", *MAPPING.columns])
    found = triple_maker(MAPPING, 1, terms, "the table")(table.to_batches())
    return [tuple(row.values()) for batch in found for row in batch.to_pylist()]


def test_rows_become_the_triples_of_one_machine() -> None:
    rows: list[dict[str, Any]] = [
        {"time": 1, "id": 7, "celsius": "21.50", "name": "1"},
        {"time": 2, "id": 8, "celsius": None, "name": "a b"},
    ]
    found = made(rows)
    assert [(time, *triple) for time, *triple in found if "_:" not in "".join(triple)] == [
        (1, "<http://ex.org/7>", "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>", "<http://ex.org/Reading>"),
        (1, "<http://ex.org/7>", "<http://ex.org/celsius>", '"21.5"^^<http://www.w3.org/2001/XMLSchema#decimal>'),
        (2, "<http://ex.org/8>", "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>", "<http://ex.org/Reading>"),
    ]
    assert [triple[-1] for triple in found if triple[1].startswith("_:")] == ['"1"', "a b"]
    frame = pa.Table.from_pylist(rows)
    program = "q(S,P,O) :- t(S,P,O). #show q/3."
    local = lasing.run(program, lasing.rdf.triples(frame, MAPPING, predicate="t"))
    assert sum(len(answer.atoms) for answer in local) == len(found)


def test_rows_that_differ_have_different_blank_nodes() -> None:
    row = {"id": 1, "celsius": "1", "name": "a"}
    nodes = [
        [t[1] for t in made([one]) if t[1].startswith("_:")] for one in (row, {**row, "time": 2}, {**row, "id": 2})
    ]
    assert len({tuple(found) for found in nodes}) == 3
    assert made([row]) == made([row])


def test_cells_may_be_terms_and_times() -> None:
    row = {"id": "<http://ex.org/x>", "celsius": "3", "name": "<http://ex.org/n>"}
    assert made([row], frozenset({2}))[-1][-1] == "<http://ex.org/n>"
    assert made([row])[-1][-1] == '"<http://ex.org/n>"'
    at = datetime(2026, 5, 1, 12, tzinfo=UTC)
    assert made([{**row, "name": at}])[-1][-1] == "2026-05-01T12:00:00+00:00"


def test_a_cell_that_is_no_value_of_its_type_is_named_with_its_row() -> None:
    with pytest.raises(lasing.LasingError, match=r"E506.*a row of the table at 1: the cell celsius is 'warm'"):
        made([{"id": 1, "celsius": "warm", "name": "a"}])
