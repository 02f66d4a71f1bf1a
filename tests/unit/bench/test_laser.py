"""The Laser paper's experiments: streams of the promised sizes, contenders that agree, a cell for each."""

from __future__ import annotations

import numpy as np
import pytest

from lasing.bench.laser import loops as laser_loops
from lasing.bench.laser import race as laser_race
from lasing.bench.laser.clingo import CLINGO
from lasing.bench.laser.dictionaries import dictionaries
from lasing.bench.laser.experiments import LASER, OUTPUTS, sentences
from lasing.bench.laser.loops import LOOP, loops
from lasing.bench.laser.peers import LASING, SCRATCH, from_scratch, ours
from lasing.bench.laser.race import SPARK, Patience, all_agree, contenders, race
from lasing.bench.laser.workloads import COPIES, DIFFERENT, Task, box, cooling, diamond, join, rules
from lasing.bench.measuring.contenders import Columns, parse
from lasing.bench.measuring.course import FULL, QUICK, Effort
from lasing.bench.measuring.records import Cell, OutputKind
from lasing.bench.measuring.turns import DisagreementError, agree
from lasing.bench.measuring.workloads import ARGS, J, Stream, Workload

SMALL = (
    diamond(3, 5),
    box(3, 12),
    join(3, 5),
    rules(3, 4, COPIES, 8),
    rules(3, 4, DIFFERENT, 8),
    cooling(3, 2),
    cooling(3, 60),
)
IMPATIENT = Effort(turns=1, length=1)


def _name(task: Task) -> str:
    return "-".join((task.shape, *map(str, task.settings.values())))


def _standing(task: Task, points: int) -> int:
    """The size of the full answer at the last of `points` time points."""
    engine = Columns(parse(task.programs["answers"]), task.stream(points), annotated=False)
    for _ in engine.to(points - 1):
        pass
    return len(engine.engine.standing())


@pytest.mark.parametrize(("window", "rate"), [(1, 200), (20, 200), (20, 800)])
def test_diamond_and_join_derive_a_window_of_atoms(window: int, rate: int) -> None:
    for task in (diamond(window, rate), join(window, rate), rules(window, 10, COPIES, rate)):
        assert _standing(task, window + 4) == (window + 1) * rate
    assert _standing(rules(window, 10, DIFFERENT, rate), window + 4) == (window + 1) * rate - 10


def test_the_chain_of_the_join_has_the_atoms_of_the_formula() -> None:
    rate, points = 5, 4
    stream = join(2, rate).stream(points)
    for t in range(points):
        numbers = [t * rate + i for i in range(rate)]
        formula = {("p", k, k + 1) for k in numbers} | {("p", k + 1, k + 2) for k in numbers}
        assert set(stream.facts(t)) == formula
        assert len(stream.facts(t)) == rate + 1


def test_atoms_of_the_diamond_never_come_again() -> None:
    rows = diamond(2, 50).stream(20).rows[:, ARGS:]
    assert len(np.unique(rows)) == rows.size


def test_draws_are_of_the_promised_values() -> None:
    assert set(np.unique(box(2, 30).stream(200).rows[:, ARGS])) == set(range(12))
    assert set(np.unique(cooling(2, 100).stream(200).rows[:, ARGS])) == set(range(201))


@pytest.mark.parametrize(("rate", "expected"), [(200, 2727), (800, 4207)])
def test_cooling_derives_as_many_atoms_as_laser(rate: int, expected: int) -> None:
    """From the data: steam and liquid at their times, isSteam and isLiquid, veryHot and veryCold; alarm and normal."""
    window, points = 20, 60
    task = cooling(window, rate)
    temps = [{fact[1] for fact in task.stream(points).facts(t)} for t in range(points)]

    def at(time: int) -> int:
        values = temps[time] - {0}
        steam, liquid = any(v >= 100 for v in values), any(v < 100 for v in values)
        return len(values) + steam + liquid + any(v >= 150 for v in values) + (1 in values)

    sizes = [sum(at(u) for u in range(t - window, t + 1)) + 2 for t in range(window, points)]
    assert np.mean(sizes) == pytest.approx(expected, rel=0.01)
    assert _standing(task, points) == sizes[-1]


