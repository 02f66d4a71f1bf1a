"""DOTR against another evaluation: pyoxigraph's answers on each instant, TESLA's definition, and new nodes by hand.

At each time point, the judge asks every query of the graph that has arrived and the background. Rows become events.
TESLA's definition finds the matches, and each match makes a graph. The graphs must be the same up to blank nodes.
"""

from __future__ import annotations

import random
import warnings
from dataclasses import replace
from itertools import product
from typing import Any

import pyoxigraph
import pytest
from pyoxigraph import BlankNode, DefaultGraph, Literal, NamedNode, Quad

import lasing
from lasing.connectors.rdf.terms import term_of_value, value_of_term
from lasing.events.declarations import predicate_of
from lasing.languages.tesla.definition import Event, Match, Matcher
from lasing.languages.tesla.syntax import Expression, Reference, TeslaProgram, parts
from lasing.logic.tables import FactTable
from lasing.logic.values import UNBOUND, Undefined, Value
from tests.differential.dotr_programs import LAST, DotrCase, RuleCase, dotr_example
from tests.differential.sizes import programs

CHUNK = 20
Node = NamedNode | BlankNode | Literal


@pytest.mark.parametrize("first", range(0, programs(60, 2000), CHUNK))
def test_graphs_are_those_of_the_definitions(first: int) -> None:
    for seed in range(first, first + CHUNK):
        agrees(dotr_example(seed), "auto")


def test_the_reference_engine_makes_them_too() -> None:
    for seed in range(programs(5, 100)):
        agrees(dotr_example(seed), "reference")


@pytest.mark.parametrize("seed", range(programs(25, 300)))
def test_pushes_and_restarts_make_the_same_graphs(seed: int) -> None:
    case, chance = dotr_example(seed), random.Random(seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lasing.LasingWarning)
        program = program_with(lasing.parse(case.text, language="dotr"), case)
        facts = [(time, "triple", *triple) for time, triple in case.stream]
        expected = {answer.time: answer.atoms for answer in lasing.run(program, facts, start=0, end=LAST)}
        engine = lasing.Engine(program, 0)
        for now in range(LAST + 1):
            rows = [fact[1:] for fact in facts if fact[0] == now]
            cut = chance.randrange(len(rows) + 1)
            for some in (rows[:cut], rows[cut:]):
                engine.push(now, some)
                if chance.random() < 0.2:
                    engine = lasing.Engine.restore(program, engine.snapshot())
            assert engine.answer().atoms == expected[now], f"at {now} of\n{shown(case)}"


def agrees(case: DotrCase, engine: lasing.EngineName) -> None:
    try:
        program = lasing.parse(case.text, language="dotr")
    except lasing.LasingError as error:
        raise AssertionError(f"{case.text}\n{error}") from None
    known = program_with(program, case)
    facts = [(time, "triple", *triple) for time, triple in case.stream]
    expected = Judge(case).graphs()
    names = {rule.pattern.defines.name for rule in case.rules}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lasing.LasingWarning)
        for answer in lasing.run(known, facts, start=0, end=LAST, engine=engine):
            found = pyoxigraph.Dataset()
            for atom in answer.atoms:
                name = next(name for name in names if predicate_of(name) == atom.predicate)
                found.add(quad([term_of_value(value) for value in atom.values], name))
            assert canonical(found) == canonical(expected[answer.time]), f"at {answer.time} of\n{shown(case)}"


def program_with(program: lasing.Program, case: DotrCase) -> lasing.Program:
    return replace(program, tables=(FactTable.of("triple", case.background, 3),))


def quad(terms: list[Any], name: str) -> Quad:
    subject, predicate, value = terms
    return Quad(subject, predicate, value, NamedNode(f"http://graph/{name}"))


def canonical(graphs: pyoxigraph.Dataset) -> set[str]:
    graphs.canonicalize(pyoxigraph.CanonicalizationAlgorithm.UNSTABLE)
    return set(map(str, graphs))


def shown(case: DotrCase) -> str:
    facts = [(0, triple) for triple in case.background] + [*case.stream]
    return case.text + "\n".join(f"{time}: {' '.join(map(str, triple))}" for time, triple in facts)


