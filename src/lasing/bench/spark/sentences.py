"""Sentences about the cells on Spark, each with its figures."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

from lasing.bench.measuring.records import Cell
from lasing.bench.spark.cells import OURS
from lasing.bench.spark.fitting import Line, fit
from lasing.bench.spark.recovery import DRIVER, EXECUTOR, NEXT_BATCH, NOTHING, SPARK_IS_UP
from lasing.bench.spark.replay import BY_KEY, BY_TIME
from lasing.bench.spark.state import SHARE, SIZE, SPENT


def of_streams(cells: list[Cell]) -> list[str]:
    """Rates at the largest batches, the fixed cost of a batch and the cost of an event, and the gain from shards."""
    measured = _measured(cells)
    said = [*_comparisons(measured, "in batches of {batch:,} with shards = {shards}")]
    for shards in _values(measured, "shards"):
        lines = _lines([cell for cell in measured if cell.settings["shards"] == shards])
        if lines:
            costs = ", ".join(
                f"{name} {x.fixed * 1000:,.0f} ms and {x.marginal * 1e6:.2f} µs" for name, x in lines.items()
            )
            on = f"With shards = {shards},"
            said.append(f"{on} a batch, and each event in it, cost (least squares over batch sizes): {costs}.")
            ours = lines.get(OURS)
            if ours is not None and ours.fixed > 0 < ours.marginal:
                even = ours.fixed / ours.marginal
                said.append(f"{on} {even:,.0f} events cost {OURS} as much as the batch itself.")
    return [*said, *_growth(measured, "shards", "batch", "shards", "in batches of {:,}")]


def of_replays(cells: list[Cell]) -> list[str]:
    """Rates with the most parts, and the gain from more parts."""
    measured = _measured(cells)
    said = [*_comparisons(measured, "with {divided} = {parts}")]
    for divided in (BY_TIME, BY_KEY):
        of_kind = [cell for cell in measured if cell.settings["divided"] == divided]
        said += _growth(of_kind, "parts", "divided", divided, "replayed in {}")
    return said


def of_states(cells: list[Cell]) -> list[str]:
    """The size of a state, its share of a batch, and how a batch grows with it."""
    found = _by(_measured(cells), "measured", "rows")
    rows = sorted({int(r) for _, _, r in found})
    said = [
        f"A window of {r:,} rows per shard is a state of {found[OURS, SIZE, r]:.2f} MB; reading and writing it, and "
        f"rebuilding engines from it, takes {found[OURS, SHARE, r]:.1f} % of a batch."
        for r in rows
        if (OURS, SIZE, r) in found and (OURS, SHARE, r) in found
    ]
    spent = [(r, found[OURS, SPENT, r]) for r in rows if (OURS, SPENT, r) in found]
    if len(spent) > 1:
        line = fit([r for r, _ in spent], [ms for _, ms in spent])
        said.append(
            f"A batch takes {line.fixed:,.0f} ms, and {line.marginal * 100_000:+,.0f} ms for each 100,000 rows in a "
            "shard's window (least squares)."
        )
    return said


def of_recoveries(cells: list[Cell]) -> list[str]:
    """How long a stream pauses."""
    found = {(c.settings["killed"], c.settings["until"]): c.cost for c in cells if c.cost is not None}
    said = []
    usual = found.get((NOTHING, NEXT_BATCH))
    executor, driver = found.get((EXECUTOR, NEXT_BATCH)), found.get((DRIVER, NEXT_BATCH))
    if executor is not None:
        beside = "" if usual is None else f", compared with {usual:.1f} s between undisturbed batches"
        said.append(f"After an executor is killed, the next batch is committed in {executor:.1f} s{beside}.")
    up = found.get((DRIVER, SPARK_IS_UP))
    if driver is not None and up is not None:
        said.append(
            f"After the driver is killed, Spark is up again in {up:.1f} s, and the next batch is committed in "
            f"{driver:.1f} s, {driver - up:.1f} s later."
        )
    return said


def _lines(cells: list[Cell]) -> dict[str, Line]:
    """For each contender, the seconds of a batch by its size."""
    lines = {}
    for contender in _contenders(cells):
        rates = [(size, rate) for (who, size), rate in _by(cells, "batch").items() if who == contender]
        if len(rates) > 1:
            lines[contender] = fit([int(size) for size, _ in rates], [int(size) / rate / 1000 for size, rate in rates])
    return lines


def _measured(cells: Iterable[Cell]) -> list[Cell]:
    return [cell for cell in cells if cell.cost is not None]


def _contenders(cells: Iterable[Cell]) -> list[str]:
    return list(dict.fromkeys(cell.contender for cell in cells))


def _values(cells: Iterable[Cell], setting: str) -> list[int]:
    return sorted({int(cell.settings[setting]) for cell in cells})


def _by(cells: Iterable[Cell], *settings: str) -> dict[tuple[int | str, ...], float]:
    return {(c.contender, *(c.settings[s] for s in settings)): c.cost for c in cells if c.cost is not None}


def _comparisons(cells: list[Cell], where: str) -> Iterable[str]:
    """Where our rate is highest, and how the others compare there; and those that were measured elsewhere."""
    ours = [cell for cell in cells if cell.contender == OURS]
    if not ours:
        return
    best = max(ours, key=lambda cell: cell.cost or 0)
    others = [cell for cell in cells if cell.contender != OURS and cell.ratio is not None]
    beside = [cell for cell in others if cell.settings == best.settings]
    compared = ", ".join(f"{cell.contender} takes in {cell.ratio:.2f} times as many" for cell in beside)
    place = where.format(**best.settings)
    yield f"{OURS} is fastest {place}, at {best.cost:,.0f} thousand events/s{'; ' if compared else ''}{compared}."
    known = {cell.contender for cell in beside}
    for cell in others:
        if cell.contender not in known:
            known.add(cell.contender)
            place = where.format(**cell.settings)
            yield f"{cell.contender} takes in {cell.ratio:.2f} times as many events as {OURS} {place}."


def _growth(cells: list[Cell], setting: str, fixed: str, word: str, where: str) -> Iterable[str]:
    """The factor on our rate from each number of parts to the next, for each value of another setting."""
    rates = _by([cell for cell in cells if cell.contender == OURS], fixed, setting)
    for value in sorted({key[1] for key in rates}, key=lambda v: (isinstance(v, str), v)):
        of_value = sorted((int(key[2]), rate) for key, rate in rates.items() if key[1] == value)
        steps = [f"by {b / a:.2f} from {m} to {n} {word}" for (m, a), (n, b) in pairwise(of_value)]
        if steps:
            yield f"{where.format(value).capitalize()}, the rate of {OURS} is multiplied {', '.join(steps)}."
