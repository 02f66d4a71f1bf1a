"""A simulated working day in a city of speed sensors: readings, rain, the map, and the truth about what went wrong.

    python examples/city/simulate.py FOLDER --hours 10 --sensors 3000 --seed 7

The folder gets `readings/` and `rain/`, with a Parquet file for every ten minutes of arrival, and `map.lars`, the
background. The same seed gives the same city and the same day.
"""

from __future__ import annotations

import argparse
import os
import time
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

START = datetime(2026, 3, 2, 6, tzinfo=UTC)
MINUTES_A_FILE = 10
MINUTES_A_RAIN_REPORT = 5
SENSORS_A_DISTRICT = 60  # at least
SENSORS_A_JUNCTION = 1.8
LATE_ROWS = 20
LATE_BY = 60  # minutes

# The districts lie on a square, row by row from the north-west, so that rain passes over one after the other.
DISTRICTS = (
    ("hills", "castle", "market", "mills"),
    ("university", "museum", "station", "docks"),
    ("hospital", "old_town", "theatre", "harbour"),
    ("stadium", "gardens", "bridge", "airport"),
)

# The rush hours: the hour of the peak, its width as a standard deviation, and its height.
RUSHES = ((8.1, 0.7, 1.0), (12.6, 0.6, 0.5), (16.5, 0.9, 1.0))

READING = pa.schema(
    [("ts", pa.timestamp("us", "UTC")), ("district", pa.string()), ("sensor", pa.string()), ("speed", pa.float64())]
)
RAIN = pa.schema([("ts", pa.timestamp("us", "UTC")), ("district", pa.string()), ("millimetres", pa.float64())])


@dataclass(frozen=True, slots=True)
class Event:
    """Something that goes wrong in a district, from its first minute to its last."""

    district: str
    first: datetime
    last: datetime

    @property
    def minutes(self) -> int:
        return (self.last - self.first) // timedelta(minutes=1) + 1


@dataclass(frozen=True, slots=True)
class Fault(Event):
    """A sensor fails: it reports nothing, or always the same value."""

    sensor: str


@dataclass(frozen=True, slots=True)
class Accident(Event):
    """Traffic at a junction stops, and a tail grows behind it."""

    junction: str


@dataclass(frozen=True, slots=True)
class Summary:
    """What was written, and the truth that the readings only hint at."""

    start: datetime
    minutes: int
    districts: tuple[str, ...]
    junctions: int
    sensors: int
    readings: int
    rain_reports: int
    late_rows: int
    files: int
    accidents: tuple[Accident, ...]
    silent: tuple[Fault, ...]
    stuck: tuple[Fault, ...]

    @property
    def end(self) -> datetime:
        """The last minute."""
        return self.start + timedelta(minutes=self.minutes - 1)


@dataclass(frozen=True, slots=True)
class City:
    """The districts and what is in them. Junctions and sensors are numbered across the whole city."""

    districts: tuple[str, ...]
    places: Floats  # of each district: how far east and how far south, in districts
    district_of_junction: Integers
    junction_names: tuple[str, ...]  # unique in their district only
    centrality: Floats  # of each junction: 1 in the middle of its district, 0 at its edge
    roads: Integers  # pairs of junctions, in the direction of traffic
    junction_of_sensor: Integers
    sensor_names: tuple[str, ...]

    @property
    def district_of_sensor(self) -> Integers:
        return self.district_of_junction[self.junction_of_sensor]

    def hops_upstream(self, junction: int, reach: int) -> dict[int, int]:
        """The junctions whose traffic comes to this one within `reach` roads, with the number of roads."""
        hops = {junction: 0}
        for hop in range(1, reach + 1):
            nearer = [j for j, known in hops.items() if known == hop - 1]
            for upstream in self.roads[np.isin(self.roads[:, 1], nearer), 0]:
                hops.setdefault(int(upstream), hop)
        return hops


