"""The facts of the raw window lie in few blocks, however small the pushes are."""

from __future__ import annotations

import lasing
from lasing.live.local import LocalCore


def core_of(engine: lasing.Engine) -> LocalCore:
    assert isinstance(engine._core, LocalCore)
    return engine._core


def test_pushes_of_one_fact_become_few_blocks() -> None:
    engine = lasing.Engine("q(X) :- p(X) in [3000], not r(X).", start=0, engine="local")
    for time in range(3_000):
        engine.push(time, [("p", f"n{time}")])
        assert len(core_of(engine)._window._blocks) <= 64 + time // 64
    window = engine.snapshot()
    assert window["time"].to_pylist() == list(range(3_000))
    assert window["args"].to_pylist() == [[f"n{time}"] for time in range(3_000)]


def test_a_fact_that_is_in_a_joined_block_counts_once() -> None:
    """Facts of one time point come in many pushes, each of them twice."""
    engine = lasing.Engine("q(X) :- p(X) in [#150].", start=0, engine="local")
    for number in range(200):
        for _ in range(2):
            engine.push(7, [("p", number)])
    assert {atom.values for atom in engine.answer().atoms} == {(number,) for number in range(50, 200)}


def test_late_facts_go_back_to_blocks_that_were_joined_since() -> None:
    program = "n(N) :- N = #count{X : p(X) in [500]}."
    engine = lasing.Engine(program, start=0, engine="local", delay=100, corrections=True)
    for time in range(300):
        engine.push(time, [("p", time)])
        if time % 50 == 49:
            engine.push(time - 40, [("p", f"late{time}")])
    assert engine.answer().atoms == {lasing.Atom("n", (306,))}
    assert len(core_of(engine)._window.at(300)) == 306
