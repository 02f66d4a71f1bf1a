"""Tuple windows count data facts: over a derived predicate they have no meaning."""

from __future__ import annotations

from collections.abc import Iterator

from lasing.errors import Diagnostic
from lasing.logic.facts import facts_of
from lasing.logic.formulas import Atom, Formula, PartitionWindow, TupleWindow, Window, children
from lasing.logic.program import Program


def tuple_windows(program: Program) -> Iterator[Diagnostic]:
    """E203 for each derived predicate inside a tuple or partition window."""
    facts = facts_of(program)
    if not facts.counts_facts:
        return
    derived = facts.derived
    for rule in program.rules:
        for literal in rule.body:
            for atom in _counted(literal, False):
                if atom.predicate in derived:
                    yield Diagnostic(
                        "E203",
                        f"{atom.predicate} is derived, but a tuple window counts only data facts",
                        rule.place(atom.offset, len(atom.predicate)),
                        "use a time window, such as [5], or count the data facts that it is derived from",
                    )


def _counted(formula: Formula, inside: bool) -> Iterator[Atom]:
    """The atoms that are looked up in the facts of a tuple window."""
    match formula:
        case Atom():
            if inside:
                yield formula
        case Window(TupleWindow() | PartitionWindow(), body):
            yield from _counted(body, True)
        case Window(_, body, full):
            yield from _counted(body, inside and not full)
        case _:
            for part in children(formula):
                yield from _counted(part, inside)
