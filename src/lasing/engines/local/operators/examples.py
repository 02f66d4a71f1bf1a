"""Instances that have no value: they are counted, and the first one of each rule and reason is kept as an example.

The header's word EXAMPLES says where a table has, for each rule, the place of its examples, or 0 where none of its
terms is computed. There comes first how many words an example has; then one example for each of the REASONS.
"""

from __future__ import annotations

from lasing.compiling import njit
from lasing.engines.local.memory import COUNTERS, EXAMPLES, NOW_REGISTER
from lasing.engines.local.pointers import Memory, int64
from lasing.engines.local.values import REASONS, UNDEFINED

# An example: the variant or the operation of an aggregate that had no value, the time point, the name that is at fault
# in an aggregate, and the values of variables. What there is not is MISSING, which is no code.
MADE_BY, TIME, NAME, BINDING = range(4)
MISSING = -(2**62)


@njit(cache=True)
def note(m: Memory, rule: int, reason: int, made_by: int) -> int:
    """Count an instance that has no value. Where it is to be the example, begin that, and say where it is; else 0."""
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
