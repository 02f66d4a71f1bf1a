"""What goes out, and what its columns are called."""

import pytest

import lasing
from lasing.logic.outputs import column_names, outputs_of
from lasing.logic.program import Output, Program


def test_what_is_derived_goes_out_in_the_order_of_heads_unless_outputs_are_declared() -> None:
    rules = "b(X, Y) :- p(X, Y). a :- b(_, _). b(X, 1) at T :- p(X, T)."
    assert list(map(str, outputs_of(lasing.parse(rules)))) == ["b/2", "a/0"]
    assert list(map(str, outputs_of(lasing.parse(f"{rules} #show p/2, a/0.")))) == ["p/2", "a/0"]
    assert outputs_of(lasing.parse(f"{rules} #show.")) == ()


@pytest.mark.parametrize(
    ("rules", "names"),
    [
        ("q(Sensor, Level) :- p(Sensor, Level).", ("Sensor", "Level")),
        ("q(X, 1) :- p(X, _). q(A, B) :- p(A, B).", ("X", "B")),
        ("q(X, X) :- p(X, _).", ("X", "arg2")),
        ("q(1, 2) :- p(1, 2).", ("arg1", "arg2")),
        ("q(Arg2, 1) :- p(Arg2, _).", ("Arg2", "arg2_")),
        ("q(Time, Y) :- p(Time, Y). q(T, Y) :- p(Y, T).", ("T", "Y")),
    ],
)
def test_columns_are_called_as_variables_of_heads(rules: str, names: tuple[str, ...]) -> None:
    program = lasing.parse(rules)
    (output,) = outputs_of(program)
    assert column_names(program, output, {"time"}) == names


def test_declared_names_come_first() -> None:
    program = lasing.parse("q(X, Y) :- p(X, Y).")
    assert column_names(program, Output("q", ("sensor", ""))) == ("sensor", "Y")
    assert column_names(Program(), Output("q", ("sensor", "Sensor"))) == ("sensor", "Sensor_")
