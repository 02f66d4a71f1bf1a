"""From the texts of ETALIS rules to a program."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from lasing.algebra.terms import call
from lasing.errors import Diagnostic, SourceText
from lasing.events.declarations import NAMES_OF_TRUTH, TRUTH_VALUE, WORDS, input_of, predicate_of, rejected, said_of
from lasing.events.mistakes import Mistake, no_constants
from lasing.languages.etalis.checks import cycles, mistakes_of, static_cycles, static_mistakes
from lasing.languages.etalis.intervals import Body, Intervals, static_literal
from lasing.languages.etalis.lengths import lengths
from lasing.languages.etalis.naming import named
from lasing.languages.etalis.reader import read
from lasing.languages.etalis.resolve import resolved
from lasing.languages.etalis.separability import overlaps
from lasing.languages.etalis.separable import Names, Runs, merged, not_separable, runs
from lasing.languages.etalis.syntax import EtalisProgram, EventRule
from lasing.logic.formulas import Atom
from lasing.logic.program import Output, Program, Rule, Signature
from lasing.logic.provenance import Helper, Provenance, Said
from lasing.logic.terms import Term, Variable
from lasing.logic.values import Value
from lasing.timeline.ticks import Tick


def lower(sources: Sequence[SourceText], constants: Mapping[str, Value]) -> tuple[Program, list[Diagnostic]]:
    """The program of some texts, and their mistakes."""
    texts = [(source, read(source.text)) for source in sources]
    found = no_constants(constants)
    found += [mistake.diagnostic(source) for source, text in texts for mistake in text.mistakes]
    program, mistakes = resolved([text for _, text in texts])
    found += [mistake.diagnostic(texts[number][0]) for number, mistake in mistakes]
    inputs = {event.name: event for event in program.inputs}
    for source, text in texts:
        for rule in text.rules:
            wrong = (*mistakes_of(rule, inputs), *cycles(program, rule))
            if program.separable:
                wrong += tuple(not_separable(program, rule))
            found += [mistake.diagnostic(source) for mistake in wrong]
        for static in text.statics:
            wrong = (*static_mistakes(static), *static_cycles(program, static))
            found += [mistake.diagnostic(source) for mistake in wrong]
    if found:
        return Program((), outputs=(), sources=tuple(sources)), found
    places = [(rule, source) for source, text in texts for rule in text.rules]
    declared = any(text.events for _, text in texts)
    return _Lowering(program, declared, tuple(sources)).program_of(places), []


Placed = Sequence[tuple[EventRule, SourceText]]
Made = tuple[list[Rule], list[Diagnostic], set[str]]
"""Rules, warnings, and the predicates that are remembered."""


def _placed(made: Sequence[Rule], rule: EventRule, source: SourceText) -> list[Rule]:
    return [replace(one, source=source, offset=rule.head.offset, length=len(rule.head.name)) for one in made]


@dataclass(slots=True)
class _Lowering:
    etalis: EtalisProgram
    declared: bool
    sources: tuple[SourceText, ...]
    names: Names = field(default_factory=lambda: Names(set()))

    def program_of(self, rules: Placed) -> Program:
        """The program of rules without mistakes."""
        taken = {predicate_of(name) for name in self.etalis.defined()}
        taken |= {predicate_of(event.name) for event in self.etalis.inputs}
        taken |= {predicate_of(rule.head.predicate) for rule in self.etalis.statics}
        encoded = self._separable if self.etalis.separable else self._explicit
        made, cautions, remembered = encoded(rules, taken)
        statics, background = self._statics()
        truths = any(a.type == "bool" for event in self.etalis.inputs for a in event.attributes)
        if self.etalis.separable:
            background.append(self.names.time_point)
        background += [Atom(TRUTH_VALUE, (name,)) for name in NAMES_OF_TRUTH if truths]
        rejecting, refused = rejected(self.etalis.inputs, taken)
        derived = {atom.predicate for rule in made for atom in rule.head_atoms()}
        helpers = {predicate: Helper(absent="spoilt") for predicate in derived if "_spoilt" in predicate}
        arity = self.etalis.defined()
        arities = {atom.predicate: len(atom.args) for rule in made for atom in rule.head_atoms()}
        streams = [Signature(name, arities[name]) for name in arities if name in remembered]
        inputs = tuple(map(input_of, self.etalis.inputs))
        results = tuple(self._output(name) for name in arity if predicate_of(name) in derived)
        return Program(
            (*made, *statics, *rejecting),
            tuple(background),
            outputs=(*results, *refused),
            inputs=inputs if self.declared else tuple(replace(known, names=None) for known in inputs),
            tick=Tick(self.etalis.tick) if self.etalis.tick else None,
            sources=self.sources,
            streams=tuple(streams),
            only_inputs=True,
            cautions=tuple(dict.fromkeys(cautions)),
            remarks=(("intervals", self._separability(rules)),),
            provenance=Provenance("rule", self._said(results), helpers, words=WORDS),
        )

    def _separability(self, rules: Placed) -> str:
        """Whether the program is separable, and if it may not be, the first reason."""
        found = overlaps(self.etalis)
        if not found:
            return "separable: no event has two that overlap or touch" + (
                ", if events come once for each key" if self.etalis.keys else ""
            )
        name, reason = next(iter(found.items()))
        source = [source for rule, source in rules if rule.head.name == name][-1]
        return f"may not be separable: {reason.message} ({reason.diagnostic(source).place})"

    def _said(self, results: tuple[Output, ...]) -> dict[str, Said]:
        """How to speak of events, of those with intervals, and of conditions."""
        names = {predicate_of(name): name for name in self.etalis.defined()}
        said = said_of(self.etalis.inputs)
        said |= {r.predicate: Said("interval", names[r.predicate], r.columns[:-2]) for r in results}
        statics = {static.head.predicate for static in self.etalis.statics}
        return said | {predicate_of(name): Said("event", name) for name in statics}

    def _explicit(self, rules: Placed, taken: set[str]) -> Made:
        """Events have their intervals as arguments."""
        made: list[Rule] = []
        cautions: list[Diagnostic] = []
        remembered: set[str] = set()
        known = lengths(self.etalis)
        own = self._own_predicates(taken) if self.etalis.dated else {}
        for rule, source in rules:
            intervals = Intervals(self.etalis, named(rule), taken, known, own)
            bodies = intervals.bodies()
            cautions += [caution.diagnostic(source) for caution in _cautions(rule, intervals, bodies)]
            for body in bodies:
                predicate = own.get(rule.head.name, predicate_of(rule.head.name))
                head = Atom(predicate, (*rule.head.args, body.start, body.end))
                intervals.rules.append(Rule((head,), body.distinct()))
            made += _placed(intervals.rules, rule, source)
            remembered |= {own.get(name, predicate_of(name)) for name in intervals.remembered}
        derived = {atom.predicate for rule in made for atom in rule.head_atoms()}
        for rule, source in {rule.head.name: (rule, source) for rule, source in rules}.values():
            if own and own[rule.head.name] in derived:
                made += _placed([self._with_dates(rule, own[rule.head.name])], rule, source)
        return made, cautions, remembered

    def _own_predicates(self, taken: set[str]) -> dict[str, str]:
        """Names for the intervals of events, whose times are numbers, where results have dates."""
        found: dict[str, str] = {}
        for event in self.etalis.defined():
            name = f"{predicate_of(event)}_interval"
            while name in taken:
                name += "_"
            taken.add(name)
            found[event] = name
        return found

    def _with_dates(self, rule: EventRule, predicate: str) -> Rule:
        """The rule from the intervals of an event to its results."""
        args = tuple(Variable(f"X{i + 1}") for i in range(len(rule.head.args)))
        start, end = Variable("S"), Variable("E")
        head = Atom(predicate_of(rule.head.name), (*args, self._shown(start), self._shown(end)))
        return Rule((head,), (Atom(predicate, (*args, start, end)),))

    def _shown(self, time: Term) -> Term:
        """A time as results show it."""
        return call("instant", time, self.etalis.tick) if self.etalis.dated else time

    def _separable(self, rules: Placed, taken: set[str]) -> Made:
        """Events hold at the time points of their intervals."""
        made: list[Rule] = []
        cautions: list[Diagnostic] = []
        self.names = Names(taken)
        known = lengths(self.etalis)
        why = overlaps(self.etalis)
        for rule, source in rules:
            intervals = Runs(self.etalis, rule, taken, known, names=self.names)
            found = list(intervals.rules_of())
            made += _placed([*intervals.rules, *found], rule, source)
        for name, arity in self.etalis.defined().items():
            rule, source = [(r, s) for r, s in rules if r.head.name == name][-1]
            cautions.append(merged(rule, why.get(name)).diagnostic(source))
            made += _placed(list(runs(name, arity, self.names, self._shown)), rule, source)
        return made, cautions, set()

    def _output(self, name: str) -> Output:
        """The result of an event: its arguments, under the names of their variables, and its interval."""
        heads = [rule.head.args for rule in self.etalis.rules if rule.head.name == name]
        columns = []
        for terms in zip(*heads, strict=True):
            names = {term.name.lower() if isinstance(term, Variable) else "" for term in terms}
            columns.append(names.pop() if len(names) == 1 else "")
        if len({*columns, "start", "end"}) < len(columns) + 2:
            columns = [""] * len(columns)
        types = (*("" for _ in columns), "timestamp", "timestamp") if self.etalis.dated else ()
        return Output(predicate_of(name), (*columns, "start", "end"), types=types)

    def _statics(self) -> tuple[list[Rule], list[Atom]]:
        """Static rules and facts."""
        rules: list[Rule] = []
        facts: list[Atom] = []
        for static in self.etalis.statics:
            head = static_literal(static.head)
            assert isinstance(head, Atom)
            if static.body:
                source = next(s for s in self.sources)
                body = tuple(map(static_literal, static.body))
                rules.append(Rule((head,), body, source, static.offset, len(static.head.predicate)))
            else:
                facts.append(head)
        return rules, facts


def _cautions(rule: EventRule, intervals: Intervals, bodies: Sequence[Body]) -> Iterator[Mistake]:
    """What the author of a rule may not have meant."""
    name = rule.head.name
    if not bodies:
        message = f"this rule never fires: no intervals of its events can fit together as {name} needs"
        yield Mistake(message, rule.head.offset, len(name), code="W102")
    for event in intervals.unbounded:
        message = f"unbounded state: {event.name} can be of any age when {name} ends"
        note = "memory grows with the stream; a limit on the pattern, such as (…).10 min, bounds it"
        yield Mistake(message, event.offset, len(event.name), note, "W217")
