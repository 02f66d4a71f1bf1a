"""What is known about the thing at an offset, in Markdown."""

from __future__ import annotations

from typing import assert_never

from lasing.explain.words import words_of
from lasing.logic.analysis import analyse
from lasing.logic.facts import argument_variables, facts_of
from lasing.logic.partition import Partition, not_streamed, partition
from lasing.logic.program import Program, per_program
from lasing.logic.terms import term_text
from lasing.lsp.occurrences import Occurrence, occurrences, texts_of
from lasing.lsp.positions import Span
from lasing.lsp.reading import Reading
from lasing.lsp.things import Constant, IncludedFile, Predicate, Prefix, RuleVariable, Word, constants_of, thing_at
from lasing.lsp.words import UNITS, about_word
from lasing.plan.manners import Manners


def hover(reading: Reading, source: int, offset: int) -> tuple[str, Span] | None:
    """What to show at an offset, and what it is about: a rule, where nothing else is known."""
    program = reading.program
    thing = thing_at(program, source, offset)
    if thing is None:
        return None
    match thing:
        case Predicate(occurrence):
            about = _about_predicate(reading, occurrence)
        case RuleVariable(name, _, spans):
            about = f"`{name}` is a variable of this statement, in {_times(len(spans), 'place')}."
        case Constant(name):
            about = _about_directive(program, *constants_of(program)[name])
        case Prefix(name):
            about = f"`{name}:` is a prefix of IRIs."
        case IncludedFile(path):
            about = f"The statements of `{path.name}`."
        case Word(kind, text):
            about = _about_word(reading, source, thing, kind, text)
        case _:
            assert_never(thing)
    return (about, thing.span) if about else None


def _about_word(reading: Reading, source: int, word: Word, kind: str, text: str) -> str:
    known = about_word(kind, text)
    if known:
        return known
    tokens = texts_of(reading.program)[source].tokens
    before = max(0, tokens.offsets.index(word.span.begin) - 1)
    if kind == "NAME" and text in UNITS and tokens.kinds[before] == "NUMBER":
        return f"`{text}` {UNITS[text]}"
    rules = _rules_at(reading.program, source, word.span.begin)
    return "\n\n".join(_about_rule(reading, rule) for rule in rules[:1])


def _about_directive(program: Program, source: int, span: Span) -> str:
    """The statement that defines a constant, as it is written."""
    text = texts_of(program)[source]
    token = text.token_at(span.begin)
    assert token is not None, "a constant is a token"
    start, stop = text.statement_of(token)
    return f"```lars\n{program.sources[source].text[text.span(start).begin : text.span(stop - 1).end]}\n```"


def _about_predicate(reading: Reading, occurrence: Occurrence) -> str:
    program, name = reading.program, occurrence.predicate
    facts = facts_of(program)
    arity = facts.arity_with_data.get(name, occurrence.arity)
    roles = [o for o in occurrences(program) if o.predicate == name]
    told = [
        f"**{name}/{arity}** {', '.join(_origins(program, name)) or 'is not provided by anything in the program'}",
    ]
    if arity:
        names = program.argument_names().get(name) or tuple(
            argument_variables(program).get((name, i), "_") for i in range(arity)
        )
        told.append(f"columns: `{name}({', '.join(names)})`")
    rules = len({o.rule for o in roles if o.role == "head"})
    reads = len({o.rule for o in roles if o.role == "body"})
    told.append(
        f"{_times(rules, 'rule')} derive{'s' * (rules < 2)} it, {_times(reads, 'rule')} read{'s' * (reads < 2)} it"
    )
    annotation = words_of(program).annotations.get((name, arity))
    if annotation is not None:
        told.append(f"“{annotation.words}”")
    if occurrence.role == "head":
        told.append(_about_rule(reading, occurrence.rule))
    return "\n\n".join(told)


def _origins(program: Program, name: str) -> list[str]:
    """Where the atoms of a predicate come from."""
    facts = facts_of(program)
    found = []
    if any(signature.predicate == name for signature in program.inputs):
        found.append("declared with `#input`")
    elif name in facts.streamed:
        found.append("streamed, by facts of the program")
    if name in program.remembered():
        found.append("a derived stream, remembered")
    elif name in facts.derived:
        found.append("derived")
    if name in facts.background:
        found.append("background")
    if not found and not program.inputs and name in facts.read:
        found.append("streamed: nothing in the program provides it")
    if program.outputs is not None and name in program.output():
        found.append("shown")
    return found


@per_program
def _keys(program: Program) -> tuple[str | None, ...]:
    """The key of each rule that divides the program among shards, if there is one."""
    background = not_streamed(program, facts_of(program).streamed) if program.inputs else frozenset[str]()
    shards = partition(program, frozenset(), background)
    if not isinstance(shards, Partition):
        return (None,) * len(program.rules)
    return tuple(None if key is None else term_text(key) for key in shards.by_rule)


def _about_rule(reading: Reading, index: int) -> str:
    """What `lasing check` says about a rule."""
    program = reading.program
    analysis = analyse(program)
    manners = Manners(program, analysis, has_mistakes=not reading.complete)
    known = analysis.rules[index]
    lines = [f"**rule {index + 1}**, stratum {known.stratum}", f"- looks back {known.lookback}"]
    if reading.complete:
        engine, why = manners.engine(index)
        lines += [f"- engine: {engine} ({why})", f"- plane: {manners.manner(index)}"]
        key = _keys(program)[index]
        lines.append(f"- key: {key or 'none'}")
    else:
        lines.append("- engine, plane and key are known when the program has no mistakes")
    return "\n".join(lines)


def _rules_at(program: Program, source: int, offset: int) -> list[int]:
    """The rules whose text has an offset; a choice can be several."""
    return [
        number
        for number, rule in enumerate(program.rules)
        if rule.source is program.sources[source] and rule.offset <= offset < rule.offset + rule.length
    ]


def _times(number: int, what: str) -> str:
    return f"{number} {what}{'s' * (number != 1)}" if number else f"no {what}"
