"""The table of functions, and what everything else reads from it."""

from __future__ import annotations

import pytest

import lasing
from lasing.logic.functions import AGGREGATES, COMPARISONS, Function, calls, function_of, infixes, reasons
from lasing.logic.functions.terms import SECTIONS
from lasing.logic.values import Iri, Undefined


def test_operators_and_calls_come_from_the_table() -> None:
    assert infixes(1) == {"+", "-"}
    assert infixes(2) == {"*", "/", "div", "mod"}
    assert {"abs", "min", "max", "lower", "if", "new"} <= calls()
    assert not calls() & {"+", "div", "mod"}


def test_minus_is_two_functions() -> None:
    assert function_of("-", 1).compute(5) == -5
    assert function_of("-", 2).compute(5, 7) == -2
    with pytest.raises(AssertionError, match="no function"):
        function_of("-", 3)


ARITHMETIC = [entry for entry in SECTIONS["Arithmetic"] if entry.kernel is not None]


@pytest.mark.parametrize("entry", ARITHMETIC)
def test_arithmetic_takes_no_names(entry: Function) -> None:
    operands = [1] * entry.least
    assert entry.result(["integer"] * entry.least) in ("integer", "double")
    assert isinstance(entry.compute(*operands), int)
    for other in ("a", Iri("http://ex.org/a")):
        with pytest.raises(Undefined, match=reasons.NOT_A_NUMBER):
            entry.compute(*operands[1:], other)


def test_kernels_know_each_entry_under_a_code_of_its_own() -> None:
    for entries in (ARITHMETIC, COMPARISONS.values(), AGGREGATES.values()):
        codes = [entry.kernel for entry in entries]
        assert None not in codes
        assert len(set(codes)) == len(codes)


@pytest.mark.parametrize("text", ["abs(1,2)", "abs(X,X)"])
def test_the_number_of_arguments_is_checked(text: str) -> None:
    with pytest.raises(lasing.LasingError, match="abs takes one argument"):
        lasing.parse(f"q({text}) :- p(X).")
