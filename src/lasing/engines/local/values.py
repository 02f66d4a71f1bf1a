"""Values as int64 codes, and comparisons and arithmetic on them inside the arena.

`logic.values.table` says how each kind is coded. Integers below 2^60 in magnitude are their own codes. Names are
numbered from `NAMES`, in the order in which they occur; doubles and larger integers ("wide" values) from `WIDES`, as
rows of the relation WIDE that holds their kind and bits. Values of all other kinds ("terms") are numbered downwards
from the last code below `WIDES`. Equal values have equal codes.

Kernels know numbers, and the text of names. For terms, they ask Python (see `asking`).
"""

from __future__ import annotations

import numpy as np

from lasing.compiling import njit
from lasing.engines.local.asking import ARITHMETIC, CLASS, PRECEDES, ask
from lasing.engines.local.asking import NAMES as NAMES
from lasing.engines.local.asking import TERMS as TERMS
from lasing.engines.local.exact import quotient
from lasing.engines.local.making import WIDES as WIDES
from lasing.engines.local.memory import FOREVER, KEY, NO_ROW, WIDE, append, find, head_of, record
from lasing.engines.local.pointers import Memory, int64, pointer, prefetch, uint64
from lasing.engines.local.texts import order
from lasing.logic.functions.codes import (
    ABS,
    ADD,
    COPY,
    DIV,
    DIVIDE,
    EQUAL,
    GREATER,
    GREATER_EQUAL,
    LESS,
    LESS_EQUAL,
    MAX,
    MIN,
    MOD,
    MULTIPLY,
    NEGATE,
    SUBTRACT,
    UNEQUAL,
)
from lasing.logic.functions.reasons import REASONS as REASONS
from lasing.logic.values import Class

SMALL = 2**60
UNDEFINED = -(2**63) + 31
BEYOND_64_BITS, BY_ZERO, NOT_A_NUMBER, NOT_COMPARABLE, NO_TIME = range(UNDEFINED, UNDEFINED - 5, -1)
"""In place of a value: why there is none. REASONS has the words, by their distance from UNDEFINED."""

INTEGER, DOUBLE = 0, 1  # kinds of wide values

_RECENT_BITS = 12
_RECENT = 1 << _RECENT_BITS
_SPREAD = uint64(0x9E3779B97F4A7C15)

_OF_NUMBERS, _OF_TEXTS = int(Class.NUMBERS), int(Class.TEXTS)


@njit(cache=True)
def is_name(code: int) -> bool:
    """Whether a value is not a number but a name or a term."""
    return NAMES <= code < WIDES


@njit(cache=True)
def is_term(code: int) -> bool:
    """Whether a value is neither a number nor a name."""
    return TERMS <= code < WIDES


@njit(cache=True)
def is_double(m: Memory, code: int) -> bool:
    return code >= WIDES and m[record(m, m[WIDE], code - WIDES)] == DOUBLE


@njit(cache=True)
def integer(m: Memory, code: int) -> int:
    """The value of an integer's code."""
    if code < WIDES:
        return code
    return m[record(m, m[WIDE], code - WIDES) + 1]


@njit(cache=True)
def double(m: Memory, code: int) -> float:
    """The value of a number's code, as a double."""
    if code < WIDES:
        return float(code)
    b = record(m, m[WIDE], code - WIDES)
    bits = m[b + 1]
    return np.int64(bits).view(np.float64) if m[b] == DOUBLE else float(bits)


@njit(cache=True)
def wide(m: Memory, kind: int, bits: int) -> int:
    """The code of a wide value."""
    key = m[KEY] + 24
    m[key] = kind
    m[key + 1] = bits
    d = m[WIDE]
    row = find(m, d, key)
    if row == NO_ROW:
        row = append(m, d, key)
        m[record(m, d, row) + 2] = FOREVER
    return WIDES + row


@njit(cache=True)
def encode_wide(array: Memory, kind: int, bits: int) -> int:
    """Same as `wide`, but takes the array itself."""
    return wide(pointer(array), kind, bits)


@njit(cache=True)
def encode_doubles(array: Memory, values: np.ndarray) -> np.ndarray:
    """The codes of many finite doubles."""
    m = pointer(array)
    codes = np.empty(values.shape[0], np.int64)
    known = np.zeros(_RECENT, np.float64)  # a double, and its code: most columns repeat values
    code_of = np.zeros(_RECENT, np.int64)
    for i in range(values.shape[0]):
        value = values[i]
        place = np.int64((uint64(np.float64(value).view(np.int64)) * _SPREAD) >> uint64(64 - _RECENT_BITS))
        if known[place] != value:  # the code of 0.0 and of -0.0 is 0
            known[place], code_of[place] = value, code_of_double(m, value)
        codes[i] = code_of[place]
    return codes