def simulate(folder: Path, hours: int = 10, sensors: int = 3000, seed: int = 7) -> Summary:
    """Write a day's readings, rain and map to a folder, and return the truth about them."""
    if hours < 1 or sensors < 1:
        raise ValueError("a simulation needs at least one hour and one sensor")
    chance = np.random.default_rng(seed)
    minutes = 60 * hours
    city = build_city(chance, sensors)
    rain = rain_over(chance, city, minutes)
    flow, accidents = traffic(chance, city, rain)
    speeds, silent, stuck = measured(chance, city, flow)

    folder.mkdir(parents=True, exist_ok=True)
    (folder / "map.lars").write_text(map_text(city), encoding="utf-8")
    readings, arrivals, late_rows = reading_rows(chance, city, speeds)
    files = write_parts(folder / "readings", readings, arrivals, minutes)
    reports, report_minutes = rain_rows(city, rain)
    files += write_parts(folder / "rain", reports, report_minutes * 60, minutes)
    return Summary(
        start=START,
        minutes=minutes,
        districts=city.districts,
        junctions=len(city.junction_names),
        sensors=len(city.sensor_names),
        readings=len(readings),
        rain_reports=len(reports),
        late_rows=late_rows,
        files=files,
        accidents=accidents,
        silent=silent,
        stuck=stuck,
    )


# The city.


