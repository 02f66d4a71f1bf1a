"""`lasing.Engine`: push, advance, get the changes, and go on after a failure."""

from __future__ import annotations

import math
import resource
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pytest

import lasing
from lasing import Atom, Engine, LasingError
from lasing.live.local import LocalCore
from lasing.logic.values import value_from_text
from tests.values import ALIKE, ONE_OF_EACH

HOT = "hot(S) :- temp(S,V) in [5], V > 30."


def atoms(*texts: str) -> frozenset[Atom]:
    return frozenset(fact.atom for text in texts for fact in lasing.parse(f"{text} at 0.").data)


def test_pushes_return_changes() -> None:
    engine = Engine(HOT)
    assert engine.push(7, [("temp", "s1", 70), ("temp", "s2", 20)]).added == atoms("hot(s1)")
    again = engine.push(7, [("temp", "s2", 80)])
    assert (again.added, again.removed) == (atoms("hot(s2)"), frozenset())
    assert engine.answer().atoms == atoms("hot(s1)", "hot(s2)")
    gone = engine.advance_to(13)
    assert (gone.added, gone.removed) == (frozenset(), atoms("hot(s1)", "hot(s2)"))
    assert engine.time == 13


def test_a_gap_of_any_length_costs_nothing_and_loses_nothing() -> None:
    engine = Engine(HOT)
    engine.push(1, [("temp", "s1", 70)])
    update = engine.push(10**15, [("temp", "s1", 70)])
    assert not update  # it held before, and it holds now
    assert [(c.time, len(c.added), len(c.removed)) for c in update.steps()] == [(7, 0, 1), (10**15, 1, 0)]


def test_a_late_fact_is_refused_and_the_engine_stays_usable() -> None:
    engine = Engine(HOT, start=3)
    engine.push(7, [("temp", "s1", 70)])
    with pytest.raises(LasingError, match="E308"):
        engine.push(6, [("temp", "s2", 70)])
    with pytest.raises(LasingError, match="E308"):
        Engine(HOT, start=3).push(2, [])
    assert engine.push(8, [("temp", "s3", 70)]).added == atoms("hot(s3)")


def test_a_late_fact_goes_to_on_late() -> None:
    late: list[lasing.Late[Any]] = []
    engine = Engine(HOT, on_late=late.append)
    engine.push(7, [("temp", "s1", 70)])
    assert not engine.push(5, [("temp", "s2", 70)])
    assert [(each.time, each.late_by, each.facts) for each in late] == [(5, 2, [("temp", "s2", 70)])]
    assert engine.answer().atoms == atoms("hot(s1)")


@pytest.mark.parametrize(
    ("facts", "code"),
    [
        ([("temp", "s1")], "E508"),
        ([("temp", "s1", float("nan"))], "E506"),
        ([("temp", "s1", 2**70)], "E506"),
        ([(7, "s1", 1)], "E509"),
        ({"temp": [1, 2]}, "E510"),
        (("temp", "s1", 70), "E510"),
        ("temp(s1,70).", "E510"),
        (["temp(s1,70)."], "E510"),
        ([()], "E510"),
        (None, "E510"),
        (Atom("temp", ("s1", 70)), "E510"),
        (pa.table({"s": ["a"], "v": [1]}), "E510"),
        ({"temp": pa.table({"s": [["a"]], "v": [1]})}, "E506"),
        ({"temp": pa.table({"s": ["a", "b"], "v": [1.0, float("nan")]})}, "E506"),
        ({"temp": pa.table({"s": ["a"]})}, "E508"),
    ],
)
def test_bad_facts_change_nothing(facts: object, code: str) -> None:
    engine = Engine(HOT)
    engine.push(7, [("temp", "s1", 70)])
    with pytest.raises(LasingError, match=code):
        engine.push(8, facts)  # type: ignore[arg-type]  # that is the point
    assert engine.time == 7
    assert engine.push(8, [("temp", "s2", 70)]).added == atoms("hot(s2)")


def test_unused_facts_are_reported() -> None:
    with pytest.warns(lasing.LasingWarning, match="W204"):
        Engine(HOT).push(1, [("tmp", "s1", 70)])


