"""Statements: rules, facts and directives."""

from __future__ import annotations

from dataclasses import dataclass, replace

from lasing.errors import similar
from lasing.languages.lars.cursor import Cursor
from lasing.languages.lars.expressions import read_atom, read_literal, read_term
from lasing.logic.formulas import Aggregate, At, Formula, Head, map_formula, terms_of, walk
from lasing.logic.program import Rule, Signature
from lasing.logic.terms import RESERVED, Undefined, Value, Variable, evaluate, unescape, variables_of
from lasing.timeline.ticks import LONGEST_TICK, MILLISECONDS, Tick

DIRECTIVES = ("#const", "#include", "#input", "#show", "#tick")


@dataclass(frozen=True, slots=True)
class Constant:
    """`#const name = value.`"""

    name: str
    value: Value
    offset: int


@dataclass(frozen=True, slots=True)
class Include:
    """`#include "file.lars".`"""

    path: str
    offset: int


@dataclass(frozen=True, slots=True)
class Declaration:
    """`#input p/2, q/1.` or `#show p/2.`"""

    directive: str
    signatures: tuple[Signature, ...]


def read_rule(c: Cursor) -> Rule:
    """`heads :- body.`, `heads.` or `:- body.`"""
    first = c.i
    c.anonymous = c.aggregates = c.depth = 0
    heads: list[Head] = []
    if c.kind != ":-":
        heads.append(_read_head(c))
        while c.accept(";") or c.accept("or"):
            heads.append(_read_head(c))
    body: list[Formula] = []
    if c.accept(":-"):
        body.append(read_literal(c))
        while c.accept(","):
            body.append(read_literal(c))
        if c.kind != ".":
            c.fail_expected("a comma or a full stop", "after a literal")
    elif c.kind != ".":
        c.fail_expected(":- or a full stop", "after the head")
    c.i += 1
    offset = c.offsets[first]
    rule = Rule(tuple(heads), tuple(body), c.source, offset, c.offsets[c.i - 1] + 1 - offset)
    return _with_local_variables(rule) if c.aggregates else rule


def _read_head(c: Cursor) -> Head:
    if c.kind != "NAME":
        note = "a head is an atom, such as p(X), or an atom at a time: p(X) at T"
        if c.kind in RESERVED and c.kinds[c.i + 1] == "(":
            note = f"{c.text} is a reserved word: rename the predicate"
        c.fail_expected("a head", "at the start of a rule", note)
    atom = read_atom(c)
    if c.kinds[c.i] in (":-", "."):
        return atom
    if c.accept("at"):
        return At(read_term(c), atom)
    if c.kind in ("in", "always", "["):
        c.fail("E112", "a head has no window", "a head is an atom, such as p(X), or an atom at a time: p(X) at T")
    return atom


def _with_local_variables(rule: Rule) -> Rule:
    """The rule with each aggregate told which of its variables occur nowhere outside braces."""
    outside: set[Variable] = set()

    def collect(formula: Formula) -> None:
        if isinstance(formula, Aggregate):
            outside.update(variables_of(formula.bound))
            return
        for term in terms_of(formula):
            outside.update(variables_of(term))

    inside_braces: set[int] = set()
    for formula in (*rule.heads, *rule.body):
        for node in walk(formula):
            if isinstance(node, Aggregate):
                inside_braces.update(id(inner) for part in node.condition for inner in walk(part))
            if id(node) not in inside_braces:
                collect(node)

    def localise(formula: Formula) -> Formula:
        if not isinstance(formula, Aggregate):
            return formula
        inside = {v for term in formula.terms for v in variables_of(term)}
        inside.update(v for f in formula.condition for n in walk(f) for t in terms_of(n) for v in variables_of(t))
        return replace(formula, local=frozenset(inside - outside))

    return replace(rule, body=tuple(map_formula(literal, localise) for literal in rule.body))


def read_constant(c: Cursor) -> Constant:
    """`#const n = 5.`"""
    c.i += 1
    offset = c.offset
    name = c.expect("NAME", "after #const")
    c.expect("=", "after the constant's name")
    start = c.offset
    try:
        value = evaluate(read_term(c), {})
    except Undefined as reason:
        c.fail("E113", f"the constant has no value: {reason}", offset=start)
    except KeyError as variable:
        c.fail("E113", f"a constant's value has no variables, such as {variable.args[0]}", offset=start)
    c.expect(".", "at the end of the directive")
    return Constant(name, value, offset)


def read_tick(c: Cursor) -> Tick:
    """`#tick 1 sec.`"""
    c.i += 1
    offset = c.offset
    amount = c.expect("NUMBER", "after #tick")
    if not amount.isdigit() or not amount.strip("0"):
        c.fail(
            "E108",
            "a tick is a whole number of units, one or more",
            "such as: #tick 500 ms.",
            offset,
            len(amount),
        )
    if c.kind != "NAME" or c.text not in MILLISECONDS:
        c.fail_expected("a unit", "after the number", f"units are {' '.join(MILLISECONDS)}")
    unit = c.text
    c.i += 1
    c.expect(".", "at the end of the directive")
    if len(amount) > 18 or int(amount) * MILLISECONDS[unit] > LONGEST_TICK:
        c.fail("E108", "a tick is at most a hundred years long", "such as: #tick 1 d.", offset, len(amount))
    return Tick(int(amount) * MILLISECONDS[unit])


def read_include(c: Cursor) -> Include:
    """`#include "file.lars".`"""
    c.i += 1
    offset = c.offset
    path = unescape(c.expect("STRING", "after #include"))
    c.expect(".", "at the end of the directive")
    return Include(path, offset)


def read_declaration(c: Cursor) -> Declaration:
    """`#input p/2, q/1.`, `#show p/2.`; `#show.` shows nothing."""
    directive = c.text
    c.i += 1
    signatures: list[Signature] = []
    if not (directive == "#show" and c.kind == "."):
        signatures.append(_read_signature(c))
        while c.accept(","):
            signatures.append(_read_signature(c))
    c.expect(".", "at the end of the directive")
    return Declaration(directive, tuple(signatures))


def _read_signature(c: Cursor) -> Signature:
    offset = c.offset
    name = c.expect("NAME", "of a predicate")
    if not c.accept("/") or c.kind != "NUMBER" or not c.text.isdigit() or len(c.text) > 9:
        c.fail_expected("the number of arguments", "after the predicate", f"such as: {name}/2")
    c.i += 1
    return Signature(name, int(c.texts[c.i - 1]), offset)


def unknown_directive(c: Cursor) -> None:
    """Fail on a directive that does not exist."""
    hint = similar(c.text, DIRECTIVES)
    note = "\n".join(filter(None, (hint, f"directives are {' '.join(DIRECTIVES)}")))
    c.fail("E109", f"{c.text} is not a directive", note)
