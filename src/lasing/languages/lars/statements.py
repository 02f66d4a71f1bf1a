"""Statements: rules, facts and directives."""

from __future__ import annotations

from dataclasses import dataclass

from lasing.errors import similar
from lasing.languages.lars.choices import begins_choice, read_choice
from lasing.languages.lars.cursor import Cursor
from lasing.languages.lars.expressions import read_term
from lasing.languages.lars.rules import read_rule
from lasing.languages.lars.weak_constraints import OPTIMISATIONS, read_weak_constraint
from lasing.logic.program import Rule, Signature
from lasing.logic.terms import evaluate
from lasing.logic.values import Undefined, Value, unescape
from lasing.timeline.ticks import LONGEST_TICK, MILLISECONDS, Tick

DIRECTIVES = ("#const", "#include", "#input", *OPTIMISATIONS, "#prefix", "#show", "#stream", "#tick")


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
    """`#input p/2, q/1.`, `#stream p/2.` or `#show p/2.`"""

    directive: str
    signatures: tuple[Signature, ...]


def read_statement(c: Cursor) -> tuple[Rule, ...]:
    """The rules of a statement: several for a choice with conditions or bounds, otherwise one."""
    if c.kind == ":~":
        return (read_weak_constraint(c),)
    return read_choice(c) if begins_choice(c) else (read_rule(c),)


def read_constant(c: Cursor) -> Constant:
    """`#const n = 5.`"""
    c.i += 1
    offset = c.offset
    name = c.expect("NAME", "after #const")
    c.expect("=", "after the constant's name")
    start = c.offset
    try:
        term = read_term(c)
        c.refuse_own_calls((term,), "a constant")
        value = evaluate(term, {})
    except Undefined as reason:
        c.fail("E113", f"the constant has no value: {reason}", offset=start)
    except KeyError as variable:
        c.fail("E113", f"the value of a constant cannot contain a variable, such as {variable.args[0]}", offset=start)
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
    """`#input p/2, q/1.`, `#stream p/2.`, `#show p/2.`; `#show.` shows nothing."""
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
    note = "\n".join(filter(None, (hint, f"directives are {' '.join(DIRECTIVES)}; a comment begins with %")))
    c.fail("E109", f"{c.text} is not a directive", note)
