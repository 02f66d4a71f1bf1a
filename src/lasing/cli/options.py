"""What several commands take: program files, constants, predicates."""

from __future__ import annotations

import sys
from pathlib import Path

import typer

from lasing.connectors.csv import cell_value
from lasing.connectors.files import decode, read_text
from lasing.errors import Source
from lasing.logic.program import Signature
from lasing.logic.terms import Value, is_name


def read_sources(paths: list[str]) -> list[Source]:
    """The texts of program files; `-` is standard input."""
    return [
        Source("standard input", decode(sys.stdin.buffer.read(), "standard input"))
        if path == "-"
        else Source(path, read_text(Path(path)), Path(path))
        for path in paths
    ]


def constants_of(definitions: list[str]) -> dict[str, Value]:
    """`name=value` pairs."""
    result: dict[str, Value] = {}
    for definition in definitions:
        name, equals, value = definition.partition("=")
        if not equals or not is_name(name.strip()):
            raise typer.BadParameter(f"{definition!r} is not of the form name=value", param_hint="--const")
        result[name.strip()] = cell_value(value.strip())
    return result


def signatures_of(text: str) -> tuple[Signature, ...]:
    """`p/1,q/2`"""
    result = []
    for part in text.split(","):
        name, slash, arity = part.strip().partition("/")
        if not slash or not is_name(name) or not arity.isdigit():
            raise typer.BadParameter(f"{part.strip()!r} is not of the form predicate/arity", param_hint="--show")
        result.append(Signature(name, int(arity)))
    return tuple(result)
