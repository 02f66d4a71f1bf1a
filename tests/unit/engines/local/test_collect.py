"""Values that nothing holds any longer are forgotten, and nothing else changes."""

from __future__ import annotations

import warnings

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lasing
from lasing.engines.local import dictionary
from lasing.engines.local.engine import LocalEngine
from tests.differential.core_programs import core_example
from tests.differential.harness import agree
from tests.differential.sizes import programs

PROGRAM = """
    q(X,Y) :- p(X,Y) in [3].
    r(X) :- p(X,Y) in [2], not p(Y,X) in [3], X != fixed.
    top(M) :- M = #max{Y : p(X,Y) in [5]}.
    total(S) :- S = #sum{Y,X : p(X,Y) in [2]}.
    last(X,Y) :- p(X,Y) in [#2 by X].
"""


def test_new_names_and_numbers_do_not_fill_the_dictionary(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dictionary, "_LEAST", 200)
    engine = LocalEngine(lasing.parse("q(X,Y) :- p(X,Y) in [3], not r(X)."), 0)
    sizes = []
    for time in range(1000):
        list(engine.advance(time, [lasing.Atom("p", (f"n{time}_{i}", time + i / 10 + 0.01)) for i in range(4)]))
        sizes.append((len(engine.dictionary.names), engine.memory_bytes))
    assert max(names for names, _ in sizes) < 300
    assert len({memory for _, memory in sizes[200:]}) == 1


def test_answers_do_not_depend_on_what_is_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [(time, "p", f"n{(time * 7 + i) % 23}", (time * i) % 9 / 4) for time in range(60) for i in range(3)]
    whole = [answer.atoms for answer in lasing.run(PROGRAM, rows, engine="local")]
    monkeypatch.setattr(dictionary, "_LEAST", 5)
    assert [answer.atoms for answer in lasing.run(PROGRAM, rows, engine="local")] == whole


def test_random_programs_with_a_small_dictionary(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dictionary, "_LEAST", 0)
    for seed in range(2000, 2040):
        agree(core_example(seed), "local")


def test_an_update_may_be_read_after_its_names_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dictionary, "_LEAST", 4)
    engine = lasing.Engine("q(X,Y) :- p(X,Y) in [1].")
    updates = [engine.push(time, [("p", f"n{time}", time + 0.5)]) for time in range(40)]
    for time, update in enumerate(updates):
        assert update.added == {lasing.Atom("q", (f"n{time}", time + 0.5))}
    assert engine.snapshot()["args"].to_pylist() == [["n38", "38.5"], ["n39", "39.5"]]


# -- nothing holds codes unseen ----------------------------------------------------------------------------------------

OWN = "q(X) :- p(X) in [5]. s(X) :- r(X) in [5]. " + " ".join(f"r(own{i}) at 29." for i in range(9))
NAMES = [f"n{i}" for i in range(6)]
ADDED = {lasing.Atom("q", (name,)) for name in NAMES} | {lasing.Atom("s", (f"own{i}",)) for i in range(9)}


def test_facts_of_the_text_leave_pushed_facts_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dictionary, "_LEAST", 4)
    assert lasing.Engine(OWN).push(30, [("p", name) for name in NAMES]).added == ADDED
    assert lasing.Engine(OWN).push(30, {"p": pa.table({"x": NAMES})}).added == ADDED


def test_facts_of_the_text_leave_a_batch_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dictionary, "_LEAST", 4)
    engine = lasing.Engine(OWN)
    tables = engine.push_batch({"p": pa.table({"time": [30] * 6, "x": NAMES})})
    assert sorted(tables["q"]["arg1"].to_pylist()) == NAMES
    assert engine.answer().atoms == ADDED


def test_facts_may_be_encoded_long_before_they_are_pushed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dictionary, "_LEAST", 0)
    engine = lasing.Engine("q(X) :- p(X) in [5].", start=0)
    core = engine._core
    assert core is not None
    early = core.encode(9, [("p", "early"), ("p", 0.5)])
    batch = core.encode_batch({"p": pa.table({"time": [10], "x": ["batch"]})}, "time", int)  # type: ignore[arg-type]
    for time in range(9):
        engine.push(time, [("p", f"n{time}"), ("p", time / 4)])
    core.push(9, early)
    core.push_batch(10, batch)
    found = {atom.args[0] for atom in engine.answer().atoms}
    assert found == {"early", "batch", 0.5, *(f"n{t}" for t in range(5, 9)), *(t / 4 for t in range(5, 9))}


def test_a_fact_that_comes_again_after_values_were_forgotten_counts_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dictionary, "_LEAST", 0)
    engine = lasing.Engine("q(X) :- e(X) in [#2].")
    engine.push(0, [("e", "first")])
    for other in range(5):  # a fact that is refused takes names along that are forgotten
        with pytest.raises(lasing.LasingError):
            engine.push(1, [("e", f"x{other}"), ("e", f"x{other}", 1)])
        engine.push(1, [("e", "second")])
    assert engine.answer().atoms == {lasing.Atom("q", ("first",)), lasing.Atom("q", ("second",))}


