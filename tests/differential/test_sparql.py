"""Random SPARQL queries have the answers that pyoxigraph gives, and the reference engine."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.differential.sizes import programs
from tests.differential.sparql_queries import FUNCTIONS, PROLOGUE, SEPARATOR, Example, sparql_example
from tests.queries import Answer, Data, Graph, Solutions, Term, answered, canonical, comparable, oracle

CHUNK = 25


@pytest.mark.parametrize("first", range(0, programs(100, 5_000), CHUNK))
def test_queries(first: int) -> None:
    for seed in range(first, first + CHUNK):
        example = sparql_example(seed)
        found, expected = answered(example.query, example.data), oracle(example.other, example.data)
        assert_same(example, found, expected, f"seed {seed}: {example.query}")


@pytest.mark.parametrize("first", range(1_000_000, 1_000_000 + programs(25, 500), CHUNK))
def test_engines(first: int) -> None:
    for seed in range(first, first + CHUNK):
        example = sparql_example(seed)
        ours, reference = (answered(example.query, example.data, engine) for engine in ("auto", "reference"))
        assert exact(ours) == exact(reference), f"seed {seed}: {example.query}"


@pytest.mark.parametrize(("call", "xs", "ys"), FUNCTIONS, ids=lambda part: part if isinstance(part, str) else "")
def test_functions(call: str, xs: tuple[str, ...], ys: tuple[str, ...]) -> None:
    """Each function and operator, applied to terms of all kinds."""
    others = f"VALUES ?y {{ {' '.join(ys)} }}" if ys else ""
    query = f"{PROLOGUE} SELECT ?x ?y ({call} AS ?z) {{ VALUES ?x {{ {' '.join(xs)} }} {others} }}"
    example = Example(query, Data(), other=query)
    assert_same(example, answered(query, Data()), oracle(query, Data()), call)


def exact(answer: Answer) -> object:
    """What is the same in the answers of two engines: all but the order of triples."""
    return set(answer.triples) if isinstance(answer, Graph) else answer


def assert_same(example: Example, found: Answer, expected: Answer, what: str) -> None:
    """Check that an answer is as the standard says, if another one is right."""
    if not isinstance(found, Solutions) or not isinstance(expected, Solutions):
        assert canonical(found) == canonical(expected), what
        return
    assert sorted(found.columns) == sorted(expected.columns), what
    if example.reduced:
        assert set(bag(example, found)) == set(bag(example, expected)) or example.unlimited, what
    elif example.unlimited is None:
        assert bag(example, found) == bag(example, expected), what
    else:
        every = oracle(example.unlimited, example.data)
        assert isinstance(every, Solutions)
        assert len(found.rows) == len(expected.rows), what
        assert bag(example, found) <= bag(example, every), what
    assert _keys(example, found) == _keys(example, expected), what


def bag(example: Example, answer: Solutions) -> Counter[tuple[object, ...]]:
    """The rows with their numbers, without their order."""
    places = sorted(range(len(answer.columns)), key=lambda place: answer.columns[place])
    return Counter(tuple(_cell(example, answer.columns[i], row[i]) for i in places) for row in answer.rows)


def _keys(example: Example, answer: Solutions) -> list[tuple[object, ...]]:
    if not example.order or example.reduced:
        return []
    places = [answer.columns.index(name) for name in example.order]
    return [tuple(comparable(row[place]) for place in places) for row in answer.rows]


def _cell(example: Example, column: str, term: Term | None) -> object:
    if term is None:
        return None
    if column in example.lists:
        return tuple(sorted(term.value.split(SEPARATOR)))
    shown = comparable(term)
    if column in example.loose and shown is not None:
        return shown.value
    return shown
