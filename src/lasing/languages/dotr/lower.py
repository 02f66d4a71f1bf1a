"""From the texts of DOTR rules to a program.

At each instant, the graph that has arrived and the background are one graph, `triple`, together with what rules entail.
Each query of an event becomes rules for a predicate of that event; the patterns over events are TESLA's; each match
makes the triples of the result.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from rdflib.term import BNode
from rdflib.term import Variable as QueryVariable

from lasing.algebra.lowering import Lowering
from lasing.algebra.terms import call
from lasing.errors import Diagnostic, SourceText
from lasing.events.declarations import WORDS, predicate_of, said_of
from lasing.events.mistakes import Mistake, no_constants
from lasing.languages.dotr.reader import read
from lasing.languages.dotr.syntax import DotrRule, DotrText, EventQuery
from lasing.languages.rspql.graphs import QUAD, TRIPLE
from lasing.languages.rspql.mistaken import check_syntax
from lasing.languages.rspql.mistakes import Mistake as QueryMistake
from lasing.languages.rspql.names import WORDS_OF_PATTERNS, Names, value_of
from lasing.languages.rspql.patterns import Patterns
from lasing.languages.rspql.prologue import prefixes
from lasing.languages.rspql.results import is_triple
from lasing.languages.rspql.sparql import parse
from lasing.languages.rspql.tokens import tokens
from lasing.languages.tesla.checks import cycle, mistakes_of
from lasing.languages.tesla.lower import attribute_names
from lasing.languages.tesla.matches import Helpers, Matched, identity, matched
from lasing.languages.tesla.patterns import Never
from lasing.languages.tesla.reader import Text
from lasing.languages.tesla.resolve import tick_of
from lasing.languages.tesla.sharing import LEAST, Row, shape_of, with_rows
from lasing.languages.tesla.syntax import TIMER, Attribute, EventType, Reference, TeslaProgram, TeslaRule, parts
from lasing.logic.formulas import Atom, Compare, Formula
from lasing.logic.program import Output, Program, Rule, Signature
from lasing.logic.provenance import Provenance, Said
from lasing.logic.terms import NOW, Arithmetic, Term, Variable
from lasing.logic.values import UNBOUND, BlankNode, Iri, Value
from lasing.timeline.ticks import Tick

_FRESH = "dotr_id"
_CONSTRUCT = "CONSTRUCT {\n"
_SECOND = 1000


def lower(sources: Sequence[SourceText], constants: Mapping[str, Value]) -> tuple[Program, list[Diagnostic]]:
    """The program of some texts, and their mistakes: of all rules, queries and graphs."""
    found = no_constants(constants)
    texts: list[tuple[SourceText, DotrText]] = []
    named: dict[str, int] = {}
    for source in sources:
        mistakes: list[Mistake] = []
        texts.append((source, read(source.text, mistakes, named)))
        found += [mistake.diagnostic(source) for mistake in mistakes]
    tick, wrong = tick_of([Text(rules=[rule.pattern for rule in text.rules], tick=text.tick) for _, text in texts])
    found += [mistake.diagnostic(sources[number]) for number, mistake in wrong]
    lowering = _Lowering(tuple(sources), tick or _SECOND)
    for source, text in texts:
        found += lowering.add(source, text)
    found += lowering.mistakes()
    if not found:
        found += lowering.finish()
    return lowering.program(), found


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
    queries: dict[str, tuple[SourceText, EventQuery, str]] = field(default_factory=dict)
    """The query of a type of events, with its text and its base."""
    missing: dict[str, set[str]] = field(default_factory=dict)
    """The variables of the events of a query that may have no value."""
    made: list[Rule] = field(default_factory=list)
    streams: dict[str, int] = field(default_factory=dict)
    outputs: list[Output] = field(default_factory=list)
    cautions: list[Diagnostic] = field(default_factory=list)
    variables: dict[str, str] = field(default_factory=dict)
    """The names of the variables of queries, by those in the rules."""

    def add(self, source: SourceText, text: DotrText) -> list[Diagnostic]:
        """Note the events and rules of a text. Returns the mistakes in their queries and graphs."""
        found: list[Diagnostic] = []
        base = f"{(Path.cwd() if source.path is None else source.path.resolve().parent).as_uri()}/"
        for query in text.queries:
            self.types[query.type] = EventType(query.type, tuple(map(Attribute, query.variables)), query.offset)
            self.queries[query.type] = (source, query, base)
            undeclared = [m.diagnostic(source) for m in _undeclared(query.prologue, query.checked, query.offset)]
            found += undeclared
            try:
                if not undeclared:
                    check_syntax(f"{query.prologue}{query.checked}", base)
            except QueryMistake as mistake:
                found.append(_placed(mistake, query.prologue, query.checked, query.offset).diagnostic(source))
        templates: dict[tuple[str, str], list[Any]] = {}
        for rule in text.rules:
            template: list[Any] = []
            undeclared = [m.diagnostic(source) for m in _undeclared(rule.prologue, rule.template, rule.template_offset)]
            found += undeclared
            try:
                same = (rule.prologue, rule.template)
                if not undeclared and same not in templates:
                    templates[same] = _template(rule, base)
                template = templates.get(same, [])
            except QueryMistake as mistake:
                written = rule.template
                before = f"{rule.prologue}{_CONSTRUCT}"
                found.append(_placed(mistake, before, written, rule.template_offset).diagnostic(source))
            self.rules.append(_Known(source, rule, template))
        return list(dict.fromkeys(found))

    def finish(self) -> list[Diagnostic]:
        """Add the rules of all patterns and events. Returns what queries ask for and cannot have."""
        found: list[Diagnostic] = []
        chosen = self._chosen()
        patterns = tuple(pattern for pattern, _ in chosen)
        past = {type_ for pattern in patterns for type_ in pattern.past_types()}
        used = dict.fromkeys(t for p in patterns for t in (p.terminator.type, *p.past_types()) if t != TIMER)
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
            except Never as never:
                self.cautions.append(never.caution.diagnostic(known.source))
                continue
            rules = [*match.rules, *self._result(pattern, known.template, match, number)]
            self.made += [replace(made, source=known.source, offset=pattern.offset, length=6) for made in rules]
            self.streams |= match.streams
            self.builder.helpers |= names.helpers()
            self.builder.background += match.background
        return []

    def mistakes(self) -> list[Diagnostic]:
        """What is wrong with patterns, and with how rules fit together."""
        found: list[Diagnostic] = []
        patterns = [known.rule.pattern for known in self.rules]
        used = {type_ for pattern in patterns for type_ in (pattern.terminator.type, *pattern.past_types())}
        for known in self.rules:
            defines = known.rule.pattern.defines
            if defines.name in self.queries:
                message = f"{defines.name} is a result, and also an event with a query"
                note = "give one of them another name"
                found.append(Mistake(message, defines.offset, len(defines.name), note, "E712").diagnostic(known.source))
                continue
            first = self.types.setdefault(defines.name, defines)
            if first.attributes != defines.attributes and defines.name in used:
                variables = " ".join(f"?{a.name}" for a in first.attributes) or "no variables"
                message = f"{defines.name} is an event of a rule, and has other variables elsewhere: {variables}"
                found.append(Mistake(message, defines.offset, len(defines.name), code="E712").diagnostic(known.source))
        found += [m.diagnostic(k.source) for k in self.rules for m in mistakes_of(k.rule.pattern, self.types, True)]
        around = cycle(tuple(pattern for pattern in patterns if pattern.defines.name not in self.queries))
        if around:
            known = next(known for known in self.rules if known.rule.pattern.defines.name == around[0])
            message = f"{around[0]} defines itself at the same time point: {' → '.join(around)}"
            note = "use it as an event of the past: and each … within … from …"
            found.append(Mistake(message, known.rule.offset, 6, note, "E714").diagnostic(known.source))
        return found

    def _chosen(self) -> list[tuple[TeslaRule, _Known]]:
        """The patterns to evaluate: those that differ only in constants are one, with comparisons as constraints."""
        groups: dict[tuple[TeslaRule, str, str], list[tuple[_Known, Row]]] = {}
        for known in self.rules:
            shape, row = shape_of(known.rule.open_pattern)
            groups.setdefault((shape, known.rule.template, known.rule.prologue), []).append((known, row))
        found: list[tuple[TeslaRule, _Known]] = []
        for (shape, *_), members in groups.items():
            rows = list(dict.fromkeys(row for _, row in members))
            if len(rows) < LEAST:
                found += [(known.rule.pattern, known) for known, _ in members]
            else:
                found.append((with_rows(shape, rows), members[0][0]))
        return found

    def _event(self, source: SourceText, query: EventQuery, base: str) -> list[Diagnostic]:
        """Add the rules for the events of a query: one for each different row. Returns its mistakes."""
        builder = self.builder
        predicate = self.predicates[query.type] = builder.predicate(predicate_of(query.type))
        try:
            algebra, _ = parse(f"{query.prologue}{query.sparql}", base)
            patterns = Patterns(builder, Names(builder.taken), call("instant", NOW, self.tick), base, tick=self.tick)
            rows = builder.lower(patterns.node(algebra.algebra.p), bag=False)
        except QueryMistake as mistake:
            return [Mistake(mistake.message, query.offset, 1, mistake.note, mistake.code).diagnostic(source)]
        columns = [patterns.names.column(name) for name in query.variables]
        self.variables |= {column.name: f"?{name}" for name, column in patterns.names.columns.items()}
        self.missing[query.type] = {
            name for name, column in zip(query.variables, columns, strict=True)
            if column in rows.missing or any(column not in body.terms for body in rows.bodies)
        }  # fmt: skip
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
        which: tuple[Term, ...] = (number, NOW, *self._identity(match))
        fresh = {part: call("new", "blank", predicate, label, *which) for part, label in _labels(template).items()}
        rules = []
        for triple in template:
            literals: list[Formula] = [*match.literals, *self._members(rule, match, triple)]
            terms = tuple(self._term(part, rule, match, literals, fresh) for part in triple)
            terms = tuple(self._bound(term, literals, match) for term in terms)
            if not _can_be_triple(terms):
                continue
            tests = [test for test in is_triple(list(terms)) if self._can_fail(test, match)]
            rules.append(Rule((Atom(predicate, terms),), (*literals, *tests)))
        if name in self.predicates:
            literals = [*match.literals]
            shown = [QueryVariable(attribute.name) for attribute in self.types[name].attributes]
            literals += self._members(rule, match, shown)
            terms = tuple(self._term(part, rule, match, literals, fresh) for part in shown)
            rules.append(Rule((Atom(self.predicates[name], terms),), tuple(literals)))
        return rules

    def _can_fail(self, test: Formula, match: Matched) -> bool:
        """Whether a test of a triple can fail: one for a value cannot if the variable always has one."""
        if not isinstance(test, Compare) or test.right != UNBOUND:
            return True
        for event in match.body.events.values():
            names = self.missing.get(
                event.type.name, {a.name for a in event.type.attributes if any(self.missing.values())}
            )
            if any(test.left == event.terms[event.type.index(name)] for name in names):
                return True
        return False

    @staticmethod
    def _bound(term: Term, literals: list[Formula], match: Matched) -> Term:
        """A term as a variable, so that it can be tested; new identifiers and constants stay as they are."""
        if not isinstance(term, Arithmetic) or term.operator == "new":
            return term
        variable = match.body.new_variable("Value")
        literals.append(Compare("=", variable, term))
        return variable

    def _identity(self, match: Matched) -> list[Term]:
        """The terms that tell matches apart, without variables that the queries do not select."""
        hidden: set[Term] = set()
        for event in match.body.events.values():
            _, query, _ = self.queries.get(event.type.name, (None, None, ""))
            hidden |= {event.terms[event.type.index(name)] for name in (query.hidden if query else ())}
        return [term for term in identity(match.body) if term not in hidden or term in match.body.row]

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
            only_inputs=True,
            cautions=tuple(dict.fromkeys(self.cautions)),
            provenance=Provenance(
                "rule",
                self._said(),
                self.builder.helpers,
                attribute_names(self.types) | self.variables,
                {**WORDS_OF_PATTERNS, **WORDS},
            ),
        )

    def _said(self) -> dict[str, Said]:
        """How to speak of triples, of events, and of the graphs of results."""
        said = {TRIPLE: Said("triple", ""), QUAD: Said("triple", "")}
        said |= said_of((self.types[name] for name in self.predicates if name in self.types), self.predicates)
        for type_, (source, query, _) in self.queries.items():
            if type_ in self.predicates:
                predicate = self.predicates[type_]
                said[predicate] = replace(said[predicate], source=source, offset=query.offset)
        return said | {output.predicate: Said("triple", f"the graph {output.predicate}") for output in self.outputs}


def _template(rule: DotrRule, base: str) -> list[Any]:
    """The triples of the graph that a rule defines. `dotr_id1` is a blank node."""
    text = rule.template
    for token in reversed(list(tokens(rule.template))):
        if token.kind == "word" and token.text.startswith(_FRESH):
            text = f"{text[: token.offset]}_:{token.text[2:]}{text[token.end :]}"
    algebra, _ = parse(f"{rule.prologue}{_CONSTRUCT}{text} }} WHERE {{}}", base)
    return list(algebra.algebra.template)


def _can_be_triple(terms: Sequence[Term]) -> bool:
    """Whether the constants among the terms of a triple are where RDF allows them."""
    subject, predicate, _ = terms
    node = isinstance(subject, Variable | Arithmetic | Iri | BlankNode)
    return node and isinstance(predicate, Variable | Iri)


def _undeclared(prologue: str, written: str, offset: int) -> Iterator[Mistake]:
    """The names in a query or a graph whose prefix is not declared."""
    known = prefixes(prologue)
    for token in tokens(written):
        prefix, colon, _ = token.text.partition(":")
        if token.kind == "word" and colon and prefix not in known:
            note = f"declare it: PREFIX {prefix}: <http://…>"
            yield Mistake(f"the prefix {prefix}: is not declared", offset + token.offset, len(token.text), note, "E712")


def _placed(mistake: QueryMistake, before: str, written: str, offset: int) -> Mistake:
    """A mistake in a query or a graph, at its place in the text. `before` is what comes before it where it is read."""
    at = mistake.at - len(before) if mistake.at >= 0 else -1
    if mistake.line_column is not None and mistake.line_column[0] > before.count("\n"):
        line, column = mistake.line_column
        at = sum(len(earlier) + 1 for earlier in written.split("\n")[: line - before.count("\n") - 1]) + column - 1
    if at < 0 and mistake.near in written:
        at = written.index(mistake.near)
    if at < 0:
        return Mistake(mistake.message, offset, 1, mistake.note, mistake.code)
    at = min(at, len(written))
    following = next((token.text for token in tokens(written[at:])), "")
    message, length = mistake.message, len(mistake.near) or len(following)
    if message.startswith(("syntax error near", "syntax error at the end")):  # of a text with more than was written
        message = f"syntax error near {following}" if following else "syntax error before the end"
    return Mistake(message, offset + at, max(length, 1), mistake.note, mistake.code)


def _labels(template: list[Any]) -> dict[BNode, int]:
    blanks = dict.fromkeys(part for triple in template for part in triple if isinstance(part, BNode))
    return {part: number for number, part in enumerate(blanks, start=1)}
