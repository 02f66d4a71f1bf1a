"""Model checking and satisfiability, compared with the definitions applied to every possibility."""

from __future__ import annotations

from dataclasses import replace
from itertools import chain, combinations
from random import Random

import pytest

import lasing
from lasing import models
from lasing.engines.reference.satisfaction import try_all
from lasing.engines.reference.several import DefinitionEngine, Derivable, Interpretation
from lasing.errors import LasingError, SourceText
from lasing.languages import read_question
from lasing.logic.facts import facts_of
from lasing.logic.formulas import Atom
from lasing.logic.program import Fact, Program
from lasing.timeline.intervals import Interval
from tests.differential.several_programs import several_example
from tests.differential.sizes import programs

_MOST_TRIED = 128
_PIECES = 8
_PROGRAMS = programs(25, 1500)
_FORMULAS = programs(60, 4000)


@pytest.mark.parametrize("piece", range(_PIECES))
def test_answer_streams_and_no_others_are_accepted(piece: int) -> None:
    for seed in range(piece, _PIECES * _PROGRAMS, _PIECES):
        compare_program(seed)


@pytest.mark.parametrize("piece", range(_PIECES))
def test_a_formula_is_satisfiable_if_some_evaluation_satisfies_it(piece: int) -> None:
    for seed in range(piece, _PIECES * _FORMULAS, _PIECES):
        compare_formula(seed)


def compare_program(seed: int) -> int:
    """The number of interpretations checked."""
    example, draw = several_example(seed), Random(seed)
    whole = lasing.parse(example.program)
    program = replace(whole, rules=tuple(rule for rule in whole.rules if rule.penalty is None))
    now = draw.randint(example.start, example.end)
    data = [Fact(time, _atom(text)) for time, text in example.stream if time <= now]
    engine = DefinitionEngine(program, example.start)
    try:
        engine.recall(now, data)
        answers = set(engine.answer_streams(now))
        possible = list(engine._all_interpretations(now))  # what it tries is what is to be tried here
    except LasingError:
        return 0  # too many atoms for the definition
    described = f"seed {seed} at {now}\n{example.program}{example.stream_text}"
    chosen = possible if len(possible) <= _MOST_TRIED else [*draw.sample(possible, _MOST_TRIED), *answers]
    chosen = [*chosen, *(_any_interpretation(draw, program, possible, data) for _ in range(8))]
    for interpretation in chosen:
        verdict = models.check(whole, _stream(interpretation, data), data, time=now, start=example.start)
        assert verdict.holds == (interpretation in answers), f"{described}{interpretation}\n{verdict}"
    _compare_satisfiability(program, example.start, now, data, answers, described)
    return len(chosen)


def _any_interpretation(
    draw: Random, program: Program, possible: list[Interpretation], data: list[Fact]
) -> Interpretation:
    """An interpretation that may have underivable atoms: the definition does not try them, and no answer has them."""
    names = [name for name in ("d", "e") if name in facts_of(program).derived]
    more = {Derivable(draw.randint(0, 4), name, (draw.randint(1, 3),)) for name in names if draw.random() < 0.7}
    given = {(time, atom.predicate, atom.args) for time, atom in data}
    return draw.choice(possible) | {a for a in more if (a.time, a.predicate, a.args) not in given}


def _compare_satisfiability(
    program: Program, start: int, now: int, data: list[Fact], answers: set[Interpretation], described: str
) -> None:
    found = models.answer_stream(program, data, time=now, start=start)
    assert (found is not None) == bool(answers), described
    if found is not None:
        assert set(found) in [set(_stream(answer, data)) for answer in answers], described
        few = {Atom(a.predicate, a.args) for a in min(answers, key=len)}
        confined = models.answer_stream(program, data, few, time=now, start=start)
        assert confined is not None, described
        assert {atom for _, atom in confined} <= few | {atom for _, atom in data}, described


