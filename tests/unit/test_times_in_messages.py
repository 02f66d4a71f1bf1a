"""Messages show times as they came in: as dates or as numbers."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest

import lasing
from lasing import Engine, LasingError, models
from lasing.logic.types import argument_types
from lasing.spark.outputs import output_tables
from lasing.spark.packing import Packer
from lasing.spark.shard import step
from lasing.spark.state import ShardState
from lasing.spark.streaming import arrived_of
from lasing.spark.task import Task

PROGRAM = "#tick 1 min.  q(X) :- p(X) in [5]."
MANY = "#tick 1 min.  q(X, Y) :- p(X), p(Y)."
NUMBERS = (29453765, 29453760)
DATES = ("2026-01-01T00:05:00Z", "2026-01-01T00:00:00Z")
"""Two time points, the later one first, and the same as dates."""
Times = tuple[int, int] | tuple[str, str]


def rows_out_of_order(times: Times) -> None:
    list(lasing.run(PROGRAM, [(time, "p", 1) for time in times]))


def facts_out_of_order(times: Times) -> None:
    written = [f'"{time}"' if isinstance(time, str) else time for time in times]
    list(lasing.run(PROGRAM, " ".join(f"p(1) at {time}." for time in written)))


def table_out_of_order(times: Times) -> None:
    list(lasing.run(PROGRAM, {"p": pa.table({"time": list(times), "x": [1, 1]})}))


def end_before_start(times: Times) -> None:
    lasing.run(PROGRAM, start=times[0], end=times[1])


def late_push(times: Times) -> None:
    engine = Engine(PROGRAM)
    for time in times:
        engine.push(time, [("p", 1)])


def early_push(times: Times) -> None:
    engine = Engine(PROGRAM, start=times[0])
    engine.push(times[1], [("p", 1)])


def late_batch(times: Times) -> None:
    engine = Engine(PROGRAM)
    for time in times:
        engine.push_batch({"p": pa.table({"time": [time], "x": [1]})})


def batch_beyond_its_end(times: Times) -> None:
    Engine(PROGRAM).push_batch({"p": pa.table({"time": [times[0]], "x": [1]})}, end=times[1])


def too_many_atoms(times: Times, engine: lasing.EngineName = "local") -> None:
    list(lasing.run(MANY, [(times[0], "p", x) for x in range(9)], engine=engine, max_atoms=20))


def too_many_atoms_of_the_reference(times: Times) -> None:
    too_many_atoms(times, "reference")


def formula_outside(times: Times) -> None:
    models.holds("p", time=times[0], end=times[1], background="#tick 1 min.")


def program_outside(times: Times) -> None:
    models.answer_stream(PROGRAM, time=times[1], start=times[0])


def several_answers(times: Times) -> None:
    (answer,) = lasing.run("#tick 1 min.  {a} :- p.", [(times[0], "p")])
    assert answer.atoms


WAYS: dict[Callable[[Times], None], tuple[str, bool]] = {
    rows_out_of_order: ("E504", True),
    facts_out_of_order: ("E504", True),
    table_out_of_order: ("E504", True),
    end_before_start: ("E306", True),
    late_push: ("E308", True),
    early_push: ("E308", True),
    late_batch: ("E308", False),
    batch_beyond_its_end: ("E306", True),
    too_many_atoms: ("E304", False),
    too_many_atoms_of_the_reference: ("E304", False),
    formula_outside: ("E306", True),
    program_outside: ("E306", True),
    several_answers: ("E309", False),
}
"""The code, and whether both times are named."""


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_times_are_shown_as_they_came(way: Callable[[Times], None]) -> None:
    code, both = WAYS[way]
    for given in (NUMBERS, DATES):
        with pytest.raises(LasingError, match=code) as caught:
            way(given)
        message = caught.value.diagnostics[0].message
        assert sum(str(time) in message for time in given) == 1 + both, message
        assert not any(str(time) in message for time in (DATES if given == NUMBERS else NUMBERS)), message


def test_a_file_out_of_order(tmp_path: Path) -> None:
    (tmp_path / "p.csv").write_text(f"time,x\n{DATES[0]},1\n{DATES[1]},1\n", encoding="utf-8")
    with pytest.raises(LasingError, match=f"out of order: time {DATES[1]} after {DATES[0]}"):
        list(lasing.run(PROGRAM, tmp_path / "p.csv"))


@pytest.mark.parametrize(("unit", "shown"), [(60_000_000, f'"{DATES[1]}"'), (None, str(NUMBERS[1]))])
def test_a_late_fact_on_spark(unit: int | None, shown: str) -> None:
    program = lasing.parse(PROGRAM)
    outputs = output_tables(program, argument_types(program, {"p": ("integer",)}))
    task = Task(program, ("p",), outputs, "answers", {}, frozenset(), unit=unit)
    packer = Packer("p", 0, ("time", "x"), None, unit, 1, (0,))
    state = ShardState()
    for point in NUMBERS:
        times = pa.array([point * (unit or 1)]).cast(pa.int64() if unit is None else pa.timestamp("us", "UTC"))
        (sent,) = next(iter(packer([pa.record_batch([times, pa.array([1])], names=["time", "arg1"])]))).to_pylist()
        result = step(task, 0, state, [arrived_of(task, *list(sent.values())[1:])], drain=True)
        state = result.state
    assert result.late["fact"].to_pylist() == [f"p(1) at {shown}."]
