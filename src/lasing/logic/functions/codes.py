"""The codes of comparisons, functions and aggregates in kernels."""

from __future__ import annotations

LESS, LESS_EQUAL, GREATER, GREATER_EQUAL, EQUAL, UNEQUAL = range(6)
ADD, SUBTRACT, MULTIPLY, DIVIDE, DIV, MOD, NEGATE, ABS, MIN, MAX, COPY = range(11)
COUNT, SUM, LEAST, GREATEST, AVERAGE, CONCATENATION = range(6)
