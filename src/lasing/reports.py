"""What a run did and what it left out, in numbers and as warnings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from lasing.errors import Diagnostic
from lasing.logic.examples import Example
from lasing.logic.program import Program
from lasing.timeline.timing import LateCount


@dataclass(slots=True)
class Report:
    """What a run did, and what it left out. Answers and atoms are counted at each time point."""

    time_points: int = 0
    facts: int = 0
    answers: int = 0
    atoms: int = 0
    early_facts: int = 0
    missing: Counter[tuple[str, str]] = field(default_factory=Counter)
    """Rows that were left out because they lack a value, by table and column."""
    late: LateCount = field(default_factory=LateCount)
    """Facts that came too late."""
    dropped_heads: int = 0
    failures: dict[tuple[int, str], int] = field(default_factory=dict)
    """Instances that had no value, by rule (from 0) and reason."""
    examples: dict[tuple[int, str], Example] = field(default_factory=dict)
    """For each rule and reason, one of these instances."""


def left_out(
    program: Program,
    dropped: int,
    failures: Mapping[tuple[int, str], int],
    examples: Mapping[tuple[int, str], Example | str],
) -> list[Diagnostic]:
    """Warnings about heads before the start, and about instances that had no value. Examples, if there are any, are
    objects or texts."""
    found = []
    if dropped:
        message = f"{counted(dropped, 'derived atom')} before the start of the timeline dropped"
        found.append(Diagnostic("W202", message, note="a head with `at T` cannot be before the start"))
    for (index, reason), count in sorted(failures.items()):
        message = f"{counted(count, 'instance')} of this rule had no value: {reason}"
        if example := examples.get((index, reason)):
            words = example if isinstance(example, str) else example.text(program.rules[index], program.shown_tick())
            message += f"; {words}"
        found.append(Diagnostic("W203", message, program.rules[index].place()))
    return found


def counted(number: int, what: str) -> str:
    """A number of things, as text."""
    return f"{number:,} {what}{'s'[: number != 1]}"
