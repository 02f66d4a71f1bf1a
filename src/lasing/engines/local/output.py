"""Output: rows for what changes at a time point, or for all that holds."""

from __future__ import annotations

import numpy as np

from lasing.compiling import njit
from lasing.engines.local.calendar import NO_CHUNK, entries, entry, first_row, last_row, next_chunk, schedule_rows
from lasing.engines.local.memory import (
    ANNOTATED,
    ARITY,
    AT_H,
    AT_S,
    COUNTED,
    DELTA,
    FIRST,
    FIRST_OUTPUT,
    FIRST_REPORTED,
    FOREVER,
    HI,
    KIND,
    LIGHT,
    LO,
    MASK,
    NEWS,
    NO_ROW,
    NOW_REGISTER,
    OFFSET,
    OUTPUTS,
    PUT_OUT,
    REPORTED,
    REPORTS_EXTENSIONS,
    STRIDE,
    TICK,
    WORDS,
    change,
    next_listed,
    note_change,
    record,
)
from lasing.engines.local.pause import MOST_WORDS, OUT_OF_MEMORY, STOPPED
from lasing.engines.local.pointers import Memory, int64, pointer

# A row of output: the time, the predicate's number, +1 or -1 (0: no change, but guaranteed for longer), until when it
# is guaranteed (PROVISIONAL if that is unknown), the arguments.
OUT_TIME, OUT_PREDICATE, OUT_SIGN, OUT_UNTIL, OUT_ARGS = range(5)
PROVISIONAL = -(2**62)


@njit(cache=True)
def changes(m: Memory) -> int:
    """How many rows of output there may be, in addition to those that the calendar knows."""
    changes, news = 0, m[NEWS]
    for i in range(1, m[news] + 1):
        d = m[news + i]
        if m[d + PUT_OUT] == 0:
            continue
        if m[d + KIND] != COUNTED:
            changes += m[d + HI] - m[d + FIRST]
        row = m[d + DELTA]
        while row != NO_ROW:
            changes += 1
            row = next_listed(m, d, row)
    return changes


@njit(cache=True)
def room(m: Memory, out: np.ndarray, written: int, more: int) -> np.ndarray:
    """The output with room for at least that many more rows, if there is memory for it."""
    if written + more > out.shape[0] and m[WORDS] + 2 * (written + more) * out.shape[1] > m[MOST_WORDS]:
        m[STOPPED] = OUT_OF_MEMORY
        return out
    return _wider(out, written, more)


@njit(cache=True)
def _wider(out: np.ndarray, written: int, more: int) -> np.ndarray:
    """The output with room for at least that many more rows."""
    if written + more <= out.shape[0]:
        return out
    grown = np.empty((2 * (written + more), out.shape[1]), np.int64)
    for i in range(written):  # assigning a slice takes seconds to compile
        for j in range(out.shape[1]):
            grown[i, j] = out[i, j]
    return grown


@njit(cache=True)
def put_out(m: Memory, t: int, fired: int, out: np.ndarray, written: int) -> int:
    """Write the changes of the output's relations. There is room for them. Returns how many rows are then written."""
    news = m[NEWS]
    for i in range(1, m[news] + 1):
        d = m[news + i]
        if m[d + PUT_OUT] == 0:
            continue
        predicate = m[d + PUT_OUT] - FIRST_REPORTED
        if m[d + KIND] != COUNTED and (m[ANNOTATED] or m[REPORTS_EXTENSIONS] or m[d + REPORTED]):
            written = _put_out_new(m, d, predicate, t, out, written)
        row = NO_ROW if m[ANNOTATED] and m[d + KIND] != COUNTED else m[d + DELTA]
        while row != NO_ROW:
            b = record(m, d, row)
            _write(m, d, b, predicate, t, change(m, d, b), out, np.uintp(written))
            written += 1
            row = next_listed(m, d, row)
    return written if m[ANNOTATED] else _put_out_ended(m, t, fired, out, written)


@njit(cache=True)
def _put_out_new(m: Memory, d: int, predicate: int, t: int, out: np.ndarray, written: int) -> int:
    """Write the rows of a guaranteed relation that are new, or newly guaranteed for longer.

    If the output is annotated, all of them have the sign +1. Otherwise, rows that are only guaranteed for longer have
    the sign 0, and are written if extensions are reported; new rows are written, and stamped, if nothing else does so.
    """
    if m[ANNOTATED] == 0 and m[d + REPORTED] != 0:
        return _put_out_reported(m, d, predicate, t, out, written)
    at_h, at_s = m[d + AT_H], m[d + AT_S]
    annotated, extensions, tick = m[ANNOTATED] == 1, m[REPORTS_EXTENSIONS] == 1, m[TICK]
    for row in range(m[d + FIRST], m[d + HI]):
        b = record(m, d, row)
        if m[b + at_h] < t:
            continue
        sign = 1
        if not annotated:
            if (m[b + at_s] >> 1) == tick or not extensions:
                continue
            sign = 0
        _write(m, d, b, predicate, t, sign, out, np.uintp(written))
        written += 1
    return written


