"""Formulas as text that parses back to the same formula.

The text uses the words of the language where there are any; a lone ◇, □ or ⊞ has only its symbol.
"""

from __future__ import annotations

from typing import assert_never

from lasing.logic.formulas import (
    Aggregate,
    Always,
    And,
    At,
    Atom,
    Braces,
    Compare,
    Formula,
    Implies,
    IntervalWindow,
    Not,
    Or,
    PartitionWindow,
    Select,
    Sometime,
    TimeWindow,
    TupleWindow,
    Window,
    atoms_of,
)
from lasing.logic.terms import Variable, term_text


def formula_text(formula: Formula) -> str:
    """A formula as it is written in a body, between commas.

    >>> formula_text(Not(Window(TimeWindow(5), Always(Atom("p", (Variable("X"),))))))
    'not p(X) always in [5]'
    """
    match formula:
        case Atom():
            return str(formula)
        case Compare():
            return f"{term_text(formula.left)} {formula.operator} {term_text(formula.right)}"
        case Aggregate():
            return _aggregate_text(formula)
        case Select():
            return _select_text(formula)
        case Not(body):
            return f"not {_unit(body, plain=True)}"
        case And(parts):
            return " and ".join(_unit(part) for part in parts)
        case Or(parts):
            return " or ".join(_unit(part) for part in parts)
        case Implies(left, right):
            return f"{_unit(left)} -> {_unit(right)}"
        case At(time, body):
            return f"{_unit(body)} at {term_text(time)}"
        case Sometime(body):
            return f"◇ {_unit(body)}"
        case Always(body):
            return f"□ {_unit(body)}"
        case Window(_, Sometime(body)):
            return f"{_unit(body)} in {window_text(formula)}"
        case Window(_, Always(body)):
            return f"{_unit(body)} always in {window_text(formula)}"
        case Window(_, At(time, body)):
            return f"{_unit(body)} at {term_text(time)} in {window_text(formula)}"
        case Window(_, body):
            return f"⊞{window_text(formula)} {_unit(body)}"
        case _:
            assert_never(formula)


def window_text(window: Window) -> str:
    """A window in its brackets."""
    full = "full " if window.full else ""
    match window.function:
        case TimeWindow(back, ahead, step):
            size = "*" if back is None else f"{back}"
            if ahead:
                size = f"+{ahead}" if back == 0 else f"{size},{ahead:+}"
            return f"[{full}{size}{f' step {step}' if step != 1 else ''}]"
        case TupleWindow(back, ahead):
            return f"[{full}#{back}{f',+{ahead}' if ahead else ''}]"
        case PartitionWindow(back, ahead, predicate, keys):
            atom = next(a for a in atoms_of(window.body) if a.predicate == predicate)
            names = ", ".join(str(atom.args[positions[0]]) for positions in keys)
            return f"[{full}#{back}{f',+{ahead}' if ahead else ''} by {names}]"
        case IntervalWindow(lo, hi):
            return f"[{full}{term_text(lo)}..{term_text(hi)}]"
        case _:
            assert_never(window.function)


def _unit(formula: Formula, plain: bool = False) -> str:
    """A formula as an operand: in parentheses unless it is an atom (or, if `plain`, a literal of a single atom)."""
    match formula:
        case Atom():
            return str(formula)
        case Compare() | Aggregate() | Select() | At() | Window() if plain:
            return formula_text(formula)
        case _:
            return f"({formula_text(formula)})"


def _aggregate_text(aggregate: Aggregate) -> str:
    text = f"#{aggregate.function}{_braces_text(aggregate)}"
    if aggregate.operator == "=" and isinstance(aggregate.bound, Variable):
        return f"{aggregate.bound} = {text}"
    return f"{text} {aggregate.operator} {term_text(aggregate.bound)}"


def _select_text(select: Select) -> str:
    targets = ", ".join(term_text(t) for t in select.targets)
    tuple_text = targets if len(select.targets) == 1 else f"({targets})"
    number = "" if select.count == 1 else f" {select.count} "
    return f"{tuple_text} = #{select.end}{number}{_braces_text(select)}"


def _braces_text(formula: Braces) -> str:
    terms = ",".join(term_text(t) for t in formula.terms) or "1"  # any constant: there is one tuple, or none
    condition = ", ".join(formula_text(f) for f in formula.condition)
    return f"{{{terms} : {condition}}}"
