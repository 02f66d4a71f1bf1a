"""The arena: relations as rings of records, and the life of a row.

An array of int64 holds the header, the relations' descriptors and the encoded plan. Each relation has a block of
memory for its ring and its indices, and its descriptor has the block's distance from the array; a relation that is full
moves to a larger block. Kernels take a pointer to the array, `m`.

    the array                                a relation's block, at m[d + OFFSET]
    +--------------------+                   +----------------------------------+
    | header             |  HEADER words     | record of row 0                  |  STRIDE words each,
    +--------------------+                   | record of row 1                  |  MASK + 1 of them:
    | descriptor 0  <- d |  DESCRIPTOR words | ...                              |  row r is at r & MASK
    | descriptor 1       |  each             +----------------------------------+
    | ...                |                   | chain heads of index 0           |  INDEX_HEADS says where
    +--------------------+                   | chain heads of index 1           |
    | operations, rules, |                   | ...                              |
    | inputs, registers  |                   +----------------------------------+
    +--------------------+

    a record, at b = record(m, d, row)

    | arguments ... | H | S | D | C | next ... | more ... |
      ARITY words    ^   ^   ^   ^   ^          ^
                  AT_H AT_S AT_D AT_C AT_NEXT   AT_MORE

    a descriptor, at d

    | 31 fields, up to KEPT_BACK          | index 0 | index 1 | ... MOST_INDICES of them |
                                            | INDEX_KEYS | INDEX_SHIFT | INDEX_HEADS | columns ... |

- *Born*: a row gets the next row id. Ids rise; the record's place in the ring is `id & mask`. Each index has a table of
  chain heads, newest first, and the record's `next` fields link it to the row before it in the same chain.
- *Guaranteed* rows hold at every evaluation time up to their horizon H. A longer horizon for the same key appends a new
  row and ends the old one (H = NEVER), so the rows above a mark are exactly what is new since that mark.
- *Counted* rows hold while their count C of derivations is positive.
- *Tracked* rows (all counted ones, and guaranteed ones whose changes are needed) have a stamp S = 2·tick + present:
  whether the row is present, and since which tick (evaluated time points are numbered 1, 2, …). So both the state now
  and the state before this tick can be read: a row stamped now was the opposite before. D links the rows that changed.
- *Pending* rows hold only from a future time, which is their last column. They wait in a relation of their own (the
  PARTNER of the one in which they will hold) until the calendar releases them.
- *Dead*: the low mark LO moves over dead rows; a chain ends at the first id below it. Nothing is ever removed from an
  index. A relation that is full of dead rows is compacted before a tick, and its rows get new ids.
- Rows that are derived *once* (see `plan.once`) are in a relation without an index: nothing looks for them.
- *Passing* rows hold like light ones, but only the rules that read them need them, when they are new (see
  `plan.passing`), and all are dead at the next tick. If one rule reads them, they have no index, and may come twice.

- *Running* rows are facts of this time point and of the one before. Their stamp S has another meaning (see
  `operators.runs`), but also goes to the row that replaces them.

Light relations (guaranteed, and their changes are not needed) have no S, D and C. Relations whose changes only the
output needs have no D and C. Other guaranteed relations have no C. Operators may keep more words in a row, at AT_MORE.
"""

from __future__ import annotations

from lasing.compiling import njit
from lasing.engines.local.pause import GO_ON, MOST_WORDS, OUT_OF_MEMORY, STOPPED, spend
from lasing.engines.local.pointers import Memory, allocate, int64, release, uint64

