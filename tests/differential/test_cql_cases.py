"""Queries whose answers are easy to get wrong, against DuckDB. They are in `cql_cases.sql`."""

from __future__ import annotations

from collections import Counter
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import duckdb
import pytest

import lasing
from lasing.logic.results import rows_of
from lasing.logic.values import Instant
from tests.differential.test_cql import plain_row

pytestmark = pytest.mark.filterwarnings("ignore::lasing.LasingWarning")  # a table is empty
EPOCH = datetime(1970, 1, 1)
SETUP = """
CREATE TABLE t (a BIGINT, b VARCHAR, x DOUBLE, f BOOLEAN, m TIMESTAMP, d DECIMAL(8,2));
INSERT INTO t VALUES (1, 'a', 1.5, TRUE, '2026-01-01 10:00:00', 1.25);
INSERT INTO t VALUES (2, 'b', NULL, FALSE, '2026-01-02 10:00:00', 2.5);
INSERT INTO t VALUES (NULL, 'c', 2.5, NULL, NULL, NULL), (2, NULL, -1.0, TRUE, '2026-02-01 00:00:00', -3.1);
INSERT INTO t VALUES (3, 'ab%', 0.0, FALSE, '2025-12-31 23:59:59', 0.00);
CREATE TABLE u (a BIGINT, c VARCHAR, y BIGINT);
INSERT INTO u VALUES (1, 'p', 10), (1, 'q', NULL), (2, 'r', 20), (NULL, 's', 30), (5, 't', NULL);
CREATE TABLE e (a BIGINT, z VARCHAR);
CREATE TABLE n (k BIGINT);
INSERT INTO n VALUES (1), (NULL), (4);
"""
_LINES = [line for line in Path(__file__).with_name("cql_cases.sql").read_text().split("\n") if line[:2] != "--"]
QUERIES = [query.strip() for query in "\n".join(_LINES).split(";") if query.strip()]


@pytest.fixture(scope="module")
def judge() -> duckdb.DuckDBPyConnection:
    found = duckdb.connect()
    found.execute("SET ieee_floating_point_ops = false; SET error_on_division_by_zero = false; SET threads = 1")
    found.execute(SETUP)
    return found


@pytest.mark.parametrize("query", QUERIES)
def test_an_answer_is_that_of_duckdb(query: str, judge: duckdb.DuckDBPyConnection) -> None:
    program = lasing.parse(f"CREATE STREAM s (q BIGINT);{SETUP}{query}", language="cql")
    assert program.outputs is not None
    (answer,) = lasing.run(program, [(0, "s", 1)], start=0, end=0)
    found = [tuple(map(_plain, plain_row(row))) for row in rows_of(program.outputs[0], answer.atoms)]
    wanted = [plain_row(row) for row in judge.execute(query).fetchall()]
    assert Counter(found) == Counter(wanted)
    if " ORDER BY " in query.rsplit(")", 1)[-1]:
        assert found == wanted


def _plain(value: Any) -> Any:
    """A moment as DuckDB has it; anything else as it is."""
    return EPOCH + timedelta(microseconds=value.microseconds) if isinstance(value, Instant) else value
