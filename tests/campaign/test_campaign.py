"""A small campaign: every fault once, a few kills, and a short soak. `make campaign` is the long one."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.campaign.campaign import check_flat, table
from tests.campaign.cases import LOCAL, Fault, Outcome, SkippedError, judge
from tests.campaign.faults import FAULTS
from tests.campaign.kills import run_killed
from tests.campaign.soak import Sample, soak_engine, soak_pipeline, soaked


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_a_pipeline_bears_it(fault: Fault, tmp_path: Path) -> None:
    assert LOCAL in fault.engines
    try:
        assert fault.run(tmp_path, LOCAL, 0)
    except SkippedError as reason:
        pytest.skip(str(reason))


def test_kills_change_nothing(tmp_path: Path) -> None:
    killed = run_killed(tmp_path, LOCAL, 0, 4, files=24)
    assert killed.number == 4, killed


def test_an_engine_takes_late_facts_and_reloads_for_long() -> None:
    samples, late, reloads = soak_engine(60_000, lambda _: None)
    assert samples[-1].facts >= 60_000
    assert late > 0
    assert reloads >= 50


def test_a_pipeline_takes_late_facts_and_reloads_for_long(tmp_path: Path) -> None:
    samples, late, reloads = soak_pipeline(200_000, tmp_path, lambda _: None)
    assert samples[-1].facts == 200_000
    assert (late, reloads > 0) == (20, True)


def test_a_soak_compares_the_last_tenth_with_the_second() -> None:
    def samples(more_memory: int, more_time: float) -> list[Sample]:
        return [Sample(n, n * 1e-6 + max(0, n - 900) * more_time, 10**8 + n * more_memory, 0.5) for n in range(1001)]

    flat = soaked(samples(0, 0.0), 3, 4)
    check_flat(flat)
    assert (round(flat.cost_ratio, 6), flat.memory_ratio) == (1, 1)
    with pytest.raises(AssertionError, match="memory grows"):
        check_flat(soaked(samples(10**5, 0.0), 3, 4))
    with pytest.raises(AssertionError, match="facts become dearer"):
        check_flat(soaked(samples(0, 1e-6), 3, 4))


def test_a_case_that_fails_is_told_with_its_seed_and_keeps_its_files(tmp_path: Path) -> None:
    def wrong(folder: Path) -> str:
        (folder / "trace").write_text("here")
        raise AssertionError("rows are lost")

    outcome = judge("kills", LOCAL, 7, wrong)
    kept = Path(outcome.said.rpartition(" ")[2])
    assert (kept / "trace").read_text() == "here"
    kept.rename(tmp_path / "kept")
    assert (outcome.verdict, outcome.seed) == ("failed", 7)
    assert "rows are lost" in outcome.said
    skipped = Outcome("read-only", LOCAL, 1, "skipped", "nobody may mount here")
    assert list(table([outcome, skipped]).columns[3].cells) == ["1", "0"]