@njit(cache=True)
def _put_out_reported(m: Memory, d: int, predicate: int, t: int, out: np.ndarray, written: int) -> int:
    """The same for a relation whose changes only the output needs: its ends are entered in the calendar here, with one
    entry for neighbours that end together."""
    at_h, at_s = m[d + AT_H], m[d + AT_S]
    offset, mask, stride = m[d + OFFSET], m[d + MASK], m[d + STRIDE]
    extensions, now_present = m[REPORTS_EXTENSIONS] == 1, 2 * m[TICK] + 1
    first, ends, end = m[d + FIRST], int64(FOREVER), m[d + HI]
    for row in range(first, end):
        b = offset + (row & mask) * stride
        until = m[b + at_h]
        if until < t:
            continue
        if until != ends:
            if ends < FOREVER:
                schedule_rows(m, ends + 1, d, first, row)
            first, ends = row, until
        known = m[b + at_s] & 1
        if known == 0:
            m[b + at_s] = now_present
        elif not extensions:
            continue
        _write(m, d, b, predicate, t, 1 - known, out, np.uintp(written))
        written += 1
    if ends < FOREVER:
        schedule_rows(m, ends + 1, d, first, end)
    return written


@njit(cache=True)
def _put_out_ended(m: Memory, t: int, fired: int, out: np.ndarray, written: int) -> int:
    """Write the rows that no longer hold, for relations whose changes only the output needs."""
    while fired != NO_CHUNK:
        for i in range(entries(m, fired)):
            at = entry(m, fired, i)
            d, rows = m[at], m[at + 1]
            if d >= 0 and m[d + REPORTED] != 0:
                first, last = max(first_row(rows), m[d + LO]), last_row(rows)
                written = _put_out_gone(m, d, t, first, last, out, written)
        fired = next_chunk(m, fired)
    return written


@njit(cache=True, forceinline=True)
def _put_out_gone(m: Memory, d: int, t: int, first: int, last: int, out: np.ndarray, written: int) -> int:
    """The same for the rows of a relation from the first to the last."""
    at_h, at_s, predicate = m[d + AT_H], m[d + AT_S], m[d + REPORTED] - FIRST_REPORTED
    offset, mask, stride = m[d + OFFSET], m[d + MASK], m[d + STRIDE]
    now_absent, before = 2 * m[TICK], written
    for row in range(first, last + 1):
        b = offset + (row & mask) * stride
        if m[b + at_h] < t and (m[b + at_s] & 1) == 1:
            m[b + at_s] = now_absent
            _write(m, d, b, predicate, t, -1, out, np.uintp(written))
            written += 1
    if written > before:
        note_change(m, d)
    return written


@njit(cache=True, forceinline=True)
def _write(m: Memory, d: int, b: int, predicate: int, t: int, sign: int, out: np.ndarray, w: int) -> None:
    """Write a row of output; if the relation is shared, its tag is the predicate's number."""
    arity = m[d + ARITY]
    out[w, OUT_TIME] = t
    out[w, OUT_PREDICATE] = predicate if predicate >= 0 else m[b + arity - 1]
    out[w, OUT_SIGN] = sign
    out[w, OUT_UNTIL] = PROVISIONAL if m[d + KIND] == COUNTED else m[b + arity]
    _write_args(m, b, arity, out, w)


@njit(cache=True, forceinline=True)
def _write_args(m: Memory, b: int, arity: int, out: np.ndarray, w: int) -> None:
    """Write the arguments of a row. Without a loop for two of them, writing a whole answer takes a third less."""
    if arity == 2:
        out[w, np.uintp(OUT_ARGS)] = m[b]
        out[w, np.uintp(OUT_ARGS + 1)] = m[b + 1]
        return
    for j in range(arity):
        out[w, np.uintp(OUT_ARGS + j)] = m[b + j]


@njit(cache=True)
def read_out(arena: Memory, out: np.ndarray) -> tuple[np.ndarray, int]:
    """All rows that hold now, as rows of output, and how many there are."""
    m = pointer(arena)
    now, written = m[m[NOW_REGISTER]], 0
    for o in range(m[OUTPUTS]):
        d, predicate = m[m[FIRST_OUTPUT] + 2 * o], m[m[FIRST_OUTPUT] + 2 * o + 1]
        out = _wider(out, written, m[d + HI] - m[d + LO])
        written = _put_out_standing(m, d, predicate, now, out, written)
    return out, written


@njit(cache=True)
def _put_out_standing(m: Memory, d: int, predicate: int, now: int, out: np.ndarray, written: int) -> int:
    """Write all rows of a relation that hold now."""
    arity, kind = m[d + ARITY], m[d + KIND]
    offset, mask, stride = m[d + OFFSET], m[d + MASK], m[d + STRIDE]
    is_light, is_counted, at_h, at_s = kind == LIGHT, kind == COUNTED, m[d + AT_H], m[d + AT_S]
    for row in range(m[d + LO], m[d + HI]):
        b = offset + (row & mask) * stride
        if m[b + at_h] < now if is_light else (m[b + at_s] & 1) == 0:
            continue
        w = np.uintp(written)
        out[w, OUT_TIME] = now
        out[w, OUT_PREDICATE] = predicate if predicate >= 0 else m[b + arity - 1]
        out[w, OUT_SIGN] = 1
        out[w, OUT_UNTIL] = PROVISIONAL if is_counted else m[b + at_h]
        _write_args(m, b, arity, out, w)
        written += 1
    return written
