"""From texts to a program: includes, constants, ticks, facts."""

from __future__ import annotations

from pathlib import Path

import pytest

import lasing
from lasing.errors import LasingError, SourceText
from lasing.languages import read_program
from lasing.languages.lars.lower import lower
from lasing.logic.formulas import Atom, IntervalWindow, TimeWindow, TupleWindow, Window, WindowFunction
from lasing.logic.program import Fact, Output, Signature
from lasing.logic.terms import Arithmetic
from lasing.timeline.ticks import Tick


def window_of(program: str) -> WindowFunction:
    literal = lasing.parse(program).rules[0].body[0]
    assert isinstance(literal, Window)
    return literal.function


def codes(program: str | Path) -> list[str]:
    with pytest.raises(LasingError) as caught:
        lasing.parse(program)
    return [d.code for d in caught.value.diagnostics]


def test_facts_with_a_time_are_data_and_others_background() -> None:
    program = lasing.parse('p(x, 1). p("x", 1.0) at 36. p(2 + 3, -7) at 4 * 9.')
    assert program.background == (Atom("p", ("x", 1)),)
    assert program.data == (Fact(36, Atom("p", ("x", 1))), Fact(36, Atom("p", (5, -7))))


@pytest.mark.parametrize(
    ("program", "function"),
    [
        ("#tick 1 min. q :- p in [20 min].", TimeWindow(20)),
        ("#tick 1 min. q :- p in [2 h,+60 s].", TimeWindow(120, 1)),
        ("#tick 1 min. q :- p in [2 h,-60 s].", TimeWindow(120, -1)),
        ("#tick 1 min. q :- p in [*,-2 h].", TimeWindow(None, -120)),
        ("q :- p in [2 s]. #tick 500 ms.", TimeWindow(4)),
        ("#const n = 5. q :- p in [n,-n step n].", TimeWindow(5, -5, 5)),
        ("#const now = 5. q :- p in [#now].", TupleWindow(5)),
        ("#tick 1 sec. #const n = 1 min. q :- p in [n + 1].", TimeWindow(61)),
        ("#const n = 5. q :- p in [n step n].", TimeWindow(5, 0, 5)),
        ("q :- p in [#n]. #const n = 5.", TupleWindow(5)),
        ("#const n = 5. q :- p in [n..2*n].", IntervalWindow(5, Arithmetic("*", (2, 5)))),
    ],
)
def test_constants_and_durations_become_numbers_everywhere(program: str, function: WindowFunction) -> None:
    assert window_of(program) == function


def test_given_constants_override_those_of_the_text() -> None:
    program = lasing.parse("#const n = 5. p(n).", {"n": 7})
    assert program.background == (Atom("p", (7,)),)


def test_a_constant_is_not_a_predicate() -> None:
    assert lasing.parse("#const n = 5. n(n).").background == (Atom("n", (5,)),)


@pytest.mark.parametrize(
    "program", ["#const n = 1. #const n = 2.", "#tick 1 s. #tick 1 min."], ids=["constant", "tick"]
)
def test_a_second_value_is_refused(program: str) -> None:
    assert codes(program) == ["E111"]


@pytest.mark.parametrize("program", ["#const n = 1. #const n = 1.", "#tick 60 s. #tick 1 min."])
def test_the_same_value_again_is_accepted(program: str) -> None:
    assert lasing.parse(program).rules == ()


def test_data_may_have_dates_where_there_is_a_tick() -> None:
    program = lasing.parse('#tick 1 sec. p at "1970-01-01T00:01:00Z".')
    assert program.tick == Tick(1_000)
    assert program.data == (Fact(60, Atom("p")),)
    assert codes('p at "1970-01-01T00:01:00Z".') == ["E503"]


def test_a_bad_fact_does_not_hide_the_next_mistake() -> None:
    assert codes("p(1/0). q(1/0) at 3. r(.") == ["E113", "E113", "E105"]


def test_show_and_input_add_up_without_doubles() -> None:
    program = lasing.parse("#show a/0, b/0. #show b/0. #input p/2. #input p/2. a :- p(1,2). b :- a.")
    assert program.outputs == (Output("a", ()), Output("b", ()))
    assert program.inputs == (Signature("p", 2),)


def test_included_rules_come_first_and_each_file_counts_once(tmp_path: Path) -> None:
    (tmp_path / "lib").mkdir()
    (tmp_path / "main.lars").write_text('#include "lib/a.lars".\n#include "lib/b.lars".\nmain.', encoding="utf-8")
    (tmp_path / "lib/a.lars").write_text('#include "b.lars".\na.', encoding="utf-8")
    (tmp_path / "lib/b.lars").write_text('#include "../main.lars".\nb.', encoding="utf-8")
    program = lasing.parse(tmp_path / "main.lars")
    assert [atom.predicate for atom in program.background] == ["b", "a", "main"]


def test_directives_of_an_included_file_hold_for_all(tmp_path: Path) -> None:
    (tmp_path / "main.lars").write_text('q :- p in [n].\n#include "n.lars".', encoding="utf-8")
    (tmp_path / "n.lars").write_text("#tick 1 sec.\n#const n = 1 min.", encoding="utf-8")
    assert str(lasing.parse(tmp_path / "main.lars").rules[0]) == "q :- p in [60]."


def test_a_mistake_in_an_included_file_is_placed_there(tmp_path: Path) -> None:
    (tmp_path / "main.lars").write_text('#include "b.lars".\nq(X) :- p(X).', encoding="utf-8")
    (tmp_path / "b.lars").write_text("% facts\n\n  p(a,b).", encoding="utf-8")
    with pytest.raises(LasingError) as caught:
        lasing.parse(tmp_path / "main.lars")
    (found,) = caught.value.diagnostics
    assert (found.code, str(found.place)) == ("E202", f"{tmp_path / 'b.lars'}:3:3")


def test_a_missing_include_is_found_at_its_directive(tmp_path: Path) -> None:
    (tmp_path / "main.lars").write_text('a.\n#include "none.lars".', encoding="utf-8")
    with pytest.raises(LasingError) as caught:
        lasing.parse(tmp_path / "main.lars")
    (found,) = caught.value.diagnostics
    assert (found.code, str(found.place)) == ("E110", f"{tmp_path / 'main.lars'}:2:10")


def test_several_texts_are_one_program() -> None:
    program = read_program([SourceText("one", "q :- p in [n]."), SourceText("two", "#const n = 3. b.")])
    assert str(program) == "b.\nq :- p in [3].\n"


@pytest.mark.parametrize(("files", "codes"), [(51, []), (2000, ["E110"])])
def test_a_chain_of_includes_may_be_50_files_deep(tmp_path: Path, files: int, codes: list[str]) -> None:
    for i in range(files - 1):
        (tmp_path / f"{i}.lars").write_text(f'#include "{i + 1}.lars".\na{i}.', encoding="utf-8")
    (tmp_path / f"{files - 1}.lars").write_text("last.", encoding="utf-8")
    path = tmp_path / "0.lars"
    _, found = lower([SourceText(str(path), path.read_text(encoding="utf-8"), path)], {})
    assert [d.code for d in found] == codes
