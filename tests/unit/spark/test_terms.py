"""Terms on their way to shards and out again."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from lasing import LasingError
from lasing.connectors.arrow import has_terms
from lasing.logic.program import Output
from lasing.logic.values import BlankNode, Iri, TaggedLiteral, Value, datatypes, literal, mixed_text
from lasing.spark.hashing import shard_of, shards_of
from lasing.spark.outputs import OutputTable
from lasing.spark.packing import Packer
from lasing.spark.tables import by_time, from_bytes
from lasing.spark.terms import canonical, plain, with_marks

VALUES: tuple[Value, ...] = (
    *(1, -7, 2.5, 1e22, "1", "a b", "", "new(a)", "<http://ex.org/a>", Iri("http://ex.org/a"), BlankNode("b")),
    *(TaggedLiteral("x", "en"), literal("05", datatypes.INTEGER), literal("1.5", datatypes.DECIMAL)),
)


def test_a_term_belongs_to_the_shard_of_its_value() -> None:
    column = pa.array([mixed_text(value) for value in VALUES])
    assert shards_of(plain(column, "x"), 1009).tolist() == [shard_of(value, 1009) for value in VALUES]


def test_every_text_of_a_value_becomes_the_canonical_one() -> None:
    written = pa.array(['"5"^^<http://www.w3.org/2001/XMLSchema#integer>', "5", '"a"', "a", '"5"', "5.0", None])
    assert canonical(written, "x").to_pylist() == ["5", "5", "a", "a", '"5"', "5", None]


def pack(terms: frozenset[int], rows: list[tuple[Any, ...]], **options: Any) -> list[Any]:
    packer = Packer("p", 0, ("time", "x", "y"), 0, None, 2, (0, 1), terms=terms, **options)
    names = ("c0", "c1", "c2")
    batch = pa.RecordBatch.from_pylist([dict(zip(names, row, strict=True)) for row in rows])
    (sent,) = packer([batch])
    return [None if stored is None else from_bytes(stored) for stored in sent["facts"].to_pylist()]


def test_facts_for_shards_are_canonical_and_marked() -> None:
    parts = pack(frozenset({1}), [(1, '"a"', "<b>"), (2, "<http://ex.org/a>", "c"), (3, "a", "d")])
    found = sorted(tuple(row.values()) for part in parts if part is not None for row in part.to_pylist())
    assert found == [(1, "a", "<b>"), (2, "<http://ex.org/a>", "c"), (3, "a", "d")]
    for part in parts:
        if part is not None:
            assert [has_terms(field) for field in part.schema] == [False, True, False]
            assert has_terms(by_time([part, part], exact=True).schema.field("arg1"))


def test_a_missing_term_is_replaced_by_the_text_of_a_value() -> None:
    parts = pack(frozenset({1, 2}), [(1, None, "a"), (1, "a", None)], missing="1")
    found = sorted(tuple(row.values()) for part in parts if part is not None for row in part.to_pylist())
    assert found == [(1, '"1"', "a"), (1, "a", '"1"')]


def test_a_number_beyond_64_bits_is_refused() -> None:
    with pytest.raises(LasingError, match=r"E506.*the value of x is beyond 64 bits"):
        pack(frozenset({1}), [(1, "9" * 30, "a")])


RESULT = OutputTable(
    Output("r", ("x", "", ""), form="rows", order=(False,), counted=True),
    ("x", "key", "times"),
    ("mixed", "integer", "integer"),
)


def test_a_result_repeats_equal_rows_and_has_null_for_what_is_not_bound() -> None:
    table = pa.table({"time": [1, 2], "x": ["new(unbound)", '"new(unbound)"'], "key": [0, 0], "times": [2, 1]})
    rows = RESULT.finished(table, "answers", None).to_pylist()
    assert rows == [{"time": 1, "x": None}, {"time": 1, "x": None}, {"time": 2, "x": '"new(unbound)"'}]


def test_a_change_of_a_result_is_the_difference_of_its_rows() -> None:
    changes = [(1, 1, "a", 5, 2), (2, -1, "a", 5, 2), (2, 1, "a", 6, 5), (3, -1, "a", 6, 5), (3, 1, "a", 7, 5)]
    names = ("time", "change", "x", "key", "times")
    table = pa.Table.from_pylist([dict(zip(names, row, strict=True)) for row in changes])
    rows = [tuple(row.values()) for row in RESULT.finished(table, "changes", None).to_pylist()]
    assert rows == [(1, 1, "a"), (1, 1, "a"), (2, 1, "a"), (2, 1, "a"), (2, 1, "a")]


def test_marks_are_only_metadata() -> None:
    table = pa.table({"x": ["a"], "y": ["b"]})
    assert with_marks(table, {"y"}).to_pylist() == table.to_pylist()
    assert [has_terms(field) for field in with_marks(table, {"y"}).schema] == [False, True]
