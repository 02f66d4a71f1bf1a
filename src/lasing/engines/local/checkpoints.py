"""Copies of an engine's memory, to which it can go back.

A checkpoint has the words of the arena, of the relations' blocks and of the calendar. Going back copies them into the
engine. Two things stay as they are, because codes of values must keep their meaning: the relation of wide values, to
which rows are only added, and the answers to questions of kernels. When the dictionary forgets values, all codes
change, and checkpoints from before are void.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lasing.compiling import njit
from lasing.engines.local import calendar
from lasing.engines.local.dictionary import Codes
from lasing.engines.local.memory import (
    BLOCK_WORDS,
    CALENDAR,
    DESCRIPTOR,
    FIRST_RELATION,
    INDEX,
    INDEX_HEADS,
    INDEX_WIDTH,
    INDICES,
    IS_CHANGED,
    MORE_BLOCK,
    OFFSET,
    RELATIONS,
    REMEMBERS,
    WIDE,
    WORDS,
    new_block,
)
from lasing.engines.local.pause import STOPPED
from lasing.engines.local.pointers import Memory, pointer, release
from lasing.limits import stopped

if TYPE_CHECKING:
    from lasing.engines.local.engine import LocalEngine

_OWN = slice(STOPPED, REMEMBERS)
"""The words of the header that belong to the run, not to the state: limits, the driver, questions, measuring."""


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The memory of an engine at a time point."""

    time: int
    collections: int
    arena: Codes
    blocks: Codes

    @property
    def words(self) -> int:
        return len(self.arena) + len(self.blocks)


def can_be_copied(engine: LocalEngine) -> bool:
    """Whether checkpoints of an engine are possible: no relation has rows with blocks of their own."""
    return bool(_is_flat(engine.arena))


def take(engine: LocalEngine) -> Checkpoint:
    """A checkpoint of an engine that is between two time points."""
    arena = engine.arena
    blocks = np.empty(_words(arena), np.int64)
    _save(arena, blocks)
    return Checkpoint(engine.time, engine.dictionary.collections, arena.copy(), blocks)


def go_back(engine: LocalEngine, checkpoint: Checkpoint) -> bool:
    """Bring an engine back to a checkpoint; false if that is void."""
    if engine.dictionary.collections != checkpoint.collections:
        return False
    arena = engine.arena
    saved = checkpoint.arena  # from now on, it says where the blocks are now, which is all the same for the next time
    saved[_OWN] = arena[_OWN]
    if not _load(arena, saved, checkpoint.blocks):
        raise stopped()
    arena[:] = saved
    engine.time = checkpoint.time
    return True


@njit(cache=True)
def _is_flat(array: Memory) -> bool:
    m = pointer(array)
    flat = True
    for r in range(m[RELATIONS]):
        flat = flat and m[m[FIRST_RELATION] + r * DESCRIPTOR + MORE_BLOCK] == 0
    return flat


@njit(cache=True)
def _words(array: Memory) -> int:
    """How many words all blocks but that of wide values have."""
    m = pointer(array)
    words = calendar.words(m, m[CALENDAR])
    for r in range(m[RELATIONS]):
        d = m[FIRST_RELATION] + r * DESCRIPTOR
        if d != m[WIDE]:
            words += m[d + BLOCK_WORDS]
    return words


@njit(cache=True)
def _save(array: Memory, blocks: np.ndarray) -> None:
    """Copy the calendar and the blocks of the relations, one after the other."""
    m = pointer(array)
    at, size = 0, calendar.words(m, m[CALENDAR])
    for i in range(size):
        blocks[i] = m[m[CALENDAR] + i]
    at += size
    for r in range(m[RELATIONS]):
        d = m[FIRST_RELATION] + r * DESCRIPTOR
        if d != m[WIDE]:
            block, size = m[d + OFFSET], m[d + BLOCK_WORDS]
            for i in range(size):
                blocks[at + i] = m[block + i]
            at += size


@njit(cache=True)
def _load(array: Memory, saved: np.ndarray, blocks: np.ndarray) -> bool:
    """Copy the blocks back, and enter in the saved arena where they are now. A block of another size is replaced.
    Returns whether there was memory for that."""
    m = pointer(array)
    at, size = 0, calendar.saved_words(blocks)
    block = m[CALENDAR]
    old = calendar.words(m, block)
    if old != size:
        larger = new_block(m, size)
        if larger == 0:
            return False
        release(m, block)
        m[WORDS] -= old
        block = larger
        m[CALENDAR] = block
    for i in range(size):
        m[block + i] = blocks[i]
    saved[CALENDAR] = block
    at += size
    for r in range(m[RELATIONS]):
        d = m[FIRST_RELATION] + r * DESCRIPTOR
        if d == m[WIDE]:
            listed = saved[d + IS_CHANGED]
            for i in range(DESCRIPTOR):
                saved[d + i] = m[d + i]
            saved[d + IS_CHANGED] = listed  # as the saved list says
            continue
        size, block = saved[d + BLOCK_WORDS], m[d + OFFSET]
        if m[d + BLOCK_WORDS] != size:
            other = new_block(m, size)
            if other == 0:
                return False
            release(m, block)
            m[WORDS] -= m[d + BLOCK_WORDS]
            block = other
            m[d + OFFSET], m[d + BLOCK_WORDS] = block, size
        for i in range(size):
            m[block + i] = blocks[at + i]
        at += size
        moved = block - saved[d + OFFSET]
        saved[d + OFFSET] = block
        for index in range(saved[d + INDICES]):
            saved[d + INDEX + index * INDEX_WIDTH + INDEX_HEADS] += moved
    saved[WORDS] = m[WORDS]
    return True
