"""From the texts of DOTR rules to a program.

At each instant, the graph that has arrived and the background are one graph, `triple`, together with what rules entail.
Each query of an event becomes rules for a predicate of that event; the patterns over events are TESLA's; each match
makes the triples of the result.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from rdflib.term import BNode
from rdflib.term import Variable as QueryVariable

from lasing.algebra.lowering import Lowering
from lasing.algebra.terms import call
from lasing.errors import Diagnostic, SourceText
from lasing.languages.dotr.reader import read
from lasing.languages.dotr.syntax import DotrRule, DotrText, EventQuery
from lasing.languages.rspql.graphs import QUAD, TRIPLE
from lasing.languages.rspql.mistakes import Mistake as QueryMistake
from lasing.languages.rspql.names import Names, value_of
from lasing.languages.rspql.patterns import Patterns
from lasing.languages.rspql.sparql import parse
from lasing.languages.rspql.tokens import tokens
from lasing.languages.tesla.checks import cycle, mistakes_of
from lasing.languages.tesla.matches import Helpers, Matched, identity, matched, predicate_of
from lasing.languages.tesla.mistakes import Mistake
from lasing.languages.tesla.patterns import Never
from lasing.languages.tesla.sharing import LEAST, Row, shape_of, with_rows
from lasing.languages.tesla.syntax import Attribute, EventType, Reference, TeslaProgram, TeslaRule, parts
from lasing.logic.formulas import Atom, Formula
from lasing.logic.program import Output, Program, Rule, Signature
from lasing.logic.terms import NOW, Term
from lasing.logic.values import UNBOUND, Value
from lasing.timeline.ticks import Tick

_FRESH = "dotr_id"


def lower(sources: Sequence[SourceText], _constants: Mapping[str, Value]) -> tuple[Program, list[Diagnostic]]:
    """The program of some texts, and their mistakes."""
    found: list[Diagnostic] = []
    texts: list[tuple[SourceText, DotrText]] = []
    for source in sources:
        mistakes: list[Mistake] = []
        texts.append((source, read(source.text, mistakes)))
        found += [mistake.diagnostic(source) for mistake in mistakes]
    lowering = _Lowering(tuple(sources), _tick([text for _, text in texts]))
    for source, text in texts:
        found += lowering.add(source, text)
    if not found:
        found += lowering.finish()
    return lowering.program(), found


def _tick(texts: Sequence[DotrText]) -> int:
    """The length of a time point: the one that is given, a second if all lengths are in seconds, or a millisecond."""
    given = next((text.tick for text in texts if text.tick is not None), None)
    if given is not None:
        return given.amount
    lengths = [length.amount for text in texts for rule in text.rules for length in rule.pattern.lengths()]
    return 1000 if all(length % 1000 == 0 for length in lengths) else 1


@dataclass(frozen=True, slots=True)
class _Known:
    """A rule, its text, and the triples of its result."""

    source: SourceText
    rule: DotrRule
    template: list[Any]


@dataclass(slots=True)
class _Lowering:
    sources: tuple[SourceText, ...]
    tick: int
    builder: Lowering = field(default_factory=lambda: Lowering({TRIPLE, QUAD}))
    types: dict[str, EventType] = field(default_factory=dict)
    predicates: dict[str, str] = field(default_factory=dict)
    rules: list[_Known] = field(default_factory=list)
    queries: dict[str, tuple[SourceText, EventQuery, str, str]] = field(default_factory=dict)
    """The query of a type of events, with its text, its prologue and its base."""
    made: list[Rule] = field(default_factory=list)
    streams: dict[str, int] = field(default_factory=dict)
    outputs: list[Output] = field(default_factory=list)

    def add(self, source: SourceText, text: DotrText) -> list[Diagnostic]:
        """Note the events and rules of a text."""
        found: list[Diagnostic] = []
        base = f"{(Path.cwd() if source.path is None else source.path.resolve().parent).as_uri()}/"
        for rule in text.rules:
            try:
                template = _template(rule, text.prologue, base)
            except QueryMistake as mistake:
                message = f"the graph of {rule.pattern.defines.name}: {mistake.message}"
                found.append(Mistake(message, rule.offset, 6, mistake.note, mistake.code).diagnostic(source))
                continue
            self.types.setdefault(rule.pattern.defines.name, rule.pattern.defines)
            self.rules.append(_Known(source, rule, template))
        for query in text.queries:
            self.types[query.type] = EventType(query.type, tuple(map(Attribute, query.variables)), query.offset)
            self.queries[query.type] = (source, query, text.prologue, base)
        return found

    def finish(self) -> list[Diagnostic]:
        """Add the rules of all patterns and events, unless they have mistakes."""
        found = self._mistakes()
        if found:
            return found
        chosen = self._chosen()
        patterns = tuple(pattern for pattern, _ in chosen)
        past = {type_ for pattern in patterns for type_ in pattern.past_types()}
        used = dict.fromkeys(t for p in patterns for t in (p.terminator.type, *p.past_types()))
        for type_ in used:
            if type_ in self.queries:
                found += self._event(*self.queries[type_])
            else:
                self.predicates[type_] = self.builder.predicate(f"{predicate_of(type_)}_event")
        if found:
            return found
        self.streams |= {self.predicates[name]: len(self.types[name].attributes) for name in sorted(past)}
        program = TeslaProgram((), patterns, self.tick)
        for number, (pattern, known) in enumerate(chosen, start=1):
            names = Helpers(predicate_of(pattern.defines.name), self.builder.taken)
            try:
                match = matched(program, self.types, self.predicates, pattern, names, timed=True)
            except Never:
                continue
            rules = [*match.rules, *self._result(pattern, known.template, match, number)]
            self.made += [replace(made, source=known.source, offset=pattern.offset, length=6) for made in rules]
            self.streams |= match.streams
            self.builder.background += match.background
        return []

    def _mistakes(self) -> list[Diagnostic]:
        found = [m.diagnostic(k.source) for k in self.rules for m in mistakes_of(k.rule.pattern, self.types, True)]
        around = cycle(tuple(known.rule.pattern for known in self.rules))
        if around:
            known = next(known for known in self.rules if known.rule.pattern.defines.name == around[0])
            message = f"{around[0]} defines itself at the same time point: {' → '.join(around)}"
            found.append(Mistake(message, known.rule.offset, 6, code="E714").diagnostic(known.source))
        return found

    def _chosen(self) -> list[tuple[TeslaRule, _Known]]:
        """The patterns to evaluate: those that differ only in constants are one, with comparisons as constraints."""
        groups: dict[tuple[TeslaRule, str], list[tuple[_Known, Row]]] = {}
        for known in self.rules:
            shape, row = shape_of(known.rule.open_pattern)
            groups.setdefault((shape, known.rule.template), []).append((known, row))
        found: list[tuple[TeslaRule, _Known]] = []
        for (shape, _), members in groups.items():
            rows = list(dict.fromkeys(row for _, row in members))
            if len(rows) < LEAST:
                found += [(known.rule.pattern, known) for known, _ in members]
            else:
                found.append((with_rows(shape, rows), members[0][0]))
        return found

    def _event(self, source: SourceText, query: EventQuery, prologue: str, base: str) -> list[Diagnostic]:
        """Add the rules for the events of a query: one for each different row. Returns its mistakes."""
        builder = self.builder
        predicate = self.predicates[query.type] = builder.predicate(predicate_of(query.type))
        try:
            algebra, _ = parse(f"{prologue}{query.sparql}", base)
            patterns = Patterns(builder, Names(builder.taken), call("instant", NOW, self.tick), base, tick=self.tick)
            rows = builder.lower(patterns.node(algebra.algebra.p), bag=False)
        except QueryMistake as mistake:
            message, note, code = mistake.message, mistake.note, mistake.code
            return [Mistake(message, query.offset, len(query.type), note, code).diagnostic(source)]
        columns = [patterns.names.column(name) for name in query.variables]
        for body in rows.bodies:
            terms = tuple(body.terms.get(column, UNBOUND) for column in columns)
            builder.rule(Atom(predicate, terms), body.literals)
        return []

    def _result(self, rule: TeslaRule, template: list[Any], match: Matched, number: int) -> list[Rule]:
        """The rules for the triples of a match, and for the event that it is to other rules."""
        name = rule.defines.name
        predicate = self.predicates.setdefault(f"{name} as a graph", self.builder.predicate(predicate_of(name)))
        if all(output.predicate != predicate for output in self.outputs):
            self.outputs.append(Output(predicate, ("subject", "predicate", "object"), form="graph"))
        which: tuple[Term, ...] = (number, NOW, *identity(match.body))
        fresh = {part: call("new", "blank", label, *which) for part, label in _labels(template).items()}
        rules = []
        for triple in template:
            literals: list[Formula] = [*match.literals, *self._members(rule, match, triple)]
            terms = tuple(self._term(part, rule, match, literals, fresh) for part in triple)
            rules.append(Rule((Atom(predicate, terms),), tuple(literals)))
        if name in self.predicates:
            literals = [*match.literals]
            shown = [QueryVariable(attribute.name) for attribute in self.types[name].attributes]
            literals += self._members(rule, match, shown)
            terms = tuple(self._term(part, rule, match, literals, fresh) for part in shown)
            rules.append(Rule((Atom(self.predicates[name], terms),), tuple(literals)))
        return rules

    @staticmethod
    def _members(rule: TeslaRule, match: Matched, triple: Sequence[Any]) -> list[Formula]:
        """The literals for the members of an event of which a match holds all, if a triple is about them."""
        values = {value.attribute: value.expression for value in rule.assignments}
        shown = [values[str(part)] for part in triple if isinstance(part, QueryVariable)]
        events = [part.event for value in shown for part in parts(value) if isinstance(part, Reference)]
        return [literal for name in dict.fromkeys(events) for literal in match.body.members.get(name or "", ())]

    @staticmethod
    def _term(part: Any, rule: TeslaRule, match: Matched, literals: list[Formula], fresh: Mapping[BNode, Term]) -> Term:
        if isinstance(part, QueryVariable):
            if str(part) in match.values:
                return match.values[str(part)]
            value = next(value.expression for value in rule.assignments if value.attribute == str(part))
            return match.body.term(value, literals)
        return fresh[part] if isinstance(part, BNode) else value_of(part)

    def program(self) -> Program:
        """The program of all rules."""
        derived = {atom.predicate for rule in (*self.builder.rules, *self.made) for atom in rule.head_atoms()}
        return Program(
            (*self.builder.rules, *self.made),
            tuple(self.builder.background),
            outputs=tuple(self.outputs),
            inputs=(Signature(TRIPLE, 3),),
            tick=Tick(self.tick),
            sources=self.sources,
            streams=tuple(Signature(name, arity) for name, arity in self.streams.items() if name in derived),
        )


def _template(rule: DotrRule, prologue: str, base: str) -> list[Any]:
    """The triples of the graph that a rule defines. `dotr_id1` is a blank node."""
    text = rule.template
    for token in reversed(list(tokens(rule.template))):
        if token.kind == "word" and token.text.startswith(_FRESH):
            text = f"{text[: token.offset]}_:{token.text}{text[token.end :]}"
    algebra, _ = parse(f"{prologue}CONSTRUCT {{ {text} }} WHERE {{}}", base)
    return list(algebra.algebra.template)


def _labels(template: list[Any]) -> dict[BNode, int]:
    blanks = dict.fromkeys(part for triple in template for part in triple if isinstance(part, BNode))
    return {part: number for number, part in enumerate(blanks, start=1)}
