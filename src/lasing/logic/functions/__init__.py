"""Functions: everything that programs compute, in three tables that parser, checks, planner and engines read.

`terms` has the functions of terms, `comparisons` the comparisons, and `aggregates` the aggregate functions. An entry
has what it takes and returns, its definition in Python, and its code in kernels. `selections` has the order of tuples.
"""

from lasing.logic.functions.aggregates import (
    AGGREGATES,
    AggregateEntry,
    AggregateFunction,
    aggregate,
    all_compare,
    concatenation,
)
from lasing.logic.functions.comparisons import COMPARISONS, Comparison, ComparisonEntry, holds
from lasing.logic.functions.entry import Function, unknown
from lasing.logic.functions.selections import selected, tuple_key
from lasing.logic.functions.terms import FUNCTIONS, calls, function_of, functions, infixes

__all__ = [
    "AGGREGATES",
    "COMPARISONS",
    "FUNCTIONS",
    "AggregateEntry",
    "AggregateFunction",
    "Comparison",
    "ComparisonEntry",
    "Function",
    "aggregate",
    "all_compare",
    "calls",
    "concatenation",
    "function_of",
    "functions",
    "holds",
    "infixes",
    "selected",
    "tuple_key",
    "unknown",
]