# A relation's descriptor: where its fields are, counted from the start of the descriptor.
ARITY = 0  # how many columns a row has
MASK = 1  # how many rows the ring has room for, a power of two, less one
LO = 2  # the id of the oldest row that may be alive
HI = 3  # the id that the next row will get
OFFSET = 4  # where the block begins, counted from the start of the array
STRIDE = 5  # how many words a record has
INDICES = 6  # how many indices there are; the first one is by all columns
SINCE = 7  # the rows that a round of a fixpoint takes as new have ids from here on ...
UPTO = 8  # ... and below this one; rows from here on were added by the round itself
FIRST = 9  # the id that the first new row of this tick got
AT_H = 10  # where in a record its horizon is,
AT_S = 11  # its stamp,
AT_D = 12  # the next row in the list of changes, or of touched rows; NOT_LISTED if it is in neither,
AT_C = 13  # its count,
AT_NEXT = 14  # and for each index, the next row in its chain
DELTA = 15  # the first row in the list of those that changed at this tick, or NO_ROW
TOUCHED = 16  # the first row in the list of those whose count changed, but which are not settled yet, or NO_ROW
KIND = 17  # LIGHT, TRACKED, COUNTED, LOG, PENDING, PASSING or RUNNING
LOOKED_AT = 18  # what HI was when the relation was last considered for compaction
PARTNER = 19  # the relation in which pending rows will hold, and vice versa; 0 if there is none
AT_MORE = 20  # where in a record the words that an operator keeps begin
BLOCK_WORDS = 21  # how large the block is
REPORTED = 22  # if only the output needs the changes: FIRST_REPORTED + the predicate's number, or TAGGED; else 0
MORE_CODES = 23  # which of the words at AT_MORE are codes of values, as bits
MORE_BLOCK = 24  # which of these words has the place of a block of the row's own, plus 1; 0: rows have no blocks
CODES_IN_BLOCK = 25  # if the words of that block are codes: which word of the row has their number, plus 1; else 0
IS_CHANGED = 26  # whether it is on the list of relations that have changed (see `note_change`)
READERS = 27  # the place of the list of variants that begin with new rows of it: how many, then where each is
PUT_OUT = 28  # if it is output: FIRST_REPORTED + the predicate's number, or TAGGED; else 0
KEEPS_BACK = 29  # when rules learn that a row holds for longer: AT_ONCE, LATER, or NOW (see `keep_back`)
KEPT_BACK = 30  # if LATER: the relation that has the arguments of these rows
INDEX = 31  # where the indices begin; for each:
INDEX_KEYS = 0  # how many columns it has
INDEX_SHIFT = 1  # by how much a hash is shifted to give the place of a chain's head
INDEX_HEADS = 2  # where the heads of its chains are
INDEX_COLUMNS = 3  # its columns
MOST_COLUMNS, MOST_INDICES = 21, 6
INDEX_WIDTH = INDEX_COLUMNS + MOST_COLUMNS
DESCRIPTOR = INDEX + MOST_INDICES * INDEX_WIDTH

# In REPORTED and PUT_OUT: rows have their predicate's number as a tag, in their last column; or the relation has one.
TAGGED, FIRST_REPORTED = 1, 2

AT_ONCE, LATER, NOW, TAKE_BACK = range(4)

LIGHT, TRACKED, COUNTED, LOG, PENDING, PASSING, RUNNING = range(7)

# The arena's header.
RELATIONS = 0  # how many relations there are
FIRST_RELATION = 1  # where the first descriptor is
REGISTERS = 2  # where the registers of rules are: variables, the current time, constants
KEY = 3  # where the key area is, in which the arguments of a row are assembled
CURSORS = 4  # where a join keeps, for each open probe, its step and its place in a chain
HORIZONS = 5  # where a join keeps, for each open probe, the horizon before it
COUNTERS = 6  # where instances without a value are counted, by rule and reason
WORDS = 7  # how many words all blocks have together
WIDE = 8  # where the descriptor of the relation of wide values is
TICK = 9  # the number of the current tick
OPERATIONS = 10  # how many operations there are
FIRST_OPERATION = 11  # where the first one is
INPUTS = 12  # where the table of what each predicate's facts feed is
OUTPUTS = 13  # how many relations are output
FIRST_OUTPUT = 14  # where the first of them is: its descriptor, and the number of its predicate (-1: it has tags)
LOG_KEPT = 15  # how many of the last facts the log keeps
CALENDAR = 16  # where the calendar's block is
START = 17  # the first time point
NOW_REGISTER = 18  # where the register of the current time is
WAKE = 19  # whether some rule uses the current time, and the next time point has to be evaluated
DROPPED = 20  # how many atoms were derived for times before the start
ANNOTATED = 21  # whether guaranteed atoms are output once, with the time up to which they hold
REPORTS_EXTENSIONS = 22  # whether the output reports that an atom is guaranteed for longer
EXAMPLES = 23  # where the examples of instances without a value are
REMEMBERS = 41  # whether what is derived of derived streams is remembered: not while past facts are evaluated again
NEWS = 43  # where the list of relations that have changed is: how many, then the descriptor of each
NEXT_VISITED = 44  # which relation is visited next, although it has not changed
PASS_ON_AFTER = 45  # the time point after which guarantees that were kept back must be passed on
HEADER = 46  # words from 24 on are those of `pause`, 36, 37, 40 of `asking`, 38, 39 of `measuring`, 42 of `making`

