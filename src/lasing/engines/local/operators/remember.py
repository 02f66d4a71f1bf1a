"""Remember: when the atoms of a derived stream held.

    a row (args, c, n) with n >= 0  ⇔  args held at c … c + n, and neither before c nor after c + n
    a row (args, c, OPEN)           ⇔  args holds since c

It follows the changes of the stream, and passes each run that begins or ends on to the windows over the stream (see
`recall`). So an atom that holds costs nothing, except for windows that ask for its times: those get each time point.

A time point may be evaluated again, with more facts. Then a run that began at it may vanish, and one that ended just
before it may go on.
"""

from __future__ import annotations

import numpy as np

from lasing.compiling import njit
from lasing.engines.local.calendar import WAKE_UP, schedule
from lasing.engines.local.memory import (
    ARITY,
    AT_H,
    AT_NEXT,
    DELTA,
    FOREVER,
    HI,
    KEY,
    LO,
    NEVER,
    NO_ROW,
    REMEMBERS,
    append,
    copy_key,
    find,
    head_of,
    is_present,
    next_listed,
    record,
)
from lasing.engines.local.operators.ahead import GROUP, fetch_head, fetch_rows, is_far
from lasing.engines.local.operators.operation import FIELDS, Fields, Layout, Operator
from lasing.engines.local.operators.recall import AT, BACK, HOW, STEP, begins, ends, enter
from lasing.engines.local.pause import spend
from lasing.engines.local.pointers import Memory, pointer
from lasing.plan.operators import Remember
from lasing.plan.relations import Relation

# The input's relation, that of the runs, where the operations of the windows are, and how many; the last time point
# whose atoms the windows that ask for times have got; whether to compare all runs with the input.
SOURCE, RUNS, FIRST_WINDOW, WINDOWS, LAST, COMPARE = range(FIELDS, FIELDS + 6)
OPEN = -1
"""The length of a run that has not ended."""
BY_ARGUMENTS = 0
"""The index of the runs by their arguments. There is no other."""


@njit(cache=True)
def remember(m: Memory, op: int, t: int, _fired: int, _texts: Memory) -> None:
    """Process what has begun and what has ended."""
    if m[REMEMBERS] == 0:
        return
    source = m[op + SOURCE]
    if m[op + COMPARE] == 1:
        m[op + COMPARE] = 0
        _compare(m, op, t)
    else:
        row, group, fetches = m[source + DELTA], 0, is_far(m, m[op + RUNS])
        while row != NO_ROW:
            if fetches:
                if group == 0:
                    _fetch_ahead(m, op, row)
                    group = GROUP
                group -= 1
            b = record(m, source, row)
            if is_present(m, source, b):
                _begin(m, op, b, t)
            else:
                _end(m, op, b, t)
            row = next_listed(m, source, row)
            if spend(m, 1):
                return
    _pass_points(m, op, t)


@njit(cache=True)
def _fetch_ahead(m: Memory, op: int, row: int) -> None:
    """Fetch the newest runs of a group of changes, from a row on."""
    source = m[op + SOURCE]
    fetched = 0
    while row != NO_ROW and fetched < GROUP:
        b = record(m, source, row)
        fetch_head(m, m[op + RUNS], BY_ARGUMENTS, b, fetched)
        fetched += 1
        row = next_listed(m, source, row)
    fetch_rows(m, fetched)


@njit(cache=True)
def _compare(m: Memory, op: int, t: int) -> None:
    """Begin and end runs so that they agree with what is present: the input's changes do not show that."""
    source, runs = m[op + SOURCE], m[op + RUNS]
    arity = m[source + ARITY]
    for row in range(m[source + LO], m[source + HI]):
        b = record(m, source, row)
        run = newest_run(m, op, copy_key(m, b, arity))
        is_open = run != NO_ROW and m[record(m, runs, run) + arity + 1] == OPEN
        if is_present(m, source, b):
            if not is_open:
                _begin(m, op, b, t)
        elif is_open:
            _end(m, op, b, t)
        if spend(m, 1):
            return
    for row in range(m[runs + LO], m[runs + HI]):
        b = record(m, runs, row)
        is_open = m[b + m[runs + AT_H]] != NEVER and m[b + arity + 1] == OPEN
        if is_open and find(m, source, copy_key(m, b, arity)) == NO_ROW:
            _end(m, op, b, t)
        if spend(m, 1):
            return


