"""TESLA against its definition: the rules that a program becomes make the events that the definition says."""

from __future__ import annotations

import random
import warnings
from dataclasses import replace

from hypothesis import assume, event, given, settings
from hypothesis import strategies as st

import lasing
from lasing.errors import SourceText
from lasing.events.declarations import predicate_of
from lasing.languages.tesla.definition import Event, results
from lasing.languages.tesla.reader import read
from lasing.languages.tesla.sharing import shape_of, shared, with_rows
from lasing.languages.tesla.syntax import TeslaProgram, TeslaRule
from tests.differential.sizes import programs
from tests.differential.tesla_patterns import Example, examples, text


@settings(max_examples=programs(100, 5000))
@given(examples())
def test_a_program_makes_the_events_that_the_definition_says(example: Example) -> None:
    agrees(example, "auto")


@settings(max_examples=programs(20, 500))
@given(examples())
def test_the_reference_engine_makes_them_too(example: Example) -> None:
    agrees(example, "reference")


@settings(max_examples=programs(30, 1000))
@given(examples())
def test_rules_that_differ_only_in_constants_make_the_same_events_together(example: Example) -> None:
    agrees(Example(varied(example.program), example.stream), "auto")


def varied(program: TeslaProgram) -> TeslaProgram:
    """The program with five rules in place of each that has a number, all with other numbers."""
    rules: list[TeslaRule] = []
    for rule in program.rules:
        shape, row = shape_of(rule)
        rows = [tuple(value + i if isinstance(value, int) else value for value in row) for i in range(5)]
        rules += [with_rows(shape, [other]) for other in dict.fromkeys(rows)]
    wider = replace(program, rules=tuple(rules))
    event(f"shared: {len(shared(wider.rules)) < len(wider.rules)}")
    return wider


@settings(max_examples=programs(50, 1000))
@given(examples())
def test_a_program_reads_back(example: Example) -> None:
    found = read(SourceText("p", text(example.program)).text)
    assert not found.mistakes
    assert (tuple(found.events), tuple(found.rules)) == (example.program.inputs, example.program.rules)


@settings(max_examples=programs(40, 1000))
@given(examples(), st.randoms(use_true_random=False))
def test_pushes_and_restarts_make_the_same_events(example: Example, chance: random.Random) -> None:
    assume(example.stream)
    expected = results(example.program, example.stream)
    defined = {predicate_of(rule.defines.name): rule.defines.name for rule in example.program.rules}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lasing.LasingWarning)
        program = parsed(example)
        engine = lasing.Engine(program, min(expected))
        for now, events in expected.items():
            rows = [(predicate_of(fact.type), *fact.values) for fact in example.stream if fact.time == now]
            if not rows and not events and chance.random() < 0.5:
                continue  # time passes silently
            cut = chance.randrange(len(rows) + 1)
            for some in (rows[:cut], rows[cut:]):
                engine.push(now, some)
                if chance.random() < 0.2:
                    engine = lasing.Engine.restore(program, engine.snapshot())
            found = made(engine.answer(), defined)
            assert found == events, f"at {now}: {found ^ events}\n{example}"


def made(answer: lasing.Answer, defined: dict[str, str]) -> frozenset[Event]:
    """The events in an answer that rules define."""
    return frozenset(
        Event(answer.time, defined[atom.predicate], atom.values) for atom in answer.atoms if atom.predicate in defined
    )


def parsed(example: Example) -> lasing.Program:
    """The program; one that compares texts with numbers is refused, and is no example."""
    try:
        return lasing.parse(text(example.program), language="tesla")
    except lasing.LasingError as error:
        assume({diagnostic.code for diagnostic in error.diagnostics} != {"E713"})
        raise


def agrees(example: Example, engine: lasing.EngineName) -> None:
    assume(example.stream)
    expected = results(example.program, example.stream)
    rows = [(fact.time, predicate_of(fact.type), *fact.values) for fact in example.stream]
    defined = {predicate_of(rule.defines.name): rule.defines.name for rule in example.program.rules}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lasing.LasingWarning)
        program = parsed(example)
        found = {answer.time: made(answer, defined) for answer in lasing.run(program, rows, engine=engine)}
    assert found.keys() == expected.keys(), str(example)
    for time, events in expected.items():
        missing, extra = events - found[time], found[time] - events
        assert not missing, f"at {time}: missing {set(missing)}\n{example}"
        assert not extra, f"at {time}: too much {set(extra)}\n{example}"
