"""Random queries over streams, in each dialect, with the plain SPARQL that each asks of its windows."""

from __future__ import annotations

import random
from dataclasses import dataclass
from math import gcd

from lasing.logic.values import Iri, Value

EX = "http://ex.org/"
LAST = 40
"""The last second of the timeline."""


def iri(name: str) -> Iri:
    return Iri(EX + name)


Triple = tuple[Value, Value, Value]


@dataclass(frozen=True)
class WindowAsked:
    """A window as the judge makes it: its graph (None: the default one), its stream, its range and step in seconds."""

    graph: str | None
    stream: str
    range: int
    step: int


@dataclass(frozen=True)
class StreamCase:
    """A query, its plain form, and the data: static triples, and streamed ones with their seconds and streams."""

    text: str
    plain: str
    dialect: str
    operator: str
    windows: tuple[WindowAsked, ...]
    static: tuple[Triple, ...]
    streamed: tuple[tuple[int, str, Triple], ...]

    @property
    def period(self) -> int:
        """The seconds between two reports."""
        return 1 if self.dialect == "CQELS" else gcd(*(window.step for window in self.windows))

    @property
    def needs_content(self) -> bool:
        return self.dialect == "C-SPARQL"


SIZES = ((10, 5), (3, 1), (4, 2), (6, 3), (5, 5))
FIRST = (
    "?s ex:value ?v",
    "?s ex:value ?v . ?s ex:near ?t",
    "?s ex:near ?t . ?t ex:value ?v",
    "?s ?p ?v",
    "?s ex:value ?v OPTIONAL { ?s ex:near ?t }",
    "?s ex:near+ ?t",
    "?s ex:value ?v FILTER NOT EXISTS { ?s ex:near ?t }",
    "{ ?s ex:value ?v } UNION { ?s ex:near ?v }",
    "?s ex:value ?v MINUS { ?s ex:near ?v }",
)
SECOND = ("?s ex:value ?w", "?s ex:near ?u", "?s ?q ?w")
HEADS = (
    "SELECT *",
    "SELECT ?s",
    "SELECT DISTINCT ?s",
    "SELECT ?s (COUNT(*) AS ?n)",
    "SELECT (COUNT(*) AS ?n)",
    "SELECT (SUM(?v) AS ?n)",
    "ASK",
)
STATIC = ("", "?s ex:in ?room .", "?s ex:in ex:room1 .")


def rspql_example(seed: int) -> StreamCase:
    """A random query over one or two streams."""
    r = random.Random(seed)
    static = tuple((iri(f"s{i}"), iri("in"), iri(f"room{r.randrange(3)}")) for i in range(5))
    streamed = tuple(sorted((streamed_fact(r) for _ in range(r.randrange(5, 40))), key=lambda fact: fact[0]))
    dialect = r.choice(("RSP-QL", "C-SPARQL", "CQELS"))
    head, before, inside, other = r.choice(HEADS), r.choice(STATIC), r.choice(FIRST), r.choice(SECOND)
    tail = " GROUP BY ?s" if "?s (COUNT" in head else ""
    sizes = [r.choice(SIZES) for _ in range(r.choice((1, 2)))]
    graphs = [None if dialect == "C-SPARQL" else f"w{i}" for i in range(len(sizes))]
    steps = [1 if dialect == "CQELS" else step for _, step in sizes]
    windows = tuple(
        WindowAsked(graph, stream, size, step)
        for graph, stream, (size, _), step in zip(graphs, ("a", "b"), sizes, steps, strict=False)
    )
    operator = {"RSP-QL": r.choice(("RSTREAM", "ISTREAM", "DSTREAM")), "C-SPARQL": "RSTREAM", "CQELS": "ISTREAM"}[
        dialect
    ]
    parts = [inside, other][: 1 if dialect == "C-SPARQL" else len(windows)]
    prefix = "PREFIX ex: <http://ex.org/>\n"
    opened = [f"GRAPH ex:{w.graph} {{ {part} }}" if w.graph else part for w, part in zip(windows, parts, strict=False)]
    plain = f"{prefix}{head} WHERE {{ {before} {' '.join(opened)} }}{tail}"
    match dialect:
        case "RSP-QL":
            clauses = [
                f"FROM NAMED WINDOW ex:{w.graph} ON ex:{w.stream} [RANGE PT{w.range}S STEP PT{w.step}S]"
                for w in windows
            ]
            pattern = " ".join(f"WINDOW ex:{w.graph} {{ {part} }}" for w, part in zip(windows, parts, strict=True))
            text = (
                f"{prefix}REGISTER {operator} ex:out AS {head} {' '.join(clauses)} WHERE {{ {before} {pattern} }}{tail}"
            )
        case "C-SPARQL":
            clauses = [f"FROM STREAM ex:{w.stream} [RANGE {w.range}s STEP {w.step}s]" for w in windows]
            text = f"{prefix}REGISTER QUERY out AS {head} {' '.join(clauses)} WHERE {{ {before} {inside} }}{tail}"
        case _:
            streams = [
                f"STREAM ex:{w.stream} [RANGE {w.range}s] {{ {p} }}" for w, p in zip(windows, parts, strict=True)
            ]
            text = f"{prefix}{head} WHERE {{ {before} {' '.join(streams)} }}{tail}"
    return StreamCase(text, plain, dialect, operator, windows, static, streamed)


def streamed_fact(r: random.Random) -> tuple[int, str, Triple]:
    """A second, a stream, and a triple."""
    value: Value = r.choice((r.randrange(5), iri(f"s{r.randrange(5)}")))
    triple = (iri(f"s{r.randrange(5)}"), iri(r.choice(("value", "near"))), value)
    return r.randrange(30), r.choice(("a", "b")), triple
