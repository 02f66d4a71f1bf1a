"""The measurement of RDF streams: both contenders report the same rows, and a difference is noticed."""

from __future__ import annotations

import pytest

pytest.importorskip("pyoxigraph")
pytest.importorskip("rdflib")

from lasing.bench.city import citybench, workload
from lasing.bench.city.citybench import OnWindows, Setting
from lasing.bench.city.workload import City, Journeys
from lasing.bench.measuring.turns import DisagreementError


@pytest.fixture
def city(monkeypatch: pytest.MonkeyPatch) -> City:
    """A small city with short windows."""
    monkeypatch.setattr(workload, "RANGE", 60)
    monkeypatch.setattr(citybench, "RANGE", 60)
    monkeypatch.setattr(workload, "SENSORS", 12)
    monkeypatch.setattr(workload, "BACKGROUND", 200)
    return City(120)


@pytest.mark.parametrize("journeys", ["one journey", "every journey"])
@pytest.mark.parametrize("step", [20, 1])
def test_both_report_the_same(city: City, journeys: Journeys, step: int) -> None:
    setting = Setting(city, journeys, step)
    setting.check(3)
    assert OnWindows(setting).report(0)


def test_a_difference_is_noticed(city: City, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(citybench, "window_query", lambda _: "SELECT ?x ?y ?v (1 AS ?w) WHERE { ?x ?y ?v } LIMIT 3")
    with pytest.raises(DisagreementError, match="report 0"):
        Setting(city, "one journey", 20).check(1)


def test_the_background_has_the_promised_size(city: City) -> None:
    assert len(city.background) == len(set(city.background)) == 200
    assert len(city.known) == 200
    assert sum(map(len, city.triples)) == 4 * city.graphs
    assert len(list(city.lines(20, 2))) == 8
