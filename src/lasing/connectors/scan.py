"""Kernels that find cells and facts in the bytes of a text, and read the numbers and dates among them.

They know only the common forms. They leave everything else to the exact readers: a kernel never guesses, and reports no
mistakes.
"""

from __future__ import annotations

import numpy as np

from lasing.compiling import njit

INTEGER, DOUBLE, TEXT, EMPTY, ODD = range(5)
"""The kinds of cells. The value of a double is its bits; the exact reader reads odd cells."""
INSTANT = 5
"""A time that is a date: its value is in milliseconds since 1970."""

PREDICATE_START, PREDICATE_LENGTH, ARITY = range(3)  # what is kept of each shape of facts
SHAPE, FIRST_CELL, TIME_KIND, TIME, TIME_LENGTH = range(5)  # what is kept of each fact
CELL_START, CELL_LENGTH, CELL_KIND, CELL_VALUE = range(4)  # what is kept of each cell

_MOST_DIGITS = 18
_EXACT = 2**53
_POWERS = np.array([10.0**i for i in range(23)])
_TAB, _LINE, _RETURN, _SPACE, _QUOTE, _PERCENT = 9, 10, 13, 32, 34, 37
_OPEN, _CLOSE, _COMMA, _MINUS, _DOT, _ZERO, _NINE, _COLON, _LESS, _BACKSLASH = 40, 41, 44, 45, 46, 48, 57, 58, 60, 92
_DAYS_BEFORE = np.array([0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334])
_DAYS = np.array([31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31])
_RESERVED = np.zeros((8, 6), np.uint8)
for _i, _word in enumerate((b"not", b"in", b"at", b"always", b"and", b"or", b"div", b"mod")):
    _RESERVED[_i, : len(_word)] = np.frombuffer(_word, np.uint8)


@njit(cache=True)
def _is_blank(byte: int) -> bool:
    """Whether `str.strip` removes this ASCII character."""
    return byte == _SPACE or 9 <= byte <= 13 or 28 <= byte <= 31


@njit(cache=True)
def _is_digit(byte: int) -> bool:
    return _ZERO <= byte <= _NINE


@njit(cache=True)
def _is_word(byte: int) -> bool:
    return 97 <= byte <= 122 or 65 <= byte <= 90 or _ZERO <= byte <= _NINE or byte == 95


@njit(cache=True)
def _number(data: np.ndarray, start: int, end: int, zeros: bool) -> tuple[int, int]:
    """The kind and value of a number; TEXT if it is not a number. Leading zeros are allowed if `zeros`.

    A double is exact: the digits up to 2^53 and the power of ten up to 10^22 are exact doubles, and IEEE rounds once.
    """
    i = start
    negative = i < end and data[i] == _MINUS
    if negative:
        i += 1
    if (
        i == end
        or not _is_digit(data[i])
        or (not zeros and data[i] == _ZERO and i + 1 < end and _is_digit(data[i + 1]))
    ):
        return TEXT, 0
    digits, exponent, count = np.int64(0), 0, 0
    while i < end and _is_digit(data[i]):
        if count < _MOST_DIGITS:
            digits = digits * 10 + (data[i] - _ZERO)
        count += 1
        i += 1
    if i == end:
        if count > _MOST_DIGITS:
            return ODD, 0
        return INTEGER, -digits if negative else digits
    if data[i] == _DOT:
        i += 1
        if i == end or not _is_digit(data[i]):
            return TEXT, 0
        while i < end and _is_digit(data[i]):
            if count < _MOST_DIGITS:
                digits = digits * 10 + (data[i] - _ZERO)
            count += 1
            exponent -= 1
            i += 1
    if i < end and (data[i] == 69 or data[i] == 101):
        i += 1
        sign = 1
        if i < end and (data[i] == _MINUS or data[i] == 43):
            sign = -1 if data[i] == _MINUS else 1
            i += 1
        if i == end:
            return TEXT, 0
        power = 0
        while i < end and _is_digit(data[i]):
            if power < 10_000:
                power = power * 10 + (data[i] - _ZERO)
            i += 1
        exponent += sign * power
    if i != end:
        return TEXT, 0
    if count > _MOST_DIGITS or digits > _EXACT or abs(exponent) > 22:
        return ODD, 0
    value = float(digits)
    value = value * _POWERS[exponent] if exponent >= 0 else value / _POWERS[-exponent]
    if negative:
        value = -value
    if -(2.0**63) <= value < 2.0**63 and value == np.floor(value):
        return INTEGER, np.int64(value)
    return DOUBLE, np.float64(value).view(np.int64)


