"""How long the intervals of events and patterns can be: limits bound them, and what is made of bounded parts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import assert_never

from lasing.languages.etalis.syntax import (
    Absence,
    Binary,
    EtalisProgram,
    Event,
    Limited,
    Pattern,
    Repetition,
    Where,
    written_out,
)

Lengths = Mapping[str, int | None]
"""The greatest length of each event in time points; None if there is none."""


def lengths(program: EtalisProgram) -> dict[str, int | None]:
    """The greatest length of each event."""
    found: dict[str, int | None] = {event.name: 0 for event in program.inputs}
    found |= dict.fromkeys(program.defined())
    for _ in program.defined():
        for name in program.defined():
            several = [longest(rule.pattern, found, program) for rule in program.rules if rule.head.name == name]
            found[name] = _most(several)
    return found


def longest(pattern: Pattern, known: Lengths, program: EtalisProgram) -> int | None:
    """The greatest length of a pattern; None if there is none."""
    match pattern:
        case Event():
            return known[pattern.name]
        case Repetition():
            return longest(written_out(pattern), known, program)
        case Limited():
            return _least(longest(pattern.pattern, known, program), program.points(pattern.length))
        case Where():
            return longest(pattern.pattern, known, program)
        case Absence() | Binary("SEQ" | "AND"):
            return None
        case Binary(operator, left, right):
            one, other = longest(left, known, program), longest(right, known, program)
            match operator:
                case "OR":
                    return _most([one, other])
                case "EQUALS":
                    return _least(one, other)
                case "STARTS" | "FINISHES" | "DURING":
                    return other
                case _:  # they overlap or meet
                    return None if one is None or other is None else one + other
        case _:
            assert_never(pattern)


def _least(one: int | None, other: int | None) -> int | None:
    return one if other is None else other if one is None else min(one, other)


def _most(several: list[int | None]) -> int | None:
    given = [one for one in several if one is not None]
    return max(given) if given and len(given) == len(several) else None
