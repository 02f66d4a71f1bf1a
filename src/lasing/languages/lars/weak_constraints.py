"""Weak constraints: `:~ body. [weight@level, terms]`, and `#minimize` and `#maximize`, which list many of them."""

from __future__ import annotations

from lasing.languages.lars.cursor import Cursor, Mistake
from lasing.languages.lars.expressions import negated, read_term
from lasing.languages.lars.rules import read_body, read_literals, with_local_variables
from lasing.languages.lars.tokens import after_statement
from lasing.logic.formulas import Formula
from lasing.logic.program import Penalty, Rule
from lasing.logic.terms import Term
from lasing.logic.values import is_text, is_value

OPTIMISATIONS = ("#maximize", "#minimize")


def read_weak_constraint(c: Cursor) -> Rule:
    """`:~ body. [weight@level, terms]`"""
    first = c.i
    c.begin_rule()
    c.i += 1
    try:
        body = read_body(c)
    except Mistake:
        _fail_early_penalty(c, first)
        raise
    c.i += 1
    if not c.accept("["):
        _fail_early_penalty(c, first)
        offset = c.offsets[first]
        length = c.offsets[c.i - 1] + 1 - offset
        c.fail("E116", "this weak constraint has no penalty", "write it after the full stop: [1]", offset, length)
    penalty = _read_penalty(c)
    if c.kind != "]":
        c.fail_expected(", or ]", "in a penalty", "such as: [weight@level, X, Y]")
    c.i += 1
    return _rule(c, body, penalty, first)


def _fail_early_penalty(c: Cursor, first: int) -> None:
    """Fail if the weak constraint ends with a bracket before its full stop, which is read as a window."""
    stop = after_statement(c.kinds, first) - 1
    if c.kinds[stop] != "." or c.kinds[stop - 1] != "]":
        return
    opened = next((i for i in range(stop, first, -1) if c.kinds[i] == "["), first)
    offset = c.offsets[opened]
    penalty = c.source.text[offset : c.offsets[stop - 1] + 1]
    note = f"write: :~ a(X). {penalty if len(penalty) <= 40 else '[1]'}; a bracket before the full stop is a window"
    c.fail("E116", "a penalty comes after the full stop", note, offset, c.offsets[stop - 1] + 1 - offset)


def read_optimisation(c: Cursor) -> tuple[Rule, ...]:
    """`#minimize{weight@level, terms : body ; …}.`, one rule per element. `#maximize` negates the weights."""
    name = c.text
    c.i += 1
    c.expect("{", f"after {name}")
    if c.kind == "}":
        c.fail("E116", f"there is nothing to {name[1:]}", f"such as: {name}{{W@1, X : cost(X, W)}}.")
    rules = [_read_element(c, name)]
    while c.accept(";"):
        rules.append(_read_element(c, name))
    if c.kind != "}":
        c.fail_expected("a comma, ; or }", "after a literal")
    c.i += 1
    c.expect(".", "at the end of the directive")
    return tuple(rules)


def _read_element(c: Cursor, name: str) -> Rule:
    first = c.i
    c.begin_rule()
    penalty = _read_penalty(c)
    if c.kind in (";", "}"):
        note = f"without one it costs the same in every answer; such as: {name}{{W : cost(W)}}."
        c.fail("E116", f"this element of {name} has no condition", note, c.offsets[first])
    c.expect(":", f"after the terms of {name}")
    body = read_literals(c)
    if name == "#maximize":
        weight = negated(c, penalty.weight, c.offsets[first])
        penalty = Penalty(weight, penalty.level, penalty.terms)
    return _rule(c, body, penalty, first)


def _read_penalty(c: Cursor) -> Penalty:
    """`weight@level, terms`"""
    weight = _read_whole(c, "weight")
    level: Term = 0
    if c.accept("@"):
        level = _read_whole(c, "level")
    terms: list[Term] = []
    while c.accept(","):
        terms.append(read_term(c))
    return Penalty(weight, level, tuple(terms))


def _read_whole(c: Cursor, what: str) -> Term:
    """A term that can be a whole number."""
    first = c.i
    term = read_term(c)
    if is_value(term) and not isinstance(term, int):
        offset = c.offsets[first]
        length = c.offsets[c.i - 1] + len(c.texts[c.i - 1]) - offset
        note = "is a #const missing?" if is_text(term) else "scale all weights: 3 and 2 for 1.5 and 1"
        c.fail("E116", f"a {what} is a whole number, but {term} is not", note, offset, length)
    return term


def _rule(c: Cursor, body: list[Formula], penalty: Penalty, first: int) -> Rule:
    """The rule from the token `first` up to the next one."""
    offset = c.offsets[first]
    length = c.offsets[c.i - 1] + len(c.texts[c.i - 1]) - offset
    rule = Rule((), tuple(body), c.source, offset, length, penalty=penalty)
    return with_local_variables(rule) if c.braces else rule
