"""Sentences about the cluster in the small, and what they foretell of a large one."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from lasing.bench.measuring.records import Cell
from lasing.bench.spark.cluster import MEASURES, RATE, REBUILT, SHUFFLED, WORK
from lasing.bench.spark.fitting import fit

Measured = dict[tuple[int, int, int, str], float]
"""By executors, shards, batch and measure."""


def of_clusters(cells: list[Cell]) -> list[str]:
    """What an executor gains, and what a shard, an event and a message cost."""
    found: Measured = {}
    for cell in cells:
        if cell.cost is not None:
            executors, shards, batch = (int(cell.settings[name]) for name in ("executors", "shards", "batch"))
            found[executors, shards, batch, str(cell.settings["measured"])] = cell.cost
    sizes = sorted({key[0] for key in found})
    batches = sorted({key[2] for key in found})
    said = []
    for number in sizes:
        for batch in batches:
            said += _of_batches(found, number, batch, _shards(found, number, batch))
    for few, many in pairwise(sizes):
        of_many = _shards(found, many, batches[-1])
        both = [s for s in _shards(found, few, batches[-1]) if s in of_many]
        rates = [(found[few, s, batches[-1], RATE] * few, found[many, s, batches[-1], RATE] * many) for s in both]
        gains = [b / a for a, b in rates]
        if gains:
            said.append(
                f"From {few} to {many} executors, the rate in batches of {batches[-1]:,} is multiplied by "
                f"{min(gains):.2f} to {max(gains):.2f}."
            )
    return said


def _shards(found: Measured, executors: int, batch: int) -> list[int]:
    """The numbers of shards that were measured on a cluster of one size, in batches of one size."""
    return sorted({s for e, s, b, _ in found if (e, b) == (executors, batch)})


def _of_batches(found: Measured, executors: int, batch: int, shards: Sequence[int]) -> list[str]:
    """What shards cost on a cluster of one size, in batches of one size."""
    if not shards:
        return []
    first, last = shards[0], shards[-1]
    of_first, of_last = ({m: found[executors, s, batch, m] for m in MEASURES} for s in (first, last))
    on = f"On {executors} executor{'s'[: executors != 1]}, in batches of {batch:,},"
    said = [
        f"{on} shards = {first} take in {of_first[RATE]:,.1f} thousand events/s a core, and shards = {last} "
        f"{of_last[RATE]:,.1f}; {of_first[SHUFFLED]:,.0f} and {of_last[SHUFFLED]:,.0f} kB are shuffled, and "
        f"{of_first[REBUILT]:.0f} and {of_last[REBUILT]:.0f} % of the engines are rebuilt."
    ]
    if len(shards) > 1:
        line = fit(shards, [found[executors, s, batch, WORK] for s in shards])
        said.append(
            f"{on} a batch takes {line.fixed:,.0f} ms of processor time, and each shard {line.marginal:,.1f} ms more "
            "(least squares)."
        )
    return said
