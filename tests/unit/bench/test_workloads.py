"""Streams are what their workloads promise."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import numpy as np
import pytest

import lasing
from lasing.bench.measuring.contenders import columns, parse
from lasing.bench.measuring.workloads import (
    ARGS,
    TWENTY_JOINS,
    B,
    C,
    D,
    J,
    Operator,
    R,
    Workload,
    latest,
    negation,
    rules_by_constant,
)
from lasing.logic.facts import facts_of

WINDOW = 5
ALL = (D, B, J, R, C, negation(30), latest(30), rules_by_constant("="), rules_by_constant(">"), TWENTY_JOINS)


@pytest.mark.parametrize("workload", ALL, ids=lambda w: w.name)
def test_streams_are_in_order_and_fit_their_programs(workload: Workload) -> None:
    stream = workload.stream(rate=10, window=WINDOW, points=12)
    assert stream.predicates.items() <= facts_of(lasing.parse(workload.program(WINDOW))).arity.items()
    assert stream.rows[:, 0].tolist() == sorted(stream.rows[:, 0].tolist())
    for t in range(1, 12):
        assert len(stream.facts(t)) == 10
        assert all(len(fact) == 1 + stream.predicates[fact[0]] for fact in stream.facts(t))


@pytest.mark.parametrize("workload", ALL, ids=lambda w: w.name)
def test_a_seed_gives_the_same_stream_again(workload: Workload) -> None:
    one, same, other = (workload.stream(10, WINDOW, 12, seed).rows for seed in (1, 1, 2))
    assert np.array_equal(one, same)
    assert not np.array_equal(one, other) or workload.name == "B"  # short, so that nothing may have been replaced


@pytest.mark.parametrize(("rate", "window"), [(1, 20), (10, 20), (10, 80), (200, 20)])
def test_a_new_pair_joins_about_four(rate: int, window: int) -> None:
    stream = J.stream(rate, window, points=6 * window)
    met, atoms = 0, 0
    for t in range(window, stream.points):
        held = {fact[1:] for u in range(t - window, t + 1) for fact in stream.facts(u)}
        firsts, seconds = Counter(a for a, _ in held), Counter(b for _, b in held)
        met += sum(firsts[b] + seconds[a] for _, a, b in stream.facts(t))
        atoms += rate
        if atoms > 2000:
            break
    assert 3 < met / atoms < 5


@pytest.mark.parametrize("operator", ["=", ">"])
def test_an_atom_fires_about_two_of_a_thousand_rules(operator: Operator) -> None:
    workload = rules_by_constant(operator)
    assert len(lasing.parse(workload.program(WINDOW)).rules) == 1000
    stream = workload.stream(rate=20, window=WINDOW, points=10)
    engine = columns(parse(workload.program(WINDOW)), stream, annotated=True)
    tick = engine.start()
    fired = sum(sum(engine.changed_rows(tick(t)).values()) for t in range(10))
    assert 1.5 < fired / len(stream.rows) < 2.5


def test_one_of_the_rules_has_the_stream_of_all() -> None:
    one, all_rules = rules_by_constant("=", only=17), rules_by_constant("=")
    assert one.program(WINDOW) == f"h17(X) :- p(X,V) in [{WINDOW}], V = 17."
    assert np.array_equal(one.stream(5, WINDOW, 9).rows, all_rules.stream(5, WINDOW, 9).rows)


def test_twenty_joins_are_twenty_different_rules() -> None:
    rules = lasing.parse(TWENTY_JOINS.program(20)).rules
    assert len({(rule.heads[0], rule.body) for rule in rules}) == len(rules) == 20


def test_lasting_atoms_are_seldom_replaced() -> None:
    stream = B.stream(rate=50, window=WINDOW, points=100)
    sets = [set(stream.facts(t)) for t in range(100)]
    kept = [len(a & b) for a, b in pairwise(sets)]
    assert 0.98 < sum(kept) / (50 * 99) < 1


def test_edges_lead_to_shallow_roots() -> None:
    stream = R.stream(rate=50, window=20, points=40)
    parents = {int(row[ARGS]): int(row[ARGS + 1]) for row in stream.rows}
    assert all(child > parent for child, parent in parents.items())

    def depth(node: int) -> int:
        return 1 + depth(parents[node]) if node in parents else 0

    assert max(map(depth, parents)) == 4


def test_temperatures_go_from_ice_to_steam() -> None:
    stream = C.stream(rate=40, window=3, points=100)
    facts = [(t, *fact) for t in range(100) for fact in stream.facts(t)]
    seen = Counter(str(atom) for answer in lasing.run(C.program(3), facts) for atom in answer.atoms)
    assert 0 < seen["alarm"] < 100
    assert 0 < seen["freeze"] < 100


def test_all_keys_have_a_value_from_the_start() -> None:
    stream = latest(30).stream(rate=10, window=WINDOW, points=3)
    assert [fact[0] for fact in stream.facts(0)] == ["r"] * 30
    assert Counter(fact[0] for fact in stream.facts(1)) == {"r": 5, "s": 5}