def test_a_pandas_index_is_not_an_argument() -> None:
    frame = pd.DataFrame({"s": ["a", "b", "c"], "v": [10, 40, 50]})
    hot = frame[frame.v > 30]
    for engine in ("local", "reference"):
        assert Engine(HOT, engine=engine).push(1, {"temp": hot}).added == atoms("hot(b)", "hot(c)")
    batch = Engine(HOT).push_batch({"temp": hot.assign(time=[1, 2])})["hot"]
    assert batch["arg1"].to_pylist() == ["b", "c"]


def test_times_of_a_batch_may_be_text_or_dates() -> None:
    changes = Engine(HOT).push_batch({"temp": pa.table({"time": ["1", "4"], "s": ["a", "b"], "v": [40, 40]})})["hot"]
    assert changes["time"].to_pylist() == [1, 4]
    dated = Engine(f"#tick 1 sec. {HOT}")
    frame = pa.table({"time": ["1970-01-01T00:00:07Z"], "s": ["a"], "v": [40]})
    assert dated.push_batch({"temp": frame})["hot"]["time"].to_pylist() == [7]
    with pytest.raises(LasingError, match="E306"):
        Engine(HOT).push_batch({"temp": pa.table({"time": [20], "s": ["a"], "v": [40]})}, end=5)


def test_an_engine_that_has_no_fact_yet_has_a_snapshot() -> None:
    program = "last(S,V) :- temp(S,V) in [#1 by S]."
    engine = Engine(program)
    assert engine.snapshot().num_rows == 0
    assert Engine.restore(program, engine.snapshot()).push(0, [("temp", "a", 1)]).added == atoms("last(a,1)")


def test_a_recursion_without_end_stops_the_engine_for_good() -> None:
    engine = Engine("q(X) :- p(X). q(Y) :- q(X), Y = X + 1.", max_atoms=10_000)
    with pytest.raises(LasingError, match="E304"):
        engine.push(1, [("p", 0)])
    with pytest.raises(LasingError, match="E317"):
        engine.push(2, [])


def test_omissions_are_reported() -> None:
    engine = Engine("q(Y) :- p(X), Y = 1 / X. r(X) at T :- p(X) at U in [0], T = U - 9.")
    engine.push(1, [("p", 0)])
    assert [found.code for found in engine.diagnostics()] == ["W202", "W203"]


def test_expiry_is_reported() -> None:
    engine = Engine("q(X) :- p(X) in [5]. r(X) :- q(X), not s(X). t(X) :- p(X) in [*].")
    update = engine.push(2, [("p", "a")])
    (q,), (r,), (t,) = (atoms(f"{name}(a)") for name in "qrt")
    assert [update.expires_at(atom) for atom in (q, r, t)] == [7, None, math.inf]
    engine.push(4, [("p", "a")])
    assert [engine.answer().expires_at(atom) for atom in (q, r, t)] == [9, None, math.inf]


def test_a_run_reports_expiry_and_its_growth() -> None:
    answers = list(lasing.run("q(X) :- p(X) in [5].", "p(a) at 2. p(a) at 4.", end=10))
    (q,) = atoms("q(a)")
    assert [answer.expires_at(q) for answer in answers[:-1]] == [7, 7, *[9] * 6]
    with pytest.raises(KeyError, match="not in the answer at 10"):
        answers[-1].expires_at(q)


def test_arrow_in_and_arrow_out() -> None:
    engine = Engine(HOT)
    update = engine.push(7, {"temp": pa.table({"s": ["s1", "s2", "s1"], "v": [70, 20, 31.5]})})
    assert update.to_arrow()["hot"].to_pylist() == [{"time": 7, "change": 1, "expires_at": 12, "arg1": "s1"}]
    table = engine.advance_to(20).to_arrow()["hot"]
    assert table.to_pylist() == [{"time": 13, "change": -1, "expires_at": None, "arg1": "s1"}]


