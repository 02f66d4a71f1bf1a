"""Identifiers that are read only when someone looks at them are the same values as those that are made at once."""

from __future__ import annotations

import copy
import gc
import pickle
from concurrent.futures import ThreadPoolExecutor

import pytest

import lasing
from lasing.engines.local import dictionary
from lasing.engines.local.unread import UnreadOperands
from lasing.logic.functions import function_of
from lasing.logic.values import BlankNode, Constructed, Iri

NEW = function_of("new", 2)
PROGRAM = "q(new(f,X,2.5,new(g,X,Y)),X) :- p(X,Y)."
MANY = 100


def made(x: int, y: str) -> Constructed:
    found = NEW.compute("f", x, 2.5, NEW.compute("g", x, y))
    assert isinstance(found, Constructed)
    return found


def pushed(engine: lasing.Engine, time: int) -> list[Constructed]:
    """Identifiers of a time point, which nobody has looked at yet."""
    engine.push(time - 1, [])
    update = engine.push(time, [("p", x, f"n{time}") for x in range(MANY)])
    found = sorted(update.added_of("q"), key=lambda row: row[1])  # type: ignore[arg-type, return-value]  # by X
    return [one for one, _ in found if isinstance(one, Constructed)]


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The sizes of tables that someone reads."""
    found: list[int] = []
    original = UnreadOperands.read_all

    def read_and_note(self: UnreadOperands) -> None:
        if self._values is not None:
            found.append(len(self._codes))
        original(self)

    monkeypatch.setattr(UnreadOperands, "read_all", read_and_note)
    return found


def test_nothing_is_read_until_someone_looks(reads: list[int]) -> None:
    found = pushed(lasing.Engine(PROGRAM, start=0), 1)
    assert len(found) == MANY
    assert len(set(map(id, found))) == MANY
    assert reads == []
    assert found[3] == made(3, "n1")
    assert reads == [MANY, MANY]  # those inside, too
    assert found == [made(x, "n1") for x in range(MANY)]
    assert reads == [MANY, MANY]


def test_they_are_like_all_others() -> None:
    found = pushed(lasing.Engine(PROGRAM, start=0), 1)
    wanted = [made(x, "n1") for x in range(MANY)]
    assert set(found) == set(wanted)
    again = pushed(lasing.Engine(PROGRAM, start=0), 1)
    assert [str(one) for one in again] == [str(one) for one in wanted]
    again = pushed(lasing.Engine(PROGRAM, start=0), 1)
    assert pickle.loads(pickle.dumps(again)) == wanted
    again = pushed(lasing.Engine(PROGRAM, start=0), 1)
    assert copy.deepcopy(again) == wanted
    again = pushed(lasing.Engine(PROGRAM, start=0), 1)
    assert [(one.depth, one.function, one.args) for one in again] == [(2, "f", w.args) for w in wanted]
    assert not any(isinstance(one, Iri | BlankNode) for one in again)
    with pytest.raises(AttributeError, match="no colour"):
        _ = again[0].colour


def test_they_outlive_the_engine() -> None:
    engine = lasing.Engine("q(new(f,X,Y)) :- p(X,Y).", start=0)
    rows = engine.push(1, [("p", x, x + 0.25) for x in range(MANY)]).added_of("q")
    del engine
    gc.collect()
    assert set(rows) == {(NEW.compute("f", x, x + 0.25),) for x in range(MANY)}


def test_codes_may_change_before_someone_looks(monkeypatch: pytest.MonkeyPatch, reads: list[int]) -> None:
    monkeypatch.setattr(dictionary, "_LEAST", 10)
    engine = lasing.Engine(PROGRAM, start=0)
    kept = {time: pushed(engine, time)[: time % 3] for time in range(1, 60, 2)}
    core = engine._core
    assert core is not None
    assert len(reads) >= 10  # before codes change, what someone still has is read
    for time, found in kept.items():
        assert found == [made(x, f"n{time}") for x in range(time % 3)]


def test_what_nobody_has_any_more_is_never_read(monkeypatch: pytest.MonkeyPatch, reads: list[int]) -> None:
    monkeypatch.setattr(dictionary, "_LEAST", 10)
    engine = lasing.Engine(PROGRAM, start=0)
    for time in range(1, 60, 2):
        assert len(pushed(engine, time)) == MANY
    assert reads == []


def test_they_go_back_in_as_facts() -> None:
    engine = lasing.Engine(PROGRAM + "seen(X) :- came(I), kept(I,X). kept(I,X) :- q(I,X) in [9]. #stream q/2.", start=0)
    found = pushed(engine, 1)
    assert set(engine.push(2, [("came", one) for one in found]).added_of("seen")) == {(x,) for x in range(MANY)}


def test_identifiers_of_several_sizes_stay_in_their_rows() -> None:
    program = "q(new(f,X),X) :- p(X), X < 20. q(new(f,X,X),X) :- p(X), X >= 20. q(X,X) :- p(X)."
    (answer,) = lasing.run(program, [(0, "p", x) for x in range(MANY)], engine="local")
    engine = lasing.Engine(program, start=0)
    rows = engine.push(0, [("p", x) for x in range(MANY)]).added_of("q")
    assert len(rows) == 2 * MANY
    assert set(rows) == {atom.values for atom in answer.atoms}
    (judge,) = lasing.run(program, [(0, "p", x) for x in range(MANY)], engine="reference")
    assert answer.atoms == judge.atoms


def test_threads_may_look_at_the_same_one() -> None:
    engine = lasing.Engine(PROGRAM, start=0)
    with ThreadPoolExecutor(8) as pool:
        for time in range(1, 60, 2):
            found = pushed(engine, time)
            assert list(pool.map(hash, found * 4)) == [hash(made(x, f"n{time}")) for x in range(MANY)] * 4
