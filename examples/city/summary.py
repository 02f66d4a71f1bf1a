"""A day in the city in twenty lines: where traffic was jammed, and how much of the truth the rules found."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import pyarrow as pa
from rich.box import SIMPLE
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text
from simulate import Accident, Event, Fault, Summary

# How many minutes something must last for city.lars to find it for certain. A window of five minutes has six readings.
# For a stuck sensor, seventeen readings must equal the one before, and a lost reading costs two of these.
SURE_OF_SILENT, SURE_OF_STUCK, SURE_OF_JAM, SURE_OF_UNEXPLAINED = 6, 19, 4, 11

WORST = 4  # junctions to name, so that the whole summary has twenty lines


@dataclass(frozen=True, slots=True)
class Interval:
    """A row of a result: what held, from one minute to another, both included."""

    begins: datetime
    ends: datetime
    args: tuple[Any, ...]

    @property
    def minutes(self) -> int:
        return (self.ends - self.begins) // timedelta(minutes=1) + 1


def summary(results: Mapping[str, pa.Table], truth: Summary) -> RenderableType:
    """What the rules found, compared with what the simulation knows."""
    found = {predicate: intervals(table) for predicate, table in results.items()}
    return Group(worst_junctions(found["jam"]), longest_tail(found["tail"]), compared(found, truth))


def intervals(table: pa.Table) -> list[Interval]:
    names = [name for name in table.column_names if name not in ("from", "until")]
    return [Interval(row["from"], row["until"], tuple(row[name] for name in names)) for row in table.to_pylist()]


def worst_junctions(jams: Collection[Interval]) -> Table:
    """The junctions that were jammed longest."""
    jammed: Counter[tuple[str, str]] = Counter()
    times: Counter[tuple[str, str]] = Counter()
    for jam in jams:
        district, junction = jam.args
        jammed[district, junction] += jam.minutes
        times[district, junction] += 1
    table = Table(title="Jammed longest", title_justify="left", box=SIMPLE, pad_edge=False)
    table.add_column("district")
    table.add_column("junction")
    table.add_column("minutes in jams", justify="right")
    table.add_column("jams", justify="right")
    for (district, junction), minutes in sorted(jammed.items(), key=lambda item: (-item[1], item[0]))[:WORST]:
        table.add_row(readable(district), junction, str(minutes), str(times[district, junction]))
    return table


def longest_tail(tails: Collection[Interval]) -> Text:
    if not tails:
        return Text("No jam had a tail.")
    longest = min(tails, key=lambda tail: (-tail.args[-1], tail.begins, tail.args))
    district, junction, length = longest.args
    return Text(
        f"The longest tail: {length} junctions behind {junction} in {readable(district)}, "
        f"{longest.begins:%H:%M} to {longest.ends:%H:%M}."
    )


def compared(found: Mapping[str, Collection[Interval]], truth: Summary) -> Table:
    """How much of what the simulation broke the rules found, and how much they found that it did not break."""
    table = Table(title="\nWhat the rules found", title_justify="left", box=SIMPLE, pad_edge=False)
    table.add_column("what happened")
    table.add_column("times", justify="right")
    table.add_column("long enough to find", justify="right")
    table.add_column("found", justify="right")
    table.add_column("found in addition", justify="right")
    cases: tuple[tuple[str, str, Sequence[Event], int], ...] = (
        ("a sensor fell silent", "silent", truth.silent, SURE_OF_SILENT),
        ("a sensor got stuck", "stuck", truth.stuck, SURE_OF_STUCK),
        ("an accident caused a jam", "jam", truth.accidents, SURE_OF_JAM),
        ("... that neither rain nor rush hour explains", "unexplained", truth.accidents, SURE_OF_UNEXPLAINED),
    )
    for done, predicate, events, sure in cases:
        long_enough = [event for event in events if event.minutes >= sure]
        hits = sum(any(is_of(interval, event) for interval in found[predicate]) for event in long_enough)
        others = sum(not any(is_of(interval, event) for event in events) for interval in found[predicate])
        table.add_row(done, f"{len(events)}", f"{len(long_enough)}", f"{hits}", f"{others:,}")
    return table


def is_of(interval: Interval, event: Event) -> bool:
    """Whether a result is about this event: the same place, and a time in common."""
    match event:
        case Fault(sensor=place) | Accident(junction=place):
            same_place = interval.args == (event.district, place)
        case _:
            same_place = False
    return same_place and interval.begins <= event.last and interval.ends >= event.first


def readable(name: str) -> str:
    return name.replace("_", " ").capitalize()
