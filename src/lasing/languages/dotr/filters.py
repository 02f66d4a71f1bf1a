"""Comparisons with other events, cut out of the FILTERs of a query.

    SELECT ?read ?room WHERE { … FILTER(?v > 60 && ?room = Smoke.?place) }
    SELECT ?read ?room WHERE { … FILTER(?v > 60 && true                ) }      and the constraint room = Smoke.place

Such comparisons are TESLA's: `=` is the same term, and the others go by value. Variables that only they use become
attributes of the event too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from lasing.languages.dotr.terms import expression, is_reference
from lasing.languages.rspql.tokens import Token, tokens
from lasing.languages.tesla.mistakes import Mistake
from lasing.languages.tesla.syntax import Constraint, Expression, Reference, parts
from lasing.logic.functions import COMPARISONS, Comparison

_COMPARISONS: dict[str, Comparison] = {comparison: comparison for comparison in COMPARISONS}


@dataclass(frozen=True, slots=True)
class Cut:
    """A query without comparisons with other events, what it selects, and those comparisons."""

    sparql: str
    variables: tuple[str, ...]
    constraints: list[Constraint]


def cut_comparisons(sparql: str, offset: int, prefixes: Mapping[str, str], constants: bool = False) -> Cut:
    """Cut the comparisons with other events out of a query that begins at an offset.

    With `constants`, also those that say that a variable is less or greater than a number, or that it is an IRI.
    """
    read = list(tokens(sparql))
    if not read or not read[0].is_word("SELECT"):
        raise Mistake("an event needs a SELECT", offset, note="write Smoke = [SELECT ?room WHERE { … }]")
    constraints: list[Constraint] = []
    text = sparql
    for start, end in _conjuncts(read):
        related = any(is_reference(read, i) for i in range(start, end))
        if related or (constants and _compares_with_constant(read[start:end])):
            constraints.append(_constraint(read, start, end, offset, prefixes))
            begin, stop = read[start].offset, read[end - 1].end
            text = f"{text[:begin]}true{' ' * (stop - begin - 4)}{text[stop:]}"
    left = list(tokens(text))
    wrong = next((i for i in range(len(left)) if is_reference(left, i)), None)
    if wrong is not None:
        message = "another event can only be named in FILTER(… && …)"
        raise Mistake(message, offset + left[wrong].offset, len(left[wrong].text), code="E712")
    shown, end = _selected(read)
    own = [
        part.attribute
        for constraint in constraints
        for part in (Reference(None, constraint.attribute), *parts(constraint.expression))
        if isinstance(part, Reference) and part.event is None
    ]
    if shown is None:
        shown = list(dict.fromkeys(token.text[1:] for token in read if token.kind == "variable"))
    more = [name for name in dict.fromkeys(own) if name not in shown]
    text = text[:end] + "".join(f" ?{name}" for name in more) + " " + text[end:]
    return Cut(text, (*shown, *more), constraints)


def _conjuncts(read: list[Token]) -> Iterator[tuple[int, int]]:
    """The parts of FILTER(… && …), from token to token."""
    for i, token in enumerate(read):
        if not token.is_word("FILTER") or i + 1 >= len(read) or read[i + 1].text != "(":
            continue
        depth, start = 0, i + 2
        for j in range(i + 1, len(read)):
            text = read[j].text if read[j].kind == "mark" else ""
            depth += text == "("
            depth -= text == ")"
            if depth == 0 or (depth == 1 and text == "&&"):
                yield start, j
                start = j + 1
            if depth == 0:
                break


def _compares_with_constant(part: list[Token]) -> bool:
    """Whether a condition is `?v > 5`, `?s = :sensor7` or the like, with the sides in any order.

    `?v = 5` is not one of them: in SPARQL, it is also true of 5.0, and in patterns it is not.
    """
    words = [token for i, token in enumerate(part) if token.text != "-" or i not in (0, 2)]  # -5 is two tokens
    if len(words) != 3:
        return False
    left, comparison, right = words
    if comparison.text == "=":
        return {_kind(left), _kind(right)} == {"variable", "iri"}
    return comparison.text in ("<", "<=", ">", ">=") and {left.kind, right.kind} == {"variable", "number"}


def _kind(token: Token) -> str:
    """The kind of a token; a prefixed name is an IRI."""
    return "iri" if token.kind == "word" and ":" in token.text else token.kind


def _constraint(read: list[Token], start: int, end: int, offset: int, prefixes: Mapping[str, str]) -> Constraint:
    """A comparison of an own variable with an expression."""
    part = [replace(token, offset=offset + token.offset) for token in read[start:end]]
    try:
        left, i = expression(part, 0, prefixes)
        if i >= len(part) or part[i].text not in _COMPARISONS:
            raise Mistake("expected a comparison", part[min(i, len(part) - 1)].offset)
        comparison = _COMPARISONS[part[i].text]
        right, i = expression(part, i + 1, prefixes)
        if i < len(part):
            raise Mistake(f"expected && or ), but found {part[i].text}", part[i].offset, len(part[i].text))
    except Mistake as mistake:
        note = mistake.note or "compare a variable of this event with others: ?room = Smoke.?place"
        raise Mistake(mistake.message, mistake.offset, mistake.length, note) from None
    if not _is_own(left):
        left, right, comparison = right, left, COMPARISONS[comparison].flipped
    if not isinstance(left, Reference) or not _is_own(left):
        note = "write one of its variables alone on one side: ?room = Smoke.?place"
        raise Mistake("this compares no variable of the event", part[0].offset, 1, note, "E712")
    return Constraint(left.attribute, comparison, right, part[0].offset)


def _is_own(part: Expression) -> bool:
    return isinstance(part, Reference) and part.event is None


def _selected(read: list[Token]) -> tuple[list[str] | None, int]:
    """The variables that a query selects, or None for all, and where to add more."""
    depth, shown = 0, list[str]()
    for i, token in enumerate(read):
        if depth == 0 and (token.is_word("WHERE", "FROM") or token.text == "{"):
            return shown, read[i - 1].end
        depth += token.text == "(" and token.kind == "mark"
        depth -= token.text == ")" and token.kind == "mark"
        if token.text == "*" and depth == 0:
            return None, token.end
        if token.kind == "variable" and (depth == 0 or read[i - 1].is_word("AS")):
            shown.append(token.text[1:])
    return shown, read[-1].end