@njit(cache=True)
def newest_run(m: Memory, op: int, key: int) -> int:
    """The newest run of the arguments m[key…], or NO_ROW."""
    runs, arity = m[op + RUNS], m[m[op + SOURCE] + ARITY]
    row = m[head_of(m, runs, BY_ARGUMENTS, key)]
    while row >= m[runs + LO]:
        b = record(m, runs, row)
        same = m[b + m[runs + AT_H]] != NEVER
        for j in range(arity):
            same = same and m[b + j] == m[key + j]
        if same:
            return row
        row = m[b + m[runs + AT_NEXT] + BY_ARGUMENTS]
    return NO_ROW


@njit(cache=True)
def _begin(m: Memory, op: int, b: int, t: int) -> None:
    """The row whose record is at b holds at t."""
    runs, arity = m[op + RUNS], m[m[op + SOURCE] + ARITY]
    run = newest_run(m, op, copy_key(m, b, arity))
    if run != NO_ROW:
        a = record(m, runs, run)
        c, length = m[a + arity], m[a + arity + 1]
        if length != OPEN and c + length == t - 1:  # it ended in an earlier evaluation of this time point
            _change(m, op, b, run, c, True, length, True, OPEN, t, True)
            return
        if m[a + m[runs + AT_H]] >= t:
            run = NO_ROW  # windows still reach it
    _change(m, op, b, run, t, False, OPEN, True, OPEN, t, True)


@njit(cache=True)
def _end(m: Memory, op: int, b: int, t: int) -> None:
    """The row whose record is at b does not hold at t."""
    runs, arity = m[op + RUNS], m[m[op + SOURCE] + ARITY]
    run = newest_run(m, op, copy_key(m, b, arity))
    if run == NO_ROW:
        return
    c = m[record(m, runs, run) + arity]
    _change(m, op, b, run, c, True, OPEN, c < t, t - 1 - c, t, True)


@njit(cache=True)
def _change(
    m: Memory, op: int, b: int, run: int, c: int, was: bool, before: int, will: bool, after: int, t: int, at_once: bool
) -> None:
    """Replace a run from c on, of the arguments at b and of one length, by one of another; or add or remove it.

    The row `run`, of the same arguments, is overwritten; without it, there is a new row.
    """
    runs, arity = m[op + RUNS], m[m[op + SOURCE] + ARITY]
    key = copy_key(m, b, arity)
    needed = NEVER
    for i in range(m[op + WINDOWS]):
        w = m[m[op + FIRST_WINDOW] + i]
        last = FOREVER if after == OPEN else ends(m, w, c + after)
        needed = max(needed, last)
        if m[w + HOW] == AT:
            continue
        first = begins(m, w, c)
        until = FOREVER if before == OPEN else ends(m, w, c + before)
        had, has = was and first <= until and first < FOREVER, will and first <= last and first < FOREVER
        if had != has:
            enter(m, w, key, first, 1 if has else -1, t, at_once)
        if had and until < FOREVER:
            enter(m, w, key, until + 1, 1, t, at_once)
        if has and last < FOREVER:
            enter(m, w, key, last + 1, -1, t, at_once)
    if run == NO_ROW:
        run = append(m, runs, key)
    a = record(m, runs, run)
    m[a + arity], m[a + arity + 1] = c, after
    if after != OPEN:
        needed = max(needed, c + after + 1)  # that time point may be evaluated again, and the run may then go on
    m[a + m[runs + AT_H]] = needed if will else NEVER


