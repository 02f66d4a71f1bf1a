"""A page about an engine or a pipeline that runs."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest

import lasing
from lasing.pipeline.config import read_pipeline
from lasing.pipeline.local.run import run_local
from lasing.pipeline.progress import Progress
from lasing.serve.attached import WatchedEngine
from lasing.serve.pipelines import WatchedPipeline

HOT = "hot(S) :- temp(S, V) in [5], V > 30."


def events(url: str, enough: Callable[[str, Any], bool]) -> list[tuple[str, Any]]:
    """The events of a page, until there are enough."""
    found: list[tuple[str, Any]] = []
    name = ""
    with httpx.stream("GET", f"{url}api/attached/events", timeout=900) as answer:
        assert answer.headers["content-type"].startswith("text/event-stream")
        for line in answer.iter_lines():
            if line.startswith("event: "):
                name = line.removeprefix("event: ")
            elif line.startswith("data: "):
                found.append((name, json.loads(line.removeprefix("data: "))))
                if enough(*found[-1]):
                    break
    return found


def ask(url: str, goal: str) -> Any:
    return httpx.post(
        f"{url}api/attached/explain", json={"goal": goal}, headers={"Origin": url[:-1]}, timeout=900
    ).json()


@pytest.fixture
def engine() -> lasing.Engine:
    return lasing.Engine(HOT, start=0)


def test_a_page_sees_what_goes_in_and_out(engine: lasing.Engine) -> None:
    engine.push(1, [("temp", "s0", 50)])
    with engine.serve() as served:
        engine.push(2, [("temp", "s1", 35), ("temp", "s2", 20)])
        engine.advance_to(9)
        found = events(served.url, lambda name, content: name == "moments" and bool(content["moments"]))
        about = httpx.get(f"{served.url}api/about").json()["attached"]
    (holding,) = [content["atoms"] for name, content in found if name == "holding"]
    (_, told) = found[-1]
    first, second = told["moments"]
    assert [a[1] for a in holding] == ["hot(s0)"]  # before the first moment, and not any more
    assert [a[1] for a in first["facts"]] == ["temp(s1,35)", "temp(s2,20)"]
    assert ([a[1] for a in first["added"]], [a[1] for a in second["removed"]]) == (["hot(s1)"], ["hot(s0)", "hot(s1)"])
    assert (told["figures"]["pushes"], told["figures"]["facts"], told["figures"]["time"]) == (2, 2, "9")
    assert (about["kind"], about["program"]) == ("engine", HOT)


def test_a_page_that_is_opened_later_sees_the_same(engine: lasing.Engine) -> None:
    with engine.serve() as served:
        engine.push(1, [("temp", "s1", 35)])
        engine.push(9, [("temp", "s2", 40)])
        engine.push(20, [("temp", "s1", 36)])
        found = events(served.url, lambda name, content: name == "moments" and len(content["moments"]) == 3)
    (holding,) = [content["atoms"] for name, content in found if name == "holding"]
    assert holding == []  # hot(s1) holds now, but did not before the first moment
    assert [a[1] for moment in found[-1][1]["moments"] for a in moment["added"]] == ["hot(s1)", "hot(s2)", "hot(s1)"]


def test_a_page_can_ask_why(engine: lasing.Engine) -> None:
    engine.push(2, [("temp", "s1", 35)])
    with engine.serve() as served:
        assert ask(served.url, "hot(s1)")["holds"] is True
        assert ask(served.url, "hot(s2)")["holds"] is False
        assert ask(served.url, "cold(s2)")["findings"][0]["code"] == "E333"


def test_an_engine_is_as_it_was_once_nobody_looks(engine: lasing.Engine) -> None:
    before = dict(vars(engine))
    with engine.serve() as served:
        assert set(vars(engine)) > set(before)
        with pytest.raises(lasing.LasingError, match="E789"):
            engine.serve()
        assert "token" not in served.url
    assert vars(engine).keys() == before.keys()
    with engine.serve():
        engine.push(3, [])
        with pytest.raises(lasing.LasingError, match="E308"):
            engine.push(1, [])


def test_other_hosts_need_the_token(engine: lasing.Engine) -> None:
    with pytest.warns(lasing.LasingWarning, match="W213"):
        served = engine.serve(host="0.0.0.0")  # noqa: S104 -- what is tested
    with served:
        address = served.url.partition("?")[0]
        assert httpx.get(address).status_code == 401
        assert httpx.get(served.url).status_code == 303
        assert "token" not in repr(served)


def test_calls_inside_calls_count_once() -> None:
    engine = lasing.Engine(HOT, delay=2)
    watched = WatchedEngine(engine)
    engine.push(1, [("temp", "s1", 40)])
    engine.flush()
    engine.advance_to(4)
    assert watched._figures["pushes"] == 3
    assert watched._figures["added"] == 1
    watched.close()


def test_a_busy_engine_is_not_waited_for_without_end(engine: lasing.Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lasing.serve.attached._PATIENCE", 0.01)
    watched = WatchedEngine(engine)
    held, done = threading.Event(), threading.Event()

    def hold() -> None:
        with watched._lock:
            held.set()
            done.wait(60)

    thread = threading.Thread(target=hold)
    thread.start()
    held.wait(60)
    assert watched.explain("hot(s1)")["findings"][0]["code"] == "E789"
    done.set()
    thread.join()
    watched.close()


def test_the_batches_and_results_of_a_pipeline(tmp_path: Path) -> None:
    (tmp_path / "hot.lars").write_text(HOT, encoding="utf-8")
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "one.csv").write_text("time,sensor,value\n1,s1,35\n2,s2,20\n9,s1,10\n", encoding="utf-8")
    (tmp_path / "hot.toml").write_text(
        f"""
        engine = "local"
        program = "hot.lars"
        checkpoint = "{tmp_path}/state"
        trigger = "available now"
        [sources.temp]
        format = "csv"
        path = "{tmp_path}/in"
        fact = "temp(sensor, value)"
        schema = "time bigint, sensor string, value bigint"
        [sinks.hot]
        format = "json"
        path = "{tmp_path}/out"
        output = "hot"
        """,
        encoding="utf-8",
    )
    described = read_pipeline(tmp_path / "hot.toml")
    watching = WatchedPipeline(described.program)
    with Progress(described.program, quiet=True, starts_spark=False) as progress:
        progress.watcher = watching
        run_local(described, progress)
    batches, _ = watching._feed.after(0)
    assert sum(batch["events"] for batch in batches) == 3
    assert "s1" in batches[-1]["results"]["hot"][0]
    assert watching.about()["kind"] == "pipeline"
    assert watching.explain("hot(s1)")["findings"][0]["code"] == "E789"
