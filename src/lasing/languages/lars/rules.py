"""Rules: heads, bodies, and which variables stay inside braces."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import NoReturn

from lasing.languages.lars.cursor import Cursor
from lasing.languages.lars.expressions import read_atom, read_literal, read_time
from lasing.languages.lars.slips import ARROW, capitalised
from lasing.logic.formulas import At, Braces, Formula, Head, children, map_children, terms_of, walk
from lasing.logic.program import Rule
from lasing.logic.terms import Variable, variables_of
from lasing.logic.values import RESERVED

_WHAT_A_HEAD_IS = "a head is an atom, such as p(X), or an atom at a time: p(X) at T"


def read_rule(c: Cursor) -> Rule:
    """`heads :- body.`, `heads.` or `:- body.`"""
    first = c.i
    c.begin_rule()
    heads: list[Head] = []
    if c.kind != ":-":
        heads.append(read_head(c))
        while c.accept(";") or c.accept("or"):
            heads.append(read_head(c))
    body: list[Formula] = []
    if c.accept(":-"):
        body = read_body(c)
    elif c.kind != ".":
        c.fail_expected(":- or a full stop", "after the head", ARROW if c.kind in ("<=", "->", "=", "<") else "")
    c.i += 1
    offset = c.offsets[first]
    rule = Rule(tuple(heads), tuple(body), c.source, offset, c.offsets[c.i - 1] + 1 - offset)
    return with_local_variables(rule) if c.braces else rule


def read_body(c: Cursor) -> list[Formula]:
    """The literals up to a full stop."""
    body = read_literals(c)
    if c.kind != ".":
        c.fail_expected("a comma or a full stop", "after a literal")
    return body


def read_literals(c: Cursor) -> list[Formula]:
    """Literals, separated by commas."""
    literals = [read_literal(c)]
    while c.accept(","):
        literals.append(read_literal(c))
    return literals


def read_head(c: Cursor) -> Head:
    """An atom, or an atom at a time."""
    if c.kind != "NAME" and not (c.kind in ("IRI", "PREFIXED") and c.kinds[c.i + 1] == "("):
        _fail_no_head(c)
    atom = read_atom(c)
    if c.kinds[c.i] in (":-", "."):
        return atom
    if c.accept("at"):
        return At(read_time(c), atom)
    if c.kind in ("in", "always", "["):
        c.fail("E112", "a head has no window", _WHAT_A_HEAD_IS)
    return atom


def _fail_no_head(c: Cursor) -> NoReturn:
    note = _WHAT_A_HEAD_IS
    if c.kind == "{":
        fail_mixed(c)
    if c.kind == "[":
        note = "a penalty comes after the full stop of a weak constraint, which begins with :~"
    if c.kind in RESERVED and c.kinds[c.i + 1] == "(":
        note = f"{c.text} is a reserved word: rename the predicate"
    if c.kind == "VARIABLE" and c.kinds[c.i + 1] in ("(", ":-", "."):
        note = capitalised(c.text)
    c.fail_expected("a head", "at the start of a rule", note)


def fail_mixed(c: Cursor) -> NoReturn:
    """A head is a disjunction or a choice, but not both."""
    note = "to choose any of several atoms, put all of them inside: {a ; b}; for at least one of them, 1 {a ; b}"
    c.fail("E115", "a choice is the whole head of its rule", note)


def with_local_variables(rule: Rule) -> Rule:
    """The rule, in which all braces know which of their variables occur nowhere around them."""
    around = variables_outside_braces((*rule.heads, *rule.body))
    if rule.penalty is not None:
        around.update(v for term in rule.penalty.all_terms() for v in variables_of(term))
    return replace(rule, body=tuple(_localised(literal, around) for literal in rule.body))


def _localised(formula: Formula, around: set[Variable]) -> Formula:
    """The formula, whose braces know which of their variables are not among those around them."""
    if not isinstance(formula, Braces):
        return map_children(formula, lambda part: _localised(part, around))
    inside = variables_outside_braces(formula.condition)
    inside.update(v for term in formula.terms for v in variables_of(term))
    formula = replace(formula, local=frozenset(v for v in inside if v not in around))
    if not any(isinstance(node, Braces) for part in formula.condition for node in walk(part)):
        return formula
    return map_children(formula, lambda part: _localised(part, around | inside))


def variables_outside_braces(formulas: Iterable[Formula]) -> set[Variable]:
    """The variables that occur outside the braces of all aggregates and selections."""
    found: set[Variable] = set()
    stack = [*formulas][::-1]
    while stack:
        node = stack.pop()
        terms = node.outside if isinstance(node, Braces) else terms_of(node)
        found.update(v for term in terms for v in variables_of(term))  # the first occurrence of each, for messages
        stack += () if isinstance(node, Braces) else reversed(children(node))
    return found
