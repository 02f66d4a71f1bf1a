"""ETALIS in use: dates, state that stays bounded, and pipelines."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

import lasing
from lasing.engines.local.engine import LocalEngine
from lasing.logic.values import Instant
from tests.unit.pipeline.local.pipelines import run

ORDERS = """
event placed(order: string, amount: float), packed(order: string), paid(order: string).
tick 1 min.
work(O, A) <- (placed(O, A) SEQ packed(O)).30 min.
payment(O) <- (placed(O, _) SEQ paid(O)).1 h.
settled(O, A) <- work(O, A) STARTS payment(O).
unpaid(O) <- (NOT(paid(O)).[placed(O, _), packed(O)]).30 min.
"""
DAY = """
placed(o1,20) at "2026-01-01T10:01:00Z".
placed(o2,900) at "2026-01-01T10:02:00Z".
packed(o1) at "2026-01-01T10:05:00Z".
packed(o2) at "2026-01-01T10:07:00Z".
paid(o2) at "2026-01-01T10:12:00Z".
"""


def at(minute: int) -> datetime:
    return datetime(2026, 1, 1, 10, minute, tzinfo=UTC)


@pytest.mark.parametrize("engine", ["local", "reference"])
def test_results_have_dates_if_the_program_says_so(engine: lasing.EngineName) -> None:
    program = lasing.parse(f"{ORDERS}times dates.", language="etalis")
    found = [atom for answer in lasing.run(program, DAY, engine=engine) for atom in answer.atoms]
    (settled,) = (atom for atom in found if atom.predicate == "settled")
    start, end = settled.values[2:]
    assert isinstance(start, Instant)
    assert isinstance(end, Instant)
    assert "2026-01-01T10:02:00Z" in str(start)
    assert "2026-01-01T10:12:00Z" in str(end)


def test_tables_have_the_dates_as_timestamps() -> None:
    program = lasing.parse(f"{ORDERS}times dates.", language="etalis")
    table = lasing.run(program, DAY).to_arrow()["work"]
    assert table.column_names == ["time", "o", "a", "start", "end"]
    assert table["start"].to_pylist() == [at(1), at(2)]
    assert table["end"].to_pylist() == [at(5), at(7)]


def test_dates_change_nothing_else() -> None:
    plain = lasing.run(lasing.parse(ORDERS, language="etalis"), DAY)
    dated = lasing.run(lasing.parse(f"{ORDERS}times dates.", language="etalis"), DAY)
    for one, other in zip(plain, dated, strict=True):
        plainly, dates = ({(a.predicate, *a.values[:-2]) for a in answer.atoms} for answer in (one, other))
        assert plainly == dates


def test_the_separable_encoding_has_dates_too() -> None:
    text = "event p(i key), q(i key). tick 1 min. times dates. encoding separable. e(I) <- (p(I) SEQ q(I)).9 min."
    stream = 'p(1) at "2026-01-01T10:01:00Z". q(1) at "2026-01-01T10:03:00Z".'
    with pytest.warns(lasing.LasingWarning):
        found = [atom for answer in lasing.run(lasing.parse(text, language="etalis"), stream) for atom in answer.atoms]
    first, start, end = map(str, found[0].values)
    assert first == "1"
    assert "2026-01-01T10:01:00Z" in start
    assert "2026-01-01T10:03:00Z" in end


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("times dates. e <- (p SEQ q).9.", "E736"),
        ("tick 1 s. times clocks. e <- (p SEQ q).9.", "E732"),
    ],
)
def test_dates_need_a_time_point_with_a_length(text: str, code: str) -> None:
    with pytest.raises(lasing.LasingError) as caught:
        lasing.parse(text, language="etalis")
    assert [finding.code for finding in caught.value.diagnostics] == [code]


BOUNDED = """
e(K) <- (p(K) SEQ q(K)).6.
f(K) <- (e(K) DURING (p(K) SEQ r(K))).20.
g(K) <- (NOT(q(K)).[p(K), r(K)]).9.
h(K) <- (e(K) PAR f(K)).15.
"""


def test_intervals_end_when_no_pattern_can_use_them_any_more() -> None:
    program = lasing.parse(BOUNDED, language="etalis")
    engine = LocalEngine(program, 0)
    sizes, results = [], 0
    for point in range(4_000):
        names = ("p", "q", "r")
        facts = [lasing.Atom(names[(point * 7 + i) % 3], (f"k{point // 50 * 3 + i}",)) for i in range(3)]
        results += sum(1 for _ in engine.advance(point, facts))
        if point % 500 == 499:
            sizes.append(engine.memory_bytes)
    assert results > 1_000
    assert sizes[-1] <= sizes[1], sizes
    kept = list(engine.remembered())
    assert kept
    assert min(run.begin for run in kept) >= 4_000 - 60, "only what patterns still look back on is remembered"


@pytest.mark.filterwarnings("ignore::lasing.LasingWarning")
def test_without_limits_intervals_stay() -> None:
    program = lasing.parse(BOUNDED.replace(".6.", ".").replace(".20.", "."), language="etalis")
    engine = LocalEngine(program, 0)
    for point in range(400):
        for _ in engine.advance(point, [lasing.Atom("pq"[point % 2], ("k",))]):
            pass
    assert min(run.begin for run in engine.remembered()) < 10


PIPELINE = """
program = "orders.etalis"
engine = "local"
checkpoint = "state"
trigger = "available now"

[sources.placed]
format = "csv"
path = "placed.csv"
time = "ts"
schema = "ts timestamp, order string, amount double"

[sources.packed]
format = "csv"
path = "packed.csv"
time = "ts"
schema = "ts timestamp, order string"

[sources.paid]
format = "csv"
path = "paid.csv"
time = "ts"
schema = "ts timestamp, order string"

[sinks.settled]
format = "json"
path = "settled"

[sinks.work]
format = "json"
path = "work"
"""


def prepared(folder: Path, more: str = "") -> Path:
    (folder / "orders.etalis").write_text(ORDERS + more)
    minute = "2026-01-01T10:{:02}:00Z".format
    (folder / "placed.csv").write_text(f"ts,order,amount\n{minute(1)},o1,20\n{minute(2)},o2,900\n")
    (folder / "packed.csv").write_text(f"ts,order\n{minute(5)},o1\n{minute(7)},o2\n")
    (folder / "paid.csv").write_text(f"ts,order\n{minute(12)},o2\n")
    (folder / "pipeline.toml").write_text(PIPELINE)
    return folder / "pipeline.toml"


def rows(folder: Path) -> list[dict[str, object]]:
    lines = (line for part in sorted(folder.glob("*.json*")) for line in part.read_text().splitlines())
    return [json.loads(line) for line in lines]


def test_a_pipeline_in_this_process_finds_the_same_intervals(tmp_path: Path) -> None:
    run(prepared(tmp_path))
    minutes = int(at(0).timestamp()) // 60
    assert [(row["o"], row["start"], row["end"]) for row in rows(tmp_path / "work")] == [
        ("o1", minutes + 1, minutes + 5),
        ("o2", minutes + 2, minutes + 7),
    ]
    (settled,) = rows(tmp_path / "settled")
    assert (settled["o"], settled["a"], settled["start"], settled["end"]) == ("o2", 900, minutes + 2, minutes + 12)


def test_a_pipeline_writes_dates(tmp_path: Path) -> None:
    run(prepared(tmp_path, "times dates."))
    (settled,) = rows(tmp_path / "settled")
    assert (settled["start"], settled["end"]) == ("2026-01-01T10:02:00.000Z", "2026-01-01T10:12:00.000Z")
