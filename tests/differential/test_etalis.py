"""ETALIS against its definition: rules give events the intervals that the definition says."""

from __future__ import annotations

import random
import warnings
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from itertools import pairwise

from hypothesis import HealthCheck, assume, event, given, settings
from hypothesis import strategies as st

import lasing
from lasing.languages.etalis.definition import Interval, results
from lasing.languages.etalis.reader import read
from lasing.languages.etalis.separability import overlaps
from lasing.languages.etalis.syntax import Absence, Event, EventRule, walk
from tests.differential.etalis_patterns import DEFINED, Example, examples, keyed_examples, text
from tests.differential.sizes import programs


@settings(max_examples=programs(40, 2500))
@given(examples())
def test_a_program_gives_events_the_intervals_that_the_definition_says(example: Example) -> None:
    agrees(example, "auto")


@settings(max_examples=programs(15, 1000))
@given(examples())
def test_the_reference_engine_gives_them_too(example: Example) -> None:
    agrees(example, "reference")


@settings(max_examples=programs(30, 1000))
@given(examples())
def test_a_program_reads_back(example: Example) -> None:
    found = read(text(example.program))
    assert not found.mistakes
    assert (tuple(found.events), tuple(found.statics)) == (example.program.inputs, example.program.statics)
    again = Example(type(example.program)(tuple(found.events), tuple(found.rules), tuple(found.statics)), ())
    assert text(again.program) == text(example.program)


@settings(max_examples=programs(20, 1500))
@given(examples(), st.randoms(use_true_random=False))
def test_pushes_and_restarts_give_the_same_intervals(example: Example, chance: random.Random) -> None:
    program = parsed(example)
    expected = results(example.program, example.stream)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lasing.LasingWarning)
        engine = lasing.Engine(program, min(expected))
        for now, intervals in expected.items():
            rows = [(fact.name, *fact.values) for fact in example.stream if fact.end == now]
            if not rows and not intervals and chance.random() < 0.5:
                continue  # time passes silently
            cut = chance.randrange(len(rows) + 1)
            for some in (rows[:cut], rows[cut:]):
                engine.push(now, some)
                if chance.random() < 0.2:
                    engine = lasing.Engine.restore(program, engine.snapshot())
            found = made(engine.answer(), example)
            assert found == intervals, f"at {now}: {found ^ intervals}\n{example}"


@settings(max_examples=programs(20, 1000), suppress_health_check=[HealthCheck.filter_too_much])  # few are separable
@given(examples())
def test_the_separable_encoding_gives_the_same_intervals_where_none_overlap_or_touch(example: Example) -> None:
    rules = example.program.rules
    assume(not any(isinstance(part, Absence) for rule in rules for part in walk(rule.pattern)))
    assume(all(DEFINED.index(name) < DEFINED.index(rule.head.name) for rule in rules for name in below(rule)))
    expected = results(example.program, example.stream)
    assume(is_separable(interval for intervals in expected.values() for interval in intervals))
    event(f"intervals: {any(expected.values())}")
    agrees(replace(example, program=replace(example.program, separable=True)), "auto")


@settings(max_examples=programs(60, 5000), suppress_health_check=[HealthCheck.filter_too_much])
@given(keyed_examples())
def test_what_is_found_separable_has_one_interval_for_each_event(example: Example) -> None:
    program = example.program
    assume(program.rules)
    why = overlaps(program)
    expected = [interval for intervals in results(program, example.stream).values() for interval in intervals]
    sure = [interval for interval in expected if interval.name not in why]
    event(f"separable: {not why}, with intervals: {bool(sure)}")
    most = Counter((interval.name, interval.values) for interval in sure)
    assert not most or max(most.values()) == 1, str(example)


@settings(max_examples=programs(20, 2000), suppress_health_check=[HealthCheck.filter_too_much])
@given(keyed_examples())
def test_both_encodings_agree_on_what_is_found_separable(example: Example) -> None:
    assume(example.program.rules and not overlaps(example.program))
    event(f"intervals: {any(results(example.program, example.stream).values())}")
    agrees(example, "auto")
    agrees(replace(example, program=replace(example.program, separable=True)), "auto")


def below(rule: EventRule) -> list[str]:
    """The defined events in a pattern."""
    return [part.name for part in walk(rule.pattern) if isinstance(part, Event) and part.name in DEFINED]


def is_separable(intervals: Iterable[Interval]) -> bool:
    """Whether no event has two intervals that overlap or touch."""
    by_event: dict[tuple[object, ...], list[Interval]] = {}
    for interval in intervals:
        by_event.setdefault((interval.name, interval.values), []).append(interval)
    ordered = (sorted(several, key=lambda i: i.start) for several in by_event.values())
    return all(one.end + 1 < other.start for several in ordered for one, other in pairwise(several))


def made(answer: lasing.Answer, example: Example) -> frozenset[Interval]:
    """The intervals in an answer."""
    defined = {rule.head.name for rule in example.program.rules}
    atoms = [atom for atom in answer.atoms if atom.predicate in defined]
    return frozenset(Interval(a.predicate, a.values[:-2], a.values[-2], a.values[-1]) for a in atoms)  # type: ignore[arg-type]


def parsed(example: Example) -> lasing.Program:
    """The program; one in which a NOT needs what it defines is refused, and is no example."""
    assume(example.program.rules)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", lasing.LasingWarning)
            return lasing.parse(text(example.program), language="etalis")
    except lasing.LasingError as error:
        assume({diagnostic.code for diagnostic in error.diagnostics} - {"E733", "E734", "E735"})
        raise


def agrees(example: Example, engine: lasing.EngineName) -> None:
    program = parsed(example)
    expected = results(example.program, example.stream)
    rows = [(fact.end, fact.name, *fact.values) for fact in example.stream]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lasing.LasingWarning)
        found = {answer.time: made(answer, example) for answer in lasing.run(program, rows, engine=engine)}
    assert found.keys() == expected.keys(), str(example)
    for time, intervals in expected.items():
        missing, extra = intervals - found[time], found[time] - intervals
        assert not missing, f"at {time}: missing {set(missing)}\n{example}"
        assert not extra, f"at {time}: too much {set(extra)}\n{example}"
