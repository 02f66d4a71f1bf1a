"""The experiments of the DOTR paper: all contenders have the same results, and phases and sweeps are what they say."""

from __future__ import annotations

from dataclasses import replace

import pytest

pytest.importorskip("pyoxigraph")
pytest.importorskip("rdflib")

from lasing.bench.dotr import city, siddhi
from lasing.bench.dotr.by_hand import Dictionaries, NestedLoops
from lasing.bench.dotr.city import CitySetting, Journeys, Query
from lasing.bench.dotr.experiments import (
    BY_HAND,
    DOTR,
    LOOPS,
    SIDDHI,
    all_agree,
    by_length,
    city_sentences,
    contenders,
    length_sentences,
    phase_sentences,
    prepared,
    results,
)
from lasing.bench.dotr.live import Live
from lasing.bench.dotr.phases import PAPER, PHASES, REASONING, Phases
from lasing.bench.dotr.sensors import BySensor
from lasing.bench.dotr.workloads import Policy, Setting
from lasing.bench.experiments import GROUPS, choose
from lasing.bench.measuring.course import FULL, QUICK
from lasing.bench.measuring.records import Cell
from lasing.bench.measuring.turns import DisagreementError
from lasing.bench.scale.stretches import OURS

SMALL = Setting(rules=3, datalog=4, triples=20, seconds=8, terminators=0.4)


@pytest.mark.parametrize("policy", ["last", "each"])
@pytest.mark.parametrize(("length", "rules"), [(2, 3), (3, 1), (4, 6)])
def test_all_contenders_agree(policy: Policy, length: int, rules: int) -> None:
    all_agree(replace(SMALL, policy=policy, length=length, rules=rules, rooms=2), graphs=40)


def test_filters_and_rates_are_the_same_for_all() -> None:
    setting = replace(SMALL, rate=4, seconds=3, rules=5)
    all_agree(setting, graphs=40)
    assert "tick 250 ms" in setting.text
    assert setting.window == 12


def test_a_difference_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Dictionaries, "_in_window", lambda self, _t, room: [k[room] for k in self._kept.values()])
    with pytest.raises(DisagreementError, match=f"only {BY_HAND} has"):
        all_agree(replace(SMALL, policy="each"), graphs=60)


def test_results_are_compared_without_their_identifiers() -> None:
    one = results([("id1", "first", 1), ("id1", "second", 2), ("id2", "first", 1)])
    assert one == results([("a", "first", 1), ("b", "second", 2), ("b", "first", 1)])
    assert one != results([("id1", "first", 1), ("id1", "second", 2), ("id1", "first", 1)])


def test_the_default_scenario_is_the_papers() -> None:
    setting = Setting()
    background = list(setting.background())
    assert setting.text.count("define CE") == 10
    assert setting.datalog_text.count(":-") == 11
    assert sum(str(name).endswith("placed_in>") for _, name, _ in background) == 10
    assert len(background) == 10 + 10 + 5 + 10 + 10_000
    graphs = setting.graphs(2_000)
    assert all(len(graph) == 1 for graph in graphs)
    completing = sum(str(fact[2]).endswith("valA>") for (fact,) in graphs)
    assert 0.17 < completing / 2_000 < 0.23


def test_loops_are_written_out_for_each_event() -> None:
    setting = replace(SMALL, policy="each", length=10, seconds=30, terminators=0.1)
    assert set(contenders(setting)) == {OURS, BY_HAND, LOOPS}  # Siddhi takes patterns of two events only
    loops = NestedLoops(setting)
    for t, graph in enumerate(setting.graphs(40)):
        loops.step(t, graph)
    with pytest.raises(AssertionError, match="all combinations"):
        NestedLoops(SMALL)


@pytest.fixture
def small_city(monkeypatch: pytest.MonkeyPatch) -> None:
    """A city with few sensors, so that most readings belong to the one journey."""
    city.known.cache_clear()
    monkeypatch.setattr(city, "SENSORS", 14)
    monkeypatch.setattr(city, "BACKGROUND", 200)


@pytest.mark.usefixtures("small_city")
@pytest.mark.parametrize("query", ["Q1", "Q2"])
@pytest.mark.parametrize("journeys", ["one journey", "every journey"])
def test_the_queries_of_citybench_agree(query: Query, journeys: Journeys) -> None:
    setting = CitySetting(query, journeys, 10)
    all_agree(setting, graphs=40)
    found = Live(setting.program)
    assert sum(len(found.step(t, graph)) for t, graph in enumerate(setting.graphs(70))) > 10
    assert all(len(graph) == 15 for graph in setting.graphs(5))
    city.known.cache_clear()


