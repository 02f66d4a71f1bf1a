"""The edges of each window, and the literal that it becomes (LARS, Table 2)."""

from __future__ import annotations

import re

import pytest

import lasing
from lasing.languages import translated
from lasing.logic.results import rows_of

pytestmark = pytest.mark.filterwarnings("ignore::lasing.LasingWarning")  # [UNBOUNDED] may need data of any age
SETUP = "CREATE STREAM s (k VARCHAR NOT NULL, v BIGINT NOT NULL); CREATE STREAM other (v BIGINT NOT NULL);"
STREAM = "s(a,1) at 1. other(9) at 2. s(b,2) at 3. s(a,3) at 3. other(9) at 4. s(a,4) at 5."


def values(window: str) -> dict[int, list[object]]:
    """The values in a window, at each time point."""
    program = lasing.parse(f"{SETUP} SELECT v FROM s [{window}]", language="cql")
    assert program.outputs is not None
    output = program.outputs[0]
    return {a.time: [row[0] for row in rows_of(output, a.atoms)] for a in lasing.run(program, STREAM, start=0, end=8)}


def test_now_has_the_rows_of_this_time_point_only() -> None:
    found = values("NOW")
    assert [found[t] for t in (0, 1, 2, 3, 4)] == [[], [1], [], [2, 3], []]


def test_a_range_has_both_of_its_ends() -> None:
    found = values("RANGE 2")
    assert [found[t] for t in (1, 2, 3, 4, 5, 6, 7, 8)] == [[1], [1], [1, 2, 3], [2, 3], [2, 3, 4], [4], [4], []]


def test_a_range_of_nothing_is_now() -> None:
    assert values("RANGE 0") == values("NOW")


def test_a_sliding_range_moves_at_multiples_of_its_slide() -> None:
    found = values("RANGE 2 SLIDE 2")
    assert [found[t] for t in (0, 1, 2, 3, 4, 5, 6, 7, 8)] == [[], [], [1], [1], [2, 3], [2, 3], [4], [4], []]


def test_an_unbounded_range_forgets_nothing() -> None:
    assert values("RANGE UNBOUNDED")[8] == values("UNBOUNDED")[8] == [1, 2, 3, 4]


def test_rows_count_the_rows_of_their_own_stream_only() -> None:
    found = values("ROWS 2")
    assert [found[t] for t in (1, 2, 3, 4, 5, 8)] == [[1], [1], [2, 3], [2, 3], [3, 4], [3, 4]]


def test_rows_of_one_time_point_are_in_the_order_of_arrival() -> None:
    assert values("ROWS 1")[3] == [3]


def test_a_partition_keeps_the_last_rows_of_each_value() -> None:
    found = values("PARTITION BY k ROWS 1")
    assert [found[t] for t in (1, 3, 5)] == [[1], [2, 3], [2, 4]]


@pytest.mark.parametrize(
    ("window", "literal"),
    [
        ("NOW", "s(K, V)"),
        ("RANGE 20", "s(K, V) at Time in [20]"),
        ("RANGE 20 SLIDE 5", "s(K, V) at Time in [20 step 5]"),
        ("RANGE UNBOUNDED", "s(K, V) at Time in [*]"),
        ("PARTITION BY k ROWS 3", "s(K, V) at Time in [#3 by K]"),
    ],
)
def test_a_window_is_the_literal_of_the_papers_table(window: str, literal: str) -> None:
    program = lasing.parse(f"{SETUP} SELECT DISTINCT v FROM s [{window}]", language="cql")
    assert f":- {literal}," in re.sub(r"_\d+", "", translated(program).replace("\n    ", " "))


def test_units_make_ticks_of_a_second() -> None:
    timed = "CREATE STREAM s (v BIGINT, ts TIMESTAMP, TIME ts); SELECT v FROM s [RANGE 2 MINUTES SLIDE 1 MINUTE];"
    program = lasing.parse(timed, language="cql")
    assert program.tick is not None
    assert program.tick.milliseconds == 1000
    finer = lasing.parse(timed.replace("2 MINUTES", "1500 MILLISECONDS"), language="cql")
    assert finer.tick is not None
    assert finer.tick.milliseconds == 1
    longer = lasing.parse(f"SET TICK = 1 MINUTE; {timed}", language="cql")
    assert longer.tick is not None
    assert longer.tick.milliseconds == 60_000


@pytest.mark.parametrize(
    ("length", "points"), [("1 DAY", 86_400), ("2 WEEKS", 1_209_600), ("INTERVAL '1' hour", 3_600)]
)
def test_a_length_has_any_unit_of_a_fixed_length(length: str, points: int) -> None:
    program = lasing.parse(f"CREATE STREAM s (v BIGINT); SELECT v FROM s [RANGE {length}];", language="cql")
    assert f"in [{points}]" in translated(program)