@pytest.mark.parametrize("task", SMALL, ids=_name)
def test_a_seed_gives_the_same_stream_again(task: Task) -> None:
    one, same, other = (task.stream(12, seed).rows for seed in (1, 1, 2))
    assert np.array_equal(one, same)
    assert np.array_equal(one, other) == (task.shape not in ("box", "cooling"))
    assert np.array_equal(task.stream(5).rows, one[one[:, 0] < 5])


@pytest.mark.parametrize("output", OUTPUTS)
@pytest.mark.parametrize("task", SMALL, ids=_name)
def test_all_contenders_agree(task: Task, output: OutputKind) -> None:
    all_agree(task, output, points=9)


@pytest.mark.parametrize("output", OUTPUTS)
@pytest.mark.parametrize("rate", [1, 4, 25])
def test_handwritten_programs_are_right_on_other_streams_too(rate: int, output: OutputKind) -> None:
    """Pairs that come again within the window, at one time point or later."""
    again = Workload("again", J.program, lambda chance, n, _w, points: _pairs(chance, n, points)).stream(rate, 4, 40)
    for task in (diamond(4, rate), join(4, rate)):
        for contender in (dictionaries(task, output, again), loops(task, output, again)):
            if contender is not None:
                agree(ours(task, output, again), contender, again.points)


