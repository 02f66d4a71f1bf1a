"""Queries for tests: their programs, and their rows over a timeline."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import lasing
from lasing.background import with_background
from lasing.errors import LasingError, SourceText
from lasing.languages.rspql.lower import lower
from lasing.logic.program import Program
from lasing.logic.results import rows_of
from lasing.logic.values import Iri, Value, value_text

EX = "http://ex.org/"
PREFIX = f"PREFIX : <{EX}>\n"


def iri(name: str) -> Iri:
    return Iri(EX + name)


def program_of(*texts: str, path: Path | None = None, data: Any = None) -> Program:
    """The program of some queries; raises their mistakes."""
    program, mistakes = lower([SourceText(f"q{i}", text, path) for i, text in enumerate(texts)], {})
    if mistakes:
        raise LasingError(mistakes)
    return with_background(program, data)


def mistake_of(text: str) -> str:
    """The first mistake of a query: its code, its message, and the text at its place."""
    _, mistakes = lower([SourceText("q", text, None)], {})
    assert mistakes, "there is no mistake"
    place = mistakes[0].place
    at = "" if place is None else place.text[place.column - 1 : place.column - 1 + place.length]
    return f"{mistakes[0].code} {mistakes[0].message} | {at}"


def reported(
    program: Program, facts: list[tuple[Any, ...]], end: int, output: int = 0, engine: lasing.EngineName = "auto"
) -> dict[int, list[str]]:
    """The rows at each time point that has some, with short names for IRIs."""
    assert program.outputs is not None
    found = {}
    for answer in lasing.run(program, facts, start=0, end=end, engine=engine):
        rows = rows_of(program.outputs[output], answer.atoms)
        if rows:
            found[answer.time] = [" ".join(map(_short, row)) for row in rows]
    return found


def _short(value: Value | None) -> str:
    return "-" if value is None else value.iri.removeprefix(EX) if isinstance(value, Iri) else value_text(value)