NEVER = -(2**62)
FOREVER = 2**62
NO_ROW = -1
NOT_LISTED = -2

_U1 = uint64(0x9E3779B97F4A7C15)
_U2 = uint64(0xBF58476D1CE4E5B9)


@njit(cache=True, forceinline=True)
def mix(x: int, value: int) -> int:
    """Add a value to a hash."""
    y = (uint64(x) + uint64(value)) * _U1
    return y ^ (y >> uint64(29))


@njit(cache=True, forceinline=True)
def add_key(x: int, value: int) -> int:
    """Add a column to what `slot` takes, which is 0 before the first one; a single column is taken as it is."""
    y = uint64(x) * _U2
    return (y ^ (y >> uint64(29))) + uint64(value)


@njit(cache=True, forceinline=True)
def slot(x: int, shift: int) -> int:
    """The place of key columns in a table: codes that follow one another get places far apart."""
    return int64((uint64(x) * _U1) >> uint64(shift))


@njit(cache=True, forceinline=True)
def head_of(m: Memory, d: int, index: int, key: int) -> int:
    """Where the chain of an index begins for the key columns at m[key…]."""
    p = d + INDEX + index * INDEX_WIDTH
    x = uint64(0)
    for j in range(m[p + INDEX_KEYS]):
        x = add_key(x, m[key + j])
    return m[p + INDEX_HEADS] + slot(x, m[p + INDEX_SHIFT])


@njit(cache=True)
def find(m: Memory, d: int, key: int) -> int:
    """The newest row whose arguments are m[key…], dead or alive, or NO_ROW. (The first index says which tell apart.)"""
    keys = m[d + INDEX + INDEX_KEYS]
    lo = m[d + LO]
    mask = m[d + MASK]
    offset = m[d + OFFSET]
    stride = m[d + STRIDE]
    at_next = m[d + AT_NEXT]
    row = m[head_of(m, d, 0, key)]
    while row >= lo:
        b = offset + (row & mask) * stride
        same = True
        for j in range(keys):
            if m[b + j] != m[key + j]:
                same = False
                break
        if same:
            return row
        row = m[b + at_next]
    return NO_ROW


@njit(cache=True, forceinline=True)
def record(m: Memory, d: int, row: int) -> int:
    """Where a row's record begins."""
    return m[d + OFFSET] + (row & m[d + MASK]) * m[d + STRIDE]


@njit(cache=True, forceinline=True)
def note_change(m: Memory, d: int) -> None:
    """Put a relation on the list of those that have changed, once. Nobody looks at the others at this tick."""
    if m[d + IS_CHANGED] == 0:
        m[d + IS_CHANGED] = 1
        news = m[NEWS]
        m[news] += 1
        m[news + m[news]] = d


@njit(cache=True)
def append(m: Memory, d: int, key: int) -> int:
    """A new row with the arguments m[key…], linked into every index, its other fields unset."""
    hi = m[d + HI]
    note_change(m, d)
    if hi - m[d + LO] > m[d + MASK]:
        grow(m, d)
    b = record(m, d, hi)
    for j in range(m[d + ARITY]):
        m[b + j] = m[key + j]
    link(m, d, hi, b)
    m[d + HI] = hi + 1
    return hi


@njit(cache=True)
def link(m: Memory, d: int, row: int, b: int) -> None:
    """Put a row at the head of its chains."""
    at_next = m[d + AT_NEXT]
    for index in range(m[d + INDICES]):
        p = d + INDEX + index * INDEX_WIDTH
        x = uint64(0)
        for j in range(m[p + INDEX_KEYS]):
            x = add_key(x, m[b + m[p + INDEX_COLUMNS + j]])
        h = m[p + INDEX_HEADS] + slot(x, m[p + INDEX_SHIFT])
        m[b + at_next + index] = m[h]
        m[h] = row


