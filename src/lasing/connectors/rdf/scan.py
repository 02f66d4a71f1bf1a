"""A kernel that finds the terms of N-Triples in the bytes of a text, each distinct term once.

Like the kernels of `lasing.connectors.scan`, it knows only the common forms, never guesses, and reports no mistakes. It
stops before a line of another form, and the exact reader continues there.
"""

from __future__ import annotations

import numpy as np

from lasing.compiling import njit

START, LENGTH, KIND, GRAPH, HASH = range(5)  # what is kept of each distinct term
SUBJECT, PREDICATE, OBJECT, STAMP = range(4)  # what is kept of each triple: numbers of terms

PLAIN_IRI, BLANK, WRITTEN_TIME, OTHER = range(4)
"""The kinds of terms. A plain IRI is valid, and has no escapes; other IRIs and literals are yet to be parsed."""

_TAB, _LINE, _RETURN, _SPACE, _QUOTE, _HASH_SIGN, _PLUS, _MINUS, _DOT = 9, 10, 13, 32, 34, 35, 43, 45, 46
_COLON, _LESS, _GREATER, _AT, _BACKSLASH, _CARET, _UNDERSCORE = 58, 60, 62, 64, 92, 94, 95
_NOT_IN_IRIS = np.zeros(256, np.bool_)
_NOT_IN_IRIS[: _SPACE + 1] = True
for _byte in b'<>"{}|^`\\':
    _NOT_IN_IRIS[_byte] = True
_PLAIN_MARKS = np.zeros(256, np.bool_)
for _byte in b"-._~/":
    _PLAIN_MARKS[_byte] = True


@njit(cache=True)
def _is_alphanumeric(byte: int) -> bool:
    return 97 <= byte <= 122 or 65 <= byte <= 90 or 48 <= byte <= 57


@njit(cache=True)
def _after_blanks(data: np.ndarray, i: int, end: int) -> int:
    while i < end and (data[i] == _SPACE or data[i] == _TAB):
        i += 1
    return i


@njit(cache=True)
def _iri(data: np.ndarray, i: int, end: int) -> tuple[int, int]:
    """Where the IRI that begins at `i` ends, or -1; and its kind.

    A plain IRI is a scheme, a colon, and letters, digits, `-._~/` with at most one `#`: all of these are valid.
    """
    first, colon, fragment, plain = i + 1, -1, False, True
    i = first
    while i < end and not _NOT_IN_IRIS[data[i]]:
        byte = data[i]
        if not _is_alphanumeric(byte):
            if byte == _COLON:
                plain = plain and colon < 0 and i > first
                colon = i
            elif byte == _HASH_SIGN:
                plain = plain and not fragment and colon >= 0
                fragment = True
            else:
                plain = plain and colon >= 0 and _PLAIN_MARKS[byte]
        i += 1
    if i == end or data[i] != _GREATER:
        return -1, OTHER
    letter = 97 <= data[first] <= 122 or 65 <= data[first] <= 90
    return i + 1, PLAIN_IRI if plain and colon >= 0 and letter else OTHER


@njit(cache=True)
def _blank(data: np.ndarray, i: int, end: int) -> int:
    """Where the blank node that begins at `i` ends, or -1."""
    if i + 2 >= end or data[i + 1] != _COLON or not (_is_alphanumeric(data[i + 2]) or data[i + 2] == _UNDERSCORE):
        return -1
    i += 3
    while i < end and (_is_alphanumeric(data[i]) or data[i] == _UNDERSCORE or data[i] == _MINUS):
        i += 1
    return i if i < end and (data[i] == _SPACE or data[i] == _TAB) else -1


@njit(cache=True)
def _literal(data: np.ndarray, i: int, end: int) -> int:
    """Where the literal that begins at `i` ends, or -1."""
    i += 1
    while i < end and data[i] != _QUOTE and data[i] != _LINE and data[i] != _RETURN:
        i += 2 if data[i] == _BACKSLASH else 1
    if i >= end or data[i] != _QUOTE:
        return -1
    i += 1
    if i < end and data[i] == _AT:
        i += 1
        while i < end and (_is_alphanumeric(data[i]) or data[i] == _MINUS):
            i += 1
    elif i + 2 < end and data[i] == _CARET and data[i + 1] == _CARET and data[i + 2] == _LESS:
        i, _ = _iri(data, i + 2, end)
    return i


