"""Laws that every program obeys."""

from __future__ import annotations

import re

from hypothesis import assume, given, settings
from hypothesis import strategies as st

import lasing
from lasing.errors import SourceText
from lasing.languages import examine
from lasing.languages.lars.formatter import format_text
from lasing.languages.lars.tokens import tokenize
from tests.differential.harness import answers, answers_of, difference
from tests.differential.strategies import Example, examples

STEPS = 6  # a multiple of every step that the strategies use


@given(examples(nested=True))
def test_a_printed_program_reads_back(example: Example) -> None:
    program = lasing.parse(example.program)
    assert lasing.parse(str(program)) == program


@given(examples(nested=True))
def test_printing_keeps_the_meaning(example: Example) -> None:
    printed = str(lasing.parse(example.program))
    again = answers(printed, example.stream_text, example.start, example.end)
    assert not difference(answers_of(example), again)


@given(examples(nested=True), st.randoms())
def test_the_order_of_rules_does_not_matter(example: Example, random: object) -> None:
    lines = example.program.splitlines()
    random.shuffle(lines)  # type: ignore[attr-defined]  # hypothesis gives a random.Random
    shuffled = answers("\n".join(lines), example.stream_text, example.start, example.end)
    assert not difference(answers_of(example), shuffled)


@given(examples(), st.integers(-3, 3))
def test_shifting_all_times_shifts_the_answers(example: Example, steps: int) -> None:
    assume("#now" not in example.program)  # it may be an argument, which then changes with the times
    shift = steps * STEPS
    program = _shifted_program(example.program, shift)
    stream = "".join(f"{atom} at {time + shift}.\n" for time, atom in example.stream)
    shifted = answers(program, stream, example.start + shift, example.end + shift)
    moved_back = [(time - shift, atoms) for time, atoms in shifted]
    assert not difference(answers_of(example), moved_back)


def _shifted_program(program: str, shift: int) -> str:
    """The program with its absolute times moved: `at 5`, `[2..5]` and the bound `U < 15`."""
    program = re.sub(r" at (\d+)", lambda m: f" at {int(m[1]) + shift}", program)
    program = re.sub(r"\[(\d+)\.\.(\d+)\]", lambda m: f"[{int(m[1]) + shift}..{int(m[2]) + shift}]", program)
    return re.sub(r"U < (\d+)", lambda m: f"U < {int(m[1]) + shift}", program)


@settings(max_examples=50)
@given(examples())
def test_data_in_the_program_text_is_data_in_the_stream(example: Example) -> None:
    together = answers(example.program + example.stream_text, "", example.start, example.end)
    assert not difference(answers_of(example), together)


@settings(max_examples=50)
@given(examples(nested=True))
def test_the_answer_depends_only_on_data_up_to_its_time(example: Example) -> None:
    middle = (example.start + example.end) // 2
    cut = "".join(f"{atom} at {time}.\n" for time, atom in example.stream if time <= middle)
    whole = [(time, atoms) for time, atoms in answers_of(example) if time <= middle]
    assert not difference(whole, answers(example.program, cut, example.start, middle))


@given(examples(nested=True))
def test_formatting_changes_only_white_space_and_is_idempotent(example: Example) -> None:
    source = SourceText("program", example.program.replace(", ", ",").replace(" :- ", "\n:-   "))
    formatted = format_text(source)
    assert format_text(SourceText("program", formatted)) == formatted
    before, _ = tokenize(source)
    after, _ = tokenize(SourceText("program", formatted))
    assert (before.kinds, before.texts) == (after.kinds, after.texts)


@given(st.text(alphabet='pqXY_ ().,:-[]#%*"<>=+/0123 \n◇□⊞∧in at not always', max_size=60))
def test_any_text_is_read_or_refused_with_a_lasing_error(text: str) -> None:
    program, found = examine([SourceText("program", text)])
    assert all(d.code and d.message for d in found)
    assert found or lasing.parse(str(program)) == program
