"""Pauses: during long work, a kernel pauses now and then so that signals are handled and limits are checked.

Each loop that may be long counts its work down from FUEL. When that is used up, `pause` gives Python a chance to handle
signals, such as Ctrl-C, and calls the driver, which checks the clock and what has been derived. If either wants to
stop, STOPPED says why, and every such loop returns at once. The tick is then half done, and the engine cannot be used
again: its rows may be wrong, but it reads and writes only its own memory.
"""

from __future__ import annotations

from lasing.compiling import njit
from lasing.engines.local.pointers import Memory, call, handle_signals

# The words of the arena's header that belong to this file: whether to stop and why; how much work may be done until the
# next pause; where the driver's function is; what a signal's handler raised (three words); the number of the running
# rule, or NO_RULE; its head's relation, and that relation's HI when the rule began; how many rows all rules have
# added at this tick, and how many they may; how many words of memory the engine may take.
STOPPED, FUEL, DRIVER, RAISED = 24, 25, 26, 27
RUNNING, RUNNING_HEAD, RUNNING_FROM = 30, 31, 32
DERIVED, MOST_DERIVED, MOST_WORDS = 33, 34, 35

# Whether to continue or why not, as the driver's function says; BY_DRIVER if it has an exception to raise.
GO_ON, BY_SIGNAL, BY_DRIVER, OUT_OF_TIME, TOO_MANY_ROWS, OUT_OF_MEMORY = range(6)

PACE = 1 << 16
"""How many steps of work lie between two pauses: one to five milliseconds."""
NO_RULE = -1


@njit(cache=True)
def pause(m: Memory) -> int:
    """Handle signals and check limits, unless the engine has stopped. Returns how much work may follow."""
    if m[STOPPED] == GO_ON and m[DRIVER] != 0:
        m[STOPPED] = BY_SIGNAL if handle_signals(m, RAISED) else call(m[DRIVER])
    m[FUEL] = PACE
    return PACE


@njit(cache=True, forceinline=True)
def spend(m: Memory, work: int) -> bool:
    """Count work done, and pause when it is time. Returns whether to stop."""
    m[FUEL] -= work
    if m[FUEL] < 0:
        pause(m)
        return m[STOPPED] != GO_ON
    return False
