"""Experiments on Spark: why nothing is measured without it, the number of cells, sentences with figures."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator

import pytest

from lasing.bench.measuring.course import FULL, QUICK
from lasing.bench.measuring.records import Cell, Experiment
from lasing.bench.spark import experiments as spark
from lasing.bench.spark import session as spark_session
from lasing.bench.spark.cells import IDENTITY, OURS, PLAIN, Settings, rated
from lasing.bench.spark.experiments import SPARK
from lasing.bench.spark.fitting import fit
from lasing.bench.spark.processes import descendants, kill_all
from lasing.bench.spark.recovery import CASES, DRIVER, EXECUTOR, NEXT_BATCH, NOTHING, SPARK_IS_UP
from lasing.bench.spark.state import MEASURES, SHARE, SIZE, SPENT

BY_NAME = {experiment.name: experiment for experiment in SPARK}


@pytest.fixture
def without_pyspark(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(spark_session, "find_spec", lambda name: None if name == "pyspark" else object())
    spark_session.missing.cache_clear()
    yield
    spark_session.missing.cache_clear()


@pytest.mark.usefixtures("without_pyspark")
@pytest.mark.parametrize("experiment", SPARK, ids=lambda e: e.name)
def test_without_pyspark_each_contender_says_so(experiment: Experiment) -> None:
    cells = list(experiment.cells(FULL))
    assert len(cells) == len({cell.contender for cell in cells}) == experiment.count(FULL)
    for cell in cells:
        assert (cell.experiment, cell.cost, cell.note) == (experiment.name, None, "pyspark is not installed")
        for figure in experiment.figures:
            assert {figure.x, *filter(None, [figure.panels]), *figure.only} <= set(cell.settings)
    assert experiment.sentences(cells) == []


def test_without_java_each_contender_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lasing.spark.java.is_new_enough", lambda _: False)
    monkeypatch.setattr("lasing.spark.java.packaged_java", lambda: None)
    spark_session.missing.cache_clear()
    try:
        assert spark_session.missing() == "Spark needs Java 17 or newer, but there is none"
    finally:
        spark_session.missing.cache_clear()


def test_the_experiments_are_listed_without_loading_spark() -> None:
    loaded = "import sys, lasing.bench.spark.experiments; print('pyspark' in sys.modules, 'pandas' in sys.modules)"
    printed = subprocess.run([sys.executable, "-c", loaded], capture_output=True, text=True, check=True).stdout
    assert printed == "False False\n"


def test_the_number_of_cells(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spark, "missing", lambda: "")
    counts = {effort: {e.name: e.count(effort) for e in SPARK} for effort in (QUICK, FULL)}
    names = ("spark-stream", "spark-replay", "spark-state", "spark-recovery", "spark-cluster")
    assert counts[QUICK] == dict(zip(names, (4, 6, 3, 1, 10), strict=True))
    assert counts[FULL] == dict(zip(names, (37, 18, 9, 4, 80), strict=True))


def test_a_quick_run_kills_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spark, "missing", lambda: "")
    (cell,) = BY_NAME["spark-recovery"].cells(QUICK)
    assert (cell.cost, cell.note) == (None, "measured in a full run only")


def test_a_cell_of_rates() -> None:
    cell = rated("x", IDENTITY, {}, [100.0, 300.0, 200.0], [50.0, 100.0, 200.0])
    assert (cell.cost, cell.spread, cell.ratio, cell.note) == (200.0, (150.0, 250.0), 2.0, "")
    once = rated("x", IDENTITY, {}, [100.0], [50.0], note="slow")
    assert (once.cost, once.spread, once.ratio, once.note) == (100.0, None, 2.0, "slow; a single run")


def test_the_fit_finds_a_line_and_small_batches_count_as_much_as_large_ones() -> None:
    sizes = [20_000, 50_000, 200_000, 500_000]
    line = fit(sizes, [0.3 + 2e-6 * size for size in sizes])
    assert line == pytest.approx((0.3, 2e-6))
    disturbed = fit(sizes, [0.3 + 2e-6 * size * (1.1 if size == 500_000 else 1) for size in sizes])
    assert disturbed.fixed == pytest.approx(0.3, rel=0.1)


def _rate(fixed: float, marginal: float, batch: int) -> float:
    return batch / (fixed + marginal * batch) / 1000


def _stream_cells(batches: tuple[int, ...], shards: tuple[int, ...]) -> list[Cell]:
    cells = []
    for number in shards:
        for batch in batches:
            rates = {OURS: _rate(0.3, 4e-6 / number, batch), PLAIN: _rate(0.1, 1e-6, batch)}
            for contender, rate in rates.items():
                settings = {"batch": batch, "shards": number}
                cells.append(Cell("spark-stream", contender, "changes", settings, rate, None, rate / rates[OURS]))
    return cells


def test_sentences_on_streams() -> None:
    join = Cell("spark-stream", "Spark join", "changes", {"batch": 20_000, "shards": 2}, 5.0, None, 0.1)
    absent = Cell("spark-stream", "identity", "changes", {"batch": 20_000, "shards": 2}, note="not measured")
    assert BY_NAME["spark-stream"].sentences([*_stream_cells((20_000, 200_000), (1, 2)), join, absent]) == [
        "lasing is fastest in batches of 200,000 with shards = 2, at 286 thousand events/s; "
        "plain Spark takes in 2.33 times as many.",
        "Spark join takes in 0.10 times as many events as lasing in batches of 20,000 with shards = 2.",
        "With shards = 1, a batch, and each event in it, cost (least squares over batch sizes): "
        "lasing 300 ms and 4.00 µs, plain Spark 100 ms and 1.00 µs.",
        "With shards = 1, 75,000 events cost lasing as much as the batch itself.",
        "With shards = 2, a batch, and each event in it, cost (least squares over batch sizes): "
        "lasing 300 ms and 2.00 µs, plain Spark 100 ms and 1.00 µs.",
        "With shards = 2, 150,000 events cost lasing as much as the batch itself.",
        "In batches of 20,000, the rate of lasing is multiplied by 1.12 from 1 to 2 shards.",
        "In batches of 200,000, the rate of lasing is multiplied by 1.57 from 1 to 2 shards.",
    ]


def test_one_batch_size_gives_no_line() -> None:
    said = BY_NAME["spark-stream"].sentences(_stream_cells((50_000,), (2,)))
    assert said == [
        "lasing is fastest in batches of 50,000 with shards = 2, at 125 thousand events/s; "
        "plain Spark takes in 2.67 times as many."
    ]


def test_sentences_on_histories() -> None:
    rates = {("slices", 1): 100.0, ("slices", 2): 180.0, ("shards", 1): 100.0, ("shards", 2): 90.0}
    cells = []
    for (divided, parts), rate in rates.items():
        settings: Settings = {"parts": parts, "divided": divided}
        cells.append(Cell("spark-replay", OURS, "changes", settings, rate, None, 1.0))
    assert BY_NAME["spark-replay"].sentences(cells) == [
        "lasing is fastest with slices = 2, at 180 thousand events/s.",
        "Replayed in slices, the rate of lasing is multiplied by 1.80 from 1 to 2 slices.",
        "Replayed in shards, the rate of lasing is multiplied by 0.90 from 1 to 2 shards.",
    ]


def test_sentences_on_states() -> None:
    figures = {10_000: (0.35, 1.0, 405.0), 100_000: (3.5, 2.5, 450.0)}
    cells = [
        Cell("spark-state", OURS, "changes", {"rows": rows, "measured": measure}, value, None, 1.0)
        for rows, values in figures.items()
        for measure, value in zip(MEASURES, values, strict=True)
    ]
    assert MEASURES == (SIZE, SHARE, SPENT)
    assert BY_NAME["spark-state"].sentences(cells) == [
        "A window of 10,000 rows per shard is a state of 0.35 MB; "
        "reading and writing it, and rebuilding engines from it, takes 1.0 % of a batch.",
        "A window of 100,000 rows per shard is a state of 3.50 MB; "
        "reading and writing it, and rebuilding engines from it, takes 2.5 % of a batch.",
        "A batch takes 400 ms, and +50 ms for each 100,000 rows in a shard's window (least squares).",
    ]


def test_sentences_on_recoveries() -> None:
    seconds = {
        (NOTHING, NEXT_BATCH): 0.5,
        (EXECUTOR, NEXT_BATCH): 4.25,
        (DRIVER, SPARK_IS_UP): 6.0,
        (DRIVER, NEXT_BATCH): 11.0,
    }
    cells = [
        Cell("spark-recovery", OURS, "changes", {"killed": killed, "until": until}, seconds[killed, until])
        for killed, until in CASES
    ]
    assert BY_NAME["spark-recovery"].sentences(cells) == [
        "After an executor is killed, the next batch is committed in 4.2 s, "
        "compared with 0.5 s between undisturbed batches.",
        "After the driver is killed, Spark is up again in 6.0 s, "
        "and the next batch is committed in 11.0 s, 5.0 s later.",
    ]


def test_a_process_is_killed_with_all_that_it_has_started() -> None:
    with subprocess.Popen(["sh", "-c", "sleep 100 & echo; wait"], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        assert len(descendants(process.pid)) == 1  # it may not have become `sleep` yet
        kill_all(process.pid)
        assert process.stdout.read() == b""  # so nobody holds it any more
    assert process.returncode < 0
