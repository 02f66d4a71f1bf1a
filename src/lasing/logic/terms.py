"""Terms: constants, variables and arithmetic.

A constant is a plain Python value: an `int` of 64 bits, a `float`, or a `str`. A float of integral value is the
integer (`1.0` is `1`), so equal constants are equal Python values. An IRI is the string with its angle brackets.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from math import isfinite

Value = int | float | str

SMALLEST, LARGEST = -(2**63), 2**63 - 1

# The lexical form of constants: the language's tokens, stream files and the printer all use these.
NAME = r"[^\W\d_A-Z]\w*"
IRI = r"<[A-Za-z][A-Za-z0-9+.\-]*:[^\s<>\"{}|\\^`]*>"
STRING = r'"[^"\\\n]*+(?:\\["\\n][^"\\\n]*+)*+"'  # possessive: a long text must not be remembered letter by letter
NUMBER = r"[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?"

RESERVED = frozenset(("not", "in", "at", "always", "and", "or", "div", "mod"))
FUNCTIONS = frozenset(("abs", "min", "max"))

_BARE = re.compile(rf"(?:{NAME}|{IRI})\Z")
_ESCAPES = {'\\"': '"', "\\\\": "\\", "\\n": "\n"}
_PRECEDENCE = {"+": 1, "-": 1, "*": 2, "/": 2, "div": 2, "mod": 2}


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


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """An operator or function applied to terms: `+ - * / div mod abs min max`; `-` of one term negates."""

    operator: str
    operands: tuple[Term, ...]
    offset: int = field(default=-1, compare=False, repr=False)
    depth: int = field(default=1, compare=False, repr=False)

    def __str__(self) -> str:
        return term_text(self)


Term = Value | Variable | Arithmetic
Substitution = Mapping[Variable, Value]


class Undefined(Exception):  # noqa: N818 -- no error: one instance of a rule has no value, and is counted
    """A term has no value: arithmetic on a name, division by zero, or a result beyond 64 bits."""


def is_name(word: str) -> bool:
    """Whether a word can stand bare, as the name of a constant or predicate.

    >>> is_name("tram_7"), is_name("Tram"), is_name("not")
    (True, False, False)
    """
    return word not in RESERVED and not word[:1].isupper() and re.fullmatch(NAME, word) is not None


def normal(number: int | float) -> int | float:
    """The one form of a number; `Undefined` where it does not fit into 64 bits.

    >>> normal(2.0), normal(2.5)
    (2, 2.5)
    """
    if isinstance(number, float):
        if not isfinite(number):
            raise Undefined("a result beyond 64 bits")
        if not number.is_integer() or not SMALLEST <= number <= LARGEST:
            return number
        number = int(number)
    if not SMALLEST <= number <= LARGEST:
        raise Undefined("a result beyond 64 bits")
    return number


def unescape(quoted: str) -> str:
    """The text of a quoted string.

    >>> unescape(chr(34) + "two words" + chr(34))
    'two words'
    """
    body = quoted[1:-1]
    return re.sub(r'\\["\\n]', lambda m: _ESCAPES[m[0]], body) if "\\" in body else body


def value_text(value: Value) -> str:
    """The canonical text of a constant: bare where the language allows it, else quoted.

    >>> value_text("x1"), value_text("Two words"), value_text(18.5)
    ('x1', '"Two words"', '18.5')
    """
    if not isinstance(value, str):
        return repr(value)
    if _BARE.match(value) and value not in RESERVED and not value[0].isupper():
        return value
    escaped = value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


def mixed_text(value: Value) -> str:
    """The text of a constant among names and numbers: a name that looks like a number, or quoted, is in quotes.

    >>> [mixed_text(value) for value in (1, "1", "Two words", 18.5)]
    ['1', '"1"', 'Two words', '18.5']
    """
    if isinstance(value, str) and not value.startswith('"') and not re.fullmatch(rf"-?{NUMBER}", value):
        return value
    return value_text(value)


def value_from_text(text: str) -> Value:
    """The constant that `value_text` or `mixed_text` has written.

    >>> [value_from_text(value_text(value)) for value in ("x1", "A b", -7, 2.5, "70")]
    ['x1', 'A b', -7, 2.5, '70']
    """
    if text.startswith('"'):
        return unescape(text)
    if re.fullmatch(rf"-?{NUMBER}", text):
        return normal(int(text) if text.lstrip("-").isdigit() else float(text))
    return text


def term_text(term: Term, within: int = 0, right: bool = False) -> str:
    """The text of a term, with only the parentheses it needs inside an operator of precedence `within`."""
    match term:
        case Variable():
            return str(term)
        case Arithmetic("-", (operand,)):
            text = f"-{term_text(operand, 3)}"
            return f"({text})" if within else text
        case Arithmetic(function, operands) if function in FUNCTIONS:
            return f"{function}({','.join(term_text(o) for o in operands)})"
        case Arithmetic(operator, (a, b)):
            precedence = _PRECEDENCE[operator]
            text = f"{term_text(a, precedence)} {operator} {term_text(b, precedence, True)}"
            return f"({text})" if within > precedence or (right and within == precedence) else text
        case Arithmetic():
            raise AssertionError(f"{term.operator} with {len(term.operands)} operands")
        case _:
            text = value_text(term)
            return f"({text})" if within and text.startswith("-") else text


def variables_of(term: Term) -> Iterator[Variable]:
    """The variables of a term, in the order in which they are written."""
    match term:
        case Variable():
            yield term
        case Arithmetic():
            for operand in term.operands:
                yield from variables_of(operand)
        case _:
            return


def evaluate(term: Term, substitution: Substitution) -> Value:
    """The value of a term whose variables are bound; `Undefined` where it has none.

    >>> evaluate(Arithmetic("/", (7, 2)), {}), evaluate(Arithmetic("/", (6, 2)), {})
    (3.5, 3)
    """
    match term:
        case Variable():
            return substitution[term]
        case Arithmetic():
            return _apply(term.operator, [_number(evaluate(o, substitution)) for o in term.operands])
        case _:
            return term


def _number(value: Value) -> int | float:
    if isinstance(value, str):
        raise Undefined("arithmetic on a name")
    return value


def _apply(operator: str, operands: list[int | float]) -> int | float:
    try:
        return normal(_compute(operator, operands))
    except ZeroDivisionError:
        raise Undefined("division by zero") from None
    except OverflowError:
        raise Undefined("a result beyond 64 bits") from None


def _compute(operator: str, operands: list[int | float]) -> int | float:
    match operator, operands:
        case "abs", [a]:
            return abs(a)
        case "min", _:
            return min(operands)
        case "max", _:
            return max(operands)
        case "-", [a]:
            return -a
        case "+", [a, b]:
            return a + b
        case "-", [a, b]:
            return a - b
        case "*", [a, b]:
            return a * b
        case "/", [int(a), int(b)] if b and a % b == 0:
            return a // b
        case "/", [a, b]:
            return a / b
        case "div", [a, b]:
            return a // b
        case "mod", [a, b]:
            return a % b
    raise AssertionError(f"{operator} of {len(operands)} operands")
