"""Compare engines: the same program and stream must give the same answer at every time point."""

from __future__ import annotations

import warnings
from collections.abc import Iterable

import lasing
from tests.differential.strategies import Example

Answers = list[tuple[int, frozenset[lasing.Atom]]]


def answers(program: str, stream: str, start: int, end: int, engine: str = "reference") -> Answers:
    """What an engine answers, without its warnings about what it left out."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lasing.LasingWarning)
        run = lasing.run(program, stream, start, end, engine)  # type: ignore[arg-type]  # any engine's name
        return [(answer.time, answer.atoms) for answer in run]


def answers_of(example: Example, engine: str = "reference") -> Answers:
    return answers(example.program, example.stream_text, example.start, example.end, engine)


def models_of(example: Example, engine: str) -> dict[int, list[list[str]]]:
    """All answer streams that an engine finds, as text."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lasing.LasingWarning)
        run = lasing.run(example.program, example.stream_text, example.start, example.end, engine)  # type: ignore[arg-type]
        return {answer.time: sorted(sorted(map(str, model)) for model in answer.models) for answer in run}


def difference(expected: Answers, got: Answers) -> str:
    """Where two runs differ, in words; empty if they agree."""
    lines = []
    for (time, mine), (other_time, theirs) in zip(expected, got, strict=True):
        assert time == other_time
        if mine != theirs:
            lines.append(f"{time}: missing {_text(mine - theirs)}, too much {_text(theirs - mine)}")
    return "\n".join(lines)


def agree(example: Example, engine: str) -> None:
    """Fail if an engine differs from the reference, with all that is needed to keep the case."""
    found = difference(answers_of(example), answers_of(example, engine))
    assert not found, f"{found}\n--- program\n{example.program}--- stream\n{example.stream_text}"


def _text(atoms: Iterable[lasing.Atom]) -> str:
    return " ".join(sorted(map(str, atoms))) or "nothing"
