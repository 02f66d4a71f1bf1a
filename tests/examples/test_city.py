"""The demo's pieces: a simulated city, the rules that watch it, the picture and the summary."""

from __future__ import annotations

import struct
import sys
from dataclasses import dataclass
from datetime import timedelta
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from rich.console import Console

import lasing
from lasing.errors import SourceText
from lasing.languages import read_program
from lasing.languages.lars.formatter import format_text
from lasing.logic.answers import intervals
from lasing.logic.checks import CAUTIONS, findings
from lasing.logic.formulas import atoms_of
from lasing.logic.program import Program
from lasing.logic.terms import Variable

CITY = Path(__file__).parents[2] / "examples" / "city"
sys.path.insert(0, str(CITY))  # the scripts of an example import one another by name

import picture  # noqa: E402
import simulate  # noqa: E402
import summary  # noqa: E402

COLUMNS = {
    "jam": ("District", "Junction"),
    "tail": ("District", "Junction", "Length"),
    "silent": ("District", "Sensor"),
    "stuck": ("District", "Sensor"),
    "unexplained": ("District", "Junction"),
}
MINUTE = timedelta(minutes=1)


@dataclass(frozen=True)
class Day:
    """A small city's morning: what was simulated, and what the rules say of it."""

    folder: Path
    truth: simulate.Summary
    readings: pa.Table
    rain: pa.Table
    results: dict[str, pa.Table]

    def found(self, predicate: str, event: simulate.Event) -> list[summary.Interval]:
        return [found for found in summary.intervals(self.results[predicate]) if summary.is_of(found, event)]


@pytest.fixture(scope="module")
def day(tmp_path_factory: pytest.TempPathFactory) -> Day:
    folder = tmp_path_factory.mktemp("city")
    truth = simulate.simulate(folder, hours=3, sensors=320, seed=7)
    readings, rain = pq.read_table(folder / "readings"), pq.read_table(folder / "rain")
    results = reasoned(program_of(folder), readings.sort_by("ts"), rain.sort_by("ts"), truth)
    return Day(folder, truth, readings, rain, results)


def program_of(folder: Path) -> Program:
    paths = CITY / "city.lars", folder / "map.lars"
    return read_program([SourceText(path.name, path.read_text(encoding="utf-8")) for path in paths])


def reasoned(program: Program, readings: pa.Table, rain: pa.Table, truth: simulate.Summary) -> dict[str, pa.Table]:
    """The intervals of each shown predicate, as tables; by the local engine, or not at all."""
    names = {"ts": "time"}
    stream = {"reading": readings.rename_columns(names), "rain": rain.rename_columns(names)}
    run = lasing.run(program, stream, truth.start, truth.end, engine="local")
    rows: dict[str, list[dict[str, Any]]] = {predicate: [] for predicate in COLUMNS}
    first = int(truth.start.timestamp()) // 60
    for holding in intervals(run.moments()):
        begins, ends = (truth.start + (time - first) * MINUTE for time in (holding.since, holding.until))
        args = zip(COLUMNS[holding.atom.predicate], holding.atom.args, strict=True)
        rows[holding.atom.predicate].append({"from": begins, "until": ends, **dict(args)})
    return {predicate: table_of(predicate, found) for predicate, found in rows.items()}


def table_of(predicate: str, rows: list[dict[str, Any]]) -> pa.Table:
    instant = pa.timestamp("us", "UTC")
    kinds = {name: pa.int64() if name == "Length" else pa.string() for name in COLUMNS[predicate]}
    return pa.Table.from_pylist(rows, pa.schema([("from", instant), ("until", instant), *kinds.items()]))


# The simulation.


def test_the_same_seed_gives_the_same_day(tmp_path: Path) -> None:
    written = {}
    for name, seed in (("once", 3), ("again", 3), ("other", 4)):
        truth = simulate.simulate(tmp_path / name, hours=1, sensors=100, seed=seed)
        tables = [pq.read_table(tmp_path / name / kind) for kind in ("readings", "rain")]
        written[name] = truth, tables, (tmp_path / name / "map.lars").read_text(encoding="utf-8")
    assert written["once"] == written["again"]
    assert written["once"] != written["other"]


