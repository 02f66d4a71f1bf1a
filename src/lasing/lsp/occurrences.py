"""Where a program speaks of its predicates and constants: every occurrence, in every one of its texts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from lasing.explain.words import annotated
from lasing.languages.lars.tokens import Tokens, after_statement, declared_prefixes, tokenize
from lasing.logic.formulas import Atom
from lasing.logic.program import Program, body_nodes, per_program
from lasing.lsp.positions import Span

Role = Literal["head", "body", "fact", "input", "stream", "shown", "words", "unread"]
"""What an occurrence is part of: a rule, a fact, a declaration, words for explanations, or a statement that was not
read, because it has a mistake or repeats a fact."""

DEFINES: tuple[Role, ...] = ("input", "stream", "head")
"""The roles that say where a predicate comes from; if there is none of them, its facts do."""


@dataclass(frozen=True, slots=True)
class Occurrence:
    """A predicate's name in a text. `rule` is the number of its rule, from 0; -1 outside of rules."""

    source: int
    offset: int
    predicate: str
    arity: int
    role: Role
    rule: int = -1

    @property
    def span(self) -> Span:
        return Span(self.offset, self.offset + len(self.predicate))


@dataclass(frozen=True, slots=True)
class Text:
    """The tokens of a text, without comments, and its statements: the first token of each, and the one after it."""

    tokens: Tokens
    statements: tuple[tuple[int, int], ...]

    def span(self, token: int) -> Span:
        """The part of the text that a token is."""
        begin = self.tokens.offsets[token]
        return Span(begin, begin + len(self.tokens.texts[token]))

    def token_at(self, offset: int) -> int | None:
        """The token at an offset; between two tokens, the word among them, or else the second."""
        tokens = range(len(self.tokens.kinds) - 2)
        touching = [i for i in tokens if self.span(i).begin <= offset <= self.span(i).end]
        words = [i for i in touching if self.is_word(i)]
        return next(iter(words or reversed(touching)), None)

    def is_word(self, token: int) -> bool:
        first = self.tokens.texts[token][:1]
        return first.isalnum() or (first in ("_", "#", '"', "<") and len(self.tokens.texts[token]) > 1)

    def statement_of(self, token: int) -> tuple[int, int]:
        """The statement that a token belongs to."""
        return next(s for s in self.statements if s[0] <= token < s[1])


@per_program
def texts_of(program: Program) -> tuple[Text, ...]:
    """The tokens of a program's texts, with the prefixes of all of them."""
    prefixes = frozenset[str]().union(*(declared_prefixes(source.text) for source in program.sources))
    found = []
    for source in program.sources:
        tokens, _ = tokenize(source, prefixes=prefixes)
        statements = []
        start, end = 0, tokens.kinds.index("END")
        while start < end:
            stop = after_statement(tokens.kinds, start)
            statements.append((start, stop))
            start = stop
        found.append(Text(tokens, tuple(statements)))
    return tuple(found)


@per_program
def occurrences(program: Program) -> tuple[Occurrence, ...]:
    """Every occurrence of a predicate, in the order of the texts."""
    found: dict[tuple[int, int], Occurrence] = {}
    numbers = {id(source): number for number, source in enumerate(program.sources)}
    written = [
        {tokens.offsets[i]: tokens.texts[i] for i, kind in enumerate(tokens.kinds) if kind == "NAME"}
        for tokens in (text.tokens for text in texts_of(program))
    ]

    def add(source: int, offset: int, predicate: str, arity: int, role: Role, rule: int = -1) -> None:
        if written[source].get(offset) == predicate:  # triples and helper predicates are not written as such
            found.setdefault((source, offset), Occurrence(source, offset, predicate, arity, role, rule))

    for number, rule in enumerate(program.rules):
        for atom in rule.head_atoms():
            add(numbers[id(rule.source)], atom.offset, atom.predicate, len(atom.args), "head", number)
    for number, (rule, nodes) in enumerate(body_nodes(program)):
        for node in nodes:
            if isinstance(node, Atom):
                add(numbers[id(rule.source)], node.offset, node.predicate, len(node.args), "body", number)
    for fact in (*program.background, *(fact.atom for fact in program.data)):
        add(*_place(program, fact.offset), fact.predicate, len(fact.args), "fact")
    for number, text in enumerate(texts_of(program)):
        for occurrence in (*_in_words(program, number), *_declared(text, number)):
            found.setdefault((number, occurrence.offset), occurrence)
        known = {offset for source, offset in found if source == number}
        for occurrence in _unread(text, number, known):
            found.setdefault((number, occurrence.offset), occurrence)
    return tuple(sorted(found.values(), key=lambda occurrence: (occurrence.source, occurrence.offset)))


