"""Instances without a value: they are counted, and the first one for each rule and reason is kept as an example.

The header's word EXAMPLES points to a table that has, for each rule, the place of its examples, or 0 if none of its
terms is computed. At that place is first the number of words of an example, then one example for each of the REASONS.
"""

from __future__ import annotations

from lasing.compiling import njit
from lasing.engines.local.memory import COUNTERS, EXAMPLES, NOW_REGISTER
from lasing.engines.local.pointers import Memory, int64
from lasing.engines.local.values import REASONS, UNDEFINED

# An example: the variant or the operation of an aggregate that had no value, the time point, the name that is at fault
# in an aggregate, and the values of variables. Absent values are MISSING, which is not a code.
MADE_BY, TIME, NAME, BINDING = range(4)
MISSING = -(2**62)


@njit(cache=True)
def note(m: Memory, rule: int, reason: int, made_by: int) -> int:
    """Count an instance without a value. If it becomes the example, start that and return where it is; otherwise 0."""
    kind = UNDEFINED - reason
    counter = m[COUNTERS] + rule * len(REASONS) + kind
    m[counter] += 1
    place = m[m[EXAMPLES] + rule]
    if m[counter] > 1 or place == 0:
        return int64(0)
    example = place + 1 + kind * m[place]
    m[example + MADE_BY] = made_by
    m[example + TIME] = m[m[NOW_REGISTER]]
    m[example + NAME] = MISSING
    return example
