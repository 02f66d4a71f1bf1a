"""Why a term or an aggregate has no value. The instance of a rule that has it fails, and is counted under this."""

from __future__ import annotations

BEYOND_64_BITS = "a result beyond 64 bits"
BY_ZERO = "division by zero"
ON_A_NAME = "arithmetic on a name"
NOT_COMPARABLE = "least or greatest of values that do not compare"
NO_TIME = "a head time that is no integer"
NO_COST = "a cost that is no integer"
WRONG_KIND = "a function of a value of another kind than it takes"

REASONS = (BEYOND_64_BITS, BY_ZERO, ON_A_NAME, NOT_COMPARABLE, NO_TIME, WRONG_KIND)
"""Those that the local engine knows, in the order of their codes."""
