"""What the page can ask the server, and where that ends."""

from __future__ import annotations

import base64
import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lasing.serve.page_files import examples
from lasing.serve.settings import Bounds, NamedFile
from tests.serve.client import TestClient
from tests.serve.conftest import Open

HOT = "hot(S) :- temp(S, V) in [2], V > 30."
READINGS = "temp(s1, 35) at 1.  temp(s2, 20) at 2.  temp(s2, 40) at 6."
FOREVER = "p(X+1) :- p(X), X < 10000000000000.  p(1) :- go.  q(X,Y,Z) :- p(X), p(Y), p(Z)."


def ask(page: TestClient, do: str, **content: Any) -> dict[str, Any]:
    answer: dict[str, Any] = page.post("/api/ask", json={"do": do, "language": "lars", **content}).json()
    return answer


def opened(page: TestClient) -> str:
    name: str = page.post("/api/sessions", json={}).json()["session"]
    return name


def in_session(page: TestClient, name: str, do: str, **content: Any) -> dict[str, Any]:
    answer: dict[str, Any] = page.post(f"/api/sessions/{name}", json={"do": do, **content}).json()
    return answer


def loaded(page: TestClient, program: str, stream: Any = None, language: str = "lars", **more: Any) -> str:
    name = opened(page)
    given = {"kind": "text", "text": stream} if isinstance(stream, str) else stream
    answer = in_session(page, name, "load", text=program, language=language, stream=given, **more)
    assert "about" in answer, answer
    return name


def heard(page: TestClient, name: str, enough: Callable[[list[Any]], bool], *requests: str) -> list[tuple[str, Any]]:
    """Make requests, end the session, and read its events: those that waited come first."""
    for request in requests:
        in_session(page, name, request, speed=2000)
    found: list[tuple[str, Any]] = []
    session = page.app._app.state.sessions[name]  # type: ignore[attr-defined]

    def is_enough() -> bool:
        while not session._events.empty():
            found.append(session._events.get_nowait())
        return enough([content for _, content in found])

    _wait_for(is_enough)
    return [(kind, content) for kind, content in found if kind != "compiling"]


def moments(events: list[tuple[str, Any]]) -> list[Any]:
    return [moment for name, content in events if name == "moments" for moment in content["moments"]]


def ended(contents: list[Any]) -> bool:
    return any(content.get("ended") for content in contents)


# -- programs --------------------------------------------------------------------------------------------------------


def test_mistakes_have_their_places(page: TestClient) -> None:
    (found,) = ask(page, "check", text="q(X, Y) :- p(X).")["findings"]
    assert (found["code"], found["line"], found["column"], found["where"]) == ("E201", 1, 6, "program")


def test_a_program_without_mistakes_is_described(page: TestClient) -> None:
    about = ask(page, "check", text=HOT)["about"]
    assert [(one["name"], one["kind"]) for one in about["predicates"]] == [("temp", "data"), ("hot", "derived")]
    (rule,) = about["rules"]
    assert (rule["line"], rule["plane"], rule["engine"], rule["heads"]) == (1, "guaranteed", "local", ["hot"])


def test_layout_and_translation(page: TestClient) -> None:
    assert ask(page, "format", text="q(X):-p(X).")["text"] == "q(X) :- p(X).\n"
    query = "SELECT ?s WHERE { ?s <http://e/p> ?o }"
    assert ":-" in ask(page, "translate", text=query, language="sparql")["text"]


def test_a_generated_stream_fits_the_program(page: TestClient) -> None:
    program = HOT + " in_room(S, R) :- hot(S), room(S, R).  room(s1, kitchen). room(s2, hall)."
    text = ask(page, "generate", text=program, points=30, rate=2, seed=7)["text"]
    assert text == ask(page, "generate", text=program, points=30, rate=2, seed=7)["text"]
    assert text != ask(page, "generate", text=program, points=30, rate=2, seed=8)["text"]
    assert {line.partition(",")[0] for line in text.splitlines()} == {"temp(s1", "temp(s2"}
    name = loaded(page, program, text)
    found = moments(heard(page, name, ended, "play"))
    assert any(moment["added"] for moment in found), "some readings are above the limit"