def _stream(interpretation: Interpretation, data: list[Fact]) -> list[Fact]:
    derived = [Fact(a.time, Atom(a.predicate, a.args)) for a in interpretation]
    return sorted({*data, *derived}, key=lambda fact: fact.time)


def compare_formula(seed: int) -> bool:
    """Whether the formula of a seed is satisfiable."""
    draw = Random(seed)
    formula = random_formula(draw, 3)
    start, last = draw.randint(0, 2), draw.randint(2, 3)
    now = draw.randint(start, last)
    background = draw.choice(("", "", "p.", "r(2)."))
    atoms = draw.sample(["p", "q", "r(1)", "r(2)"], 10 // (last - start + 1) if last - start > 2 else 3)
    question = read_question([SourceText("background", background)], {}, SourceText("formula", formula))
    assert question.formula is not None
    timeline = Interval(start, last)
    facts = [Fact(time, a) for time in timeline for a in map(_atom, sorted(atoms))]
    known = {"": {}, "p.": {"p": {(): None}}, "r(2).": {"r": {(2,): None}}}[background]
    expected = try_all(facts, timeline, known, now, question.formula.body)  # type: ignore[arg-type]  # values
    described = f"seed {seed}: {formula} at {now} of {timeline} with {atoms} and {background}"
    found = models.satisfiable(formula, ", ".join(atoms), time=now, start=start, end=last, background=background)
    assert (found is not None) == (expected is not None), described
    if found is not None:
        assert {atom for _, atom in found} <= set(map(_atom, atoms)), described
        assert models.holds(formula, found, time=now, start=start, end=last, background=background), described
    for chosen in _some(draw, facts, 3):
        if models.holds(formula, chosen, time=now, start=start, end=last, background=background):
            assert found is not None, described
    return found is not None


def _some(draw: Random, facts: list[Fact], number: int) -> list[tuple[Fact, ...]]:
    every = list(chain.from_iterable(combinations(facts, n) for n in range(3)))
    return draw.sample(every, min(number, len(every)))


def random_formula(draw: Random, depth: int) -> str:
    """A body of one or two formulas, nested, with variables that an atom or a time binds."""
    parts = [_nested(draw, draw.choice(("1", "2")), depth)]
    if draw.random() < 0.3:
        parts = ["r(X) in [*]", f"({_nested(draw, 'X', depth - 1)})"]
    if draw.random() < 0.3:
        parts.append(f"({_nested(draw, '2', depth - 1)})")
    if draw.random() < 0.2:
        function, operator = draw.choice(("count", "sum", "max")), draw.choice((">=", "=", "<", "!="))
        parts.append(f"#{function}{{N : r(N) in [{draw.randint(0, 2)}]}} {operator} {draw.randint(0, 3)}")
    return ", ".join(parts)


def _nested(draw: Random, arg: str, depth: int) -> str:
    kind = draw.choice(("atom", "not", "and", "or", "->", "in", "always", "at", "◇", "□", "counted")) if depth else ""
    if kind in ("", "atom"):
        return draw.choice(("p", "q", f"r({arg})"))
    if kind == "counted":
        atom = draw.choice(("p", "q", f"r({arg})"))
        return f"{atom} in [#{draw.randint(1, 2)}]" if draw.random() < 0.5 else atom
    inner = f"({_nested(draw, arg, depth - 1)})"
    window = draw.choice(("0", "1", "2", "+1", "1,+1", "1 step 2", "*", "0..1", "full 1"))
    match kind:
        case "not" | "◇" | "□":
            return f"{kind} {inner}"
        case "in":
            return f"{inner} in [{window}]"
        case "always":
            return f"{inner} always in [{window}]"
        case "at":
            return f"{inner} at {draw.randint(0, 3)}" + draw.choice(("", f" in [{window}]"))
        case _:
            return f"{inner} {kind} ({_nested(draw, arg, depth - 1)})"


def _atom(text: str) -> Atom:
    predicate, _, arg = text.removesuffix(")").partition("(")
    return Atom(predicate, (int(arg),) if arg else ())
