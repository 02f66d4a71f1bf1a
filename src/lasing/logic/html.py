"""Answers and changes as HTML tables, for notebooks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from lasing.drawing.html import table
from lasing.logic.formulas import Atom
from lasing.logic.terms import term_text

_MOST_MODELS = 10


def models_html(time: str, models: Sequence[frozenset[Atom]]) -> str:
    """The models of an answer, each as a table."""
    time = f"at {time}"
    if not models:
        return table(f"{time}: no answer stream", [], [])
    several = len(models) > 1
    titles = [f"{time}, answer {i} of {len(models)}" if several else time for i in range(1, len(models) + 1)]
    shown = [_atoms(title, model) for title, model in zip(titles, models, strict=True)]
    more = len(shown) - _MOST_MODELS
    return "".join(shown[:_MOST_MODELS]) + (f"<p><i>and {more:,} more answers</i></p>" if more > 0 else "")


def changes_html(time: str, added: Iterable[Atom], removed: Iterable[Atom]) -> str:
    """What comes, with +, and what goes, with -."""
    rows = [("+", *_row(atom)) for atom in _sorted(added)] + [("−", *_row(atom)) for atom in _sorted(removed)]
    return table(f"at {time}", ["", "predicate", *_arguments(rows, 2)], rows)


def _atoms(title: str, atoms: Iterable[Atom]) -> str:
    rows = [_row(atom) for atom in _sorted(atoms)]
    return table(title, ["predicate", *_arguments(rows, 1)], rows)


def _row(atom: Atom) -> tuple[str, ...]:
    return atom.predicate, *map(term_text, atom.args)


def _arguments(rows: Sequence[Sequence[str]], leading: int) -> list[str]:
    return [f"argument {i}" for i in range(1, max(map(len, rows), default=leading) - leading + 1)]


def _sorted(atoms: Iterable[Atom]) -> list[Atom]:
    return sorted(atoms, key=str)