@pytest.mark.parametrize("number", range(len(examples())), ids=[one["title"] for one in examples()])
def test_examples_have_no_mistakes_and_derive_something(page: TestClient, number: int) -> None:
    example = examples()[number]
    found = ask(page, "check", text=example["program"], language=example["language"])
    assert found["findings"] == []
    more = {key: example[key] for key in ("from", "to") if key in example}
    name = loaded(page, example["program"], example["stream"], example["language"], **more)
    events = heard(page, name, ended, "play")
    assert any(moment["added"] for moment in moments(events))
    assert any(moment["facts"] for moment in moments(events))
    assert all(content["notes"] == [] for kind, content in events if kind == "moments")


# -- runs ------------------------------------------------------------------------------------------------------------


def test_steps_go_from_moment_to_moment(page: TestClient) -> None:
    name = loaded(page, HOT, READINGS)
    found = moments(
        heard(page, name, lambda contents: len([one for one in contents if "moments" in one]) == 5, *["step"] * 5)
    )
    assert [(m["time"], [a[1] for a in m["added"]], [a[1] for a in m["removed"]]) for m in found] == [
        (1, ["hot(s1)"], []),
        (2, [], []),
        (4, [], ["hot(s1)"]),
        (6, ["hot(s2)"], []),
        (7, [], []),
    ]
    assert [a[1] for a in found[0]["facts"]] == ["temp(s1,35)"]


def test_playing_ends_with_the_stream(page: TestClient) -> None:
    name = loaded(page, HOT, READINGS, to="9")
    events = heard(page, name, ended, "play")
    assert moments(events)[-1]["time"] == 9
    figures = [content for kind, content in events if kind == "moments"][-1]["figures"]
    assert figures["facts"] == 3
    assert [one["rows"] for one in figures["rules"]] == [2]


def test_facts_in_the_text_of_a_program_are_shown_and_used(page: TestClient) -> None:
    name = loaded(page, HOT + " temp(s3, 50) at 3.", READINGS)
    found = moments(heard(page, name, ended, "play"))
    assert ([a[1] for a in found[2]["facts"]], [a[1] for a in found[2]["added"]]) == (["temp(s3,50)"], ["hot(s3)"])


def test_why_and_why_not_at_any_time(page: TestClient) -> None:
    name = loaded(page, HOT, READINGS)
    heard(page, name, ended, "play")
    why = in_session(page, name, "explain", goal="hot(s1)", time=2)
    assert why["holds"] is True
    assert {"atom": "temp(s1,35)", "time": 1} in why["uses"]
    assert "by hot(S) :- temp(S,V) in [2], V > 30." in why["tree"]["details"][0]
    not_yet = in_session(page, name, "explain", goal="hot(s2)", time=2)
    assert not_yet["holds"] is False
    assert "20 > 30 is false" in json.dumps(not_yet["tree"])
    assert in_session(page, name, "explain", goal="hot(s2)", time=6)["holds"] is True
    assert in_session(page, name, "explain", goal="cold(s2)", time=6)["findings"][0]["code"] == "E333"


def test_a_question_can_have_its_own_time(page: TestClient) -> None:
    name = loaded(page, HOT, READINGS)
    heard(page, name, ended, "play")
    why = in_session(page, name, "explain", goal="hot(s1) at 2", time=6)
    assert (why["holds"], why["time"]) == (True, 2)
    assert why["tree"]["line"] == "hot(s1) at 2"
    assert in_session(page, name, "explain", goal="hot(s1)", time=6)["time"] == 6


@pytest.mark.parametrize("time", [0, 7, 10**15])
def test_a_question_about_a_time_that_the_run_has_not_seen(page: TestClient, time: int) -> None:
    name = loaded(page, HOT, READINGS)
    heard(page, name, ended, "play")
    (found,) = in_session(page, name, "explain", goal=f"hot(s1) at {time}", time=6)["findings"]
    assert (found["code"], found["note"]) == ("E333", "ask about a time from 1 to 6")