def test_a_batch_of_many_time_points() -> None:
    engine = Engine(HOT)
    frame = pa.table({"at": [1, 1, 4], "s": ["a", "b", "a"], "v": [40, 1, 50]})
    changes = engine.push_batch({"temp": frame}, time="at", end=30)["hot"].to_pylist()
    assert [(row["time"], row["change"], row["arg1"]) for row in changes] == [(1, 1, "a"), (10, -1, "a")]
    with pytest.raises(LasingError, match="E308"):
        engine.push_batch({"temp": frame}, time="at")
    with pytest.raises(LasingError, match="E505"):
        engine.push_batch({"temp": frame}, time="when")
    with pytest.raises(LasingError, match="E504"):
        Engine(HOT).push_batch({"temp": frame.take([2, 0])}, time="at")


def test_a_snapshot_has_what_matters_and_no_more() -> None:
    engine = Engine(f"{HOT} last(S,V) :- temp(S,V) in [#1 by S].")
    for time in range(10_000):
        engine.push(time, [("temp", f"s{time % 3}", time)])
    snapshot = engine.snapshot()
    assert snapshot.num_rows == 6  # of the last six time points; the last of each sensor is among them
    engine.advance_to(20_000)
    assert [row["args"][0] for row in engine.snapshot().to_pylist()] == ["s1", "s2", "s0"]


@pytest.mark.parametrize("value", ["a", "A b", "70", 70, -2.5, 2**62, "<http://e.org/x>", 'say "hi"\n'])
def test_values_survive_a_snapshot(value: str | int | float) -> None:
    engine = Engine("q(X) :- p(X) in [5].")
    engine.push(1, [("p", value)])
    restored = Engine.restore("q(X) :- p(X) in [5].", engine.snapshot())
    assert restored.answer() == engine.answer()
    assert restored.answer().atoms == {Atom("q", (value,))}


def test_a_snapshot_may_be_written_to_a_file(tmp_path: object) -> None:
    import pyarrow.parquet as pq

    engine = Engine(HOT)
    engine.push(7, [("temp", "s1", 70)])
    pq.write_table(engine.snapshot(), f"{tmp_path}/state.parquet")
    restored = Engine.restore(HOT, pq.read_table(f"{tmp_path}/state.parquet"))
    assert restored.advance_to(13).removed == engine.advance_to(13).removed == atoms("hot(s1)")


def test_any_other_table_is_not_a_snapshot() -> None:
    with pytest.raises(LasingError, match="E512"):
        Engine.restore(HOT, pa.table({"time": [1]}))


def test_data_of_the_program_comes_in_its_time() -> None:
    engine = Engine(f"{HOT} temp(s9,99) at 3. temp(s8,99) at 5.")
    assert engine.push(4, [("temp", "s1", 70)]).added == atoms("hot(s1)", "hot(s9)")
    assert engine.advance_to(5).added == atoms("hot(s8)")


def test_a_nested_program_runs_on_the_reference() -> None:
    engine = Engine("q :- (p in [1]) at 3.")
    assert [bool(engine.push(time, [("p",)] if time == 2 else []).added) for time in range(5)] == [0, 0, 1, 0, 0]
    assert engine.answer().atoms == atoms("q")


def test_an_engine_gives_its_memory_back() -> None:
    facts = [("temp", f"s{i}", 50) for i in range(20_000)]

    def most_memory(engines: int) -> int:
        for _ in range(engines):
            Engine(HOT).push(1, facts)
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    few = most_memory(3)
    assert most_memory(60) <= 1.2 * few


def test_undeclared_facts_of_a_derived_predicate_are_in_the_snapshot() -> None:
    program = "d(X) :- s(X).  e(X) :- d(X) in [5]."
    engine = Engine(program, start=0)
    engine.push(1, [("d", 1)])
    engine.push(3, [("s", 2)])
    restored = Engine.restore(program, engine.snapshot())
    assert restored.answer() == engine.answer()
    assert str(engine.answer()) == "3: d(2) e(1) e(2)"


