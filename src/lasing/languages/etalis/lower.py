"""From the texts of ETALIS rules to a program."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from lasing.errors import Diagnostic, SourceText
from lasing.events.declarations import NAMES_OF_TRUTH, TRUTH_VALUE, input_of, predicate_of, rejected
from lasing.events.mistakes import Mistake, no_constants
from lasing.languages.etalis.checks import cycles, mistakes_of, static_cycles, static_mistakes
from lasing.languages.etalis.intervals import Body, Intervals, static_literal
from lasing.languages.etalis.lengths import lengths
from lasing.languages.etalis.naming import named
from lasing.languages.etalis.reader import read
from lasing.languages.etalis.resolve import resolved
from lasing.languages.etalis.separable import Names, Runs, merged, not_separable, runs
from lasing.languages.etalis.syntax import EtalisProgram, EventRule
from lasing.logic.formulas import Atom
from lasing.logic.program import Output, Program, Rule, Signature
from lasing.logic.terms import Variable
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
"""Rules, warnings, and the events that are remembered."""


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
        arity = self.etalis.defined()
        streams = [Signature(predicate_of(name), arity[name] + 2) for name in arity if name in remembered]
        inputs = tuple(map(input_of, self.etalis.inputs))
        return Program(
            (*made, *statics, *rejecting),
            tuple(background),
            outputs=(*(self._output(name) for name in arity if predicate_of(name) in derived), *refused),
            inputs=inputs if self.declared else tuple(replace(known, names=None) for known in inputs),
            tick=Tick(self.etalis.tick) if self.etalis.tick else None,
            sources=self.sources,
            streams=tuple(stream for stream in streams if stream.predicate in derived),
            only_inputs=True,
            cautions=tuple(dict.fromkeys(cautions)),
        )

    def _explicit(self, rules: Placed, taken: set[str]) -> Made:
        """Events have their intervals as arguments."""
        made: list[Rule] = []
        cautions: list[Diagnostic] = []
        remembered: set[str] = set()
        known = lengths(self.etalis)
        for rule, source in rules:
            intervals = Intervals(self.etalis, named(rule), taken, known)
            bodies = intervals.bodies()
            cautions += [caution.diagnostic(source) for caution in _cautions(rule, intervals, bodies)]
            for body in bodies:
                head = Atom(predicate_of(rule.head.name), (*rule.head.args, body.start, body.end))
                intervals.rules.append(Rule((head,), body.distinct()))
            made += _placed(intervals.rules, rule, source)
            remembered |= intervals.remembered
        return made, cautions, remembered

    def _separable(self, rules: Placed, taken: set[str]) -> Made:
        """Events hold at the time points of their intervals."""
        made: list[Rule] = []
        cautions: list[Diagnostic] = []
        self.names = Names(taken)
        known = lengths(self.etalis)
        for rule, source in rules:
            intervals = Runs(self.etalis, rule, taken, known, names=self.names)
            found = list(intervals.rules_of())
            made += _placed([*intervals.rules, *found], rule, source)
            cautions.append(merged(rule).diagnostic(source))
        for name, arity in self.etalis.defined().items():
            rule, source = next((r, s) for r, s in rules if r.head.name == name)
            made += _placed(list(runs(name, arity, self.names)), rule, source)
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
        return Output(predicate_of(name), (*columns, "start", "end"))

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
        message = f"this rule never fires: its limits leave no time for the events of {name}"
        yield Mistake(message, rule.head.offset, len(name), code="W102")
    for event in intervals.unbounded:
        message = f"unbounded state: {event.name} can be of any age when {name} ends"
        note = "memory grows with the stream; a limit on the pattern, such as (…).10 min, bounds it"
        yield Mistake(message, event.offset, len(event.name), note, "W217")