def test_several_answers(page: TestClient) -> None:
    name = loaded(page, "a ; b :- go.  c :- go.", "go at 1.  stop at 3.")
    found = moments(heard(page, name, ended, "play"))
    assert (found[0]["models"], found[0]["possible"]) == (2, ["a", "b"])
    assert [a[1] for a in found[0]["added"]] == ["a", "b", "c"]
    assert found[1]["time"] == 2
    assert [a[1] for a in found[1]["removed"]] == ["a", "b", "c"]


def test_the_columns_of_a_query(page: TestClient) -> None:
    sql = "CREATE STREAM r (s VARCHAR, c DOUBLE, ts BIGINT, TIME ts); SELECT s, MAX(c) AS m FROM r [RANGE 2] GROUP BY s"
    name = loaded(page, sql, "r(s1, 3.5) at 1.", "cql", to="2")
    found = moments(heard(page, name, ended, "play"))
    assert [a[1] for a in found[0]["added"]] == ["result(s1,3.5)"]
    assert in_session(page, name, "explain", goal="result(s1,3.5)", time=1)["holds"] is True


def test_an_upload_in_another_format(page: TestClient) -> None:
    table = base64.b64encode(b"time,sensor,value\n1,s1,35\n2,s2,20\n").decode()
    name = loaded(page, HOT, {"kind": "upload", "name": "temp.csv", "base64": table})
    assert [a[1] for a in moments(heard(page, name, ended, "play"))[0]["added"]] == ["hot(s1)"]


def test_a_mistake_in_the_stream_comes_with_what_was_reached(page: TestClient) -> None:
    name = loaded(page, HOT, "temp(s1, 35) at 1.\ntemp(s1, 36) at 2.\ntemp(s1 at 3.\n")
    events = heard(page, name, lambda contents: any("findings" in one for one in contents), "play")
    (failed,) = [content for _, content in events if "findings" in content]
    assert moments(events)[0]["time"] == 1
    assert (failed["findings"][0]["where"], failed["findings"][0]["line"]) == ("stream", 3)


# -- limits ----------------------------------------------------------------------------------------------------------


def test_a_long_program_is_refused(open_page: Open) -> None:
    page = open_page(Bounds(text=100))
    answer = page.post("/api/ask", json={"do": "check", "language": "lars", "text": "% " + "x" * 200})
    assert answer.status_code == 413
    assert answer.json()["findings"][0]["code"] == "E783"


def test_a_large_stream_is_refused(open_page: Open) -> None:
    page = open_page(Bounds(stream=1000))
    name = opened(page)
    for stream in ({"kind": "text", "text": "x" * 1001}, {"kind": "upload", "name": "p.csv", "base64": "A" * 1400}):
        answer = page.post(
            f"/api/sessions/{name}", json={"do": "load", "text": HOT, "language": "lars", "stream": stream}
        )
        assert answer.status_code == 413


def test_a_body_of_any_size_is_not_read_to_its_end(open_page: Open) -> None:
    page = open_page(Bounds(text=100, stream=1000))
    read = 0

    def endless() -> Any:
        nonlocal read
        while read < 10**7:
            read += 10_000
            yield b" " * 10_000

    answer = page.post("/api/ask", content=endless(), headers={"Content-Type": "application/json"})
    assert answer.status_code == 413


@pytest.mark.parametrize("body", ["", "[]", "{", '"text"', "1", "{}", '{"do": "load"}', '{"do": 3}', "[" * 100_000])
def test_requests_that_make_no_sense(page: TestClient, body: str) -> None:
    for path in ("/api/ask", f"/api/sessions/{opened(page)}"):
        answer = page.post(path, content=body, headers={"Content-Type": "application/json"})
        assert answer.json()["findings"][0]["code"] == "E787", path