def _pairs(chance: np.random.Generator, rate: int, points: int) -> Stream:
    rows = np.zeros((rate * points, ARGS + 2), np.int64)
    rows[:, 0] = np.repeat(np.arange(points), rate)
    rows[:, ARGS:] = chance.integers(0, 4 + rate // 4, (rate * points, 2))
    return Stream({"p": 2}, rows, points)


def test_contenders_that_disagree_do_not_race(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        laser_race, "from_scratch", lambda task, *rest: from_scratch(diamond(task.window + 1, 5), *rest)
    )
    with pytest.raises(DisagreementError):
        all_agree(diamond(3, 5), "changes")


@pytest.mark.parametrize("output", OUTPUTS)
@pytest.mark.parametrize("name", [SCRATCH, CLINGO])
def test_a_late_start_changes_no_output(name: str, output: OutputKind) -> None:
    for task in (join(3, 5), cooling(3, 40)):
        stream = task.stream(9)
        make = laser_race.REEVALUATING[name]
        early, late = make(task, output, stream, 0), make(task, output, stream, 6)
        first, second = early.start(), late.start()
        for t in range(9):
            expected = early.changed_rows(first(t))
            if t >= 6:
                assert expected == late.changed_rows(second(t))


def _cells(task: Task, output: OutputKind = "changes", seconds: float = 9.0) -> dict[str, Cell]:
    return {cell.contender: cell for cell in race(task, output, IMPATIENT, Patience(seconds))}


@pytest.mark.parametrize("output", OUTPUTS)
def test_each_contender_has_a_cell(output: OutputKind) -> None:
    task = join(2, 5)
    cells = _cells(task, output)
    assert tuple(cells) == contenders(task) == (LASING, SCRATCH, CLINGO, "dictionaries", LOOP, SPARK)
    for name, cell in cells.items():
        assert (cell.experiment, cell.output, cell.settings) == ("join", output, {"window": 2, "rate": 5})
        assert cell.derived == 15
        if name == SPARK or (name == LOOP and laser_loops.library() is None):
            assert cell.cost is None
            assert cell.note
            continue
        assert cell.cost is not None
        assert cell.spread is not None
        assert cell.spread[0] <= cell.cost <= cell.spread[1]
        assert cell.ratio is not None
        assert cell.ratio > 0
    assert cells[LASING].ratio == 1
    assert cells[SPARK].note == "see the Spark section"


def test_a_contender_that_is_not_installed_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(laser_race, "installed", lambda: False)
    monkeypatch.setattr(laser_loops, "library", lambda: None)
    cells = _cells(box(2, 6))
    assert cells[CLINGO].note == "clingo is not installed"
    assert cells[LOOP].note == "no g++"
    assert cells[CLINGO].cost is None
    assert cells[LOOP].cost is None
    all_agree(box(2, 6), "answers")


def test_a_slow_contender_sits_out() -> None:
    cells = _cells(diamond(2, 5), seconds=0.0)
    assert cells[SCRATCH].cost is None
    assert cells[SCRATCH].note == "more than 0 s a time point at window 2, rate 5"
    assert cells[LASING].cost is not None


def test_a_slow_task_is_predicted() -> None:
    patience = Patience(1.0)
    assert patience.foresees(SCRATCH, "changes", join(20, 800)) == ""
    patience.learn(SCRATCH, "changes", join(1, 200), 0.3)
    assert patience.foresees(SCRATCH, "changes", join(1, 300)) == ""
    note = patience.foresees(SCRATCH, "changes", join(1, 400))
    assert note == "more than 1 s a time point at window 1, rate 400, predicted from 0.3 s at window 1, rate 200"
    patience.learn(CLINGO, "changes", rules(1, 10, COPIES), 0.3)
    assert patience.foresees(CLINGO, "changes", rules(1, 100, DIFFERENT)) == ""
    assert patience.foresees(CLINGO, "changes", rules(1, 100, COPIES))
    patience.learn(CLINGO, "changes", rules(20, 100, COPIES), 9.0)
    assert patience.foresees(CLINGO, "changes", rules(1, 20, COPIES)) == ""


def test_experiments_are_those_of_the_paper() -> None:
    assert [experiment.name for experiment in LASER] == ["diamond", "box", "join", "rules", "cooling"]
    assert [experiment.count(QUICK) for experiment in LASER] == [40, 40, 48, 80, 40]
    assert [experiment.count(FULL) for experiment in LASER] == [120, 120, 144, 320, 120]
    figures = [figure.name for experiment in LASER for figure in experiment.figures]
    assert len(figures) == len(set(figures)) == 12


def test_sentences_say_which_contender_is_faster() -> None:
    def cell(name: str, window: int, cost: float | None, ratio: float | None, note: str = "") -> Cell:
        settings = {"window": window, "rate": 200}
        return Cell("box", name, "changes", settings, cost, None, ratio, derived=16, note=note)

    found = [
        cell(LASING, 1, 0.1, 1.0),
        cell(LASING, 20, 0.2, 1.0),
        cell(SCRATCH, 1, 50.0, 500.0),
        cell(SCRATCH, 20, None, None, "too slow"),
        cell(CLINGO, 1, None, None, "clingo is not installed"),
        cell("dictionaries", 1, 0.05, 0.5),
        cell("dictionaries", 20, 0.4, 2.0),
        cell(LOOP, 1, 0.05, 0.5),
        cell(LOOP, 20, 0.05, 0.25),
    ]
    assert sentences(found) == [
        "For changes lasing takes 0.1 µs per atom at window 1, rate 200, and 0.2 at window 20, rate 200, "
        "where 16 derived atoms hold.",
        "From window 1 to 20 an atom's cost for changes becomes 2.0x of what it was.",
        "For changes evaluation from scratch takes 500x as long as lasing, at the 1 settings of 2 that were measured.",
        "For changes clingo was not measured: clingo is not installed.",
        "For changes plain Python with dictionaries takes 0.5x to 2.0x as long as lasing; "
        "it is faster at 1 of 2 settings.",
        "For changes the C++ loop is faster: lasing takes 2.0x to 4.0x as long.",
    ]
    assert sentences([]) == []
