"""Box: `a always in [w]`.

    □a at t  ⇔  #{u in the window : a at u} = #{u in the window} > 0

Its input is `a at T in [w]`, rows (args, u) that are present while u lies in the window. So the box counts, per args,
what is present there, and compares it with the window's size. The size is the same for all t, but smaller near the
start of the timeline; the window of the last n facts reaches back to the oldest of them.
"""

from __future__ import annotations

from lasing.compiling import njit
from lasing.engines.local.calendar import WAKE_UP, schedule
from lasing.engines.local.memory import ARITY, DELTA, NO_ROW, START, change, copy_key, count, next_listed, record
from lasing.engines.local.operators.log import oldest
from lasing.engines.local.operators.operation import FIELDS, Fields, Layout, Operator, span_words
from lasing.engines.local.operators.settle import settle_exactly, touch_all
from lasing.engines.local.pointers import Memory
from lasing.engines.local.spans import window_size
from lasing.plan.operators import Box
from lasing.plan.relations import Span

# The input's relation, the output's, the window's span, its size at the last tick. For the window of the last n facts,
# BACK is n, AHEAD the log's relation, and STEP 0.
SOURCE, TARGET, BACK, AHEAD, STEP, LAST_SIZE = range(FIELDS, FIELDS + 6)
NO_COUNT = -1


@njit(cache=True)
def box(m: Memory, op: int, t: int, _fired: int, _texts: Memory) -> None:
    """Count what changed in the input, and settle."""
    source, target = m[op + SOURCE], m[op + TARGET]
    row = m[source + DELTA]
    while row != NO_ROW:
        b = record(m, source, row)
        count(m, target, copy_key(m, b, m[target + ARITY]), change(m, source, b))
        row = next_listed(m, source, row)
    size = _size(m, op, t)
    if size != m[op + LAST_SIZE]:
        touch_all(m, target)
        m[op + LAST_SIZE] = size
    some = settle_exactly(m, target, NO_COUNT if size == 0 else size)
    step = max(m[op + STEP], 1)
    later = (t // step + 1) * step
    if some and _size(m, op, later) != size:
        schedule(m, later, WAKE_UP, 0)  # the window will be larger then, whether or not data comes


@njit(cache=True)
def _size(m: Memory, op: int, t: int) -> int:
    """How many time points the window has at t, if no fact comes before that."""
    if m[op + STEP] > 0:
        return window_size(t, m[op + BACK], m[op + AHEAD], m[op + STEP], m[START])
    return t - oldest(m, m[op + AHEAD], m[op + BACK]) + 1


def _encode(node: Box, layout: Layout, _op: int) -> Fields:
    counts_facts = not isinstance(node.window, Span)
    window = (node.window, layout.log(), 0) if counts_facts else span_words(node.window)
    return {
        SOURCE: layout.at(node.source),
        TARGET: layout.at(node.target),
        **dict(zip((BACK, AHEAD, STEP), window, strict=True)),
    }


OPERATOR = Operator(Box, box, _encode, reads_log=lambda node: not isinstance(node.window, Span))