@njit(cache=True)
def keep_back(m: Memory, d: int, b: int, at_h: int, horizon: int) -> None:
    """Guarantee the row whose record is at b, which holds now, for longer, and do not tell the rules that read it yet:
    what they derived from it holds until its old guarantee ends. Only then does it matter that it holds for longer."""
    m[PASS_ON_AFTER] = min(m[PASS_ON_AFTER], m[b + at_h])
    m[b + at_h] = horizon
    kept = m[d + KEPT_BACK]
    a = record(m, kept, append(m, kept, b))
    m[a + m[kept + AT_H]] = FOREVER


@njit(cache=True)
def take_back(m: Memory, d: int, row: int, key: int) -> None:
    """Make the row of m[key…] new, once, so that rules find what they have derived from it (see `recompute`)."""
    if row < m[d + FIRST]:
        m[record(m, d, row) + m[d + AT_H]] = NEVER
        m[record(m, d, append(m, d, key)) + m[d + AT_H]] = FOREVER


@njit(cache=True, forceinline=True)
def has_stamps(m: Memory, d: int) -> bool:
    """Whether rows of a guaranteed relation have stamps, which rows that replace them take over."""
    return m[d + KIND] == TRACKED or m[d + KIND] == RUNNING


@njit(cache=True)
def upsert(m: Memory, d: int, key: int, horizon: int) -> int:
    """Guarantee m[key…] up to a horizon: 1 if that is new, 0 if it was guaranteed already."""
    at_h, at_s = m[d + AT_H], m[d + AT_S]
    stamped = has_stamps(m, d)
    stamp = int64(0)
    row = find(m, d, key)
    if row != NO_ROW:
        b = record(m, d, row)
        if m[b + at_h] >= horizon:
            if m[d + KEEPS_BACK] == TAKE_BACK:
                take_back(m, d, row, key)
            return 0
        if row >= m[d + UPTO]:  # not yet seen by any rule in this round
            m[b + at_h] = horizon
            for j in range(m[d + INDEX + INDEX_KEYS], m[d + ARITY]):
                m[b + j] = m[key + j]
            return 1
        if m[d + KEEPS_BACK] == LATER and m[b + at_h] >= m[m[NOW_REGISTER]]:
            keep_back(m, d, b, at_h, horizon)
            return 1
        m[b + at_h] = NEVER
        if stamped:
            stamp = m[b + at_s]
            m[b + at_s] = 0
    b = record(m, d, append(m, d, key))
    m[b + at_h] = horizon
    if stamped:
        m[b + at_s] = stamp
    return 1


@njit(cache=True, forceinline=True)
def put(m: Memory, d: int, key: int, horizon: int) -> None:
    """Guarantee m[key…] up to a horizon; rows of a relation without an index are never there already."""
    if m[d + INDICES] != 0:
        upsert(m, d, key, horizon)
        return
    b = record(m, d, append(m, d, key))
    m[b + m[d + AT_H]] = horizon
    if m[d + KIND] == TRACKED:
        m[b + m[d + AT_S]] = 0


@njit(cache=True)
def count(m: Memory, d: int, key: int, change: int) -> None:
    """Add to the count of m[key…] and remember that it was touched."""
    row = find(m, d, key)
    if row == NO_ROW:
        row = append(m, d, key)
        b = record(m, d, row)
        m[b + m[d + AT_H]] = FOREVER
        m[b + m[d + AT_S]] = 0
        m[b + m[d + AT_C]] = 0
        m[b + m[d + AT_D]] = NOT_LISTED
    b = record(m, d, row)
    m[b + m[d + AT_C]] += change
    touch(m, d, row, b)


@njit(cache=True, forceinline=True)
def touch(m: Memory, d: int, row: int, b: int) -> None:
    """Put a row on the list of those that may have changed, once. (NO_ROW ends the list; NOT_LISTED is on no list.)"""
    at = b + m[d + AT_D]
    if m[at] == NOT_LISTED:
        m[at] = m[d + TOUCHED]
        m[d + TOUCHED] = row
        note_change(m, d)


@njit(cache=True, forceinline=True)
def present(m: Memory, d: int, b: int, tick: int, before: bool) -> bool:
    """Whether a tracked row is present now, or was before this tick."""
    stamp = m[b + m[d + AT_S]]
    return ((stamp & 1) == 1) != (before and (stamp >> 1) == tick)


@njit(cache=True, forceinline=True)
def is_present(m: Memory, d: int, b: int) -> bool:
    """Whether a tracked row is present now."""
    return (m[b + m[d + AT_S]] & 1) == 1