@njit(cache=True)
def _digits(data: np.ndarray, start: int, count: int) -> int:
    """The number that some digits make; -1 if they are not digits."""
    number = 0
    for i in range(start, start + count):
        if not _is_digit(data[i]):
            return -1
        number = number * 10 + (data[i] - _ZERO)
    return number


@njit(cache=True)
def _instant(data: np.ndarray, start: int, end: int) -> tuple[int, int]:
    """The milliseconds of a date and time such as 2026-01-31T08:00:00Z; TEXT if it has another form."""
    length = end - start
    if length > 19 and data[end - 1] == 90:  # Z; without a zone, the time is in UTC
        length -= 1
    if length != 19 and length != 23 and length != 26:
        return TEXT, 0
    if (
        data[start + 4] != _MINUS
        or data[start + 7] != _MINUS
        or (data[start + 10] != 84 and data[start + 10] != _SPACE)
    ):
        return TEXT, 0
    if data[start + 13] != _COLON or data[start + 16] != _COLON:
        return TEXT, 0
    year, month, day = _digits(data, start, 4), _digits(data, start + 5, 2), _digits(data, start + 8, 2)
    hour, minute, second = _digits(data, start + 11, 2), _digits(data, start + 14, 2), _digits(data, start + 17, 2)
    if year < 1 or not 1 <= month <= 12 or not 0 <= hour < 24 or not 0 <= minute < 60 or not 0 <= second < 60:
        return TEXT, 0
    leap = (year % 4 == 0 and year % 100 != 0) or year % 400 == 0
    if not 1 <= day <= _DAYS[month - 1] + (1 if leap and month == 2 else 0):
        return TEXT, 0
    milliseconds = 0
    if length > 19:
        if data[start + 19] != _DOT or _digits(data, start + 20, length - 20) < 0:
            return TEXT, 0
        milliseconds = _digits(data, start + 20, 3)
    before = year - 1
    days = before * 365 + before // 4 - before // 100 + before // 400 + _DAYS_BEFORE[month - 1] + day - 1
    if leap and month > 2:
        days += 1
    seconds = (days - 719_162) * 86_400 + hour * 3_600 + minute * 60 + second
    return INSTANT, seconds * 1_000 + milliseconds


@njit(cache=True)
def scan_csv(data: np.ndarray, columns: int, cells: np.ndarray) -> int:
    """Find the cells of lines with `columns` columns; return the number of cells, or -1 if a line has another form."""
    i, end, found = 0, data.shape[0], 0
    while i < end:
        if data[i] == _LINE:
            i += 1
            continue
        if data[i] == _RETURN and i + 1 < end and data[i + 1] == _LINE:
            i += 2
            continue
        column = 0
        while True:
            if column == columns:
                return -1
            if i < end and data[i] == _QUOTE:
                first = i + 1
                i = first
                while i < end and data[i] != _QUOTE and data[i] != _LINE and data[i] != _RETURN:
                    i += 1
                if i == end or data[i] != _QUOTE:
                    return -1
                last = i
                i += 1
            else:
                first = i
                while i < end and data[i] != _COMMA and data[i] != _LINE and data[i] != _RETURN:
                    if data[i] == _QUOTE:
                        return -1
                    i += 1
                last = i
            cells[found, CELL_START], cells[found, CELL_LENGTH] = first, last - first
            found += 1
            column += 1
            if i < end and data[i] == _COMMA:
                i += 1
                continue
            if i < end and data[i] == _RETURN:
                i += 1
                if i == end:
                    return -1
            if i < end and data[i] != _LINE:
                return -1
            i += 1
            break
        if column != columns:
            return -1
    return found


