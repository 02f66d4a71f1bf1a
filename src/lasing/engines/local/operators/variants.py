"""How a rule is encoded in the arena: as variants, each of which begins with what changed in one literal."""

from __future__ import annotations

# A variant: the head's relation, how many steps and where, the changed literal's relation, its sign (-1 if negated),
# how many of its columns are bound or checked and where, the head's registers, the rule's number, what is special; for
# the guaranteed plane the address of its kernel, KERNEL(m, variant, t, first new row, texts), and for a kernel of
# `pairs` where the head's values and the probe's key come from; what an example shows; and from which step on instances
# without a value are noted: if a row goes, only after another one was found; for the counted plane, where the lookups
# are that need only the changed literal: how many, then for each its relation, index, number of keys, and registers;
# if the changed literal may have the same row twice, where the descriptor is of the rows whose instances were noted.
HEAD, STEPS, FIRST_STEP, CHANGED, SIGN, BINDS, FIRST_BIND, HEAD_REGISTERS, RULE, SPECIAL = range(10)
KERNEL, HEAD_FROM, KEY_FROM, SHOWN, NOTED_FROM, EARLY, NOTED = range(10, 17)
VARIANT = 17
# Special: the rule uses the evaluation time; it derives for this time point only.
STAMPS, SCRATCH = 1, 2
# A step: its code, then what it needs.
CODE, RELATION, INDEX_NUMBER, BEFORE, KEYS, FIRST_KEY, STEP_BINDS, STEP_FIRST_BIND = range(8)
COMPARISON, LEFT, RIGHT, NEGATED, STOPS = 1, 2, 3, 4, 5
OPERATOR, TARGET, FIRST_OPERAND, SECOND_OPERAND, CHECK = 1, 2, 3, 4, 5
# What a computation found last, if that is a value that has to be asked for: at which tick, for which operands.
MEMO_TICK, MEMO_FIRST, MEMO_SECOND, MEMO_VALUE = range(6, 10)
# A walk through tuples in order (see `ranking`): in place of a relation its operation; where its tests are; in BEFORE
# also which change it is about; the first register of a tuple that has changed; its kernel; and what that found.
TESTS, WALKED_FROM, WALKER, FOUND = 2, 8, 9, 10
ITSELF, OTHER = 2, 3
# A sweep is the last probe, if only comparisons come after it (see `sweep`): how many of them; the head's arguments, as
# far as they are known before; and where the others are: how many, then for each its column in the head and in the row.
COMPARES, TEMPLATE, TAKEN = 8, 9, 10
STEP = 11
PROBE, ABSENT, COMPARE, COMPUTE, WITHIN, TIME, WALK, SWEEP, MAKE = range(9)
# A step that makes an identifier (see `identifiers`) is like a computation, but has a kernel of its own, which leaves
# what it made in FOUND. Its operands are a list of registers: where that is, and how many there are.
MADE_OF, OPERANDS, MAKER = 3, 4, 9
WITHIN_TIME, WITHIN_BACK, WITHIN_AHEAD, WITHIN_STEP = range(1, 5)
TIME_REGISTER = 1
# A bind: a column, a register, and whether the register is checked rather than set.
COLUMN, REGISTER, CHECKED = range(3)
BIND = 3
# What a sweep takes from a row: a column of the head, and one of the row.
HEAD_COLUMN, ROW_COLUMN = range(2)
TAKE = 2
# The tests of a walk: how many, then for each a column, the comparison, whether the column is its first operand,
# whether it is negated, and the register of the other operand.
TESTED_COLUMN, TESTED_COMPARISON, TESTED_FIRST, TESTED_NEGATED, TESTED_REGISTER = range(5)
TESTED_WORDS = 5
# What an example shows: how many variables, then for each its register, and from which step on it is set.
SHOWN_REGISTER, SHOWN_SINCE = range(2)
SHOWN_VARIABLE = 2
# A lookup that needs only the changed literal.
EARLY_RELATION, EARLY_INDEX, EARLY_KEYS, EARLY_FIRST_KEY = range(4)
EARLY_LOOKUP = 4

# Where a value comes from: a column of the changed row, a column of the probed row, a register.
FROM_CHANGED, FROM_PROBED, FROM_REGISTER = range(3)
