"""Names for the variables `_` that NOT must keep apart.

`NOT(p).[q(_), r]` excludes an interval only for the same event q, so the value of `_` matters.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import count

from lasing.languages.etalis.syntax import (
    Absence,
    Binary,
    Event,
    EventRule,
    Limited,
    Pattern,
    Repetition,
    Where,
    variables,
    written_out,
)
from lasing.logic.terms import Term, Variable


def named(rule: EventRule) -> EventRule:
    """The rule with a name for each `_` in the outer parts of NOT.

    >>> from lasing.languages.etalis.reader import read
    >>> named(read("e <- NOT(p(_)).[q(_), r].").rules[0]).pattern.first
    Event(name='q', args=(Variable(name='Any1'),))
    """
    taken = {variable.name for variable in variables(rule.pattern)}
    names = (name for name in map("Any{}".format, count(1)) if name not in taken)

    def renamed(term: Term) -> Term:
        return Variable(next(names)) if isinstance(term, Variable) and term.anonymous else term

    def change(pattern: Pattern, inside: bool) -> Pattern:
        match pattern:
            case Event():
                return replace(pattern, args=tuple(map(renamed, pattern.args))) if inside else pattern
            case Repetition():
                return change(written_out(pattern), inside)
            case Limited() | Where():
                return replace(pattern, pattern=change(pattern.pattern, inside))
            case Binary():
                return replace(pattern, left=change(pattern.left, inside), right=change(pattern.right, inside))
            case Absence():
                first, last = change(pattern.first, True), change(pattern.last, True)
                return replace(pattern, first=first, last=last, absent=change(pattern.absent, False))

    return replace(rule, pattern=change(rule.pattern, False))
