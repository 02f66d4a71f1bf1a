"""Why a term or an aggregate has no value. The instance of its rule fails, and is counted under this reason."""

from __future__ import annotations

BEYOND_64_BITS = "a result beyond 64 bits"
BY_ZERO = "division by zero"
NOT_A_NUMBER = "arithmetic on something that is not a number"
NOT_COMPARABLE = "least or greatest of values that do not compare"
NO_TIME = "a head time that is not an integer"
NO_COST = "a cost that is not an integer"
WRONG_KIND = "a function of a value of the wrong kind"
WRONG_FORM = "a text without the form that a function needs"
BAD_PATTERN = "a text that is not a regular expression"
TOO_LONG = "a result that is too long"
NO_VALUE = "a value that is missing"
NONE_RETURNED = "a function of the user that returned None"

REASONS = (
    BEYOND_64_BITS,
    BY_ZERO,
    NOT_A_NUMBER,
    NOT_COMPARABLE,
    NO_TIME,
    WRONG_KIND,
    WRONG_FORM,
    BAD_PATTERN,
    TOO_LONG,
    NONE_RETURNED,
    NO_VALUE,
)
"""The reasons of the local engine, in the order of their codes."""