def _place(program: Program, offset: int) -> tuple[int, int]:
    """The text and the offset in it, of an offset that counts through all texts."""
    for number, source in enumerate(program.sources):
        if offset < len(source.text):
            return number, offset
        offset -= len(source.text)
    return 0, -1


def _in_words(program: Program, number: int) -> Iterator[Occurrence]:
    for predicate, arity, offset in annotated(program.sources[number].text):
        yield Occurrence(number, offset, predicate, arity, "words")


_DECLARING: dict[str, Role] = {"#input": "input", "#stream": "stream", "#show": "shown"}


def _declared(text: Text, number: int) -> Iterator[Occurrence]:
    """The predicates of directives: `p/2`."""
    tokens = text.tokens
    for start, stop in text.statements:
        role = _DECLARING.get(tokens.texts[start])
        if role is None or tokens.kinds[start] != "DIRECTIVE":
            continue
        for i in range(start, stop):
            if tokens.kinds[i : i + 3] == ["NAME", "/", "NUMBER"] and tokens.texts[i + 2].isdecimal():
                yield Occurrence(number, tokens.offsets[i], tokens.texts[i], int(tokens.texts[i + 2]), role)


def _unread(text: Text, number: int, known: set[int]) -> Iterator[Occurrence]:
    """What look like predicates in statements that could not be read: names before parentheses, or alone, that are not
    in the arguments of another name, in brackets, or compared."""
    tokens = text.tokens
    for start, stop in text.statements:
        if tokens.kinds[start] == "DIRECTIVE" or any(tokens.offsets[i] in known for i in range(start, stop)):
            continue
        around: list[bool] = []  # for each open bracket, whether there are terms inside
        for i in range(start, stop):
            kind, after = tokens.kinds[i], tokens.kinds[i + 1]
            if kind in ("(", "[", "{"):
                around.append(kind == "[" or (kind == "(" and i > start and tokens.kinds[i - 1] == "NAME"))
            elif kind in (")", "]", "}") and around:
                around.pop()
            elif kind == "NAME" and not any(around) and (after == "(" or _stands_alone(tokens, i)):
                arity = _arguments(tokens, i + 1) if after == "(" else 0
                yield Occurrence(number, tokens.offsets[i], tokens.texts[i], arity, "unread")


_AFTER_AN_ATOM = frozenset((":-", ",", ".", ";", "at", "in", "always", "and", "or", "->", ")", "[", "END"))
_BEFORE_AN_ATOM = frozenset((":-", ":~", ",", ".", ";", "not", "and", "or", "->", "(", "{", ":"))


def _stands_alone(tokens: Tokens, i: int) -> bool:
    return tokens.kinds[i + 1] in _AFTER_AN_ATOM and (i == 0 or tokens.kinds[i - 1] in _BEFORE_AN_ATOM)


def _arguments(tokens: Tokens, opening: int) -> int:
    """How many arguments there are in the parentheses that open at a token, as far as they are written."""
    depth, commas = 0, 0
    for i in range(opening, len(tokens.kinds)):
        kind = tokens.kinds[i]
        depth += (kind in ("(", "[", "{")) - (kind in (")", "]", "}"))
        if depth == 0 or kind in (".", "END"):
            break
        commas += depth == 1 and kind == ","
    return commas + 1
