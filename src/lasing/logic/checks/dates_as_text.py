"""A time point compared with a date in quotes: in a comparison, the date is text and the time point is a number."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from lasing.errors import Diagnostic, LasingError
from lasing.logic.formulas import Aggregate, At, Compare, Formula
from lasing.logic.printer import formula_text
from lasing.logic.program import Program, body_nodes
from lasing.logic.terms import Term, Variable, variables_of
from lasing.timeline.ticks import DATE, Tick, parse_time

_Comparison = Compare | Aggregate


def dates_as_text(program: Program) -> Iterator[Diagnostic]:
    """W106 for `p at T in [5], T > "2026-01-01"`: a number and a text are only unequal."""
    for rule, nodes in body_nodes(program):
        comparisons = [node for node in nodes if isinstance(node, _Comparison)]
        dates = [(node, *found) for node in comparisons if (found := _date(node)) is not None]
        times = _times(nodes) if dates else set()
        for node, term, date in dates:
            if _uses(term, times):
                truth = "always true" if node.operator == "!=" else "never true"
                message = f'this comparison is {truth}: a time point is a number, but "{date}" is text here'
                yield Diagnostic("W106", message, rule.place(node.offset), _hint(node, date, program.tick))


def _date(node: _Comparison) -> tuple[Term, str] | None:
    """The term that is compared with a date, and the date."""
    if isinstance(node, Aggregate):
        if node.function not in ("min", "max"):
            return None
        term, date = node.terms[0], node.bound
    else:
        term, date = (node.left, node.right) if isinstance(node.right, str) else (node.right, node.left)
    return (term, date) if isinstance(date, str) and DATE.fullmatch(date) else None


def _times(nodes: tuple[Formula, ...]) -> set[Variable]:
    """The variables of a rule that are time points, or are computed from one."""
    times = {variable for node in nodes if isinstance(node, At) for variable in variables_of(node.time)}
    equal = [node for node in nodes if isinstance(node, Compare) and node.operator == "="]
    changed = True
    while changed:  # U = T + 1 may wait for T = S + 1, and so on
        before = len(times)
        for node in equal:
            for one, other in ((node.left, node.right), (node.right, node.left)):
                if isinstance(one, Variable) and _uses(other, times):
                    times.add(one)
        changed = len(times) > before
    return times


def _uses(term: Term, times: set[Variable]) -> bool:
    return any(variable in times for variable in variables_of(term))


def _hint(node: _Comparison, date: str, tick: Tick | None) -> str:
    readers = "dates are read after `at`, and in windows such as [T..U]"
    if tick is None:
        return f"{readers}; both need a #tick"
    try:
        point = parse_time(date, replace(tick, dates=None))  # no date of the input is read here
    except LasingError:  # it looks like a date, but the calendar has no such day
        return readers
    match node:
        case Aggregate():
            better: Formula = replace(node, bound=point)
        case Compare(_, _, str()):
            better = replace(node, right=point)
        case Compare():
            better = replace(node, left=point)
    return f"{readers}; with #tick {tick}, write: {formula_text(better)}"
