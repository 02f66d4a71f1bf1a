"""The experiment of Barbieri et al.: all ways to keep the closure agree, on random graphs with renewals too."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lasing import run
from lasing.bench.barbieri.contenders import Dred, from_scratch
from lasing.bench.barbieri.experiments import BARBIERI, all_agree, sentences
from lasing.bench.barbieri.workloads import NEW, RENEWED, SHAPES, Setting, layers
from lasing.bench.measuring.records import Cell
from lasing.bench.measuring.turns import DisagreementError

SMALL = Setting("tree", 100, background=60, window=30, points=25)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("arrivals", [NEW, RENEWED])
def test_all_contenders_agree(shape: str, arrivals: str) -> None:
    all_agree(replace(SMALL, shape=shape, arrivals=arrivals))


def test_a_disagreement_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Dred, "_delete", lambda _self, _edges: None)
    with pytest.raises(DisagreementError, match="DRed differs"):
        all_agree(SMALL)


def test_renewals_change_nothing() -> None:
    setting = replace(SMALL, arrivals=RENEWED)
    dred = Dred(setting)
    for t in range(setting.length):
        dred.step(t)
    before = {node: set(above) for node, above in dred.closure.items()}
    for t in range(setting.length, setting.points):
        dred.step(t)
        assert {node: above for node, above in dred.closure.items() if above} == {n: a for n, a in before.items() if a}


def test_layers_have_as_many_edges_as_asked_and_several_derivations() -> None:
    edges = layers(2000)
    assert len(np.unique(edges, axis=0)) == len(edges)
    assert 1900 <= len(edges) <= 2000
    above: dict[int, set[int]] = {}
    for x, y in edges.tolist():
        above.setdefault(x, set()).add(y)
    shared = [x for x, ys in above.items() if len(ys) > 1 and len(set.union(*(above.get(y, set()) for y in ys))) < 4]
    assert len(shared) > len(above) / 2


def test_sentences_name_ratios_and_crossings() -> None:
    cells = [
        Cell("barbieri", name, "changes", {"shape": "tree", "arrivals": NEW, "changed": x}, 1.0, ratio=ratio)
        for name, x, ratio in (("from scratch", 1, 90.0), ("DRed", 1, 2.0), ("DRed", 500, 0.5))
    ]
    said = " ".join(sentences(cells))
    assert "tree: DRed takes 2.0x at 0.1 %, 0.5x at 50 %" in said
    assert "it is faster from 50 % on" in said
    assert BARBIERI[0].sentences is sentences


# -- expiration: nothing is deleted that holds, and renewals extend ----------------------------------------------------

EDGES = st.tuples(st.integers(0, 5), st.integers(6, 9)) | st.tuples(st.integers(0, 3), st.integers(4, 5))


@settings(deadline=None, max_examples=60)
@given(st.lists(EDGES, max_size=4), st.lists(st.tuples(st.integers(0, 12), EDGES), max_size=14), st.integers(0, 5))
def test_expiration_equals_evaluation_from_scratch(
    fixed: list[tuple[int, int]], arriving: list[tuple[int, tuple[int, int]]], window: int
) -> None:
    program = f"""
        {"".join(f"edge({x},{y}). " for x, y in fixed)}
        edge(X,Y) :- pos(X,Y) in [{window}].
        isIn(X,Y) :- edge(X,Y).  isIn(X,Z) :- isIn(X,Y), isIn(Y,Z).  #show isIn/2."""
    rows = [(time, "pos", x, y) for time, (x, y) in sorted(arriving)]
    for answer in run(program, rows, start=0, end=18, engine="local"):
        edges = {edge for time, edge in arriving if answer.time - window <= time <= answer.time} | set(fixed)
        wanted = {(x, z) for x, above in from_scratch(edges).items() for z in above}
        assert {atom.values for atom in answer.atoms} == wanted
