"""Conformance cases as text: a title, a timeline, a program, a stream, and the answer at each time point.

=== Laser, Example 8: box over data
timeline 0 to 9
not on spark: no such engine here            (an engine that cannot says so, with its reason)
--- program
q(X) :- a(X) always in [2].
--- stream
a(y) at 5.
--- answers
7..9: q(y)                                   (time points that are not listed have no atoms; % starts a comment)

Several answers at a time point stand in braces, `3: {a b} {c}`, and `3: no answer` says that there is none.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parent / "cases"


@dataclass(frozen=True)
class Case:
    """One conformance case."""

    file: str
    title: str
    start: int
    end: int
    program: str
    stream: str
    answers: dict[int, list[list[str]]]
    unsupported: dict[str, str]


def all_cases() -> list[Case]:
    """Every case, by file and in the order of the file."""
    return [case for path in sorted(FOLDER.glob("*.case")) for case in read_cases(path)]


def read_cases(path: Path) -> list[Case]:
    blocks = re.split(r"^=== ", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
    assert not blocks[0].strip(), f"{path}: text before the first case"
    return [_case(path.stem, block) for block in blocks[1:]]


def _case(file: str, block: str) -> Case:
    head, program, stream, answers = re.split(r"^--- (?:program|stream|answers)\n", block, flags=re.MULTILINE)
    title, *settings = head.splitlines()
    start, end, unsupported = 0, 0, {}
    for line in filter(str.strip, settings):
        if timeline := re.fullmatch(r"timeline (-?\d+) to (-?\d+)", line.strip()):
            start, end = int(timeline[1]), int(timeline[2])
        elif refusal := re.fullmatch(r"not on (\w+): (.+)", line.strip()):
            unsupported[refusal[1]] = refusal[2]
        else:
            raise ValueError(f"{file}, {title}: what is {line!r}?")
    return Case(file, title, start, end, program, stream, _answers(answers, start, end), unsupported)


def _answers(text: str, start: int, end: int) -> dict[int, list[list[str]]]:
    listed: dict[int, list[list[str]]] = {}
    for line in text.splitlines():
        if not line.strip() or line.startswith("%"):
            continue
        times, models = line.split(":", 1)
        first, _, last = times.partition("..")
        for t in range(int(first), int(last or first) + 1):
            assert start <= t <= end, f"{t} is outside of the timeline"
            assert t not in listed, f"{t} is listed twice"
            listed[t] = _models(models.strip())
    return {t: listed.get(t, [[]]) for t in range(start, end + 1)}


def _models(text: str) -> list[list[str]]:
    if text == "no answer":
        return []
    if "{" in text:
        return sorted(sorted(model.split()) for model in re.findall(r"{(.*?)}", text))
    return [sorted(text.split())]
