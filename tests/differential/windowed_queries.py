"""Random queries over streams, with patterns of all kinds: those of random static queries, asked about windows."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from tests.differential.sparql_queries import PROLOGUE, Example, sparql_example
from tests.queries import Data, Triple

LAST = 12
"""The last second of the timeline."""
SIZES = ((2, 1), (3, 1), (3, 2), (4, 2), (3, 3), (6, 3), (2, 3))
_AT_A_TERM = re.compile(r"(?<![\w|/^!(]):[abc] \(|[)*+?] :[abc]\b")
_NAMED = re.compile(r"GRAPH :(\w) \{")


@dataclass(frozen=True)
class Windowed:
    """A window: its name, which is that of its stream, and its range and step in seconds. Without a name its content is
    part of the default graph."""

    name: str | None
    stream: str
    range: int
    step: int


@dataclass(frozen=True)
class WindowedExample:
    """A query about windows, the same about graphs, and the triples of the streams with their seconds."""

    text: str
    dialect: str
    operator: str
    windows: tuple[Windowed, ...]
    example: Example
    streamed: tuple[tuple[int, str, Triple], ...]


def windowed_examples(first: int, number: int) -> Iterator[tuple[int, WindowedExample]]:
    """The examples of some seeds, with them. Some seeds have none."""
    for seed in range(first, first + number):
        found = _windowed(seed)
        if found is not None:
            yield seed, found


def _windowed(seed: int) -> WindowedExample | None:
    example, chance = sparql_example(seed), random.Random(f"windows {seed}")
    query = example.query.removeprefix(PROLOGUE)
    if query.startswith("DESCRIBE") or _is_undecided(query):
        return None
    dialects = ["RSP-QL", "C-SPARQL"]
    if _NAMED.search(query) and "GRAPH ?" not in query:
        dialects.append("CQELS")
    dialect = chance.choice(dialects)
    names: tuple[str | None, ...] = (None, "g", "h") if dialect == "C-SPARQL" else ("g", "h")
    windows = [Windowed(name, name or "d", *chance.choice(SIZES)) for name in names]
    changing = example.unlimited is None and not (example.reduced or example.lists or example.loose)
    operator = {"RSP-QL": "RSTREAM", "C-SPARQL": "RSTREAM", "CQELS": "ISTREAM"}[dialect]
    if dialect == "RSP-QL" and changing and not query.startswith("CONSTRUCT"):
        operator = chance.choice(("RSTREAM", "ISTREAM", "DSTREAM"))
    if dialect == "CQELS":
        if not changing or query.startswith("CONSTRUCT"):
            return None
        windows = [replace(window, step=1) for window in windows]
    text = PROLOGUE + _text(query, dialect, operator, windows)
    static = example.data.default if dialect != "C-SPARQL" else example.data.default[: chance.randint(0, 6)]
    pool = [*example.data.default, *(triple for graph in example.data.named.values() for triple in graph)]
    streamed = [
        (chance.randint(0, LAST - 2), window.stream, chance.choice(pool))
        for window in windows
        for _ in range(chance.randint(4, 25))
    ]
    known = replace(example, data=Data(static))
    return WindowedExample(text, dialect, operator, tuple(windows), known, tuple(sorted(streamed, key=lambda f: f[0])))


def _is_undecided(query: str) -> bool:
    """Whether pyoxigraph deviates if a window lacks a term: paths of length zero that begin or end at it."""
    return (")*" in query or ")?" in query) and _AT_A_TERM.search(query) is not None


def _text(query: str, dialect: str, operator: str, windows: list[Windowed]) -> str:
    if dialect == "CQELS":
        ranges = {window.name: window.range for window in windows}
        return _NAMED.sub(lambda found: f"STREAM :{found[1]} [RANGE {ranges[found[1]]}s] {{", query)
    place = query.index("{")
    if query.startswith("CONSTRUCT"):
        place = query.index("{", query.index("}"))
    if dialect == "RSP-QL":
        head = f"REGISTER {operator} :out AS "
        clauses = [f"FROM NAMED WINDOW :{w.name} ON :{w.stream} [RANGE PT{w.range}S STEP PT{w.step}S]" for w in windows]
        body = query[place:].replace("GRAPH", "WINDOW")
    else:
        head = "REGISTER QUERY out AS "
        clauses = [
            f"FROM {'NAMED ' if w.name else ''}STREAM :{w.stream} [RANGE {w.range}s STEP {w.step}s]" for w in windows
        ]
        body = query[place:]
    return f"{head}{query[:place]}{' '.join(clauses)} TICK 1s WHERE {body}"
