"""Curves have the cells that they promise, slopes are exact, and the sentences follow from them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np
import pytest

from lasing.bench.measuring.contenders import columns, from_scratch, parse
from lasing.bench.measuring.course import FULL, QUICK, Effort
from lasing.bench.measuring.records import Cell
from lasing.bench.measuring.turns import agree
from lasing.bench.measuring.workloads import ARGS, Workload
from lasing.bench.scale import experiments as scale
from lasing.bench.scale.slopes import Kind, Words, kind, sentences, slope, upper_half
from lasing.bench.scale.stretches import Entry, Ready, measured
from lasing.bench.scale.workloads import LASTING_BOX, renewed_chain, rules_by_predicate, switched_chain

TINY = Effort(turns=1, length=1)
WORDS = Words("size", "the size", "the cost", {"flat": "size is free"})


def _line(costs: Sequence[float | None], contender: str = "lasing", ratio: float | None = None) -> list[Cell]:
    """Cells of sizes 1, 10, 100 and so on."""
    return [
        Cell("e", contender, "changes", {"workload": "w", "size": 10**i}, cost, ratio=ratio)
        for i, cost in enumerate(costs)
    ]


# -- slopes ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("exponent", [-0.5, 0.0, 0.3, 1.0, 2.0])
def test_the_slope_of_a_power_is_its_exponent(exponent: float) -> None:
    assert slope([(x, 7 * x**exponent) for x in (1, 10, 300, 5000)]) == pytest.approx(exponent)


def test_a_slope_is_of_least_squares() -> None:
    points = [(1.0, 1.0), (10.0, 100.0), (100.0, 10.0)]
    assert slope(points) == pytest.approx(np.polyfit([0, 1, 2], [0, 2, 1], 1)[0])


def test_one_setting_has_no_slope() -> None:
    with pytest.raises(ValueError, match="two different settings"):
        slope([(3, 1.0), (3, 2.0)])


def test_the_upper_half_is_that_of_the_picture() -> None:
    assert [x for x, _ in upper_half([(10**i, 1.0) for i in range(5)])] == [100, 1000, 10_000]
    assert [x for x, _ in upper_half([(2, 1.0), (10, 1.0), (100, 1.0), (1000, 1.0)])] == [100, 1000]


@pytest.mark.parametrize(
    ("number", "name"),
    [
        (-0.1, "falls"),
        (-0.09, "flat"),
        (0.09, "flat"),
        (0.1, "slow"),
        (0.5, "less"),
        (0.8, "proportional"),
        (1.19, "proportional"),
        (1.2, "more"),
    ],
)
def test_kinds_have_bounds(number: float, name: Kind) -> None:
    assert kind(number) == name


# -- sentences -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("costs", "said"),
    [
        (
            (2.0, 2.0, 2.0, 2.0),
            "w: as the size grows from 1 to 1,000, the cost stays as it is (slope 0.00; from 100 on 0.00): "
            "it does not depend on the size: size is free.",
        ),
        (
            (1.0, 2.0, 4.0, 8.0),
            "w: as the size grows from 1 to 1,000, the cost grows by a factor of 8.0 (slope 0.30; from 100 on 0.30): "
            "it grows slowly with the size.",
        ),
        (
            (1.0, 10.0, 100.0, 1000.0),
            "w: as the size grows from 1 to 1,000, the cost grows by a factor of 1,000 (slope 1.00; from 100 on 1.00): "
            "it grows in proportion to the size.",
        ),
        (
            (8.0, 4.0, 2.0, 1.0),
            "w: as the size grows from 1 to 1,000, the cost falls by a factor of 8.0 (slope -0.30; from 100 on -0.30): "
            "it falls with the size.",
        ),
    ],
)
def test_a_sentence_follows_from_the_slope(costs: Sequence[float], said: str) -> None:
    assert sentences(_line(costs), WORDS) == [said]


def test_a_curve_that_bends_is_not_called_free() -> None:
    (said,) = sentences(_line((8.0, 1.0, 1.0, 8.0)), WORDS)
    assert said.endswith("): it is least at 10, most at 1; from 100 on it grows in proportion to the size.")
    assert "free" not in said


def test_a_curve_that_rises_at_its_end_is_not_called_free() -> None:
    (said,) = sentences(_line((1.0, 1.0, 1.0, 1.0, 1.9)), WORDS)
    assert said.endswith("it does not depend on the size; from 100 on it grows slowly with the size.")


def test_others_are_compared_with_ours() -> None:
    said = sentences(_line((1.0, 1.0)) + _line((3.0, 3.0), "dictionaries", ratio=3.0), WORDS)
    assert said[1] == "w, dictionaries: slope 0.00; 3x our engine at size 1, 3x at 10."


def test_what_was_left_out_has_no_slope() -> None:
    assert sentences(_line((1.0, None)), WORDS) == ["w: too few points of lasing for a slope."]


# -- cells -----------------------------------------------------------------------------------------------------------


def _taking(seconds: float, clock: list[float]) -> Callable[[], Ready]:
    """A contender of two units in a stretch, whose first stretch takes ten times as long."""

    def go(number: int) -> None:
        clock[0] += 10 * seconds if number == 0 else seconds * number

    return lambda: Ready(go, units=2, derived=5)


def test_costs_are_medians_over_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [0.0]
    monkeypatch.setattr("lasing.bench.scale.stretches.time.thread_time", lambda: clock[0])
    entries = [
        Entry("lasing", "changes", {"size": 1}, _taking(2e-6, clock)),
        Entry("dictionaries", "changes", {"size": 1}, _taking(6e-6, clock), turns=2),
        Entry("dictionaries", "changes", {"size": 2}, _taking(6e-6, clock)),
    ]
    ours, beside, alone = measured("e", entries, turns=3)
    assert ours.cost == pytest.approx(2)
    assert ours.spread == pytest.approx((1.5, 2.5))
    assert ours.ratio == pytest.approx(1)
    assert beside.cost == pytest.approx(4.5)
    assert beside.ratio == pytest.approx(3)
    assert beside.derived == 5
    assert alone.ratio is None


@pytest.mark.parametrize("effort", [QUICK, FULL], ids=["quick", "full"])
def test_experiments_know_how_many_cells_they_have(effort: Effort, monkeypatch: pytest.MonkeyPatch) -> None:
    def unmeasured(experiment: str, entries: Sequence[Entry], turns: int) -> list[Cell]:
        assert turns <= effort.turns
        return [Cell(experiment, e.contender, e.output, e.settings, 1.0) for e in entries]

    monkeypatch.setattr(scale, "measured", unmeasured)
    monkeypatch.setattr(scale, "on_columns", lambda *_, **__: Ready(lambda _: None, 1))
    monkeypatch.setattr(scale, "laid_out", lambda *_, **__: None)
    for experiment in scale.SCALE:
        cells = list(experiment.cells(effort))
        assert len(cells) == experiment.count(effort)
        assert {cell.experiment for cell in cells} == {experiment.name}
        (figure,) = experiment.figures
        assert figure.slope
        for cell in cells:
            assert set(cell.settings) == {figure.x, *figure.lines}
        assert len({(c.contender, c.output, *c.settings.items()) for c in cells}) == len(cells)
        assert len(experiment.sentences(cells)) == len({(c.contender, c.output, *_lines(c, figure.x)) for c in cells})


def _lines(cell: Cell, x: str) -> list[int | str]:
    return [value for name, value in cell.settings.items() if name != x]


@pytest.mark.parametrize(
    "entries",
    [
        pytest.param(scale.window_entries("join", [1, 5], TINY), id="window"),
        pytest.param(scale.window_entries("box", [1, 5], TINY), id="box"),
        pytest.param(scale.rate_entries("diamond", [1, 5], TINY), id="rate"),
        pytest.param(scale.rules_entries("predicates", [2, 5], TINY), id="rules"),
        pytest.param(scale.rules_entries("thresholds", [2, 5], TINY), id="thresholds"),
        pytest.param(scale.plan_entries("V > c", [2, 5]), id="plan"),
        pytest.param(scale.recursion_entries("renewed edge", [1, 5], TINY), id="renewed"),
        pytest.param(scale.recursion_entries("switched edge", [1, 5], TINY), id="switched"),
        pytest.param(scale.recursion_entries("cut edge", [1, 5], TINY), id="cut"),
    ],
)
def test_tiny_cells_are_well_formed(entries: list[Entry]) -> None:
    for cell in measured("e", entries, turns=1):
        assert cell.cost is not None
        assert cell.cost > 0
        assert cell.spread == (cell.cost, cell.cost)
        assert cell.ratio is not None
        assert cell.derived is None or cell.derived > 0


def test_unchanging_facts_stop_at_the_memory() -> None:
    cells = list(scale.standing_cells_of("latest", [10, 100, 10_000], TINY, memory=1e7))
    assert [cell.cost is not None for cell in cells] == [True, True, False]
    assert cells[2].note.startswith("left out: it would take about")
    assert cells[2].note.endswith("more than 0.01 GB")
    assert cells[1].derived == pytest.approx(100, abs=90)


def test_unchanging_facts_stop_at_the_time() -> None:
    cells = list(scale.standing_cells_of("negation", [10, 100, 1000], TINY, seconds=0))
    assert [cell.cost is not None for cell in cells] == [True, False, False]
    assert cells[2].note.endswith("s to prepare, more than 0 s")


# -- workloads -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("workload", "window"),
    [(LASTING_BOX, 6), (rules_by_predicate(5), 6), (renewed_chain(5), 6), (switched_chain(5), 100)],
    ids=lambda value: value.name if isinstance(value, Workload) else "",
)
def test_the_reference_agrees_with_the_engine(workload: Workload, window: int) -> None:
    program, stream = parse(workload.program(window)), workload.stream(3, window, 40)
    agree(columns(program, stream), from_scratch(program, stream), 40)


def test_about_six_of_ten_lasting_atoms_hold_in_any_window() -> None:
    for window in (10, 100):
        stream = LASTING_BOX.stream(100, window, 3 * window)
        whole = columns(parse(LASTING_BOX.program(window)), stream)
        step = whole.start()
        held = sum(row[0] * count for t in range(3 * window) for row, count in whole.changed_rows(step(t)).items())
        assert 45 < held < 75


def test_a_chain_is_renewed_edge_by_edge() -> None:
    stream = renewed_chain(3).stream(1, 10, 8)
    assert [len(stream.facts(t)) for t in range(8)] == [3] + [1] * 7
    edges = stream.rows[3:, ARGS].tolist()
    assert all(after == (before + 1) % 3 for before, after in pairwise(edges))


@pytest.mark.parametrize(("chain", "window"), [(renewed_chain(5), 5), (switched_chain(5), 40)])
def test_a_chain_that_would_fall_apart_is_refused(chain: Workload, window: int) -> None:
    with pytest.raises(ValueError, match="window"):
        chain.stream(1, window, 40)


def test_sizes_are_powers_of_ten() -> None:
    assert scale.sizes(QUICK, 1, 100, 1000) == [1, 10, 100]
    assert scale.sizes(FULL, 2, 100, 1000) == [2, 10, 100, 1000]
