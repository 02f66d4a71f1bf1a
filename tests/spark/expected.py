"""The answers of one machine, as the rows that Spark returns."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

import lasing
from lasing.logic.answers import intervals

Rows = list[tuple[Any, ...]]


def expected(program: Any, stream: Mapping[str, Any], predicate: str, view: str, **more: Any) -> Rows:
    """The rows of an output, in order."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lasing.LasingWarning)
        run = lasing.run(program, dict(stream), **more)
        if view == "answers":
            rows: Rows = [(a.time, *atom.args) for a in run for atom in a.atoms if atom.predicate == predicate]
        elif view == "changes":
            rows = [
                (c.time, sign, *atom.args)
                for c in run.changes()
                for sign, atoms in ((1, c.added), (-1, c.removed))
                for atom in atoms
                if atom.predicate == predicate
            ]
        else:
            rows = [(h.since, h.until, *h.atom.args) for h in intervals(run.moments()) if h.atom.predicate == predicate]
    return sorted(rows, key=repr)


def rows_of(frame: Any) -> Rows:
    """The rows of a DataFrame, in order."""
    return sorted(map(tuple, frame.collect()), key=repr)
