"""The page of functions in the docs, printed from the table."""

from __future__ import annotations

from lasing.logic.functions.entry import Function
from lasing.logic.functions.terms import SECTIONS

_BEFORE = """\
# Functions

Functions are part of terms: `q(lower(X)) :- p(X), length(X) > 3.` [The language](language.md#functions) says how they
are used, and what happens if one has no value. This page is generated from the table in `lasing/logic/functions`.

A *condition* is a truth value, or a number or text, which counts as true unless it is 0 or empty. A *plain text* has no
language. An argument that may be left out is in brackets.
"""


def page() -> str:
    """The text of the page."""
    parts = [_BEFORE]
    for title, entries in SECTIONS.items():
        parts.append(f"## {title}\n\n| function | of | gives | which is |\n|---|---|---|---|\n")
        parts[-1] += "".join(f"| {' | '.join(_row(entry))} |\n" for entry in entries)
    return "\n".join(parts)


def _row(entry: Function) -> tuple[str, str, str, str]:
    return f"`{_written(entry)}`", ", ".join(dict.fromkeys(k.name for k in entry.operands)), entry.gives, entry.about


def _written(entry: Function) -> str:
    """How a function is written, with letters for its arguments."""
    letters = "XYZW"
    match entry.notation:
        case "infix":
            return f"X {entry.name} Y"
        case "prefix":
            return f"{entry.name}X"
        case "call":
            needed = list(letters[: max(entry.least, 1)])
            more = [f"[{letter}]" for letter in letters[entry.least : entry.most]] if entry.most is not None else ["…"]
            return f"{entry.name}({', '.join([*needed, *more])})"
