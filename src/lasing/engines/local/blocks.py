"""The blocks of all relations: allocated when an engine begins, freed when it is deleted."""

from __future__ import annotations

from lasing.compiling import njit
from lasing.engines.local.memory import (
    CALENDAR,
    DESCRIPTOR,
    FIRST_RELATION,
    HI,
    LO,
    MORE_BLOCK,
    OFFSET,
    RELATIONS,
    open_block,
    release_block_of,
)
from lasing.engines.local.pointers import Memory, pointer, release


@njit(cache=True)
def open_blocks(array: Memory, bits: int) -> None:
    """Allocate the first blocks of all relations."""
    m = pointer(array)
    for r in range(m[RELATIONS]):
        open_block(m, m[FIRST_RELATION] + r * DESCRIPTOR, bits)


@njit(cache=True)
def release_blocks(array: Memory) -> None:
    """Free the memory of all relations, of their rows, and of the calendar."""
    m = pointer(array)
    for r in range(m[RELATIONS]):
        d = m[FIRST_RELATION] + r * DESCRIPTOR
        if m[d + MORE_BLOCK] != 0:
            for row in range(m[d + LO], m[d + HI]):
                release_block_of(m, d, row)
        release(m, m[d + OFFSET])
    release(m, m[CALENDAR])
