"""What can go wrong around a pipeline, one file each."""

from __future__ import annotations

from tests.campaign.cases import Fault
from tests.campaign.faults import (
    clock_jumps,
    disk_full,
    duplicates,
    failing_writes,
    read_only,
    two_at_once,
    vanishing,
)

FAULTS: tuple[Fault, ...] = (
    disk_full.FAULT,
    read_only.FAULT,
    failing_writes.FAULT,
    clock_jumps.FAULT,
    duplicates.FAULT,
    vanishing.FAULT,
    two_at_once.FAULT,
)
