"""Reading and checking take time and memory in proportion to the text, whatever the text is."""

from __future__ import annotations

import sys
import tracemalloc
from collections.abc import Callable
from typing import Any

import pytest

from lasing.engine_choice import plan_for
from lasing.errors import LasingError, SourceText
from lasing.languages import examine
from lasing.languages.lars.formatter import format_text
from lasing.logic.analysis import analyse
from lasing.logic.checks import CAUTIONS, findings
from lasing.logic.partition import partition

TEXTS: dict[str, Callable[[int], str]] = {
    "literals": lambda n: f"q :- {', '.join(f'p{i}(X)' for i in range(n))}.",
    "negated literals": lambda n: f"q(X) :- p(X), {', '.join(f'not r{i}(X)' for i in range(n))}.",
    "assignments": lambda n: f"q(X0) :- p(X0), {', '.join(f'X{i + 1} = X{i} + 1' for i in range(n))}.",
    "assignments, last one first": lambda n: (
        f"q(X0) :- p(X0), {', '.join(f'X{i + 1} = X{i} + 1' for i in reversed(range(n)))}."
    ),
    "unsafe variables": lambda n: f"q :- p, {', '.join(f'X{i} < 1' for i in range(n))}.",
    "rules": lambda n: "\n".join(f"q{i}(X) :- p{i}(X) in [5]." for i in range(n)),
    "a chain of rules": lambda n: "\n".join(f"q{i + 1}(X) :- q{i}(X)." for i in range(n)),
    "a chain that never fires": lambda n: (
        "q0 :- 1 > 2.\n" + "\n".join(f"q{i + 1} :- q{i}." for i in reversed(range(n)))
    ),
    "nested rules": lambda n: "\n".join(f"q{i} :- (p and r) in [5]." for i in range(n)),
    "a large conjunction": lambda n: f"q :- ({' and '.join(f'p{i}' for i in range(4 * n))}) in [5].",
    "heads": lambda n: f"{' ; '.join(f'h{i}' for i in range(n))} :- b.",
    "conditions of a choice": lambda n: f"1 {{{' ; '.join(f'h{i} : c{i}' for i in range(n))}}} 2 :- b.",
    "aggregates": lambda n: f"q :- {', '.join(f'#count{{X : p{i}(X)}} > 1' for i in range(n))}.",
    "similar names": lambda n: "\n".join(f"q :- predicate{i:04}." for i in range(n)).translate(
        str.maketrans("0123456789", "abcdefghij")
    ),
    "facts": lambda n: "\n".join(f"f(a{i}, {i}) at {i}." for i in range(n)),
    "constants": lambda n: "\n".join(f"#const c{i + 1} = c{i}." for i in range(n)) + "\n#const c0 = 1.",
    "mistakes": lambda n: "q(X) :- p(Y).\n" * n,
    "unreadable statements": lambda n: "q( :- p(Y).\n" * n,
    "bad characters": lambda n: "&" * n,
    "weak constraints": lambda n: ":~ p.\n" * n,
}


def _calls(text: str) -> int:
    """The number of calls that it takes to do all that `lasing check` does, and to format."""
    calls = 0

    def count(_frame: Any, event: str, _arg: Any) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    sys.setprofile(count)
    try:
        program, found = examine([SourceText("program", text)])
        if found:
            str(LasingError(found))
        else:
            findings(program, CAUTIONS)
            analyse(program)
            partition(program)
            if all(rule.definite for rule in program.rules):
                plan_for(program, "auto")
            str(program)
            format_text(SourceText("program", text))
    finally:
        sys.setprofile(None)
    return calls


@pytest.mark.parametrize("name", TEXTS)
def test_twice_the_text_is_twice_the_work(name: str) -> None:
    small, large = (_calls(TEXTS[name](n)) for n in (400, 1600))
    assert large < 5.5 * small


@pytest.mark.parametrize("text", ["x" * 2_000_000, "x\\n" * 700_000])
def test_a_long_string_takes_little_memory(text: str) -> None:
    program = f'p("{text}").'
    tracemalloc.start()
    try:
        read, found = examine([SourceText("program", program)])
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert len(read.background) == 1
    assert not found
    assert peak < 20 * len(program)


def test_many_mistakes_in_one_long_line_do_not_keep_it_many_times() -> None:
    _, found = examine([SourceText("program", "&" * 20_000)])
    assert sum(len(d.place.text) for d in found if d.place is not None) < 1100 * len(found)


@pytest.mark.parametrize(
    "text",
    [
        f"q :- {'(' * 5000}p{')' * 5000}.",
        f"q :- {'not ' * 5000}p.",
        f"q(X) :- p(Y), X = {'-' * 5000}Y.",
        f"q(X) :- p(Y), X = {'+'.join(['Y'] * 5000)}.",
        f"q :- {'->'.join(['p'] * 5000)}.",
        f"q :- {'#count{X : ' * 5000}",
        "q :- " + "@1 " * 5000 + "p.",
        "q :- " + "p at (" * 5000,
        "q(" * 5000,
        "[" * 5000,
        "{" * 5000,
    ],
)
def test_what_nests_too_deep_is_a_mistake(text: str) -> None:
    _, found = examine([SourceText("program", text)])
    assert found
    assert {d.code for d in found} <= {"E105", "E106", "E115"}