@njit(cache=True)
def decode_wides(array: Memory, codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The integers or the bits of doubles of many codes, and which are doubles; a code that is not wide stays."""
    m = pointer(array)
    bits, doubles = codes.copy(), np.zeros(codes.shape[0], np.bool_)
    for i in range(codes.shape[0]):
        if codes[i] >= WIDES:
            b = record(m, m[WIDE], codes[i] - WIDES)
            bits[i], doubles[i] = m[b + 1], m[b] == DOUBLE
    return bits, doubles


@njit(cache=True)
def code_of_integer(m: Memory, value: int) -> int:
    return value if -SMALL < value < SMALL else wide(m, INTEGER, value)


@njit(cache=True)
def code_of_double(m: Memory, value: float) -> int:
    """The code of a double; one of integral value is that integer."""
    if not np.isfinite(value):
        return BEYOND_64_BITS
    if value == np.floor(value) and -(2.0**63) <= value < 2.0**63:
        return code_of_integer(m, int64(value))
    return wide(m, DOUBLE, np.float64(value).view(np.int64))


@njit(cache=True)
def fetch_double(m: Memory, value: float) -> None:
    """Begin to fetch what the code of a double is looked up in."""
    if value != np.floor(value):
        key = m[KEY] + 24
        m[key], m[key + 1] = DOUBLE, np.float64(value).view(np.int64)
        prefetch(m, head_of(m, m[WIDE], 0, key))


@njit(cache=True)
def compare(m: Memory, comparison: int, a: int, b: int, texts: Memory) -> bool:
    """Whether the comparison holds between two values."""
    if comparison == EQUAL:
        return a == b
    if comparison == UNEQUAL:
        return a != b
    if is_name(a) or is_name(b):
        if is_term(a) or is_term(b):
            return ask(m, comparison, a, b) == 1
        if not (is_name(a) and is_name(b)):
            return False
        x, y = order(texts, a - NAMES, b - NAMES), 0
    elif is_double(m, a) or is_double(m, b):  # numbers are in one order, so one question is enough
        if comparison in (LESS, GREATER_EQUAL):
            return _exceeds(m, b, a) == (comparison == LESS)
        return _exceeds(m, a, b) == (comparison == GREATER)
    else:
        x, y = integer(m, a), integer(m, b)
    if comparison == LESS:
        return x < y
    if comparison == LESS_EQUAL:
        return x <= y
    if comparison == GREATER:
        return x > y
    return x >= y


@njit(cache=True)
def precedes(m: Memory, a: int, b: int, texts: Memory) -> bool:
    """Whether a value comes before another one that it compares with; of two equal magnitudes, one does."""
    if is_term(a) or is_term(b):
        return ask(m, PRECEDES, a, b) == 1
    return compare(m, LESS, a, b, texts)


@njit(cache=True)
def class_of(m: Memory, code: int) -> int:
    """The class of values that a value compares with (see `logic.values.table`)."""
    if is_term(code):
        return ask(m, CLASS, code, code)
    return _OF_TEXTS if is_name(code) else _OF_NUMBERS


@njit(cache=True)
def _exceeds(m: Memory, a: int, b: int) -> bool:
    """Whether one number is greater than another, if at least one of them is a double.

    A double that is not an integer is less than 2^53 in magnitude, where every integer is also a double, or it is
    beyond all 64-bit integers. So they compare correctly as doubles, except for integers that are rounded up to 2^63.
    """
    u, v = double(m, a), double(m, b)
    if u == v and u == 2.0**63:
        return is_double(m, a) and not is_double(m, b)
    return u > v


@njit(cache=True)
def compute(m: Memory, operator: int, a: int, b: int) -> int:
    """The code of an operation's value, or why there is none."""
    if operator >= COPY:
        return a if operator == COPY else ask(m, operator, a, b)
    if is_name(a) or is_name(b):
        return ask(m, ARITHMETIC + operator, a, b) if is_term(a) or is_term(b) else NOT_A_NUMBER
    if is_double(m, a) or is_double(m, b):
        return _compute_doubles(m, operator, double(m, a), double(m, b), a, b)
    x, y = integer(m, a), integer(m, b)
    if operator == ADD:
        z = int64(uint64(x) + uint64(y))  # unsigned, because signed overflow is undefined
        if (x ^ z) & (y ^ z) < 0:
            return BEYOND_64_BITS
    elif operator == SUBTRACT:
        z = int64(uint64(x) - uint64(y))
        if (x ^ y) & (x ^ z) < 0:
            return BEYOND_64_BITS
    elif operator == MULTIPLY:
        if abs(float(x) * float(y)) > 9.2e18 and not _fits(x, y):
            return BEYOND_64_BITS
        z = int64(uint64(x) * uint64(y))
    elif operator in (NEGATE, ABS):
        if x == -(2**63):
            return BEYOND_64_BITS
        z = -x if operator == NEGATE or x < 0 else x
    elif operator == MIN:
        z = min(x, y)
    elif operator == MAX:
        z = max(x, y)
    else:
        if y == 0:
            return BY_ZERO
        if y == -1 and x == -(2**63) and operator != MOD:
            return BEYOND_64_BITS
        if operator == MOD:
            z = x % y
        elif operator == DIV or x % y == 0:
            z = x // y
        else:
            return code_of_double(m, quotient(x, y))
    return code_of_integer(m, z)


@njit(cache=True)
def _fits(x: int, y: int) -> bool:
    """Whether a product near the limit of 64 bits stays within them."""
    a = uint64(x) if x >= 0 else uint64(-(x + 1)) + uint64(1)
    b = uint64(y) if y >= 0 else uint64(-(y + 1)) + uint64(1)
    limit = uint64(2**63) if (x < 0) != (y < 0) else uint64(2**63 - 1)
    return b == uint64(0) or a <= limit // b


@njit(cache=True)
def _compute_doubles(m: Memory, operator: int, x: float, y: float, a: int, b: int) -> int:
    if operator == ADD:
        z = x + y
    elif operator == SUBTRACT:
        z = x - y
    elif operator == MULTIPLY:
        z = x * y
    elif operator == NEGATE:
        z = -x
    elif operator == ABS:
        z = abs(x)
    elif operator == MIN:
        return b if _exceeds(m, a, b) else a
    elif operator == MAX:
        return b if _exceeds(m, b, a) else a
    else:
        if y == 0.0:
            return BY_ZERO
        if operator == DIVIDE:
            z = x / y
        elif operator == DIV:
            z = x // y
        else:
            z = x % y
    return code_of_double(m, z)