@pytest.mark.parametrize("name", ["local", "reference"])
def test_a_batch_brings_the_data_facts_of_the_program_in_and_a_window_is_recalled(name: Any) -> None:
    program = "q(X) :- p(X) in [2].  p(9) at 2."
    frame = pa.table({"time": [1, 4], "x": [1, 4]})
    engine = Engine(program, 0, name)
    changed = engine.push_batch({"p": frame}, end=5)["q"]
    rows = sorted(zip(*(changed[c].to_pylist() for c in ("time", "change", "arg1")), strict=True))
    assert rows == [(1, 1, 1), (2, 1, 9), (4, -1, 1), (4, 1, 4), (5, -1, 9)]
    again = Engine(program, 0, name)
    again.recall({"p": frame.slice(1)}, end=5)
    assert again.answer() == engine.answer()
    assert again.incremental == (name == "local")


QUIET = "q :- p in [2].  quiet :- (not p) always in [3]."


@pytest.mark.parametrize("name", ["local", "reference", "clingo"])
def test_an_engine_begins_with_its_first_fact(name: Any) -> None:
    engine = Engine(QUIET, engine=name)
    nothing = pa.table({"time": pa.array([], pa.int64())})
    assert not engine.advance_to(-50)
    assert not engine.push(-40, [])
    assert not engine.push(-30, {"p": nothing.drop_columns("time")})
    assert all(table.num_rows == 0 for table in engine.push_batch({"p": nothing}, end=-20).values())
    assert all(table.num_rows == 0 for table in engine.holding().values())
    assert (engine.start, engine.time, engine.answer().atoms) == (None, None, frozenset())
    assert (engine.left_out(), engine.diagnostics()) == ((0, {}), [])
    assert engine.push(-70, [("p",)]).added == atoms("q")
    assert (engine.start, engine.time) == (-70, -70)
    with pytest.raises(LasingError, match="E308"):
        engine.push(-71, [("p",)])
    for answer in lasing.run(QUIET, "p at -70.", end=-60):
        engine.advance_to(answer.time)
        assert engine.answer().atoms == answer.atoms


def test_facts_that_are_refused_begin_nothing() -> None:
    engine = Engine(HOT)
    for facts in ([("temp", 1)], [("temp", "a", float("nan"))], {"temp": pa.table({"x": [1]})}):
        with pytest.raises(LasingError):
            engine.push(5, facts)
    with pytest.raises(LasingError, match="E504"):
        engine.push_batch({"temp": pa.table({"time": [9, 8], "s": ["a", "b"], "v": [40, 40]})})
    assert (engine.start, engine.time) == (None, None)
    engine.push(3, [("temp", "a", 40)])
    assert engine.start == 3


@pytest.mark.filterwarnings("ignore::lasing.LasingWarning")
@pytest.mark.parametrize("name", ["local", "reference"])
def test_a_batch_reaches_from_the_first_to_the_last_of_its_rows(name: Any) -> None:
    engine = Engine(HOT, engine=name)
    temps = pa.table({"time": [4, 6], "s": ["a", "a"], "v": [40, 40]})
    engine.push_batch({"other": pa.table({"time": [2, 9]}), "temp": temps})
    assert (engine.start, engine.time) == (2, 9)  # as for run, also where nothing rests on the first fact


def test_data_of_the_program_may_be_the_first_fact() -> None:
    program = f"{QUIET} p at 3. p at 9."
    idle, pushed, batched = Engine(program), Engine(program), Engine(program)
    assert not idle.advance_to(2)
    assert (idle.start, idle.time) == (None, None)
    idle.advance_to(5)
    pushed.push(5, [("p",)])
    batched.push_batch({}, end=5)
    assert [(e.start, e.time) for e in (idle, pushed, batched)] == [(3, 5)] * 3
    early = Engine(program)
    early.push(1, [("p",)])
    assert early.start == 1
    late = Engine(program, start=4)  # earlier time points are not on the timeline
    late.advance_to(8)
    assert (late.start, late.answer().atoms) == (4, atoms("quiet"))


def test_a_snapshot_from_before_the_first_fact() -> None:
    engine = Engine.restore(QUIET, Engine(QUIET).snapshot())
    assert (engine.start, engine.time) == (None, None)
    engine.push(11, [("p",)])
    assert engine.start == 11
    begun = Engine.restore(QUIET, Engine(QUIET, start=4).snapshot())
    assert (begun.start, begun.time) == (4, 3)