def test_files_have_the_promised_columns(day: Day) -> None:
    instant = pa.timestamp("us", "UTC")
    for path in sorted((day.folder / "readings").iterdir()):
        assert pq.read_schema(path).equals(
            pa.schema([("ts", instant), ("district", pa.string()), ("sensor", pa.string()), ("speed", pa.float64())])
        )
    for path in sorted((day.folder / "rain").iterdir()):
        assert pq.read_schema(path).equals(
            pa.schema([("ts", instant), ("district", pa.string()), ("millimetres", pa.float64())])
        )
    names = [path.name for path in sorted((day.folder / "readings").iterdir(), key=lambda path: path.stat().st_mtime)]
    assert names == sorted(names)
    assert names[0] == "2026-03-02T06-00.parquet"
    assert len(names) == 18


def test_readings_are_about_one_a_minute_with_one_decimal(day: Day) -> None:
    assert 0.95 * 320 * 180 < len(day.readings) == day.truth.readings <= 320 * 180
    speeds = day.readings["speed"].to_numpy()
    assert speeds.min() > 0
    assert speeds.max() < 80
    assert np.array_equal(speeds, speeds.round(1))


def test_some_rows_are_out_of_order_and_twenty_an_hour_late(day: Day) -> None:
    instants = day.readings["ts"].to_numpy()
    behind = np.maximum.accumulate(instants) - instants
    assert 0.01 < np.mean(behind > np.timedelta64(0)) < 0.1
    assert np.sum(behind > np.timedelta64(3, "m")) == day.truth.late_rows == 20


def test_every_junction_has_a_sensor_and_traffic_never_goes_round_in_circles(day: Day) -> None:
    background = program_of(day.folder).background
    watched = {(atom.args[0], atom.args[2]) for atom in background if atom.predicate == "sensor_at"}
    roads = [atom.args for atom in background if atom.predicate == "road"]
    assert len(watched) == day.truth.junctions
    assert {(district, end) for district, *ends in roads for end in ends} == watched
    assert all(int(str(upstream)[1:]) > int(str(downstream)[1:]) for _, upstream, downstream in roads)


@pytest.mark.parametrize("sensors", [1, 7])
def test_a_city_may_be_tiny(tmp_path: Path, sensors: int) -> None:
    assert simulate.simulate(tmp_path, hours=1, sensors=sensors).sensors == sensors


def test_the_script_writes_and_tells(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["simulate.py", str(tmp_path / "new"), "--hours", "1", "--sensors", "60"])
    simulate.main()
    assert "readings from 60 sensors" in capsys.readouterr().out
    assert (tmp_path / "new" / "map.lars").exists()


# The rules.


def test_the_program_is_formatted_and_with_its_map_without_findings(day: Day) -> None:
    text = (CITY / "city.lars").read_text(encoding="utf-8")
    assert format_text(SourceText("city.lars", text)) == text
    assert findings(program_of(day.folder), CAUTIONS) == []


def test_all_atoms_of_a_rule_name_the_same_district(day: Day) -> None:
    for rule in program_of(day.folder).rules:
        districts = {atom.args[0] for atom in (*rule.head_atoms(), *(a for part in rule.body for a in atoms_of(part)))}
        assert len(districts) == 1, str(rule)
        assert isinstance(districts.pop(), Variable)


def test_result_columns_are_named_after_the_heads(day: Day) -> None:
    for rule in program_of(day.folder).rules:
        for head in rule.head_atoms():
            if head.predicate in COLUMNS:
                assert tuple(map(str, head.args)) == COLUMNS[head.predicate]