@njit(cache=True)
def read_cells(data: np.ndarray, cells: np.ndarray, first: int, step: int, dates: bool) -> np.ndarray:
    """Trim each `step`-th cell, and set its kind and value; return the number of cells of each kind."""
    counts = np.zeros(6, np.int64)
    for c in range(first, cells.shape[0], step):
        start = cells[c, CELL_START]
        end = start + cells[c, CELL_LENGTH]
        while start < end and _is_blank(data[start]):
            start += 1
        while start < end and _is_blank(data[end - 1]):
            end -= 1
        kind, value = TEXT, np.int64(0)
        if start == end:
            kind = EMPTY
        elif data[start] >= 128 or data[end - 1] >= 128 or _may_be_term(data, start, end):
            kind = ODD  # a character beyond ASCII may be a blank
        elif data[start] == _MINUS or _is_digit(data[start]):
            kind, value = _number(data, start, end, False)
            if kind == TEXT and dates:
                kind, value = _instant(data, start, end)
        cells[c, CELL_START], cells[c, CELL_LENGTH] = start, end - start
        cells[c, CELL_KIND], cells[c, CELL_VALUE] = kind, value
        counts[kind] += 1
    return counts


@njit(cache=True)
def _may_be_term(data: np.ndarray, start: int, end: int) -> bool:
    """Whether a cell begins like an IRI, a blank node, a literal or an identifier: < _: " new("""
    byte = data[start]
    if byte in (_LESS, _QUOTE):
        return True
    if byte == 95:
        return start + 1 < end and data[start + 1] == _COLON
    return (
        byte == 110 and start + 3 < end and data[start + 1] == 101 and data[start + 2] == 119 and data[start + 3] == 40
    )