@njit(cache=True)
def _pass_points(m: Memory, op: int, t: int) -> None:
    """Pass the atoms of this time point on to the windows that ask for times."""
    source, asked, some = m[op + SOURCE], False, False
    for i in range(m[op + WINDOWS]):
        asked = asked or m[m[m[op + FIRST_WINDOW] + i] + HOW] == AT
    if not asked:
        return
    if m[op + LAST] == t:  # evaluated again
        row = m[source + DELTA]
        while row != NO_ROW:
            b = record(m, source, row)
            _point(m, op, b, t, 1 if is_present(m, source, b) else -1, t, True)
            row = next_listed(m, source, row)
        schedule(m, t + 1, WAKE_UP, 0)
        return
    m[op + LAST] = t
    for row in range(m[source + LO], m[source + HI]):
        b = record(m, source, row)
        if is_present(m, source, b):
            some = True
            _point(m, op, b, t, 1, t, True)
        if spend(m, 1):
            return
    if some:
        schedule(m, t + 1, WAKE_UP, 0)


@njit(cache=True)
def _point(m: Memory, op: int, b: int, u: int, sign: int, t: int, at_once: bool) -> None:
    """Add the arguments at b and the time point u to the windows that ask for times, or remove them."""
    arity = m[m[op + SOURCE] + ARITY]
    for i in range(m[op + WINDOWS]):
        w = m[m[op + FIRST_WINDOW] + i]
        first, last = begins(m, w, u), ends(m, w, u)
        if m[w + HOW] == AT and first <= last and (at_once or last > t):
            key = copy_key(m, b, arity)
            m[key + arity] = u
            enter(m, w, key, first, sign, t, at_once)
            if last < FOREVER:
                enter(m, w, key, last + 1, -sign, t, at_once)


@njit(cache=True)
def runs_in(array: Memory, runs: int, t: int) -> np.ndarray:
    """All runs (args, begin, length) that windows still reach after t."""
    m = pointer(array)
    arity, found = m[runs + ARITY], 0
    rows = np.empty((m[runs + HI] - m[runs + LO], arity), np.int64)
    for row in range(m[runs + LO], m[runs + HI]):
        b = record(m, runs, row)
        if m[b + m[runs + AT_H]] >= t:
            for j in range(arity):
                rows[found, j] = m[b + j]
            found += 1
    return rows[:found]


@njit(cache=True)
def restore(array: Memory, op: int, rows: np.ndarray, t: int) -> None:
    """Add runs (args, begin, length) as they were at the end of t, none of them later than that. At the next time
    point, the operation compares them with what is present."""
    m = pointer(array)
    key, arity = m[KEY], m[m[op + SOURCE] + ARITY]
    for i in range(rows.shape[0]):
        for j in range(arity):
            m[key + j] = rows[i, j]
        c, length = rows[i, arity], rows[i, arity + 1]
        _change(m, op, key, NO_ROW, c, False, OPEN, True, length, t, False)
        _restore_points(m, op, key, c, t if length == OPEN else c + length, t)
    m[op + COMPARE] = 1
    schedule(m, t + 1, WAKE_UP, 0)


@njit(cache=True)
def _restore_points(m: Memory, op: int, key: int, c: int, h: int, t: int) -> None:
    first = FOREVER
    for i in range(m[op + WINDOWS]):
        w = m[m[op + FIRST_WINDOW] + i]
        if m[w + HOW] == AT:
            first = min(first, c if m[w + BACK] < 0 else max(c, t - m[w + BACK] - m[w + STEP]))
    for u in range(first, h + 1):
        _point(m, op, key, u, 1, t, False)
        if spend(m, 1):
            return


def _encode(node: Remember, layout: Layout, _op: int) -> Fields:
    windows = layout.operations_from(node.target)
    return {
        SOURCE: layout.at(node.source),
        RUNS: layout.at(node.target),
        FIRST_WINDOW: layout.put(windows),
        WINDOWS: len(windows),
        LAST: NEVER,
    }


def _by_arguments(node: Remember) -> tuple[Relation, tuple[int, ...]]:
    return node.target, tuple(range(node.source.arity))


OPERATOR = Operator(Remember, remember, _encode, index=_by_arguments, only_index=True, times=(LAST,))