@njit(cache=True)
def _time(data: np.ndarray, i: int, end: int) -> int:
    """Where the time that begins at `i` ends, without full stops at its end."""
    while i < end and (
        _is_alphanumeric(data[i])
        or data[i] == _COLON
        or data[i] == _MINUS
        or data[i] == _DOT
        or data[i] == _PLUS
        or data[i] == _UNDERSCORE
    ):
        i += 1
    return i - 1 if data[i - 1] == _DOT else i


@njit(cache=True)
def _number(
    data: np.ndarray, first: int, last: int, kind: int, graph: int, terms: np.ndarray, known: int, table: np.ndarray
) -> int:
    """The number of a term; the number of known terms if it is new. Blank nodes of two graphs are two terms."""
    code = np.uint64(14695981039346656037) ^ np.uint64(graph)
    for i in range(first, last):
        code = (code ^ np.uint64(data[i])) * np.uint64(1099511628211)
    code ^= code >> np.uint64(29)
    mask, hashed = np.uint64(table.shape[0] - 1), np.int64(code >> np.uint64(1))
    place = code & mask
    while table[place] > 0:
        number = table[place] - 1
        if (
            terms[number, HASH] == hashed
            and terms[number, LENGTH] == last - first
            and terms[number, KIND] == kind
            and terms[number, GRAPH] == graph
        ):
            start, same = terms[number, START], True
            for i in range(last - first):
                if data[start + i] != data[first + i]:
                    same = False
                    break
            if same:
                return number
        place = (place + np.uint64(1)) & mask
    table[place] = known + 1
    terms[known, START], terms[known, LENGTH], terms[known, KIND] = first, last - first, kind
    terms[known, GRAPH], terms[known, HASH] = graph, hashed
    return known


@njit(cache=True)
def scan_triples(
    data: np.ndarray, begin: int, stamped: bool, triples: np.ndarray, terms: np.ndarray, table: np.ndarray
) -> tuple[int, int, int, bool]:
    """Read lines from `begin` on: how many triples and terms there are, where the text after them begins, and whether
    that is a line of another form. If it is not, the text or the memory has come to its end.

    If `stamped`, each triple has a time, before or after the full stop, and a triple with another time than the one
    before it begins another graph. `table` is a hash table of zeros, at least twice as long as `terms`.
    """
    i, end, found, known, graph, stamp = begin, data.shape[0], 0, 0, 0, -1
    places = np.zeros(8, np.int64)  # where the terms of a line begin and end
    kinds = np.zeros(4, np.int64)
    while i < end and found < triples.shape[0] and known + 4 <= terms.shape[0]:
        line = i
        i = _after_blanks(data, i, end)
        if i < end and data[i] == _RETURN:
            i += 1
        if i == end or data[i] == _LINE:
            i += 1
            continue
        if data[i] == _HASH_SIGN:
            while i < end and data[i] != _LINE:
                i += 1
            continue
        for position in range(3):
            i = _after_blanks(data, i, end)
            places[2 * position] = i
            kinds[position] = OTHER
            last = -1
            if i < end and data[i] == _LESS:
                last, kinds[position] = _iri(data, i, end)
            elif i < end and data[i] == _UNDERSCORE and position != PREDICATE:
                last, kinds[position] = _blank(data, i, end), BLANK
            elif i < end and data[i] == _QUOTE and position == OBJECT:
                last = _literal(data, i, end)
            if last < 0:
                return found, known, line, True
            places[2 * position + 1] = last
            i = last
        after = i
        i = _after_blanks(data, i, end)
        ended = i < end and data[i] == _DOT
        if ended:
            i = _after_blanks(data, i + 1, end)
        if stamped:
            places[2 * STAMP], kinds[STAMP] = i, WRITTEN_TIME
            last = _time(data, i, end)
            if last <= i or (not ended and i == after):
                return found, known, line, True
            places[2 * STAMP + 1] = last
            i = last
            if not ended:
                i = _after_blanks(data, i, end)
                ended = i < end and data[i] == _DOT
                i += 1
            i = _after_blanks(data, i, end)
        if i < end and data[i] == _RETURN:
            i += 1
        if not ended or (i < end and data[i] != _LINE):
            return found, known, line, True
        i += 1
        if stamped:
            number = _number(data, places[6], places[7], WRITTEN_TIME, 0, terms, known, table)
            known = max(known, number + 1)
            if number != stamp and stamp >= 0:
                graph += 1
            stamp = number
            triples[found, STAMP] = number
        for position in range(3):
            scope = graph if kinds[position] == BLANK else 0
            number = _number(
                data, places[2 * position], places[2 * position + 1], kinds[position], scope, terms, known, table
            )
            known = max(known, number + 1)
            triples[found, position] = number
        found += 1
    return found, known, min(i, end), False
