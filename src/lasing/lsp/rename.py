"""Give a predicate another name in the whole program, or a variable in its rule, if the program stays the same."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from lasing.errors import fault
from lasing.languages import LARS, examine
from lasing.logic.facts import facts_of
from lasing.logic.functions import calls
from lasing.logic.program import Program
from lasing.logic.values import RESERVED, is_name
from lasing.lsp.navigation import Found
from lasing.lsp.occurrences import occurrences, texts_of
from lasing.lsp.positions import Span
from lasing.lsp.reading import Reading
from lasing.lsp.things import Predicate, RuleVariable, constants_of, thing_at

_VARIABLE = re.compile(r"[^\W\d]\w*")


def renamable(reading: Reading, source: int, offset: int) -> Predicate | RuleVariable:
    """The predicate or variable at an offset. Raises E790 if there is neither, and E791 if the program has mistakes:
    then nobody knows what its statements mean."""
    thing = thing_at(reading.program, source, offset)
    if not isinstance(thing, Predicate | RuleVariable):
        raise fault("E790", "only predicates and variables can be renamed")
    if isinstance(thing, Predicate) and not reading.complete:
        raise fault("E791", f"{thing.occurrence.predicate} cannot be renamed while the program has mistakes")
    return thing


def rename(readings: Sequence[Reading], source: int, offset: int, name: str) -> list[list[Found]]:
    """The places to change in each of the programs that share a text, the first of which was asked about.

    Raises E792 for a name that has another meaning in one of the programs, or that is none.
    """
    thing = renamable(readings[0], source, offset)
    if isinstance(thing, RuleVariable):
        _check_variable(readings[0].program, source, thing, name)
        return [[(source, span) for span in thing.spans]]
    old = thing.occurrence.predicate
    if name == old:
        return [[] for _ in readings]
    changes = []
    for reading in readings:
        if not reading.complete:
            raise fault("E791", f"{old} cannot be renamed: {reading.root.name} includes it, and has mistakes")
        _check_predicate(reading.program, name)
        places = [(o.source, o.span) for o in occurrences(reading.program) if o.predicate == old]
        _check_meaning(reading, places, old, name)
        changes.append(places)
    return changes


def _check_variable(program: Program, source: int, thing: RuleVariable, name: str) -> None:
    first = name[:1]
    if not _VARIABLE.fullmatch(name) or name == "_" or not (first.isupper() or first == "_"):
        raise fault("E792", f"{name!r} is not a variable", note="variables begin with an upper-case letter, such as X")
    text = texts_of(program)[source]
    token = text.token_at(thing.span.begin)
    assert token is not None, "a variable is a token"
    start, stop = text.statement_of(token)
    if name != thing.name and name in text.tokens.texts[start:stop]:
        raise fault("E792", f"the rule already has a variable {name}")


def _check_predicate(program: Program, name: str) -> None:
    if name in RESERVED:
        raise fault("E792", f"{name} is a reserved word")
    if not is_name(name):
        raise fault("E792", f"{name!r} is not a name", note="predicates begin with a lower-case letter, such as hot")
    if name in constants_of(program):
        raise fault("E792", f"{name} is already the name of a constant")
    if name in calls():
        raise fault("E792", f"{name} is already the name of a function")
    known = {o.predicate for o in occurrences(program)} | facts_of(program).arity_with_data.keys()
    if name in known:
        raise fault("E792", f"{name} is already a predicate of the program")


def _check_meaning(reading: Reading, places: Sequence[Found], old: str, name: str) -> None:
    """Read the program again with the new name: nothing else may be different."""
    before = reading.program
    sources = [
        replace(source, text=_with_name(source.text, [span for place, span in places if place == number], name))
        for number, source in enumerate(before.sources)
    ]
    after, found = examine(sources, None, LARS.name)
    arities = {name if known == old else known: n for known, n in facts_of(before).arity_with_data.items()}
    same = arities == facts_of(after).arity_with_data and all(
        len(one) == len(other)
        for one, other in (
            (before.rules, after.rules),
            (before.background, after.background),
            (before.data, after.data),
        )
    )
    if found or not same:
        raise fault("E792", f"{old} cannot be called {name}: the program would mean something else")


def _with_name(text: str, spans: Sequence[Span], name: str) -> str:
    """
    >>> _with_name("hot :- hat, hot.", [Span(0, 3), Span(12, 15)], "warm")
    'warm :- hat, warm.'
    """
    parts, end = [], 0
    for span in sorted(spans, key=lambda span: span.begin):
        parts += [text[end : span.begin], name]
        end = span.end
    return "".join([*parts, text[end:]])