def test_time_before_the_first_fact_is_not_evaluated() -> None:
    engine = Engine("b(1).  q(T) :- b(X) at T in [2].")  # it has other answers at each time point
    assert [step.time for step in engine.push(1_700_000_000, [("b", 2)]).steps()] == [1_700_000_000]


def test_engines_and_runs_say_what_they_are() -> None:
    engine = Engine(QUIET)
    assert repr(engine) == "Engine(2 rules, local engine, no facts yet)"
    engine.push(4, [("p",)])
    assert repr(engine) == "Engine(2 rules, local engine, start=4, time=4)"
    assert repr(Engine("{a}.", 0)) == "Engine(1 rule, clingo engine, start=0, time=-1)"
    run = lasing.run(QUIET, "p at 4.", end=6)
    assert repr(run) == "Run(2 rules, not begun)"
    list(run)
    assert repr(run) == "Run(2 rules, 3 time points and 1 fact so far)"
    assert {"Engine", "models", "spark", "run"} <= set(dir(lasing))


def test_expiry_is_in_the_tables_though_the_program_has_data() -> None:
    engine = Engine("q(X) :- p(X) in [5]. t(X) :- p(X) in [*]. p(9) at 3.", 0)
    tables = engine.push(4, [("p", 1)]).to_arrow()
    assert [row["expires_at"] for row in tables["q"].to_pylist()] == [8, 9]
    assert set(tables["t"]["expires_at"].to_pylist()) == {2**63 - 1}


def test_unused_facts_leave_nothing_behind() -> None:
    engine = Engine(HOT)
    with pytest.warns(lasing.LasingWarning, match="W204"):
        engine.push(0, [("temp", "s1", 70), ("log", "x", 0.5)])
    before = _values(engine)
    for time in range(1, 50):
        engine.push(time, [("log", f"a{time}", time + 0.5)])
        engine.push(time, {"log": pa.table({"x": [f"b{time}"], "y": [time + 0.25]})})
        engine.push_batch({"log": pa.table({"time": [time], "x": [f"c{time}"], "y": [time + 0.125]})})
    assert _values(engine) == before
    with pytest.raises(LasingError, match="E506"):
        engine.push(60, [("log", 2**70, 1)])
    with pytest.raises(LasingError, match="E506"):
        engine.push(60, {"log": pa.table({"x": [["a"], ["b"]], "y": [1, 2]})})
    damaged = pa.Array.from_buffers(pa.string(), 1, [None, pa.py_buffer(b"\0\0\0\0\1\0\0\0"), pa.py_buffer(b"\xff")])
    for predicate in ("log", "temp"):
        with pytest.raises(LasingError, match="UTF-8"):
            engine.push(60, {predicate: pa.table({"x": damaged, "y": [1]})})


def test_facts_that_are_only_counted_leave_no_names_behind() -> None:
    program = "q(X) :- p(X) in [#3]."
    local, reference = Engine(program, 0, "local"), Engine(program, 0, "reference")
    for engine in (local, reference):
        engine.push(0, [("p", "first")])
    before = _values(local)
    for time in range(1, 8):
        others = [("log", f"a{time}"), ("log", f"a{time}"), ("log", 1), ("log", "1"), ("log", 1.0)][: time % 6]
        for engine in (local, reference):
            engine.push(time, [("p", time), *others])
            engine.push(time, others)
        frames = {"door": pa.table({"x": [f"b{time}"]}), "empty": pa.table({"x": [1, 1]}).select([])}
        local.push(time, frames)
        reference.push(time, [("door", f"b{time}"), ("empty",)])
        assert local.answer().atoms == reference.answer().atoms
    assert _values(local) == before