class Judge:
    """What a case means."""

    def __init__(self, case: DotrCase) -> None:
        self.case = case
        self.program = TeslaProgram(tuple(case.types.values()), tuple(rule.pattern for rule in case.rules))
        self.history: set[Event] = set()
        self.numbers = 0

    def graphs(self) -> dict[int, pyoxigraph.Dataset]:
        """The graphs of all rules at each time point."""
        consumed: list[set[Event]] = [set() for _ in self.case.rules]
        found: dict[int, pyoxigraph.Dataset] = {}
        for now in range(LAST + 1):
            self.history |= self.events(now)
            fired: list[tuple[RuleCase, Match, list[dict[str, Value]]]] = []
            size = -1
            while size < len(self.history):
                size = len(self.history)
                fired = []
                for number, rule in enumerate(self.case.rules):
                    matcher = Matcher(self.program, rule.pattern, self.history, consumed[number])
                    for match in matcher.matches(now):
                        rows = self.rows(matcher, rule, match)
                        if rows:
                            fired.append((rule, match, rows))
                for rule, _, rows in fired:
                    defined = rule.pattern.defines
                    for row in rows:
                        values = tuple(row[attribute.name] for attribute in defined.attributes)
                        self.history.add(Event(now, defined.name, values))
            found[now] = pyoxigraph.Dataset()
            for rule, _, rows in fired:
                for made in self.graph(rule, rows):
                    found[now].add(made)
            for number, rule in enumerate(self.case.rules):
                for other, match, _ in fired:
                    if other is rule:
                        consumed[number] |= {e for name in rule.pattern.consumed for e in match.events[name]}
        return found

    def events(self, now: int) -> set[Event]:
        store = pyoxigraph.Store()
        for triple in [*self.case.background, *(triple for time, triple in self.case.stream if time == now)]:
            subject, predicate, value = map(term_of_value, triple)
            store.add(Quad(subject, predicate, value, DefaultGraph()))  # type: ignore[arg-type]
        found = set()
        for name, sparql in self.case.queries.items():
            variables = [attribute.name for attribute in self.case.types[name].attributes]
            solutions = store.query(sparql)
            assert isinstance(solutions, pyoxigraph.QuerySolutions)
            for row in solutions:
                terms = [row[variable] for variable in variables]
                found.add(Event(now, name, tuple(map(_value, terms))))
        return found

    def rows(self, matcher: Matcher, rule: RuleCase, match: Match) -> list[dict[str, Value]]:
        """The values of the variables of the result: one row, or one for each member of `all` events. Nothing if some
        value does not exist: then the rule does not fire."""
        assigned = {done.attribute: done.expression for done in rule.pattern.assignments}
        used = {name for value in assigned.values() for name in _events(value)}
        many = [name for name in used if name in _gathered(rule)]
        rows = []
        for members in product(*(match.events[name] for name in many)):
            one = Match(match.events | {n: (m,) for n, m in zip(many, members, strict=True)}, match.parameters)
            try:
                rows.append({name: matcher.value(value, one) for name, value in assigned.items()})
            except Undefined:
                return []
        return rows

    def graph(self, rule: RuleCase, rows: list[dict[str, Value]]) -> list[Quad]:
        self.numbers += 1
        made = []
        for row in rows:
            for triple in rule.graph:
                terms = [self.term(part, row) for part in triple]
                if None in terms or isinstance(terms[0], Literal) or not isinstance(terms[1], NamedNode):
                    continue
                made.append(quad(terms, rule.pattern.defines.name))
        return made

    def term(self, part: object, row: dict[str, Value]) -> Node | None:
        if isinstance(part, int):
            return BlankNode(f"m{self.numbers}x{part}")
        value: Any = row[part[1:]] if isinstance(part, str) else part
        return None if value == UNBOUND else term_of_value(value)


def _value(term: Any) -> Value:
    """The value of a term in a row. The store writes doubles in another form than the canonical one."""
    if term is None:
        return UNBOUND
    if isinstance(term, Literal) and term.datatype.value.endswith("#double"):
        return float(term.value)
    return value_of_term(term)


def _gathered(rule: RuleCase) -> set[str]:
    return {selection.name for selection in rule.pattern.selections() if selection.policy == "all"}


def _events(expression: Expression) -> set[str]:
    """The events whose attributes an expression uses, outside of aggregates."""
    return {part.event for part in parts(expression) if isinstance(part, Reference) and part.event is not None}
