"""All operators."""

from __future__ import annotations

from typing import Any

from lasing.engines.local.operators import (
    box,
    clock,
    concat,
    differentiate,
    extremes,
    fixpoint,
    fold,
    gate,
    last,
    panes,
    points,
    ranking,
    recall,
    recompute,
    remember,
    runs,
    stamp,
    track,
)
from lasing.engines.local.operators.join import join_any
from lasing.engines.local.operators.operation import Operator
from lasing.engines.local.operators.pairs import compute_rows, copy_rows, join_pairs
from lasing.engines.local.operators.ranking import walk
from lasing.engines.local.operators.sieve import sieve
from lasing.engines.local.pointers import kernel_address

OPERATORS: dict[type, Operator[Any]] = {
    module.OPERATOR.node: module.OPERATOR
    for module in (
        box,
        clock,
        concat,
        differentiate,
        extremes,
        fixpoint,
        fold,
        gate,
        last,
        panes,
        points,
        ranking,
        recall,
        recompute,
        remember,
        runs,
        stamp,
        track,
    )
}
"""The operator of each kind of node. A node without one is an error when a plan is laid out."""


def load_all() -> None:
    """Load all kernels that plans may use, and compile those that are not cached."""
    for kernel in (
        *(operator.kernel for operator in OPERATORS.values()),
        copy_rows,
        compute_rows,
        join_pairs,
        join_any,
        sieve,
        walk,
    ):
        kernel_address(kernel)
