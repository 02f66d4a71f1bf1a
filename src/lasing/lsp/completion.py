"""What can be written at an offset."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from lasing.errors import SourceText
from lasing.languages.lars.tokens import Tokens, tokenize
from lasing.logic.facts import argument_variables
from lasing.logic.functions import calls
from lasing.logic.program import Program
from lasing.lsp.occurrences import occurrences
from lasing.lsp.positions import Span
from lasing.lsp.things import constants_of
from lasing.lsp.words import BRACES, DIRECTIVES, IN_WINDOWS, KEYWORDS, UNITS, WINDOWS, about_function

Category = Literal["predicate", "keyword", "function", "window", "directive", "variable", "constant"]


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A word, what it is, what it stands for, and the part of the text that it replaces."""

    text: str
    category: Category
    about: str
    replaces: Span


def completion(program: Program, source: int, offset: int) -> list[Suggestion]:
    """What can be written at an offset, by what is before it: after `#` directives, or what begins with it in rules; in
    brackets windows; elsewhere predicates, functions, keywords, constants and the variables of the statement."""
    before = program.sources[source].text[:offset]
    tokens, _ = tokenize(_cut(program, source, offset), comments=True, prefixes=None)
    last = len(tokens.kinds) - 3
    if last >= 0 and _is_unfinished(tokens, last):
        return []
    word = _word_before(before)
    replaces = Span(offset - len(word), offset)
    found: Iterator[Suggestion]
    start = _statement_start(tokens, replaces.begin)
    if word.startswith("#"):
        begins = start is None or tokens.offsets[start] >= replaces.begin
        found = _listed(DIRECTIVES if begins else {**BRACES, "#now": KEYWORDS["#now"]}, "directive", replaces)
        if _in_window(tokens, start, replaces.begin):
            found = (s for s in _windows(replaces) if s.text.startswith("#"))
    elif _in_window(tokens, start, replaces.begin):
        found = _inside_window(program, tokens, start, replaces)
    elif start is not None and tokens.texts[start] in ("#show", "#input", "#stream"):
        arities = {o.predicate: o.arity for o in occurrences(program)}
        found = (Suggestion(f"{name}/{n}", "predicate", "", replaces) for name, n in sorted(arities.items()))
    else:
        found = _in_rule(program, source, tokens, start, replaces)
    return list(found)


def _cut(program: Program, source: int, offset: int) -> SourceText:
    known = program.sources[source]
    return SourceText(known.name, known.text[:offset])


def _is_unfinished(tokens: Tokens, last: int) -> bool:
    """Whether the offset is in a comment or in quotes."""
    kind, text = tokens.kinds[last], tokens.texts[last]
    if kind == "COMMENT":
        return "\n" not in tokens.source.text[tokens.offsets[last] + len(text) :] and not text.endswith("*%")
    return kind == "BAD" and text in ('"', "%")


def _word_before(text: str) -> str:
    """The word that is being written, with the `#` before it."""
    begin = len(text)
    while begin and (text[begin - 1].isalnum() or text[begin - 1] == "_"):
        begin -= 1
    return text[begin - (begin > 0 and text[begin - 1] == "#") :]


def _statement_start(tokens: Tokens, before: int) -> int | None:
    """The first token of the statement that is being written; None if none has begun."""
    start: int | None = None
    for i, kind in enumerate(tokens.kinds[:-2]):
        if tokens.offsets[i] >= before:
            break
        if kind == ".":
            start = None
        elif kind != "COMMENT" and start is None:
            start = i
    return start


def _in_window(tokens: Tokens, start: int | None, before: int) -> bool:
    """Whether a bracket is open, which is not that of a penalty."""
    depth = 0
    for i in range(start or 0, len(tokens.kinds) - 2) if start is not None else ():
        if tokens.offsets[i] < before:
            depth += (tokens.kinds[i] == "[") - (tokens.kinds[i] == "]")
    return depth > 0


def _listed(words: Mapping[str, str], category: Category, replaces: Span) -> Iterator[Suggestion]:
    return (Suggestion(word, category, about, replaces) for word, about in words.items())


def _windows(replaces: Span) -> Iterator[Suggestion]:
    return _listed(WINDOWS, "window", replaces)


def _inside_window(program: Program, tokens: Tokens, start: int | None, replaces: Span) -> Iterator[Suggestion]:
    """The forms of windows at the start of brackets; further in, what can follow."""
    before = [i for i in range(len(tokens.kinds) - 2) if tokens.offsets[i] < replaces.begin]
    if tokens.kinds[before[-1]] == "[":
        yield from _windows(replaces)
    else:
        yield from _listed(IN_WINDOWS, "keyword", replaces)
        if tokens.kinds[before[-1]] == "NUMBER":
            yield from _listed(UNITS, "keyword", replaces)
        yield from _variables(tokens, start, replaces)
    yield from _constants(program, replaces)


def _in_rule(program: Program, source: int, tokens: Tokens, start: int | None, replaces: Span) -> Iterator[Suggestion]:
    names = argument_variables(program)
    seen = set()
    for o in occurrences(program):
        if o.predicate in seen or (o.source == source and o.offset == replaces.begin):
            continue  # the word that is being written
        seen.add(o.predicate)
        columns = ", ".join(names.get((o.predicate, i), "_") for i in range(o.arity))
        yield Suggestion(o.predicate, "predicate", f"{o.predicate}({columns})" if columns else "", replaces)
    if start is None:
        return
    yield from _variables(tokens, start, replaces)
    yield from _constants(program, replaces)
    yield from _listed({word: about for word, about in KEYWORDS.items() if word[0] != "#"}, "keyword", replaces)
    for name in sorted(calls()):
        yield Suggestion(name, "function", about_function(name), replaces)


def _variables(tokens: Tokens, start: int | None, replaces: Span) -> Iterator[Suggestion]:
    if start is not None:
        written = range(start, len(tokens.kinds) - 2)
        names = {
            tokens.texts[i] for i in written if tokens.kinds[i] == "VARIABLE" and tokens.offsets[i] < replaces.begin
        }
        for name in sorted(names - {"_"}):
            yield Suggestion(name, "variable", "", replaces)


def _constants(program: Program, replaces: Span) -> Iterator[Suggestion]:
    for name in constants_of(program):
        yield Suggestion(name, "constant", "", replaces)
