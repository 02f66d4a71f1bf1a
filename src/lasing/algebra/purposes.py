"""What the predicates are for that lowering makes: explanations put what they rest on in their place."""

from __future__ import annotations

from collections.abc import Mapping

from lasing.logic.provenance import Helper

_DETAIL = Helper("detail")

PURPOSES: Mapping[str, Helper] = {
    **{name: Helper(absent=name) for name in ("removed", "matched", "exists", "was")},
    **{name: Helper("context") for name in ("context", "outer")},
    **{name: Helper("value") for name in ("sum", "avg", "min", "max", "sample", "concat", "group_concat")},
    **{f"plain_{name}": Helper("value") for name in ("sum", "avg", "min", "max")},
    **dict.fromkeys(("groups", "kinds", "failing", "row", "scope", "skipped", "ordered", "summed"), _DETAIL),
    **{f"has_{name}": _DETAIL for name in ("sum", "avg", "min", "max", "sample", "concat", "group_concat")},
    **dict.fromkeys(("evaluation", "due", "evaluated", "report", "latest", "floor", "changed"), _DETAIL),
}
"""The purposes of predicates by what they are named after; the others are parts of what uses them."""

COUNTS = frozenset(("Times", "Left", "Right", "Copy"))
"""The variables that lowering makes for how often a row is there."""
