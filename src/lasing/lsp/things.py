"""What stands at an offset of a text: what features are asked about."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from lasing.logic.functions import calls
from lasing.logic.program import Program, per_program
from lasing.lsp.occurrences import Occurrence, Text, occurrences, texts_of
from lasing.lsp.positions import Span
from lasing.lsp.reading import included_by


@dataclass(frozen=True, slots=True)
class Predicate:
    """A predicate's name."""

    occurrence: Occurrence

    @property
    def span(self) -> Span:
        return self.occurrence.span


@dataclass(frozen=True, slots=True)
class RuleVariable:
    """A variable, and all places at which its statement has it."""

    name: str
    span: Span
    spans: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class Constant:
    """The name of a `#const`."""

    name: str
    span: Span


@dataclass(frozen=True, slots=True)
class Prefix:
    """The prefix of an IRI, where it is declared or used."""

    name: str
    span: Span


@dataclass(frozen=True, slots=True)
class IncludedFile:
    """The file that an `#include` names."""

    path: Path
    span: Span


@dataclass(frozen=True, slots=True)
class Word:
    """Anything else: a keyword, a sign, a function, a value. `kind` is that of its token, or the function's name."""

    kind: str
    text: str
    span: Span


Thing = Predicate | RuleVariable | Constant | Prefix | IncludedFile | Word


def thing_at(program: Program, source: int, offset: int) -> Thing | None:
    """What stands at an offset of a text; None in comments and between words."""
    for occurrence in occurrences(program):  # those in comments have no token
        if occurrence.source == source and occurrence.span.begin <= offset <= occurrence.span.end:
            return Predicate(occurrence)
    text = texts_of(program)[source]
    token = text.token_at(offset)
    if token is None:
        return None
    tokens, span = text.tokens, text.span(token)
    kind, written = tokens.kinds[token], tokens.texts[token]
    match kind:
        case "VARIABLE" if written != "_":
            return RuleVariable(written, span, variable_spans(text, token))
        case "PREFIXED":
            name = written.partition(":")[0]
            return Prefix(name, Span(span.begin, span.begin + len(name)))
        case "NAME" if tokens.texts[max(0, token - 1)] == "#prefix":
            return Prefix(written, span)
        case "NAME" if written in constants_of(program) and tokens.kinds[token + 1] != "(":
            return Constant(written, span)
        case "NAME" if tokens.kinds[token + 1] == "(" and written in calls():
            return Word(written, written, span)
        case "DIRECTIVE" if written[1:] in constants_of(program) and token and tokens.kinds[token - 1] in ("[", "NAME"):
            return Constant(written[1:], Span(span.begin + 1, span.end))
        case "STRING":
            included = included_by(program.sources[source])
            path = next((path for place, path in included if place == span), None)
            return Word(kind, written, span) if path is None else IncludedFile(path, span)
        case _:
            return Word(kind, written, span)


def variable_spans(text: Text, token: int) -> tuple[Span, ...]:
    """Where the statement of a variable has it."""
    start, stop = text.statement_of(token)
    tokens = text.tokens
    same = (i for i in range(start, stop) if tokens.kinds[i] == "VARIABLE" and tokens.texts[i] == tokens.texts[token])
    return tuple(text.span(i) for i in same)


@per_program
def constants_of(program: Program) -> dict[str, tuple[int, Span]]:
    """Where each constant is defined: the number of the text, and the name's place in it."""
    return _named_after("#const", program)


@per_program
def prefixes_of(program: Program) -> dict[str, tuple[int, Span]]:
    """Where each prefix is declared: the number of the text, and the name's place in it."""
    return _named_after("#prefix", program)


def _named_after(directive: str, program: Program) -> dict[str, tuple[int, Span]]:
    found: dict[str, tuple[int, Span]] = {}
    for number, text in enumerate(texts_of(program)):
        for start, _ in text.statements:
            if text.tokens.texts[start] == directive and text.tokens.kinds[start + 1] == "NAME":
                found.setdefault(text.tokens.texts[start + 1], (number, text.span(start + 1)))
    return found


def spans_of(program: Program, thing: Constant | Prefix) -> list[tuple[int, Span]]:
    """Every place of a constant or a prefix."""
    found = []
    known = {(o.source, o.offset) for o in occurrences(program)}
    for number, text in enumerate(texts_of(program)):
        for token in range(len(text.tokens.kinds) - 2):
            span = text.span(token)
            mentioned = thing.name in text.tokens.texts[token]
            if mentioned and (number, span.begin) not in known:
                other = thing_at(program, number, span.begin + (text.tokens.kinds[token] == "DIRECTIVE"))
                if isinstance(other, type(thing)) and other.name == thing.name:
                    found.append((number, other.span))
    return found