@njit(cache=True, forceinline=True)
def change(m: Memory, d: int, b: int) -> int:
    """+1 or -1: whether a row on the list of changes has come or gone."""
    return 1 if is_present(m, d, b) else -1


@njit(cache=True, forceinline=True)
def next_listed(m: Memory, d: int, row: int) -> int:
    """The row after this one in the list of changes, or of touched rows."""
    return m[record(m, d, row) + m[d + AT_D]]


@njit(cache=True, forceinline=True)
def enlist(m: Memory, d: int, row: int, b: int) -> None:
    """Put a row on the list of changes."""
    m[b + m[d + AT_D]] = m[d + DELTA]
    m[d + DELTA] = row
    note_change(m, d)


@njit(cache=True, forceinline=True)
def copy_key(m: Memory, b: int, columns: int) -> int:
    """Copy the first columns of a record into the key area. Returns where that is."""
    key = m[KEY]
    for j in range(columns):
        m[key + j] = m[b + j]
    return key


@njit(cache=True)
def new_block(m: Memory, words: int) -> int:
    """A block of memory, within the limit; 0 if there is none, and then the engine has stopped."""
    block = int64(0)
    if m[STOPPED] == GO_ON and m[WORDS] + words <= m[MOST_WORDS]:
        block = allocate(m, words)
    if block == 0:
        if m[STOPPED] == GO_ON:
            m[STOPPED] = OUT_OF_MEMORY
    else:
        m[WORDS] += words
    return block


@njit(cache=True)
def open_block(m: Memory, d: int, bits: int) -> bool:
    """Allocate a block for 2^bits rows of a relation, without any rows. Returns whether there is memory for it."""
    size = m[d + STRIDE] << bits
    for index in range(m[d + INDICES]):
        size += int64(1) << (bits + (index == 0))
    block = new_block(m, size)
    if block == 0:
        return False
    _live_in(m, d, block, size, bits)
    for j in range(m[d + STRIDE] << bits, size):
        m[block + j] = NO_ROW
    return True


@njit(cache=True)
def _live_in(m: Memory, d: int, block: int, size: int, bits: int) -> None:
    """Enter a block in a relation's descriptor: first the ring, then each index's heads."""
    m[d + BLOCK_WORDS] = size
    m[d + OFFSET] = block
    m[d + MASK] = (int64(1) << bits) - 1
    at = block + (m[d + STRIDE] << bits)
    for index in range(m[d + INDICES]):
        p = d + INDEX + index * INDEX_WIDTH
        head_bits = bits + (index == 0)  # the first index, by all columns, is used most
        m[p + INDEX_SHIFT] = 64 - head_bits
        m[p + INDEX_HEADS] = at
        at += int64(1) << head_bits


@njit(cache=True)
def grow(m: Memory, d: int) -> None:
    """Move a relation to a block with twice the room. Row ids stay.

    If there is no memory for it, or the engine has to stop on the way, the relation stays where it is, and the next row
    overwrites its oldest one.
    """
    old, mask, stride, words = m[d + OFFSET], m[d + MASK], m[d + STRIDE], m[d + BLOCK_WORDS]
    bits = int64(0)
    while (int64(1) << bits) <= mask:
        bits += 1
    if not open_block(m, d, bits + 1):
        _give_up_oldest(m, d)
        return
    for row in range(m[d + LO], m[d + HI]):
        a, b = old + (row & mask) * stride, record(m, d, row)
        for j in range(stride):
            m[b + j] = m[a + j]
        link(m, d, row, b)
        if spend(m, 1):
            m[WORDS] -= m[d + BLOCK_WORDS]
            release(m, m[d + OFFSET])
            _live_in(m, d, old, words, bits)
            _give_up_oldest(m, d)
            return
    release(m, old)
    m[WORDS] -= words


@njit(cache=True)
def _give_up_oldest(m: Memory, d: int) -> None:
    """Let the next row overwrite the oldest one of a relation that cannot grow."""
    release_block_of(m, d, m[d + LO])
    m[d + LO] += 1


@njit(cache=True)
def release_block_of(m: Memory, d: int, row: int) -> None:
    """Free the block of a row's own, if it has one."""
    if m[d + MORE_BLOCK] != 0:
        at = record(m, d, row) + m[d + AT_MORE] + m[d + MORE_BLOCK] - 1
        if m[at] != 0:
            release(m, m[at])
            m[at] = 0
