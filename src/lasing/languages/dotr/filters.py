"""Comparisons with other events, cut out of the FILTERs of a query.

    SELECT ?read ?room WHERE { … FILTER(?v > 60 && ?room = Smoke.?place) }
    SELECT ?read ?room WHERE { … FILTER(?v > 60 && true                ) }      and the constraint room = Smoke.place

Such comparisons are TESLA's: `=` is the same term, and the others go by value. They can be cut out of the FILTERs of
the outermost group only: what is optional, nested or counted does not depend on them. Variables that only they use
become attributes of the event too, after those that the query selects.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import pyoxigraph

from lasing.events.mistakes import Mistake
from lasing.languages.dotr.cursor import Cursor, is_reference
from lasing.languages.dotr.terms import comparison, expression
from lasing.languages.rspql.tokens import Token, tokens
from lasing.languages.tesla.syntax import Constraint, Expression, Reference, parts
from lasing.logic.functions import COMPARISONS

_COUNTING = ("GROUP", "HAVING", "LIMIT", "OFFSET", "COUNT", "SUM", "MIN", "MAX", "AVG", "SAMPLE", "GROUP_CONCAT")
_MISSING = ("OPTIONAL", "UNION", "VALUES", "BIND", "AS")
"""Only if a query has one of these, a variable may have no value."""


@dataclass(frozen=True, slots=True)
class Cut:
    """A query without comparisons with other events, what it selects, and those comparisons."""

    sparql: str
    variables: tuple[str, ...]
    constraints: list[Constraint]
    hidden: tuple[str, ...] = ()
    """The variables that only comparisons with constants use, which are the last ones."""
    checked: str = ""
    """The query as it is written, with `true` in place of comparisons: so places in it are places in the text."""


@dataclass(frozen=True, slots=True)
class _Condition:
    """A part of FILTER(… && …), from token to token, and whether it names another event."""

    start: int
    end: int
    related: bool


def cut_comparisons(sparql: str, offset: int, prefixes: Mapping[str, str], constants: bool = False) -> Cut:
    """Cut the comparisons with other events out of a query that begins at an offset.

    With `constants`, also those that say that a variable is less or greater than a number, or that it is an IRI.
    """
    read = list(tokens(sparql))
    if not read or not read[0].is_word("SELECT"):
        raise Mistake("an event needs a SELECT", offset, note="write Smoke = [SELECT ?room WHERE { … }]")
    counts = next((token for token in read if token.is_word(*_COUNTING)), None)
    cut = [
        condition
        for condition in _conditions(read)
        if condition.related
        or (constants and counts is None and _compares_with_constant(read[condition.start : condition.end]))
    ]
    inside = {i for condition in cut for i in range(condition.start, condition.end)}
    wrong = next((i for i in range(len(read)) if i not in inside and is_reference(read, i)), None)
    if wrong is not None:
        message = "another event can only be named in a FILTER(… && …) of the outermost group"
        raise Mistake(message, offset + read[wrong].offset, len(read[wrong].text), code="E712")
    if counts is not None and cut:
        note = f"compare after the query: [SELECT … {counts.text} …](?room = Smoke.?room)"
        at = offset + read[cut[0].start].offset
        raise Mistake(f"a query with {counts.text} cannot name another event", at, 1, note, "E712")
    constraints = [_constraint(read[part.start : part.end], offset, prefixes) for part in cut]
    shown, place, star = _selected(read)
    related = [name for c, part in zip(constraints, cut, strict=True) if part.related for name in _own(c)]
    others = [name for c, part in zip(constraints, cut, strict=True) if not part.related for name in _own(c)]
    more = [name for name in dict.fromkeys(related) if name not in shown]
    hidden = [name for name in dict.fromkeys(others) if name not in (*shown, *more)]
    text, checked = sparql, sparql
    for part, constraint in reversed(list(zip(cut, constraints, strict=True))):
        begin, stop = read[part.start].offset, read[part.end - 1].end
        checked = f"{checked[:begin]}{'true'.ljust(stop - begin)}{checked[stop:]}"
        bound = "true"
        if part.related and any(token.is_word(*_MISSING) for token in read):
            bound = " && ".join(f"bound(?{name})" for name in dict.fromkeys(_own(constraint)))
        text = f"{text[:begin]}{bound}{text[stop:]}"
    if star:
        return Cut(text, tuple(_visible(shown, checked, prefixes)), constraints, (), checked)
    added = "".join(f" ?{name}" for name in (*more, *hidden))
    return Cut(f"{text[:place]}{added} {text[place:]}", (*shown, *more, *hidden), constraints, tuple(hidden), checked)


def _own(constraint: Constraint) -> list[str]:
    """The variables of the event itself in a comparison."""
    found = (Reference(None, constraint.attribute), *parts(constraint.expression))
    return [part.attribute for part in found if isinstance(part, Reference) and part.event is None]


def _conditions(read: Sequence[Token]) -> Iterator[_Condition]:
    """The parts of each FILTER(… && …) of the outermost group."""
    braces = 0
    for i, token in enumerate(read):
        if token.kind == "mark":
            braces += (token.text == "{") - (token.text == "}")
        if braces != 1 or not token.is_word("FILTER") or i + 1 >= len(read) or read[i + 1].text != "(":
            continue
        depth, start = 0, i + 2
        for j in range(i + 1, len(read)):
            text = read[j].text if read[j].kind == "mark" else ""
            depth += text == "("
            depth -= text == ")"
            if depth == 0 or (depth == 1 and text == "&&"):
                if start < j:
                    yield _Condition(start, j, any(is_reference(read, k) for k in range(start, j)))
                start = j + 1
            if depth == 0:
                break


def _compares_with_constant(part: Sequence[Token]) -> bool:
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


def _constraint(part: Sequence[Token], offset: int, prefixes: Mapping[str, str]) -> Constraint:
    """A comparison of an own variable with an expression."""
    part = [Token(token.kind, token.text, offset + token.offset) for token in _unwrapped(part)]
    cursor = Cursor(part, part[-1].end, prefixes)
    try:
        left = expression(cursor)
        operator = comparison(cursor)
        right = expression(cursor)
        if not cursor.ended():
            raise cursor.expected("&& or )")
    except Mistake as mistake:
        note = mistake.note or "compare a variable of this event with others: ?room = Smoke.?place"
        raise Mistake(mistake.message, mistake.offset, mistake.length, note, mistake.code) from None
    if not _is_own(left):
        left, right, operator = right, left, COMPARISONS[operator].flipped
    if not isinstance(left, Reference) or not _is_own(left):
        note = "write one of its variables alone on one side: ?room = Smoke.?place"
        raise Mistake("this compares no variable of the event", part[0].offset, 1, note, "E712")
    return Constraint(left.attribute, operator, right, part[0].offset)


def _unwrapped(part: Sequence[Token]) -> Sequence[Token]:
    """A condition without parentheses around all of it."""
    while len(part) > 2 and part[0].text == "(" and _closing(part) == len(part) - 1:
        part = part[1:-1]
    return part


def _closing(part: Sequence[Token]) -> int:
    depth = 0
    for i, token in enumerate(part):
        depth += (token.text == "(") - (token.text == ")") if token.kind == "mark" else 0
        if depth == 0:
            return i
    return -1


def _is_own(part: Expression) -> bool:
    return isinstance(part, Reference) and part.event is None


def _visible(names: Sequence[str], sparql: str, prefixes: Mapping[str, str]) -> list[str]:
    """Those of some variables that SELECT * selects; all of them if the query has a mistake."""
    prologue = "".join(f"PREFIX {name}: <{iri}>\n" for name, iri in prefixes.items())
    try:
        found = pyoxigraph.Store().query(f"{prologue}{sparql}")
    except SyntaxError:  # reported with its place where queries are checked
        return list(names)
    assert isinstance(found, pyoxigraph.QuerySolutions)
    seen = {variable.value for variable in found.variables}
    return [name for name in names if name in seen]


def _selected(read: Sequence[Token]) -> tuple[list[str], int, bool]:
    """The variables that a query selects, where to add more, and whether it selects all."""
    depth, shown = 0, list[str]()
    for i, token in enumerate(read):
        if depth == 0 and (token.is_word("WHERE", "FROM") or token.text == "{"):
            return shown, read[i - 1].end, False
        depth += token.text == "(" and token.kind == "mark"
        depth -= token.text == ")" and token.kind == "mark"
        if token.text == "*" and depth == 0:
            own = (t for j, t in enumerate(read) if t.kind == "variable" and not is_reference(read, j - 2))
            return list(dict.fromkeys(t.text[1:] for t in own)), token.end, True
        if token.kind == "variable" and (depth == 0 or read[i - 1].is_word("AS")):
            shown.append(token.text[1:])
    return shown, read[-1].end, False