def test_rules_over_sensors_find_what_one_rule_finds() -> None:
    one, many = Live(BySensor(1).program), Live(BySensor(50).program)
    stream = BySensor(1).events(60)
    found = [(one.step(t, events), many.step(t, events)) for t, events in enumerate(stream)]
    assert all(mine == other for mine, other in found)
    assert sum(len(mine) for mine, _ in found) > 5
    assert len(BySensor(50).program.rules) == len(BySensor(1).program.rules)


def test_phases_have_names_and_times() -> None:
    phases = Phases(SMALL, 20)
    spent = phases.spent(10)
    assert tuple(spent) == PHASES == tuple(PAPER)
    assert all(seconds >= 0 for seconds in spent.values())
    assert spent[REASONING] > 0
    assert phases._phase_of_rule.count(REASONING) == SMALL.datalog


def test_a_stretch_goes_on_where_the_last_one_ended() -> None:
    seen: list[int] = []

    class Recorder:
        def step(self, t: int, _graph: object) -> list[tuple[object, object, object]]:
            seen.append(t)
            return []

    ready = prepared(SMALL, Recorder, turns=2, stretch=5)
    assert seen == list(range(SMALL.window + 1))
    ready.go(0)
    ready.go(1)
    assert seen == list(range(SMALL.window + 11))
    assert ready.units == 5


def test_siddhi_takes_part_where_it_is_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(siddhi, "missing", lambda: "PySiddhi is not installed")
    assert SIDDHI not in contenders(SMALL)
    monkeypatch.setattr(siddhi, "missing", lambda: "")
    assert SIDDHI in contenders(SMALL)
    assert SIDDHI not in contenders(replace(SMALL, rules=siddhi.MOST_RULES + 1))
    assert SIDDHI not in contenders(replace(SMALL, length=3))


def test_a_report_says_if_siddhi_was_not_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    settings = dict.fromkeys(("triples", "rules", "events", "seconds", "rate"), 1) | {"policy": "last"}
    ours = Cell("dotr-rules", OURS, "changes", settings, 80.0)
    theirs = replace(ours, contender=SIDDHI)
    said = "Siddhi was not measured: PySiddhi is not installed."
    monkeypatch.setattr(siddhi, "find_spec", lambda _: None)
    for experiment in DOTR:
        if experiment.name not in ("dotr-phases", "dotr-city"):
            assert said in experiment.sentences([ours])
            assert said not in experiment.sentences([ours, theirs])
    monkeypatch.setattr(siddhi, "find_spec", lambda _: object())
    monkeypatch.delenv("SIDDHISDK_HOME", raising=False)
    assert siddhi.missing() == "SIDDHISDK_HOME does not say where its jars are"
    monkeypatch.setenv("SIDDHISDK_HOME", "/jars")
    assert siddhi.missing() == ""


def test_sentences_name_the_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(siddhi, "missing", lambda: "")
    cells = [Cell("dotr-phases", OURS, "changes", {"phase": phase}, 10.0) for phase in PHASES]
    assert "A graph takes 60 µs" in phase_sentences(cells)[0]
    assert "event processing 17%" in phase_sentences(cells)[1]
    settings: dict[str, int | str] = {"query": "Q1", "journeys": "one journey", "rate": 1_000}
    assert city_sentences([Cell("dotr-city", OURS, "changes", settings, 80.0)]) == [
        "Q1, one journey: 0.080 ms a graph at 1,000 graphs per second."
    ]
    long = Cell("dotr-length", LOOPS, "changes", {"policy": "each", "events": 10}, 80.0, ratio=7.0)
    assert length_sentences([long]) == ["10 events, each: nested loops take 7x the time of lasing."]


def test_the_group_has_all_experiments_and_its_bars() -> None:
    assert GROUPS["dotr"] == tuple(experiment.name for experiment in DOTR)
    chosen = choose(["dotr"])
    assert {experiment.name for experiment in chosen.experiments} == set(GROUPS["dotr"])
    assert chosen.sections == ("events",)
    assert len(by_length(QUICK)) < len(by_length(FULL))
    for experiment in DOTR:
        assert experiment.count(QUICK) <= experiment.count(FULL)
