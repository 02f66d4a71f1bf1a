"""From the texts of TESLA rules to a program."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from lasing.errors import Diagnostic, SourceText
from lasing.events.declarations import (
    NAMES_OF_TRUTH,
    TRUTH_VALUE,
    WORDS,
    input_of,
    predicate_of,
    rejected,
    said_of,
    tests,
)
from lasing.events.mistakes import Mistake, no_constants
from lasing.languages.tesla.checks import cycle, mistakes_of
from lasing.languages.tesla.matches import Helpers, Matched, matched
from lasing.languages.tesla.patterns import Never
from lasing.languages.tesla.reader import read
from lasing.languages.tesla.resolve import resolved
from lasing.languages.tesla.sharing import shared, with_names_of_truth
from lasing.languages.tesla.syntax import EventType, TeslaProgram, TeslaRule
from lasing.languages.tesla.types import type_of
from lasing.logic.formulas import Atom, Formula
from lasing.logic.program import Output, Program, Rule, Signature
from lasing.logic.provenance import Helper, Provenance
from lasing.logic.values import Value
from lasing.timeline.ticks import Tick


def lower(sources: Sequence[SourceText], constants: Mapping[str, Value]) -> tuple[Program, list[Diagnostic]]:
    """The program of some texts, and their mistakes."""
    texts = [(source, read(source.text)) for source in sources]
    found = no_constants(constants)
    found += [mistake.diagnostic(source) for source, text in texts for mistake in text.mistakes]
    program, mistakes = resolved([text for _, text in texts])
    found += [mistake.diagnostic(texts[number][0]) for number, mistake in mistakes]
    types = program.types()
    places: dict[TeslaRule, SourceText] = {}
    for source, text in texts:
        for rule in text.rules:
            wrong = [mistake.diagnostic(source) for mistake in mistakes_of(rule, types)]
            found += wrong
            places.setdefault(with_names_of_truth(rule), source)
    around = cycle(program.rules)
    if around:
        source, rule = next((s, r) for s, t in texts for r in t.rules if r.defines.name == around[0])
        message = f"{around[0]} defines itself at the same time point: {' → '.join(around)}"
        note = "use it as an event of the past: and each … within … from …"
        found.append(Mistake(message, rule.offset, 6, note, "E714").diagnostic(source))
    if found:
        return Program((), outputs=(), sources=tuple(sources)), found
    return _Lowering(program, types, tuple(sources)).program_of(shared(places), places), []


@dataclass(slots=True)
class _Lowering:
    tesla: TeslaProgram
    types: Mapping[str, EventType]
    sources: tuple[SourceText, ...]

    def program_of(self, rules: list[TeslaRule], places: Mapping[TeslaRule, SourceText]) -> Program:
        """The program of rules without mistakes."""
        made: list[Rule] = []
        helpers: dict[str, Helper] = {}
        cautions: list[Diagnostic] = []
        remembered = {predicate_of(name): len(self.types[name].attributes) for name in self._looked_back_on(rules)}
        taken = {predicate_of(name) for name in self.types}
        truths = any(a.type == "bool" for event in self.types.values() for a in event.attributes)
        background = [Atom(TRUTH_VALUE, (name,)) for name in NAMES_OF_TRUTH if truths]
        for rule in rules:
            names = Helpers(predicate_of(rule.defines.name), taken)
            try:
                found, match = self._rule(rule, names)
            except Never as never:
                source = places.get(rule)
                cautions += [] if source is None else [never.caution.diagnostic(source)]
                continue
            made += [replace(r, source=places.get(rule), offset=rule.offset, length=6) for r in found]
            remembered |= match.streams
            helpers |= names.helpers()
            background += match.background
        outputs = {rule.defines.name: rule.defines for rule in rules}
        derived = {atom.predicate for rule in made for atom in rule.head_atoms()}
        rejecting, refused = rejected(self.tesla.inputs, taken)
        return Program(
            (*made, *rejecting),
            tuple(background),
            outputs=(
                *(Output(predicate_of(name), tuple(a.name for a in e.attributes)) for name, e in outputs.items()),
                *refused,
            ),
            inputs=tuple(input_of(event) for event in self.tesla.inputs),
            tick=Tick(self.tesla.tick) if self.tesla.tick else None,
            sources=self.sources,
            streams=tuple(Signature(name, arity) for name, arity in remembered.items() if name in derived),
            only_inputs=True,
            cautions=tuple(dict.fromkeys(cautions)),
            provenance=Provenance("rule", said_of(self.types.values()), helpers, attribute_names(self.types), WORDS),
        )

    def _looked_back_on(self, rules: list[TeslaRule]) -> Iterator[str]:
        """The types that rules define and that some pattern finds in the past."""
        defined = {rule.defines.name for rule in rules}
        for rule in rules:
            yield from (name for name in rule.past_types() if name in defined)

    def _rule(self, rule: TeslaRule, names: Helpers) -> tuple[list[Rule], Matched]:
        """The rules that a rule becomes, and its matches."""
        predicates = {name: predicate_of(name) for name in self.types}
        found = matched(self.tesla, self.types, predicates, rule, names)
        body, more = found.body, list[Formula]()
        values = dict(found.values)
        for assignment in rule.assignments:
            if assignment.attribute not in values:
                values[assignment.attribute] = body.term(assignment.expression, more)
        scope = {name: event.type for name, event in body.events.items()}
        for attribute in rule.defines.attributes:
            expression = next(a.expression for a in rule.assignments if a.attribute == attribute.name)
            if type_of(expression, scope, {}, self.types) is None and values[attribute.name] not in body.row:
                more += tests(values[attribute.name], attribute.type)
        head = Atom(predicate_of(rule.defines.name), tuple(values[a.name] for a in rule.defines.attributes))
        return [Rule((head,), (*found.literals, *more)), *found.rules], found


def attribute_names(types: Mapping[str, EventType]) -> dict[str, str]:
    """How rules write the attributes of events, by the variables for them: `Temp.value` for `Temp_value`."""
    return {f"{name}_{a.name}": f"{name}.{a.name}" for name, event in types.items() for a in event.attributes}