def test_sessions_have_a_bound_and_can_be_ended(open_page: Open) -> None:
    page = open_page(Bounds(sessions=2))
    first = opened(page)
    opened(page)
    refused = page.post("/api/sessions", json={})
    assert (refused.status_code, refused.json()["findings"][0]["code"]) == (503, "E784")
    page.post(f"/api/sessions/{first}/end", json={})
    assert opened(page)
    assert in_session(page, first, "step")["findings"][0]["code"] == "E784"


def test_sessions_that_nobody_listens_to_end(open_page: Open) -> None:
    page = open_page(Bounds(silence=10_000, seconds=300))
    name = loaded(page, HOT, READINGS)
    session = page.app._app.state.sessions[name]  # type: ignore[attr-defined]
    process = session.pid
    assert _is_alive(process)
    session._heard -= 20_000
    opened(page)  # this looks whether any session is of the past
    assert in_session(page, name, "pause")["findings"][0]["code"] == "E784"
    _wait_for(lambda: not _is_alive(process))


def test_what_runs_too_long_is_killed_and_the_page_is_told(open_page: Open, tmp_path: Path) -> None:
    (tmp_path / "slow.py").write_text(
        "import time\ndef wait(x):\n    time.sleep(600)\n    return x\n", encoding="utf-8"
    )
    page = open_page(Bounds(seconds=2.0), functions="slow")
    name = loaded(page, "q(@wait(X)) :- p(X).", "p(1) at 1.")
    session = page.app._app.state.sessions[name]  # type: ignore[attr-defined]
    process = session.pid
    events = heard(page, name, lambda contents: any(one.get("code") for one in contents), "play")
    (finding,) = [content for kind, content in events if kind == "killed"]
    assert finding["code"] == "E785"
    assert "--max-time" in finding["note"]
    assert not _is_alive(process)
    assert loaded(page, HOT, READINGS), "the next run has a new process"


def test_what_the_engine_can_stop_itself_names_the_rule(open_page: Open) -> None:
    page = open_page(Bounds(seconds=20, check_seconds=300))
    name = loaded(page, FOREVER, "go at 1.")
    events = heard(page, name, lambda contents: any("findings" in one for one in contents), "step")
    (finding,) = [content["findings"][0] for _, content in events if "findings" in content]
    assert finding["code"] in ("E304", "E316", "E315")
    assert (finding["where"], finding["line"]) == ("program", 1)


def test_what_needs_too_much_memory_is_killed(open_page: Open, tmp_path: Path) -> None:
    grow = "kept = []\ndef grow(x):\n    while True:\n        kept.append(bytearray(10_000_000))\n    return x\n"
    (tmp_path / "greedy.py").write_text(grow, encoding="utf-8")
    page = open_page(Bounds(memory=100_000_000, seconds=60), functions="greedy")
    name = loaded(page, "q(@grow(X)) :- p(X).", "p(1) at 1.")
    events = heard(page, name, lambda contents: any(one.get("code") or one.get("findings") for one in contents), "step")
    found = [content if kind == "killed" else content["findings"][0] for kind, content in events]
    assert found[0]["code"] in ("E786", "E787")
    assert "memory" in found[0]["message"]


# -- files -----------------------------------------------------------------------------------------------------------


def test_a_program_of_the_page_reads_no_files(open_page: Open, tmp_path: Path) -> None:
    (tmp_path / "secret.lars").write_text("secret(42).", encoding="utf-8")
    (tmp_path / "secret.ttl").write_text("<http://e/a> <http://e/b> <http://e/c> .", encoding="utf-8")
    page = open_page()
    for name in (str(tmp_path / "secret.lars"), "secret.lars", "./secret.lars", "/etc/passwd", "../secret.lars"):
        found = ask(page, "check", text=f'#include "{name}".\nq(X) :- p(X).')["findings"]
        assert [one["code"] for one in found] == ["E120"], name
        assert "42" not in json.dumps(found)
    query = f"SELECT * FROM <file://{tmp_path}/secret.ttl> WHERE {{ ?s ?p ?o }}"
    assert ask(page, "check", text=query, language="sparql")["findings"][0]["code"] == "E704"


