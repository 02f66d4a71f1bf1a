"""Terms: values, variables, and functions of terms.

`logic.values` says what a value is, and `logic.functions` what a function computes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import assert_never

from lasing.logic.functions import Function, function_of, unknown
from lasing.logic.values import Value, value_text


@dataclass(frozen=True, slots=True)
class Variable:
    """A variable. Anonymous ones, written `_`, are named `_#1`, `_#2`, … so that each place has its own."""

    name: str
    offset: int = field(default=-1, compare=False, repr=False)

    @property
    def anonymous(self) -> bool:
        return self.name.startswith("_#")

    def __str__(self) -> str:
        return "_" if self.anonymous else self.name


NOW = Variable("#now")
"""`#now`, the evaluation time, whatever time point a formula jumps to. It always has a value, so nothing binds it."""


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """An operator or function applied to terms: `X + 1`, `lower(X)`; `-` of one term negates.

    A function of the user has the name `@f`, and is `own` once it is known which Python function it means.
    """

    operator: str
    operands: tuple[Term, ...]
    offset: int = field(default=-1, compare=False, repr=False)
    depth: int = field(default=1, compare=False, repr=False)
    own: Function | None = field(default=None, compare=False, repr=False)

    @property
    def function(self) -> Function:
        """The entry of the function in its table, or the function of the user."""
        if self.is_own:
            return self.own or unknown(self.operator)
        return function_of(self.operator, len(self.operands))

    @property
    def is_own(self) -> bool:
        """Whether this calls a function of the user."""
        return self.operator.startswith("@")

    def __str__(self) -> str:
        return term_text(self)


Term = Value | Variable | Arithmetic
Substitution = Mapping[Variable, Value]


def term_text(term: Term, within: int = 0, right: bool = False) -> str:
    """The text of a term, with only the parentheses it needs inside an operator of precedence `within`."""
    match term:
        case Variable():
            return str(term)
        case Arithmetic(name, operands):
            if term.is_own:
                return f"{name}({','.join(term_text(o) for o in operands)})"
            function = term.function
            precedence = function.precedence
            match function.notation:
                case "call":
                    return f"{name}({','.join(term_text(o) for o in operands)})"
                case "prefix":
                    text = f"{name}{term_text(operands[0], precedence)}"
                    return f"({text})" if within else text
                case "infix":
                    a, b = operands
                    text = f"{term_text(a, precedence)} {name} {term_text(b, precedence, True)}"
                    return f"({text})" if within > precedence or (right and within == precedence) else text
                case _:
                    assert_never(function.notation)
        case _:
            text = value_text(term)
            return f"({text})" if within and text.startswith("-") else text


def variables_of(term: Term) -> Iterator[Variable]:
    """The variables of a term, in the order in which they are written. `#now` is none of them: it has a value."""
    match term:
        case Variable():
            if term != NOW:
                yield term
        case Arithmetic():
            for operand in term.operands:
                yield from variables_of(operand)
        case _:
            return


def mentions_now(term: Term) -> bool:
    """Whether the value of a term depends on the evaluation time itself."""
    match term:
        case Variable():
            return term == NOW
        case Arithmetic():
            return any(map(mentions_now, term.operands))
        case _:
            return False


def calls_in(term: Term) -> Iterator[Arithmetic]:
    """The operators and functions of a term, from the outermost on."""
    if isinstance(term, Arithmetic):
        yield term
        for operand in term.operands:
            yield from calls_in(operand)


def own_calls(term: Term) -> Iterator[Arithmetic]:
    """The calls of functions of the user in a term."""
    return (call for call in calls_in(term) if call.is_own)


def substituted(term: Term, terms: Mapping[Variable, Term]) -> Term:
    """A term with other terms in place of variables."""
    match term:
        case Variable():
            return terms.get(term, term)
        case Arithmetic():
            return replace(term, operands=tuple(substituted(operand, terms) for operand in term.operands))
        case _:
            return term


def evaluate(term: Term, substitution: Substitution) -> Value:
    """The value of a term whose variables are bound; raises `Undefined` if it has none.

    >>> evaluate(Arithmetic("/", (7, 2)), {}), evaluate(Arithmetic("/", (6, 2)), {})
    (3.5, 3)
    """
    match term:
        case Variable():
            return substitution[term]
        case Arithmetic(_, operands):
            function = term.function
            if function.lazy:
                return function.compute_lazily([partial(evaluate, operand, substitution) for operand in operands])
            return function.compute(*(evaluate(operand, substitution) for operand in operands))
        case _:
            return term
