"""Generate a small city: what its sensors measure in two hours, and what is known about them.

    python generate.py             writes the files of this folder
    python generate.py FOLDER --hours 24 --roads 400 --seed 7

The same arguments give the same files. `ontology.ttl` and the mappings (`*.toml`) are written by hand.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import product
from math import cos, pi
from pathlib import Path
from random import Random
from typing import TypeVar

START = datetime(2026, 3, 2, 8, tzinfo=UTC)
EVERY = timedelta(minutes=5)
"""How often each sensor measures, at a second of its own."""
CENTRE = 56.157, 10.209
SILENT = timedelta(minutes=60), timedelta(minutes=85)
"""No weather station sends anything between these times."""
JAM = timedelta(minutes=20), timedelta(minutes=70)
"""Every fourth road is jammed between these times."""
STREETS = (
    "Harbour Quay", "Mill Lane", "Station Road", "North Ring", "Park Alley", "Castle Street", "Bridge Road",
    "Orchard Way",
)  # fmt: skip

Row = tuple[object, ...]
One = TypeVar("One")


@dataclass(frozen=True)
class Road:
    """A road, with one traffic sensor and one pollution sensor in its middle."""

    name: str
    label: str
    metres: int
    lat: float
    lon: float
    jams: bool


@dataclass(frozen=True)
class Place:
    """A car park or an event: its class, its position, and its other properties in Turtle."""

    name: str
    kind: str
    lat: float
    lon: float
    more: tuple[str, ...] = ()


@dataclass
class City:
    """What stays the same while sensors measure."""

    random: Random
    roads: list[Road] = field(default_factory=list)
    car_parks: list[Place] = field(default_factory=list)
    events: list[Place] = field(default_factory=list)

    @classmethod
    def of(cls, roads: int, seed: int) -> City:
        city = cls(Random(seed))
        for number in range(roads):
            label = STREETS[number % len(STREETS)] + (
                f" {number // len(STREETS) + 1}" if number >= len(STREETS) else ""
            )
            metres = city.random.randrange(400, 2_000, 50)
            city.roads.append(Road(f"r{number + 1}", label, metres, *city.somewhere(), number % 4 == 2))
        for number in range(max(roads // 2, 4)):
            kind = "ParkingGarage" if number % 2 == 0 else "ParkingLot"
            spaces, price = city.random.randrange(40, 200, 20), city.random.choice((0, 10, 15, 25))
            more = f"ct:spaces {spaces}", f"ct:pricePerHour {price}"
            city.car_parks.append(Place(f"p{number + 1}", kind, *city.somewhere(), more))
        for number in range(max(roads // 2, 4)):
            kind = ("Concert", "BookReading", "Exhibition", "StoryHour")[number % 4]
            title = f'ct:title "{kind} {number + 1}"'
            city.events.append(Place(f"e{number + 1}", kind, *city.somewhere(), (title,)))
        return city

    def somewhere(self) -> tuple[float, float]:
        """A place within about three kilometres of the centre."""
        lat, lon = (round(middle + self.random.uniform(-0.02, 0.02), 4) for middle in CENTRE)
        return lat, lon

    # -- what is known --------------------------------------------------------------------------------------------

    def turtle(self) -> Iterator[str]:
        """Roads, sensors and what they measure, car parks, events and a journey."""
        for prefix in ("ssn", "ct", "geo", "road", "sensor", "property", "place"):
            yield f"@prefix {prefix}: <{PREFIXES[prefix]}> ."
        for road in self.roads:
            yield f'\nroad:{road.name} a ct:Road ; ct:title "{road.label}" ; ct:metres {road.metres} ;'
            yield f"    geo:lat {road.lat} ; geo:long {road.lon} ."
            yield from _sensor(f"t-{road.name}", "TrafficSensor", road.name, TRAFFIC)
            yield from _sensor(f"a-{road.name}", "PollutionSensor", road.name, POLLUTION)
        for station in ("w1", "w2"):
            yield ""
            yield from _sensor(station, "WeatherStation", None, WEATHER)
        for place in (*self.car_parks, *self.events):
            yield f"\nplace:{place.name} a ct:{place.kind} ; {' ; '.join(place.more)} ;"
            yield f"    geo:lat {place.lat} ; geo:long {place.lon} ."
        for park in self.car_parks:
            yield f"sensor:c-{park.name} a ct:ParkingSensor ; ct:watches place:{park.name} ."
            yield f"property:c-{park.name}-vacancies a ct:Vacancies ; ssn:isPropertyOf place:{park.name} ."
        yield f"\nplace:journey a ct:Journey ; ct:along {', '.join(f'road:{road.name}' for road in self.roads[1:4])} ."

    # -- what is measured -----------------------------------------------------------------------------------------

    def traffic(self, length: timedelta) -> Iterator[Row]:
        yield "ts", "id", "sensor", "speed", "vehicles", "congestion"
        for road, since, ts, number in self._rounds(self.roads, length):
            jammed = road.jams and JAM[0] <= since < JAM[1]
            level = min(1.0, (0.85 if jammed else 0.35) + self.random.uniform(-0.15, 0.15) + 0.1 * _rush(since))
            vehicles = round(level * road.metres / 40)
            yield ts, f"t{number}", f"t-{road.name}", round(55 * (1.1 - level), 1), vehicles, round(100 * level)

    def pollution(self, length: timedelta) -> Iterator[Row]:
        yield "ts", "id", "sensor", "ozone", "dust", "monoxide", "sulphur", "nitrogen"
        for road, since, ts, number in self._rounds(self.roads, length):
            base = 70 if road.jams and JAM[0] <= since < JAM[1] else 40
            yield ts, f"a{number}", f"a-{road.name}", *(base + self.random.randrange(30) for _ in POLLUTION)

    def weather(self, length: timedelta) -> Iterator[Row]:
        yield "ts", "id", "sensor", "celsius", "wind", "humidity"
        for station, since, ts, number in self._rounds(("w1", "w2"), length):
            if not SILENT[0] <= since < SILENT[1]:
                celsius = 4 + since / timedelta(hours=1) + self.random.uniform(-0.5, 0.5)
                yield (
                    ts,
                    f"w{number}",
                    station,
                    round(celsius, 1),
                    self.random.randrange(2, 14),
                    self.random.randrange(55, 90),
                )

    def parking(self, length: timedelta) -> Iterator[Row]:
        yield "ts", "id", "sensor", "vacancies"
        for park, since, ts, number in self._rounds(self.car_parks, length):
            spaces = int(park.more[0].split()[1])
            taken = min(1.0, 0.5 + 0.45 * _rush(since) + self.random.uniform(-0.05, 0.1))
            yield ts, f"c{number}", f"c-{park.name}", round(spaces * (1 - taken))

    def users(self, length: timedelta) -> Iterator[Row]:
        """Where two people are: one crosses the city, one walks around in its centre."""
        yield "ts", "id", "user", "lat", "lon"
        for user, since, ts, number in self._rounds(("ada", "ben"), length):
            part = since / length
            across = (0.02 * (2 * part - 1), 0.02 * (1 - 2 * part))
            around = (0.004 * cos(2 * pi * part), 0.004 * cos(2 * pi * part + 1))
            lat, lon = (
                middle + moved for middle, moved in zip(CENTRE, across if user == "ada" else around, strict=True)
            )
            yield ts, f"u{number}", user, round(lat, 4), round(lon, 4)

    def _rounds(self, whom: Sequence[One], length: timedelta) -> Iterator[tuple[One, timedelta, str, int]]:
        """Who measures when, in the order of time, and the number of each measurement."""
        seconds = [self.random.randrange(300) for _ in whom]
        order = sorted(range(len(whom)), key=lambda index: (seconds[index], index))
        for number, (turn, index) in enumerate(product(range(length // EVERY), order), 1):
            since = turn * EVERY + timedelta(seconds=seconds[index])
            yield whom[index], since, (START + since).strftime("%Y-%m-%dT%H:%M:%SZ"), number


PREFIXES = {
    "ssn": "http://purl.oclc.org/NET/ssnx/ssn#",
    "ct": "http://city.example/ontology#",
    "geo": "http://www.w3.org/2003/01/geo/wgs84_pos#",
    "road": "http://city.example/road/",
    "sensor": "http://city.example/sensor/",
    "property": "http://city.example/property/",
    "place": "http://city.example/place/",
}
TRAFFIC = {"speed": "AverageSpeed", "vehicles": "VehicleCount", "congestion": "CongestionLevel"}
POLLUTION = {
    "ozone": "Ozone", "dust": "ParticulateMatter", "monoxide": "CarbonMonoxide", "sulphur": "SulphurDioxide",
    "nitrogen": "NitrogenDioxide",
}  # fmt: skip
WEATHER = {"celsius": "Temperature", "wind": "WindSpeed", "humidity": "Humidity"}


def _sensor(name: str, kind: str, road: str | None, properties: dict[str, str]) -> Iterator[str]:
    """A sensor and its properties: one node for each, of the class of what is measured."""
    yield f"sensor:{name} a ct:{kind}{f' ; ct:onRoad road:{road}' if road else ''} ."
    for column, what in properties.items():
        of = f" ; ssn:isPropertyOf road:{road}" if road else ""
        yield f"property:{name}-{column} a ct:{what}{of} ."


def _rush(since: timedelta) -> float:
    """How busy the city is: most after 50 minutes."""
    return max(0.0, 1 - abs(since / timedelta(minutes=50) - 1))


def generate(folder: Path, hours: int = 2, roads: int = 8, seed: int = 1) -> None:
    """Write the city into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    city, length = City.of(roads, seed), timedelta(hours=hours)
    (folder / "city.ttl").write_text("\n".join(city.turtle()) + "\n", encoding="utf-8")
    streams = {
        "traffic": city.traffic, "pollution": city.pollution, "weather": city.weather, "parking": city.parking,
        "users": city.users,
    }  # fmt: skip
    for name, rows in streams.items():
        _write(folder / f"{name}.csv", rows(length))


def _write(path: Path, rows: Iterable[Row]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows(rows)


def main() -> None:
    parser = argparse.ArgumentParser(description="Generate a small city.")
    parser.add_argument("folder", nargs="?", type=Path, default=Path(__file__).parent)
    parser.add_argument("--hours", type=int, default=2)
    parser.add_argument("--roads", type=int, default=8)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    generate(given.folder, given.hours, given.roads, given.seed)


if __name__ == "__main__":
    main()