@njit(cache=True)
def gather(data: np.ndarray, starts: np.ndarray, lengths: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Pieces of text one after the other, and where each of them ends, in the layout of Arrow."""
    ends = np.zeros(starts.shape[0] + 1, np.int32)
    for k in range(starts.shape[0]):
        ends[k + 1] = ends[k] + lengths[k]
    text = np.empty(ends[-1], np.uint8)
    for k in range(starts.shape[0]):
        at, start = ends[k], starts[k]
        for i in range(lengths[k]):
            text[at + i] = data[start + i]
    return text, ends


@njit(cache=True)
def _skip(data: np.ndarray, i: int) -> int:
    """Where the white space ends."""
    while i < data.shape[0] and (data[i] == _SPACE or 9 <= data[i] <= 13):
        i += 1
    return i


@njit(cache=True)
def _name(data: np.ndarray, i: int) -> int:
    """Where the name that begins here ends; -1 if there is none, or it is reserved or not ASCII."""
    if i == data.shape[0] or not 97 <= data[i] <= 122:
        return -1
    end = i + 1
    while end < data.shape[0] and _is_word(data[end]):
        end += 1
    if end < data.shape[0] and data[end] >= 128:
        return -1
    if end - i <= _RESERVED.shape[1]:
        for word in range(_RESERVED.shape[0]):
            same = end - i == _RESERVED.shape[1] or _RESERVED[word, end - i] == 0
            for j in range(end - i):
                same = same and data[i + j] == _RESERVED[word, j]
            if same:
                return -1
    return end


@njit(cache=True)
def _string(data: np.ndarray, i: int) -> int:
    """Where the quoted text that begins here ends, at its last quotation mark; -1 if it has escapes or no end."""
    i += 1
    while i < data.shape[0] and data[i] != _QUOTE:
        if data[i] == _BACKSLASH or data[i] == _LINE:
            return -1
        i += 1
    return i if i < data.shape[0] else -1


@njit(cache=True)
def _term(data: np.ndarray, i: int, cell: np.ndarray) -> int:
    """Read a constant into a cell, and return where it ends; -1 if it does not have a common form."""
    if i == data.shape[0]:
        return -1
    byte = data[i]
    if byte == _QUOTE:
        end = _string(data, i)
        if end < 0:
            return -1
        cell[CELL_START], cell[CELL_LENGTH], cell[CELL_KIND] = i + 1, end - i - 1, TEXT
        return end + 1
    if byte == _MINUS or _is_digit(byte):
        end = i + 1
        while end < data.shape[0] and (
            _is_word(data[end]) or data[end] == _DOT or data[end] == _MINUS or data[end] == 43
        ):
            end += 1
        kind, value = _number(data, i, end, True)
        if kind != INTEGER and kind != DOUBLE:
            return -1
        cell[CELL_START], cell[CELL_LENGTH], cell[CELL_KIND], cell[CELL_VALUE] = i, end - i, kind, value
        return end
    end = _name(data, i)
    if end >= 0:
        cell[CELL_START], cell[CELL_LENGTH], cell[CELL_KIND] = i, end - i, TEXT
    return end


@njit(cache=True)
def _shape(data: np.ndarray, shapes: np.ndarray, count: int, last: int, start: int, end: int, arity: int) -> int:
    """The number of the shape with this predicate and arity; `count` if it is new."""
    for k in range(-1, count):
        s = last if k < 0 else k
        if s < count and shapes[s, ARITY] == arity and shapes[s, PREDICATE_LENGTH] == end - start:
            same = True
            for j in range(end - start):
                if data[shapes[s, PREDICATE_START] + j] != data[start + j]:
                    same = False
                    break
            if same:
                return s
    return count


@njit(cache=True)
def scan_facts(
    data: np.ndarray, begin: int, facts: np.ndarray, cells: np.ndarray, shapes: np.ndarray
) -> tuple[int, int, int, int]:
    """Read facts such as `temp(s1, 70) at 36.`, with comments between them, up to one of another form.

    Returns the numbers of facts, cells and shapes, and the position of the first byte that was not read.
    """
    end = data.shape[0]
    found = used = kinds = shape = 0
    position = i = begin
    while True:
        i = position = _skip(data, i)
        if i == end or found == facts.shape[0]:
            return found, used, kinds, position
        if data[i] == _PERCENT:
            if i + 1 < end and data[i + 1] == 42:  # a comment over several lines
                return found, used, kinds, position
            while i < end and data[i] != _LINE:
                i += 1
            continue
        first = i
        last = i = _name(data, i)
        if i < 0:
            return found, used, kinds, position
        arity = 0
        if i < end and data[i] == _OPEN:
            while True:
                if used + arity == cells.shape[0]:
                    return found, used, kinds, position
                i = _term(data, _skip(data, i + 1), cells[used + arity])
                if i < 0:
                    return found, used, kinds, position
                arity += 1
                i = _skip(data, i)
                if i == end or (data[i] != _COMMA and data[i] != _CLOSE):
                    return found, used, kinds, position
                if data[i] == _CLOSE:
                    i += 1
                    break
        at = _skip(data, i)
        if at == i or at + 2 >= end or data[at] != 97 or data[at + 1] != 116:
            return found, used, kinds, position
        i = _skip(data, at + 2)
        if i == at + 2 or i == end:
            return found, used, kinds, position
        fact = facts[found]
        if data[i] == _QUOTE:
            stop = _string(data, i)
            if stop < 0:
                return found, used, kinds, position
            fact[TIME_KIND], fact[TIME] = _instant(data, i + 1, stop)
            if fact[TIME_KIND] == TEXT:
                fact[TIME], fact[TIME_LENGTH] = i + 1, stop - i - 1
            i = stop + 1
        else:
            stop = i + 1
            while stop < end and _is_digit(data[stop]):
                stop += 1
            fact[TIME_KIND], fact[TIME] = _number(data, i, stop, True)
            if fact[TIME_KIND] != INTEGER:
                return found, used, kinds, position
            i = stop
        i = _skip(data, i)
        if i == end or data[i] != _DOT:
            return found, used, kinds, position
        i += 1
        if i < end and not (data[i] == _SPACE or 9 <= data[i] <= 13 or data[i] == _PERCENT):
            return found, used, kinds, position
        shape = _shape(data, shapes, kinds, shape, first, last, arity)
        if shape == kinds:
            if kinds == shapes.shape[0]:
                return found, used, kinds, position
            shapes[kinds, PREDICATE_START], shapes[kinds, PREDICATE_LENGTH] = first, last - first
            shapes[kinds, ARITY] = arity
            kinds += 1
        fact[SHAPE], fact[FIRST_CELL] = shape, used
        found += 1
        used += arity