def test_a_fact_that_is_only_counted_is_known_by_its_text_as_long_as_it_may_come_again() -> None:
    program = "q(X) :- p(X) in [#2]."
    engine = Engine(program)
    engine.push(1, [("p", "a"), ("log", 7)])
    restored = Engine.restore(program, engine.snapshot())
    assert restored.snapshot().equals(engine.snapshot())
    restored.push(1, [("log", 7)])
    assert restored.answer().atoms == engine.answer().atoms == atoms("q(a)")
    assert [tuple(row.values()) for row in engine.snapshot().to_pylist()] == [(1, "p", ["a"]), (1, "log", ["7"])]
    engine.advance_to(2)
    assert [tuple(row.values()) for row in engine.snapshot().to_pylist()] == [(1, "p", ["a"]), (1, "", ["0"])]
    assert Engine.restore(program, engine.snapshot()).answer() == engine.answer()


def _values(engine: Engine) -> int:
    """The number of values that the local engine knows."""
    core = engine._core
    assert isinstance(core, LocalCore)
    return len(core._engine.dictionary._codes)


@pytest.mark.parametrize("name", ["local", "reference", "clingo"])
def test_values_of_all_kinds_come_back_in_from_the_tables_they_left_in(name: Any) -> None:
    values = [*ONE_OF_EACH, *ALIKE]
    first = Engine("q(X) :- p(X).", 0, name)
    left = first.push(1, [("p", value) for value in values]).to_arrow()["q"]
    engine = Engine("q(X) :- p(X).", 0, name)
    engine.push_batch({"p": left.select(["time", "arg1"])})
    assert {atom.args[0] for atom in engine.answer().atoms} == set(values)
    engine.push(2, {"p": left.select(["arg1"])})
    assert {atom.args[0] for atom in engine.answer().atoms} == set(values)


@pytest.mark.parametrize("name", ["local", "reference"])
def test_a_number_and_its_text_leave_apart(name: Any) -> None:
    values = [1, "1", 2.5, "2.5", "one", '"1"', "1e5", "01", -3, "-3", 2**62]
    engine = Engine("q(X) :- p(X).", 0, name)
    table = engine.push(1, [("p", value) for value in values]).to_arrow()["q"]
    assert len(set(table["arg1"].to_pylist())) == len(values)
    assert {value_from_text(text) for text in table["arg1"].to_pylist()} == set(values)
    assert table.schema.field("arg1").metadata == {b"lasing": b"terms"}
    engine.advance_to(2)
    names = engine.push(3, [("p", value) for value in ("1", "2.5")]).to_arrow()["q"]
    assert sorted(names["arg1"].to_pylist()) == ["1", "2.5"]
    assert names.schema.field("arg1").metadata is None


@pytest.mark.parametrize("name", ["local", "reference"])
@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ([1, 2**62], "int64"),
        ([1, 2.5, 7.25], "double"),
        ([0.5, 2**53], "double"),
        ([0.5, 2**53 + 1], "string"),
        ([0.5, -(2**63)], "string"),
        ([-(2**63), 2**63 - 1, 2**60], "int64"),
        (["a", "b"], "string"),
        (["a", 1], "string"),
    ],
)
def test_columns_have_the_type_of_their_values(name: Any, values: list[Any], kind: str) -> None:
    update = Engine("q(X) :- p(X).", 0, name).push(1, [("p", value) for value in values])
    column = update.to_arrow()["q"]["arg1"]
    assert str(column.type) == kind
    assert sorted(map(str, column.to_pylist())) == sorted(str(float(v)) if kind == "double" else str(v) for v in values)
    assert {row[1] for row in update.rows()[0]} == set(values)
    assert {type(row[1]) for row in update.rows()[0]} == set(map(type, values))


def test_new_names_leave_beside_those_that_left_before() -> None:
    engine = Engine("q(X) :- p(X) in [1].")
    many = [f"n{i}" for i in range(100)]
    engine.push(0, [("p", name) for name in many]).to_arrow()
    for time in range(1, 30):  # few new ones at a time, and then more than there were
        names = ["n1", f"new{time}"] if time < 20 else [f"more{time}_{i}" for i in range(200)]
        table = engine.push(time, [("p", name) for name in names]).to_arrow()["q"]
        added = table.filter(pc.field("change") == 1)["arg1"].to_pylist()
        assert set(added) | {"n1"} == {*names, "n1"}
