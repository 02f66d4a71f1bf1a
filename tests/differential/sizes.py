"""How many random programs a test tries: a few in the suite, thousands in `make fuzz`."""

from __future__ import annotations

import os

NIGHTLY = os.environ.get("HYPOTHESIS_PROFILE") == "nightly"


def programs(few: int, many: int) -> int:
    """The number for this run."""
    return many if NIGHTLY else few