def test_nothing_is_forgotten_while_changes_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dictionary, "_LEAST", 0)
    engine = LocalEngine(lasing.parse("q(X) :- p(X) in [1]."), 0)
    with engine.dictionary.encoding() as encoder:
        rows = np.array([[0, engine.predicates["p"], encoder.code("a")]])
        for block in engine.evaluate(rows, 0):
            changed = block.tolist()
    for block in engine.evaluate(rows[:0], 2):
        with engine.dictionary.encoding() as encoder:
            encoder.codes(["b", "c"])
        changed += block.tolist()
        assert engine.dictionary.collections == 0
    assert [engine.atom(row) for row in changed] == [lasing.Atom("q", ("a",))] * 2


def test_codes_are_made_and_forgotten_only_where_that_is_allowed() -> None:
    made = LocalEngine(lasing.parse("q(X) :- p(X)."), 0).dictionary
    with pytest.raises(AssertionError, match="codes are made inside"):
        made.codes(["a"])
    with made.encoding(), pytest.raises(AssertionError, match="working with codes"):
        made.collect()


OPERATIONS = st.lists(
    st.tuples(st.sampled_from(["push", "frame", "batch", "idle", "restore"]), st.lists(st.integers(0, 30), max_size=5)),
    max_size=12,
)
LIVE = """
    q(X) :- p(X) in [3].
    below(X,Y) :- p(X), p(Y), X < Y.
    least(M) :- M = #min{X : p(X) in [2]}.
    s(X) :- r(X) in [#2].
    once :- p(X) in [#1].
"""


def _value(number: int) -> str | float:
    return f"n{number}" if number % 3 else number / 4


@settings(max_examples=programs(60, 2000))
@given(OPERATIONS, st.lists(st.integers(0, 12), max_size=6))
def test_any_way_in_and_out_with_a_small_dictionary(operations: list[tuple[str, list[int]]], own: list[int]) -> None:
    """The local engine's updates, even if read late, equal those that the reference returns at once."""
    program = LIVE + " ".join(f"r(own{time}) at {time}. p(own) at {time}." for time in own)
    with pytest.MonkeyPatch.context() as patched, warnings.catch_warnings():
        warnings.simplefilter("ignore", lasing.LasingWarning)
        patched.setattr(dictionary, "_LEAST", 0)
        local, reference = lasing.Engine(program, 0, "local"), lasing.Engine(program, 0, "reference")
        updates, expected = [], []
        for time, (way, numbers) in enumerate(operations):
            facts = [("other", f"n{n}") if n % 5 == 4 else ("pr"[n % 2], _value(n)) for n in dict.fromkeys(numbers)]
            names = [f"n{n}" for n in dict.fromkeys(numbers)]
            if way == "push":
                updates.append(local.push(time, facts))
                expected.append(reference.push(time, facts).added)
            elif way == "frame":
                updates.append(local.push(time, {"p": pa.table({"x": pa.array(names, pa.string())})}))
                expected.append(reference.push(time, [("p", name) for name in names]).added)
            elif way == "batch":
                frame = pa.table({"time": pa.array([time] * len(names), pa.int64()), "x": pa.array(names, pa.string())})
                local.push_batch({"p": frame}, end=time)
                reference.push(time, [("p", name) for name in names])
            elif way == "idle":
                updates.append(local.advance_to(time))
                expected.append(reference.advance_to(time).added)
            elif local.answer().time >= 0:
                local = lasing.Engine.restore(program, local.snapshot(), "local")
                local.advance_to(time)
                reference.advance_to(time)
            assert local.answer().atoms == reference.answer().atoms
        assert [update.added for update in updates] == expected


def test_sums_of_exact_decimals_do_not_depend_on_what_is_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    program = "total(S) :- S = #sum{Y,X : p(X,Y) in [2]}.  mean(S) :- S = #avg{Y,X : p(X,Y) in [5]}."
    numbers = [f'"{n}.{n}"^^<http://www.w3.org/2001/XMLSchema#decimal>' for n in range(9)]
    numbers += ['"2"^^<http://www.w3.org/2001/XMLSchema#double>', "2.5"]  # the bits of 2.0 look like a code
    stream = "".join(f"p({i},{numbers[(time * i) % 11]}) at {time}.\n" for time in range(60) for i in range(3))
    whole = [answer.atoms for answer in lasing.run(program, stream, engine="reference")]
    monkeypatch.setattr(dictionary, "_LEAST", 5)
    assert [answer.atoms for answer in lasing.run(program, stream, engine="local")] == whole