def build_city(chance: np.random.Generator, sensors: int) -> City:
    """As many districts as the sensors can fill, each with its own road network."""
    side = len(DISTRICTS)
    count = int(np.clip(sensors // SENSORS_A_DISTRICT, 1, side * side))
    spread = np.linspace(0, side * side - 1, count).round().astype(int)
    places = np.array([(cell % side, cell // side) for cell in spread], dtype=np.float64)
    shares = np.full(count, sensors // count)
    shares[: sensors % count] += 1

    district_of_junction: list[int] = []
    junction_names: list[str] = []
    centrality: list[float] = []
    roads: list[tuple[int, int]] = []
    junction_of_sensor: list[int] = []
    for district, share in enumerate(shares):
        first = len(junction_names)
        size = max(1, round(share / SENSORS_A_JUNCTION))
        depth, lanes = road_network(chance, size)
        district_of_junction += [district] * size
        junction_names += [f"j{number:02}" for number in range(1, size + 1)]
        centrality += depth.tolist()
        roads += [(first + upstream, first + downstream) for upstream, downstream in lanes]
        # One sensor at every junction; the others where there is most to see, near the centre.
        others = chance.choice(size, share - size, p=(0.2 + depth) / (0.2 + depth).sum())
        junction_of_sensor += (first + np.sort(np.concatenate([np.arange(size), others]))).tolist()
    return City(
        districts=tuple(DISTRICTS[int(y)][int(x)] for x, y in places),
        places=places,
        district_of_junction=np.array(district_of_junction),
        junction_names=tuple(junction_names),
        centrality=np.array(centrality),
        roads=np.array(roads, dtype=np.int64).reshape(-1, 2),
        junction_of_sensor=np.array(junction_of_sensor),
        sensor_names=tuple(f"s{number:04}" for number in range(1, sensors + 1)),
    )


def road_network(chance: np.random.Generator, size: int) -> tuple[Floats, list[tuple[int, int]]]:
    """Junctions on a grid that is a little askew, with one-way roads that all lead nearer to the middle.

    Returns the centrality of each junction, and the roads. A road joins neighbours; diagonals all run the same way, so
    roads do not cross. No road leads away from the middle, so there are no cycles.
    """
    side = int(np.ceil(np.sqrt(1.3 * size)))
    cells = np.array([(x, y) for x in range(side) for y in range(side)], dtype=np.float64)
    askew = cells + chance.uniform(-0.25, 0.25, cells.shape)
    distance = np.hypot(*(askew - (side - 1) / 2).T)
    built = np.argsort(distance + chance.uniform(0, 0.8, len(cells)), kind="stable")[:size]
    built = built[np.argsort(distance[built], kind="stable")]
    number_of = {tuple(cells[cell].astype(int).tolist()): number for number, cell in enumerate(built)}

    # Junctions are numbered from the middle outwards: traffic flows from the higher number to the lower.
    roads: list[tuple[int, int]] = []
    for upstream, cell in enumerate(built[1:], 1):
        x, y = (int(coordinate) for coordinate in cells[cell])
        beside = [(x - 1, y), (x + 1, y), (x, y - 1), (x, y + 1), (x - 1, y - 1), (x + 1, y + 1)]
        nearer = [number_of[place] for place in beside if number_of.get(place, size) < upstream]
        kept = [downstream for downstream in nearer if chance.random() < 0.5]
        # Every junction leads somewhere; one that the grid leaves alone joins the next one nearer to the middle.
        roads += [(upstream, downstream) for downstream in kept or nearer[:1] or [upstream - 1]]
    reach = distance[built]
    return 1 - (reach - reach[0]) / max(float(np.ptp(reach)), 1.0), roads


def map_text(city: City) -> str:
    """The map as background facts."""
    district = [city.districts[d] for d in city.district_of_junction]
    lines = ["% The map of the simulated city: where sensors are, and which way traffic flows.", ""]
    for sensor, junction in zip(city.sensor_names, city.junction_of_sensor, strict=True):
        lines.append(f"sensor_at({district[junction]}, {sensor}, {city.junction_names[junction]}).")
    for upstream, downstream in city.roads:
        names = city.junction_names[upstream], city.junction_names[downstream]
        lines.append(f"road({district[upstream]}, {names[0]}, {names[1]}).")
    return "\n".join(lines) + "\n"


# The day.


def rain_over(chance: np.random.Generator, city: City, minutes: int) -> Floats:
    """How hard it rains in each district (rows) at each minute, in millimetres in five minutes.

    Fronts come from the west or the north-west, about one every four hours, and move slowly from district to district.
    """
    minute = np.arange(minutes)
    rain = np.zeros((len(city.districts), minutes))
    for front in range(int(np.ceil(minutes / 240))):
        begins = 240 * front + chance.uniform(20, 80)
        heading = chance.uniform(0, np.pi / 3)
        way = city.places @ np.array([np.cos(heading), np.sin(heading)])
        arrival = begins + way * chance.uniform(25, 40) + chance.uniform(-6, 6, len(way))
        lasts = chance.uniform(35, 65)
        through = (minute - arrival[:, None]) / lasts  # from 0 to 1 while the front passes
        strength = chance.uniform(1.2, 2.6) * chance.uniform(0.8, 1.2, len(way))
        passing = (through > 0) & (through < 1)
        rain += np.where(passing, strength[:, None] * np.sin(np.pi * np.clip(through, 0, 1)), 0)
    return rain


def traffic(chance: np.random.Generator, city: City, rain: Floats) -> tuple[Floats, tuple[Accident, ...]]:
    """The true speed at each minute (rows) at each junction, and the accidents that affect it."""
    minutes = rain.shape[1]
    districts, junctions = len(city.districts), len(city.junction_names)
    of = city.district_of_junction
    hour = START.hour + np.arange(minutes) / 60
    punctuality = chance.normal(0, 0.25, districts)
    rush = sum(
        height * np.exp(-(((hour[:, None] - punctuality - peak) / spread) ** 2) / 2) for peak, spread, height in RUSHES
    )
    popularity = chance.uniform(0.7, 1.2, districts)
    narrow = chance.normal(0, 0.07, junctions)
    load = (rush * popularity)[:, of] * (0.45 + 0.55 * city.centrality + narrow)
    wet = np.minimum(rain, 2.0).T[:, of] / 2
    flow = (48 - 14 * city.centrality) * (1 - 0.7 * load) * (1 - 0.38 * wet) + waves(chance, minutes, junctions)
    accidents = tuple(crash(chance, city, flow) for _ in range(max(1, round(minutes / 60 * districts / 8))))
    return np.maximum(flow, 3.0), tuple(sorted(accidents, key=lambda accident: accident.first))


def waves(chance: np.random.Generator, minutes: int, junctions: int) -> Floats:
    """Traffic comes in waves: noise that remembers the minute before."""
    memory, spread = 0.8, 2.5
    shocks = chance.normal(0, spread * np.sqrt(1 - memory**2), (minutes, junctions))
    shocks[0] /= np.sqrt(1 - memory**2)
    for minute in range(1, minutes):
        shocks[minute] += memory * shocks[minute - 1]
    return shocks


def crash(chance: np.random.Generator, city: City, flow: Floats) -> Accident:
    """Slow down the traffic after an accident: at its junction at once, upstream a few minutes later for each road."""
    minutes = len(flow)
    candidates = np.flatnonzero((city.centrality > 0.3) & (city.centrality < 0.9))
    junction = int(chance.choice(candidates if len(candidates) else np.arange(len(city.junction_names))))
    first = int(chance.integers(10, minutes - 30))
    last = min(first + int(chance.integers(20, 61)), minutes) - 1
    minutes_a_road = chance.uniform(3, 6)
    for upstream, hops in city.hops_upstream(junction, reach=5).items():
        begins = first + round(hops * minutes_a_road)
        ends = last + 1 + 2 * hops  # a tail dissolves from its head
        if begins <= last:
            jammed = flow[begins:ends, upstream]
            np.minimum(jammed, chance.uniform(4, 9, len(jammed)), out=jammed)
    district = city.districts[city.district_of_junction[junction]]
    return Accident(district, at(first), at(last), city.junction_names[junction])


# The sensors.


def measured(
    chance: np.random.Generator, city: City, flow: Floats
) -> tuple[Floats, tuple[Fault, ...], tuple[Fault, ...]]:
    """What the sensors report at each minute (rows), NaN where they do not; and which were silent or stuck."""
    minutes, sensors = len(flow), len(city.sensor_names)
    bias = chance.normal(0, 1.0, sensors)
    noise = chance.normal(0, 1.2, (minutes, sensors))
    slowest = 0.5 + chance.random((minutes, sensors))  # not one value for all: that would look like a stuck sensor
    speeds: Floats = np.maximum(flow[:, city.junction_of_sensor] + bias + noise, slowest).round(1)

    broken = chance.permutation(sensors)[: 2 * max(3, sensors // 200)]
    faults: list[list[Fault]] = [[], []]
    for number, sensor in enumerate(broken):
        first = int(chance.integers(15, minutes - 30))
        last = min(first + int(chance.integers(3, 120)), minutes) - 1
        if number % 2 == 0:
            speeds[first : last + 1, sensor] = np.nan
        else:
            speeds[first : last + 1, sensor] = speeds[first - 1, sensor]
        district = city.districts[city.district_of_sensor[sensor]]
        faults[number % 2].append(Fault(district, at(first), at(last), city.sensor_names[sensor]))
    lost = chance.random((minutes, sensors)) < 0.003
    lost[0] = False  # a reading lost at the very start would look like a silent sensor
    speeds[lost] = np.nan
    silent, stuck = (tuple(sorted(kind, key=lambda fault: fault.first)) for kind in faults)
    return speeds, silent, stuck


# The files.


def reading_rows(chance: np.random.Generator, city: City, speeds: Floats) -> tuple[pa.Table, Integers, int]:
    """The readings in the order of arrival, the second in which each arrives, and how many are very late."""
    minutes = len(speeds)
    minute, sensor = np.nonzero(~np.isnan(speeds))
    second_of_sensor = chance.integers(0, 60, len(city.sensor_names))  # each reports at its own second of the minute
    second = 60 * minute + second_of_sensor[sensor]
    delay = np.where(chance.random(len(second)) < 0.03, chance.integers(30, 121, len(second)), 0)
    may_be_late = np.flatnonzero((minute > 10) & (minute < minutes - LATE_BY))
    late = chance.choice(may_be_late, min(LATE_ROWS, len(may_be_late)), replace=False)
    delay[late] = 60 * LATE_BY
    order = np.argsort(second + delay, kind="stable")
    minute, sensor, second = minute[order], sensor[order], second[order]
    district_names, sensor_names = pa.array(city.districts), pa.array(city.sensor_names)
    table = pa.table(
        [
            instants(second),
            district_names.take(pa.array(city.district_of_sensor[sensor])),
            sensor_names.take(pa.array(sensor)),
            pa.array(speeds[minute, sensor]),
        ],
        schema=READING,
    )
    return table, second + delay[order], len(late)


def rain_rows(city: City, rain: Floats) -> tuple[pa.Table, Integers]:
    """A report every five minutes from each district in which it rains, and the minute of each."""
    reported = np.round(rain[:, ::MINUTES_A_RAIN_REPORT], 1).T
    report, district = np.nonzero(reported > 0)
    minute = report * MINUTES_A_RAIN_REPORT
    district_names = pa.array(city.districts)
    columns = [instants(60 * minute), district_names.take(pa.array(district)), pa.array(reported[report, district])]
    return pa.table(columns, schema=RAIN), minute


def write_parts(folder: Path, rows: pa.Table, arrivals: Integers, minutes: int) -> int:
    """Write rows, in the order of arrival, to one file per ten minutes, replacing older files; return how many."""
    folder.mkdir(exist_ok=True)
    for stale in folder.glob("*.parquet"):
        stale.unlink()
    parts = minutes // MINUTES_A_FILE
    part_of_row = np.minimum(arrivals // (60 * MINUTES_A_FILE), parts - 1)  # what arrives after the end is in the last
    edges = np.searchsorted(part_of_row, np.arange(parts + 1))
    now = time.time()
    for part in range(parts):
        path = folder / f"{at(part * MINUTES_A_FILE):%Y-%m-%dT%H-%M}.parquet"
        pq.write_table(rows.slice(edges[part], edges[part + 1] - edges[part]), path)
        # Spark reads a folder in the order of modification times: a second between two files leaves no ties.
        os.utime(path, (now, now - (parts - part)))
    return parts


def at(minute: int) -> datetime:
    """The instant of a minute of the simulation."""
    return START + timedelta(minutes=minute)


def instants(seconds: Integers) -> Any:
    """Seconds of the simulation as an Arrow array of timestamps."""
    return pa.array((int(START.timestamp()) + seconds) * 1_000_000).cast(pa.timestamp("us", "UTC"))


def main() -> None:
    parser = argparse.ArgumentParser(description="Simulate a working day in a city of speed sensors.")
    parser.add_argument("folder", type=Path, help="the folder for readings/, rain/ and map.lars")
    parser.add_argument("--hours", type=int, default=10, help="number of hours, from 06:00 on (default: %(default)s)")
    parser.add_argument("--sensors", type=int, default=3000, help="number of sensors (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=7, help="the same seed gives the same day (default: %(default)s)")
    options = parser.parse_args()
    if options.hours < 1 or options.sensors < 1:
        parser.error("a simulation needs at least one hour and one sensor")
    done = simulate(options.folder, options.hours, options.sensors, options.seed)
    print(
        f"{done.readings:,} readings from {done.sensors:,} sensors at {done.junctions:,} junctions in "
        f"{len(done.districts)} districts, {done.start:%Y-%m-%d %H:%M} to {done.end:%H:%M}\n"
        f"{done.rain_reports:,} rain reports, {len(done.accidents)} accidents, {len(done.silent)} sensors silent and "
        f"{len(done.stuck)} stuck for a while; {done.late_rows} readings come an hour late\n"
        f"{done.files} files and map.lars in {options.folder}"
    )


if __name__ == "__main__":
    main()
