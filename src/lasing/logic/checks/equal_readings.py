"""An average or sum of values over time in which equal values count once."""

from __future__ import annotations

from collections.abc import Iterator

from lasing.errors import Diagnostic
from lasing.logic.formulas import Aggregate, Atom, Formula, Sometime, TimeWindow, Window
from lasing.logic.functions import AGGREGATES
from lasing.logic.printer import formula_text
from lasing.logic.program import Program, body_nodes
from lasing.logic.terms import Variable


def equal_readings(program: Program) -> Iterator[Diagnostic]:
    """W105 for `#avg{V : temp(S,V) in [5]}`: an aggregate ranges over distinct tuples, and V alone is one."""
    for rule, nodes in body_nodes(program):
        for node in nodes:
            match node:
                case Aggregate(function, (Variable() as value,), (literal,)) if AGGREGATES[
                    function
                ].adds_up and _of_many_times(literal, value):
                    assert isinstance(literal, Window)
                    assert isinstance(literal.body, Sometime)
                    atom = formula_text(literal.body.body)
                    window = formula_text(literal).removeprefix(atom)
                    terms = f"T, {value}" if AGGREGATES[function].sorts else f"{value}, T"
                    better = f"#{node.function}{{{terms} : {atom} at T{window}}}"
                    message = f"equal values of {value} at different times count once in this #{node.function}"
                    place = rule.place(node.offset, len(node.function) + 1)
                    yield Diagnostic("W105", message, place, f"to count each, name the time: {better}")
                case _:
                    continue


def _of_many_times(literal: Formula, value: Variable) -> bool:
    """Whether a literal finds a value at any time point of a window."""
    match literal:
        case Window(function, Sometime(Atom(_, args))):
            return value in args and function != TimeWindow(0)
        case _:
            return False
