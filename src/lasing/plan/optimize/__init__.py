"""Passes over plans, one file each: none changes what a plan means, each makes it cheaper."""

from __future__ import annotations

from collections.abc import Callable

from lasing.plan.nodes import Plan
from lasing.plan.optimize.alike import merge_alike
from lasing.plan.optimize.constants import push_constants
from lasing.plan.optimize.dead import drop_dead
from lasing.plan.optimize.duplicates import drop_duplicates
from lasing.plan.optimize.elements import share_elements
from lasing.plan.optimize.fuse import fuse_copies
from lasing.plan.optimize.implied import drop_implied
from lasing.plan.optimize.merge import merge_rules
from lasing.plan.optimize.narrow import drop_columns
from lasing.plan.optimize.newest import keep_newest
from lasing.plan.optimize.order import order_lookups
from lasing.plan.optimize.originals import read_originals
from lasing.plan.optimize.outputs import put_out_originals
from lasing.plan.optimize.panes import add_up_panes
from lasing.plan.optimize.runs import follow_runs
from lasing.plan.optimize.select import select_constants
from lasing.plan.optimize.stop import stop_at_older
from lasing.plan.optimize.tabulate import tabulate_rules
from lasing.plan.optimize.times import trust_times
from lasing.plan.optimize.unfold import unfold_rules

Pass = Callable[[Plan], Plan]

PASSES: tuple[Pass, ...] = (
    drop_dead,
    push_constants,
    trust_times,
    unfold_rules,
    trust_times,
    drop_duplicates,
    share_elements,
    drop_implied,
    tabulate_rules,
    merge_rules,
    read_originals,
    add_up_panes,
    follow_runs,
    put_out_originals,
    fuse_copies,
    select_constants,
    drop_columns,
    merge_alike,
    keep_newest,
    stop_at_older,
    order_lookups,
)


def optimized(plan: Plan) -> Plan:
    """The plan after all passes."""
    for improve in PASSES:
        plan = improve(plan)
    return plan