def test_a_question_reads_no_files(open_page: Open, tmp_path: Path) -> None:
    (tmp_path / "secret.lars").write_text("secret(42).", encoding="utf-8")
    page = open_page()
    name = loaded(page, HOT, READINGS)
    heard(page, name, ended, "play")
    answer = in_session(page, name, "explain", goal=f'hot(X). #include "{tmp_path}/secret.lars"', time=2)
    assert answer["findings"][0]["code"] == "E120"


def test_a_stream_of_the_page_is_no_path(open_page: Open, tmp_path: Path) -> None:
    (tmp_path / "p.csv").write_text("time,x\n1,42\n", encoding="utf-8")
    page = open_page()
    name = opened(page)
    path = str(tmp_path / "p.csv")
    as_text = {"kind": "text", "text": path}
    named = {"kind": "named", "number": 0}
    upward = {"kind": "upload", "name": "../p.csv", "base64": ""}
    device = {"kind": "upload", "name": "p", "base64": ""}
    for stream in (as_text, named, upward, device, {"kind": "path", "path": path}):
        answer = in_session(page, name, "load", text="q(X) :- p(X).", language="lars", stream=stream)
        if "findings" not in answer:
            (event,) = heard(page, name, lambda contents: any("moments" in one for one in contents), "step")
            answer = event[1]
        assert answer.get("findings") or answer.get("moments") == [], stream
        assert "42" not in json.dumps(answer)


def test_files_that_the_command_line_named(open_page: Open, tmp_path: Path) -> None:
    (tmp_path / "p.csv").write_text("time,x\n1,42\n", encoding="utf-8")
    (tmp_path / "known.lars").write_text("limit(40).", encoding="utf-8")
    (tmp_path / "other.lars").write_text("limit(99).", encoding="utf-8")
    (tmp_path / "data.lars").write_text("name(42, answer).", encoding="utf-8")
    streams = (NamedFile("p.csv", str(tmp_path / "p.csv")),)
    page = open_page(program="main.lars", readable=("known.lars",), streams=streams, data=("data.lars",))
    rule = "q(N) :- p(X), limit(L), X > L, name(X, N)."
    name = loaded(page, f'#include "known.lars".\n{rule}', {"kind": "named", "number": 0})
    assert [a[1] for a in moments(heard(page, name, ended, "play"))[0]["added"]] == ["q(answer)"]
    assert ask(page, "check", text=f'#include "other.lars".\n{rule}')["findings"][0]["code"] == "E120"


def test_functions_are_those_of_the_command_line(open_page: Open, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("def double(x):\n    print('to nobody')\n    return 2 * x\n", encoding="utf-8")
    page = open_page(functions="mine")
    name = loaded(page, "q(@double(X)) :- p(X).", "p(4) at 1.")
    assert [a[1] for a in moments(heard(page, name, ended, "play"))[0]["added"]] == ["q(8)"]
    name = opened(page)
    answer = in_session(page, name, "load", text="q(@system(X)) :- p(X).", language="lars")
    assert answer["findings"][0]["message"]


# -- events ----------------------------------------------------------------------------------------------------------


def test_about(page: TestClient) -> None:
    about = page.get("/api/about").json()
    assert {one["name"] for one in about["languages"]} == {"lars", "sparql", "tesla", "dotr", "etalis", "cql"}
    assert {one["language"] for one in about["examples"]} == {one["name"] for one in about["languages"]}


def test_all_files_of_the_page_are_there(page: TestClient) -> None:
    index = page.get("/").text
    for name in ("main.js", "style.css", "icon.svg"):
        assert f"/assets/{name}" in index
        assert page.get(f"/assets/{name}").status_code == 200
    assert page.get("/assets/main.js").headers["content-type"].startswith("text/javascript")


def _is_alive(pid: int | None) -> bool:
    if pid is None:
        return False
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def _wait_for(condition: Callable[[], Any], pause: float = 0.05) -> None:
    until = time.monotonic() + 300
    while not condition():
        assert time.monotonic() < until, "it never happened"
        time.sleep(pause)