def test_a_district_by_itself_has_the_same_results(day: Day) -> None:
    district = day.truth.districts[1]
    whole = program_of(day.folder)
    own = [atom for atom in whole.background if atom.args[0] == district]
    text = (CITY / "city.lars").read_text(encoding="utf-8") + "".join(f"{atom}.\n" for atom in own)
    readings, rain = (
        table.filter(pc.equal(table["district"], district)).sort_by("ts") for table in (day.readings, day.rain)
    )
    alone = reasoned(lasing.parse(text), readings, rain, day.truth)
    for predicate, table in day.results.items():
        assert alone[predicate].equals(table.filter(pc.equal(table["District"], district))), predicate


@pytest.mark.parametrize(("predicate", "sure"), [("silent", summary.SURE_OF_SILENT), ("stuck", summary.SURE_OF_STUCK)])
def test_broken_sensors_are_found_and_no_others(day: Day, predicate: str, sure: int) -> None:
    faults = getattr(day.truth, predicate)
    for fault in faults:
        if fault.minutes >= sure:
            assert day.found(predicate, fault), fault
    for found in summary.intervals(day.results[predicate]):
        assert any(summary.is_of(found, fault) for fault in faults), found


def test_a_sensor_is_silent_from_its_sixth_minute_on(day: Day) -> None:
    for fault in day.truth.silent:
        for found in day.found("silent", fault)[:1]:
            # A reading or two before the silence, or at its end, may have been lost as well.
            assert abs(found.begins - (fault.first + 5 * MINUTE)) <= 2 * MINUTE
            assert abs(found.ends - fault.last) <= 2 * MINUTE


def test_accidents_make_jams_that_come_and_go(day: Day) -> None:
    assert day.truth.accidents
    for accident in day.truth.accidents:
        jams = day.found("jam", accident)
        assert jams, accident
        assert jams[0].begins <= accident.first + 5 * MINUTE
    for jam in summary.intervals(day.results["jam"]):
        assert jam.minutes < 150


def test_there_are_neither_too_few_nor_too_many_results(day: Day) -> None:
    counts = {predicate: len(table) for predicate, table in day.results.items()}
    assert all(1 <= count <= 1000 for count in counts.values()), counts
    lengths = day.results["tail"]["Length"].to_pylist()
    assert 5 <= max(lengths) <= day.truth.junctions / len(day.truth.districts)


# What is shown at the end.


def test_the_picture_is_a_png_of_a_reasonable_size(day: Day, tmp_path: Path) -> None:
    path = tmp_path / "city.png"
    picture.picture(day.results, day.rain, path)
    content = path.read_bytes()
    assert content.startswith(b"\x89PNG")
    width, height = struct.unpack(">II", content[16:24])
    assert width == 1600
    assert 300 <= height <= 1100
    assert 20_000 < len(content) < 1_000_000


def test_a_picture_without_events_or_rain_still_has_its_lanes(day: Day, tmp_path: Path) -> None:
    calm = {predicate: table.slice(0, 0) for predicate, table in day.results.items()}
    picture.picture(calm | {"jam": day.results["jam"]}, day.rain.slice(0, 0), tmp_path / "dry.png")
    picture.picture(calm, day.rain, tmp_path / "calm.png")
    with pytest.raises(ValueError, match="nothing to draw"):
        picture.picture(calm, day.rain.slice(0, 0), tmp_path / "empty.png")


def test_the_summary_is_short_and_tells_the_truth(day: Day) -> None:
    lines = shown(day.results, day.truth)
    assert len(lines) <= 20
    assert any("junctions behind" in line for line in lines)
    (silent,) = (line for line in lines if "silent" in line)
    long_enough = sum(fault.minutes >= summary.SURE_OF_SILENT for fault in day.truth.silent)
    assert silent.split()[-4:] == [str(len(day.truth.silent)), str(long_enough), str(long_enough), "0"]


def test_a_summary_of_nothing_says_so(day: Day) -> None:
    calm = {predicate: table.slice(0, 0) for predicate, table in day.results.items()}
    assert any("No jam had a tail" in line for line in shown(calm, day.truth))


def shown(results: dict[str, pa.Table], truth: simulate.Summary) -> list[str]:
    console = Console(width=120, file=StringIO())
    with console.capture() as captured:
        console.print(summary.summary(results, truth))
    return captured.get().splitlines()
