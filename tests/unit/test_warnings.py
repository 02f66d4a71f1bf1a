"""Python shows the warnings that the command line shows: each once, at the user's line, in Python's terms."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path

import pytest

import lasing
from lasing import LasingWarning, models
from lasing.engine_choice import EngineName

MISSPELT = "hot(S) :- temprature(S, V) in [2], V > 30.  #input temperature/2."
SHOW = """
#input p/0.
q :- p in [*].
q :- r.
#show s/1.
"""

WAYS: dict[str, Callable[[], object]] = {
    "parse": lambda: lasing.parse(MISSPELT),
    "run": lambda: lasing.run(MISSPELT, "temperature(s1, 35) at 1."),
    "Engine": lambda: lasing.Engine(MISSPELT, engine="reference"),
    "models": lambda: models.answer_stream(MISSPELT, time=1),
}

pytestmark = pytest.mark.filterwarnings("default::lasing.LasingWarning")


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_a_misspelt_predicate_is_reported(way: Callable[[], object]) -> None:
    with pytest.warns(LasingWarning) as warned:
        way()
    assert len(warned) == 1
    assert "warning[W101]: temprature is neither derived, streamed nor background" in str(warned[0].message)
    assert "did you mean temperature?" in str(warned[0].message)
    assert Path(warned[0].filename).name == "test_warnings.py"


def test_each_finding_is_a_warning() -> None:
    with pytest.warns(LasingWarning) as warned:
        lasing.parse(SHOW)
    assert [str(w.message)[:13] for w in warned] == ["warning[W101]", "warning[W103]", "warning[W104]"]


def test_a_program_that_is_parsed_has_had_its_warnings() -> None:
    with pytest.warns(LasingWarning):
        program = lasing.parse(MISSPELT)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        lasing.Engine(program, engine="reference")
        lasing.run(program, "temperature(s1, 35) at 1.")


@pytest.mark.parametrize("engine", ["local", "reference"])
def test_unused_facts_are_reported_once(engine: EngineName) -> None:
    fed = lasing.Engine("hot(S) :- temperature(S, V) in [2], V > 30.", engine=engine)
    with pytest.warns(LasingWarning) as warned:
        fed.push(1, [("temprature", "s1", 35), ("door", 1)])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fed.push(2, [("temprature", "s1", 35)])
    messages = [str(w.message) for w in warned]
    assert sorted(m.split("\n")[0] for m in messages) == [
        "warning[W204]: the program does not use door",
        "warning[W204]: the program does not use temprature",
    ]
    assert any("did you mean temperature?" in m for m in messages)
    assert {Path(w.filename).name for w in warned} == {"test_warnings.py"}


def test_a_run_reports_unused_facts() -> None:
    with pytest.warns(LasingWarning, match=r"Table\(frame, predicate='p'\) in Python") as warned:
        list(lasing.run("q :- p.", "door at 1.", engine="reference"))
    assert Path(warned[0].filename).name == "test_warnings.py"


def test_the_column_of_the_time_is_named_in_python_s_terms() -> None:
    import polars as pl

    with pytest.raises(lasing.LasingError, match=r"Table\(time='ts'\) in Python"):
        list(lasing.run("q :- p(X).", {"p": pl.DataFrame({"x": [1]})}, engine="reference"))


def test_two_unknown_names_that_look_alike_are_both_named() -> None:
    with pytest.warns(lasing.LasingWarning, match="tmep and temp look alike") as warned:
        lasing.parse("hot(S) :- tmep(S, V), V > 3.  seen(S) :- temp(S, _).")
    assert "#input tmep/2, temp/2" in str(warned[0].message)


def test_the_hint_about_unused_facts_names_a_predicate_of_the_program() -> None:
    with pytest.warns(lasing.LasingWarning, match="W204") as warned:
        list(lasing.run("open(D) :- door(D).", "window(w) at 1."))
    assert "door=FILE" in str(warned[0].message)
