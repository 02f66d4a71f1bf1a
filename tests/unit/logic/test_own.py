"""Functions of the user: what they get and return, and what is said when they fail."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lasing
from lasing.logic.modules import functions_of_module
from lasing.logic.own import own_functions, with_functions
from lasing.logic.types import argument_types
from lasing.logic.values import Duration, ExactDecimal, Instant, Iri, Truth, Value

PROGRAM = "q(@f(X)) :- p(X)."
ENGINES = ("reference", "local", "clingo")


def answers(program: str, values: list[Any], engine: str = "auto", **functions: Callable[..., Any]) -> set[Value]:
    rows = [(0, "p", value) for value in values]
    run = lasing.run(program, rows, engine=engine, functions=functions)  # type: ignore[arg-type]  # any engine
    return {atom.values[0] for answer in run for atom in answer.atoms}


@pytest.mark.parametrize("engine", ENGINES)
def test_a_function_in_heads_conditions_and_aggregates(engine: str) -> None:
    assert answers(PROGRAM, [1, 2], engine, f=lambda x: x + 1) == {2, 3}
    assert answers("q(X) :- p(X), @f(X) = true.", [1, 2], engine, f=lambda x: x > 1) == {2}
    assert answers("q(N) :- N = #sum{@f(X),X : p(X)}.", [1, 2], engine, f=lambda x: x * 10) == {30}
    assert answers("q(@g(@f(X),2)) :- p(X).", [1], engine, f=lambda x: x + 1, g=pow) == {4}
    assert answers("q(coalesce(@f(X),none)) :- p(X).", [1, 2], engine, f=lambda x: x if x > 1 else None) == {"none", 2}


@pytest.mark.parametrize("engine", ENGINES)
def test_a_function_in_first_last_and_intervals(engine: str) -> None:
    assert answers("q(Y) :- (Y) = #last{@f(X) : p(X)}.", [1, 2], engine, f=lambda x: -x) == {-1}
    assert answers("q(X) :- p(X) in [@f(0)..0].", [1], engine, f=lambda x: x - 1) == {1}


@pytest.mark.parametrize(
    ("value", "seen"),
    [
        (ExactDecimal(Decimal("1.5")), Decimal("1.5")),
        (Truth(True), True),
        (Instant(1_500_000), datetime(1970, 1, 1, 0, 0, 1, 500_000, tzinfo=UTC)),
        (Duration(1_500_000), timedelta(seconds=1.5)),
        (Iri("http://ex.org/a"), Iri("http://ex.org/a")),
        ("a", "a"),
        (2.5, 2.5),
    ],
)
def test_values_go_in_and_out_as_those_of_python(value: Value, seen: object) -> None:
    given: list[object] = []

    def same(thing: object) -> object:
        given.append(thing)
        return thing

    assert answers(PROGRAM, [value], f=same) == {value}
    assert given == [seen]
    assert type(given[0]) is type(seen)


def test_results_of_numpy_are_numbers() -> None:
    assert answers(PROGRAM, [1], f=lambda x: np.int64(x) + 1) == {2}
    assert answers(PROGRAM, [1], f=lambda x: np.float64(x) + 1) == {2}


@pytest.mark.parametrize("engine", ENGINES)
def test_a_function_is_called_once_for_the_same_arguments(engine: str) -> None:
    calls: list[int] = []

    def f(x: int) -> int:
        calls.append(x)
        return x

    rows = [(t, "p", x) for t in range(4) for x in (1, 2)]
    program = "q(@f(X)) :- p(X) in [2].  r(@f(X)) :- p(X)."
    found = list(lasing.run(program, rows, engine=engine, functions={"f": f}))  # type: ignore[arg-type]
    assert len(found) == 4
    assert sorted(calls) == [1, 2]


@pytest.mark.parametrize("engine", ENGINES)
def test_an_exception_is_shown_with_rule_and_arguments(engine: str) -> None:
    def f(x: int) -> int:
        raise ValueError(f"no {x}")

    with pytest.raises(lasing.LasingError) as raised:
        answers("r(X) :- p(X).\nq(@f(X)) :- r(X).", [7], engine, f=f)
    (found,) = raised.value.diagnostics
    assert (found.code, found.message) == ("E319", "@f(7) raised ValueError: no 7")
    assert found.note == "in the rule q(@f(X)) :- r(X)."
    assert found.place is not None
    assert (found.place.line, found.place.column) == (2, 3)
    assert isinstance(raised.value.__cause__, ValueError)


@pytest.mark.parametrize("result", [[1], object(), b"a", datetime(2020, 1, 1), "\ud800"])
def test_what_is_no_value_is_an_error(result: object) -> None:
    with pytest.raises(lasing.LasingError, match=r"E319.*@f\(1\) returned"):
        answers(PROGRAM, [1], f=lambda _: result)


@pytest.mark.filterwarnings("ignore::lasing.LasingWarning")
@pytest.mark.parametrize("result", [None, float("nan"), float("inf"), 2**70, Decimal("NaN")])
def test_what_has_no_value_fails_its_instance(result: object) -> None:
    assert answers(PROGRAM, [1], f=lambda _: result) == set()


@pytest.mark.parametrize(
    ("functions", "said"),
    [
        (None, "there is no function @f"),
        ({}, "there is no function @f"),
        ({"ff": abs}, "functions are @ff"),
        ({"f": lambda: 1}, "does not take 1 argument"),
        ({"f": 5}, "cannot be called"),
        ({"f": abs, "lower": abs}, "is a function of the language"),
        ({"f": abs, "Upper": abs}, "is not the name of a function"),
    ],
)
def test_functions_that_do_not_fit(functions: Any, said: str) -> None:
    with pytest.raises(lasing.LasingError, match=said):
        lasing.run(PROGRAM, "p(1) at 0.", functions=functions)
    with pytest.raises(lasing.LasingError, match=said):
        lasing.Engine(PROGRAM, functions=functions)


def test_a_program_is_read_and_printed_without_its_functions() -> None:
    program = lasing.parse(PROGRAM)
    assert len(own_functions(program)) == 1
    assert lasing.parse(str(program)) == program == with_functions(program, {"f": abs})


def test_a_snapshot_is_restored_with_the_same_functions() -> None:
    engine = lasing.Engine("q(@f(X)) :- p(X) in [5].", 0, functions={"f": str.upper})
    engine.push(0, [("p", "a")])
    restored = lasing.Engine.restore("q(@f(X)) :- p(X) in [5].", engine.snapshot(), functions={"f": str.upper})
    assert restored.answer().atoms == engine.answer().atoms != frozenset()
    with pytest.raises(lasing.LasingError, match="E318"):
        lasing.Engine.restore("q(@f(X)) :- p(X) in [5].", engine.snapshot())


def _length(x: str) -> int:
    return len(x)


def test_the_annotation_of_a_function_is_the_type_of_its_column() -> None:
    program = with_functions(lasing.parse(PROGRAM), {"f": _length})
    assert argument_types(program, {"p": ("text",)})["q"] == ("integer",)
    again = pickle.loads(pickle.dumps(program))
    assert [str(answer) for answer in lasing.run(again, "p(abc) at 0.")] == ["0: q(3)"]


def test_the_functions_of_a_module(tmp_path: Path) -> None:
    (tmp_path / "mine_a.py").write_text("from math import sqrt\ndef f(x): return x\ndef _g(x): return x\nn = 1\n")
    (tmp_path / "mine_b.py").write_text("from math import sqrt\n__all__ = ['sqrt']\ndef f(x): return x\n")
    (tmp_path / "mine_c.py").write_text("n = 1\n")
    (tmp_path / "mine_d.py").write_text("1 / 0\n")
    assert set(functions_of_module("mine_a", tmp_path)) == {"f"}
    assert set(functions_of_module("mine_b", tmp_path)) == {"sqrt"}
    for name, said in (("mine_c", "has no functions"), ("mine_d", "ZeroDivisionError"), ("mine_e", "no module mine_e")):
        with pytest.raises(lasing.LasingError, match=said):
            functions_of_module(name, tmp_path)
