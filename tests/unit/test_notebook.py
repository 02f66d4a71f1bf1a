"""Notebooks: `%%lars`, and how things are shown."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config

import lasing
from lasing.engine_choice import plan_for
from lasing.pictures.timeline import Timeline

RULES = "hot(S) :- temp(S, V) in [5], V > 30.\n"
READINGS = "temp(s1, 35) at 1.  temp(s2, 20) at 2."


@pytest.fixture(scope="module")
def only_shell() -> Any:
    settings = Config()
    settings.HistoryManager.enabled = False
    made = InteractiveShell(config=settings)  # type: ignore[no-untyped-call]
    made.run_line_magic("load_ext", "lasing")
    return made


@pytest.fixture
def shell(only_shell: Any) -> Any:
    only_shell.user_ns["readings"] = READINGS
    return only_shell


def test_a_cell_shows_a_timeline_and_keeps_it(shell: Any) -> None:
    shown = shell.run_cell_magic("lars", "--stream readings --end 9 --at 3 -o line -p program", RULES)
    assert isinstance(shown, Timeline)
    assert shown.at == 3
    assert shown.end == 9
    assert shell.user_ns["line"] is shown
    assert shell.user_ns["program"] == lasing.parse(RULES)


def test_a_cell_without_a_stream_is_a_program(shell: Any) -> None:
    assert shell.run_cell_magic("lars", "-o program", RULES) == lasing.parse(RULES)
    assert shell.user_ns["program"] == lasing.parse(RULES)


def test_a_cell_with_data_needs_no_stream(shell: Any) -> None:
    shown = shell.run_cell_magic("lars", "--as answers", RULES + READINGS)
    assert list(map(str, shown)) == ["1: hot(s1)", "2: hot(s1)"]
    assert shown._repr_html_().count("<table>") == 2


def test_a_stream_is_a_file(shell: Any, tmp_path: Path) -> None:
    file = tmp_path / "my readings.facts"
    file.write_text(READINGS, encoding="utf-8")
    shell.run_cell_magic("lars", f"-s '{file}' --as intervals -o held", RULES)
    assert [(str(one.atom), one.since, one.until) for one in shell.user_ns["held"]] == [("hot(s1)", 1, 2)]


def test_other_views(shell: Any) -> None:
    changes = shell.run_cell_magic("lars", "-s readings --as changes --end 9", RULES)
    assert [(one.time, len(one.added), len(one.removed)) for one in changes] == [(1, 1, 0), (7, 0, 1)]
    frames = shell.run_cell_magic("lars", "-s readings --as frames", RULES)
    assert list(frames["hot"]["S"]) == ["s1", "s1"]


def test_another_language(shell: Any) -> None:
    query = "SELECT s FROM temp [RANGE 5 SECONDS] WHERE v > 30;"
    cell = f"CREATE STREAM temp (s VARCHAR, v INTEGER, TIME t);\n{query}"
    shell.user_ns["rows"] = {"temp": pa.table({"t": [1], "s": ["a"], "v": [35]})}
    shown = shell.run_cell_magic("lars", "--language cql -s rows", cell)
    assert [item.text for item in shown.lanes[-1].items] == ["result(a)"]


def test_a_mistake_is_shown_as_on_the_command_line(shell: Any, capsys: pytest.CaptureFixture[str]) -> None:
    done = shell.run_cell("%%lars\nhot(S) :- temp(S, V in [5].\n")
    assert not done.success
    printed = "".join(capsys.readouterr())
    assert "--> program:1:21" in printed
    assert "1 | hot(S) :- temp(S, V in [5]." in printed
    assert "  |                     ^^" in printed
    assert "Traceback" not in printed


def test_a_warning_is_shown_as_on_the_command_line(shell: Any, capsys: pytest.CaptureFixture[str]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        shell.run_cell("%%lars\nhot(S) :- temp(S, V), room(S).  #input temp/2.\n")
    printed = capsys.readouterr().err
    assert printed.startswith("warning[W101]: room is neither derived, streamed nor background")
    assert ".py:" not in printed


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("--strem readings", "unrecognized arguments: --strem readings"),
        ("--stream nothing", "there is neither a variable nor a file nothing"),
        ("--as pictures", "invalid choice"),
        ("-o 'a b'", "a b is not the name of a variable"),
        ("-s 'readings", "the options cannot be read"),
    ],
)
def test_wrong_options(shell: Any, capsys: pytest.CaptureFixture[str], line: str, message: str) -> None:
    done = shell.run_cell(f"%%lars {line}\n{RULES}")
    assert not done.success
    printed = "".join(capsys.readouterr())
    assert "error[E773]" in printed
    assert message in printed


def shown(thing: Any) -> str:
    return str(thing._repr_html_())


def test_answers_and_changes_are_tables() -> None:
    answers = list(lasing.run(RULES, READINGS, end=9))
    assert "<td>hot</td><td>s1</td>" in shown(answers[0])
    assert "<i>nothing</i>" in shown(answers[-1])
    changes = list(lasing.run(RULES, READINGS, end=9).changes())
    assert "<td>+</td><td>hot</td><td>s1</td>" in shown(changes[0])
    assert "<td>−</td><td>hot</td><td>s1</td>" in shown(changes[1])


def test_an_answer_with_several_models_has_a_table_for_each() -> None:
    (answer,) = lasing.run("a :- p, not b.  b :- p, not a.", "p at 1.")
    assert "1, answer 2 of 2" in shown(answer)
    (none,) = lasing.run("a :- p, not b.  b :- p, not a.  :- p.", "p at 1.")
    assert "no answer stream" in shown(none)


def test_long_answers_are_cut_and_counted() -> None:
    (answer,) = lasing.run("q(X) :- p(X).", [(1, "p", i) for i in range(170)])
    assert "and 120 more" in shown(answer)


def test_values_are_escaped() -> None:
    (answer,) = lasing.run("q(X) :- p(X).", [(1, "p", "<script>")])
    assert "<script>" not in shown(answer)
    assert "&lt;script&gt;" in shown(answer)
    assert "<script>" not in shown(lasing.parse('q("<script>") :- p.'))


def test_an_engine_and_its_updates() -> None:
    engine = lasing.Engine(RULES)
    assert "no facts yet" in shown(engine)
    update = engine.push(7, [("temp", "s1", 35)])
    assert "<td>+</td><td>hot</td><td>s1</td>" in shown(update)
    assert "<td>hot</td><td>s1</td>" in shown(engine)


def test_an_update_without_one_answer_says_so() -> None:
    engine = lasing.Engine("a :- p, not b.  b :- p, not a.")
    assert "undefined" in shown(engine.push(1, [("p",)]))


def test_corrections_of_an_update() -> None:
    engine = lasing.Engine(RULES, start=0, delay=5, corrections=True)
    engine.push(4, [("temp", "s1", 20)])
    update = engine.push(2, [("temp", "s1", 35)])
    assert "corrected" in shown(update)


def test_explanations_are_pictures() -> None:
    run = lasing.run(RULES, READINGS)
    assert "temp(s1,35) at 1" in shown(run.explain("hot(s1)", 2))
    assert shown(run.why_not("hot(s2)", 2)).startswith("<svg")


def test_a_program_is_highlighted() -> None:
    html = shown(lasing.parse("% why\n" + RULES))
    assert "% why" in html
    assert "<pre" in html


def test_a_program_of_another_language_is_not_coloured_as_rules() -> None:
    html = shown(
        lasing.parse("event Temp(v: int); define Hot(v: int) from Temp(v > 3) with v = Temp.v", language="tesla")
    )
    assert "define Hot" in html
    assert "<span" not in html


def test_answers_and_changes_say_when() -> None:
    assert "<b>at 1</b>" in shown(next(iter(lasing.run(RULES, READINGS))))
    assert "<b>at 1</b>" in shown(next(iter(lasing.run(RULES, READINGS).changes())))


def test_a_program_without_text_is_printed() -> None:
    program = plan_for(lasing.parse(RULES), "auto")
    assert program is not None
    assert "hot" in shown(program)
    assert "hot" in shown(lasing.Program(lasing.parse(RULES).rules))
