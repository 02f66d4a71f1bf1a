"""Timelines: what is in them, and what their pictures say."""

from __future__ import annotations

import json
import random
import re
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from xml.etree import ElementTree

import pyarrow as pa
import pytest

import lasing
from lasing.pictures.drawn import MOST_LANES
from lasing.pictures.rows import MOST_ROWS, rows_of
from lasing.pictures.timeline import Item, Kind, Lane, Timeline

RULES = """
    hot(S)    :- temp(S, V) in [5], V > 30.
    fire(R)   :- hot(S), room(S, R), smoke(R) always in [2].
    silent(S) :- room(S, _), not temp(S, _) in [10].
    room(s1, kitchen).  room(s2, hall).
"""
STREAM = "temp(s1, 35) at 1.  smoke(kitchen) at 2.  smoke(kitchen) at 3.  smoke(kitchen) at 4.  temp(s2, 20) at 9."


def lane(timeline: Timeline, predicate: str) -> Lane:
    return next(lane for lane in timeline.lanes if lane.predicate == predicate)


def held(lane: Lane) -> list[tuple[str, int, int]]:
    return [(item.text, item.since, item.until) for item in lane.items]


def drawn(timeline: Timeline, width: int = 960) -> ElementTree.Element:
    """The picture, which is well-formed."""
    return ElementTree.fromstring(timeline.svg(width))


def texts(picture: ElementTree.Element) -> list[str]:
    return [
        "".join(t for t in [node.text, *(child.tail for child in node)] if t) for node in picture.iter(f"{SVG}text")
    ]


def hints(picture: ElementTree.Element) -> list[str]:
    return [node.text or "" for node in picture.iter(f"{SVG}title")]


SVG = "{http://www.w3.org/2000/svg}"


def test_facts_come_first_and_derived_atoms_hold_as_long_as_the_answers_say() -> None:
    run = lasing.run(RULES, STREAM, start=0, end=16)
    timeline = run.show()
    assert [one.predicate for one in timeline.lanes] == ["smoke", "temp", "hot", "fire", "silent"]
    assert held(lane(timeline, "temp")) == [("temp(s1,35)", 1, 1), ("temp(s2,20)", 9, 9)]
    expected = [(str(h.atom), h.since, h.until) for h in lasing.run(RULES, STREAM, start=0, end=16).intervals()]
    shown = [one for name in ("hot", "fire", "silent") for one in held(lane(timeline, name))]
    assert sorted(shown) == sorted(expected)
    assert len(shown) == 5


def test_a_picture_of_a_run_leaves_the_run_as_it_is() -> None:
    run = lasing.run(RULES, STREAM, start=0, end=4)
    run.show()
    assert len(list(run)) == 5


def test_windows_of_a_moment_and_the_facts_in_them() -> None:
    timeline = lasing.run(RULES, STREAM, start=0, end=16).show(at=6)
    temp, smoke = lane(timeline, "temp"), lane(timeline, "smoke")
    assert [(s.window, s.since, s.until) for s in temp.shades] == [("[10]", 0, 6), ("[5]", 1, 6)]
    assert [(s.window, s.since, s.until) for s in smoke.shades] == [("[2]", 4, 6)]
    assert [(item.since, item.seen) for item in smoke.items] == [(2, False), (3, False), (4, True)]
    assert [(item.text, item.seen) for item in temp.items] == [("temp(s1,35)", True), ("temp(s2,20)", False)]


@pytest.mark.parametrize(
    ("body", "window", "span", "seen"),
    [
        ("p(X) in [2]", "[2]", (4, 6), [5, 6]),
        ("p(X) in [3,-2]", "[3,-2]", (3, 4), [3]),
        ("p(X) in [+2]", "[+2]", (6, 8), [6]),
        ("p(X) in [4 step 4]", "[4 step 4]", (1, 4), [1, 3]),
        ("p(X) in [#2]", "[#2]", (5, 6), [5, 6]),
        ("p(X) in [2..3]", "[2..3]", (2, 3), [3]),
        ("p(X) in [#now - 1..#now]", "[#now - 1..#now]", (5, 6), [5, 6]),
        ("p(X) in [*]", "[*]", (1, 6), [1, 3, 5, 6]),
        ("go(X), (p(X) in [1]) at T in [3,-2]", "[1] in [3,-2]", (3, 4), [3]),
        ("N = #count{X, T : p(X) at T in [1]}", "[1]", (5, 6), [5, 6]),
        ("#last{T, X : p(X) at T in [1]} = (T, X)", "[1]", (5, 6), [5, 6]),
        ("go(X), not (p(X) in [1] or p(X) in [0])", "[1]", (5, 6), [5, 6]),
        ("p(X)", None, None, [6]),
    ],
)
def test_each_kind_of_window(body: str, window: str | None, span: tuple[int, int] | None, seen: list[int]) -> None:
    head = "q(N)" if "#count" in body else "q(X)"
    body = "(T, X) = #last{U, W : p(W) at U in [1]}" if "#last" in body else body
    stream = "p(1) at 1. p(3) at 3. p(5) at 5. p(6) at 6. p(9) at 9."
    found = lane(lasing.run(f"{head} :- {body}.", stream).show(at=6), "p")
    if window is None:
        assert found.shades == ()
    else:
        assert (window, span) in [(shade.window, (shade.since, shade.until)) for shade in found.shades]
    assert [item.since for item in found.items if item.seen] == seen


def test_a_partition_window_sees_the_last_fact_of_each_key() -> None:
    found = lane(lasing.run("q(X,Y) :- p(X,Y) in [#1 by X].", "p(a,1) at 1. p(b,2) at 2. p(a,3) at 3.").show(at=3), "p")
    assert [item.text for item in found.items if item.seen] == ["p(b,2)", "p(a,3)"]


def test_a_window_with_variables_as_ends_is_not_shaded() -> None:
    found = lane(lasing.run("q(X) :- go(T), p(X) in [T..U], U = T + 1.", "go(1) at 1. p(a) at 2.").show(at=2), "p")
    assert found.shades == ()


def test_a_moment_outside_the_timeline_is_an_error() -> None:
    with pytest.raises(lasing.LasingError, match=r"E306.*99 is outside the timeline, which is from 1 to 9"):
        lasing.run(RULES, STREAM).show(at=99)


def test_a_stream_without_facts_has_no_timeline() -> None:
    with pytest.raises(lasing.LasingError, match="E770"):
        lasing.run(RULES, "").show()


def test_a_timeline_that_starts_and_ends_needs_no_facts() -> None:
    timeline = lasing.run("calm :- not p.", "", start=1, end=3).show()
    assert held(lane(timeline, "calm")) == [("calm", 1, 3)]


def test_a_stream_that_can_be_read_once_is_not_shown() -> None:
    with pytest.raises(lasing.LasingError, match="E336"):
        lasing.run("q :- p.", iter([(1, "p")])).show()


def test_several_answers_are_certain_or_possible() -> None:
    timeline = lasing.run("a :- p, not b.  b :- p, not a.  c :- p.", "p at 1. p at 2.").show()
    kinds = {item.text: (item.kind, item.since, item.until) for one in timeline.lanes for item in one.items[-1:]}
    assert kinds["c"] == ("derived", 1, 2)
    assert kinds["a"] == kinds["b"] == ("possible", 1, 2)
    assert "in some answers" in texts(drawn(timeline))


def test_facts_that_no_rule_looks_at_are_counted() -> None:
    timeline = lasing.run("q :- p.", "p at 1. other(1) at 1. other(2) at 2.").show()
    assert dict(timeline.others) == {"other": 2}
    assert "no rule looks at 2 facts: other" in texts(drawn(timeline))


def test_text_is_escaped_in_words_and_hints() -> None:
    stream = [(1, "p", "</text><script>alert(1)</script>&\"'\x00"), (2, "p", "日本語"), (3, "p", "a\nb")]
    timeline = lasing.run("q(X) :- p(X) in [2].", stream).show(at=2)
    source = timeline.svg()
    assert "<script" not in source
    picture = drawn(timeline)
    assert any("<script>" in text for text in texts(picture))
    assert any("alert(1)" in hint and "at 1" in hint for hint in hints(picture))
    assert "日本語" in source


def test_dates_stand_on_the_axis_when_times_came_in_as_dates() -> None:
    start = datetime(2026, 3, 1, 23, 58, tzinfo=UTC)
    rows = [(start + timedelta(seconds=20 * i), "temp", "s1", 35) for i in range(20)]
    timeline = lasing.run("#tick 1 sec.  hot(S) :- temp(S, V) in [30 sec], V > 30.", rows).show(at=rows[9][0])
    words = texts(drawn(timeline))
    assert "23:59" in words
    assert "2026-03-01" in words
    assert "2026-03-02" in words
    assert "at 2026-03-02T00:01:00Z" in words
    numbers = lasing.run("#tick 1 sec.  hot(S) :- temp(S, V) in [30 sec], V > 30.", "temp(s1,35) at 7.").show()
    assert "7" in texts(drawn(numbers))


def test_a_day_that_is_as_long_as_a_year_is_marked_by_months() -> None:
    rows = [(datetime(2025, 11, 3, tzinfo=UTC) + timedelta(days=31 * i), "p", i) for i in range(20)]
    words = texts(drawn(lasing.run("#tick 1 d.  q(X) :- p(X) in [1 d].", rows).show()))
    assert [word for word in words if re.fullmatch(r"\d{4}-\d\d-01", word)]


def test_rows_of_a_query_are_shown_as_readers_see_them() -> None:
    query = "CREATE STREAM temp (s VARCHAR, v INTEGER, TIME t);\n"
    query += "SELECT s, v FROM temp [RANGE 2 SECONDS] WHERE v > 3 ORDER BY v;"
    program = lasing.parse(query, language="cql")
    timeline = lasing.run(program, {"temp": pa.table({"t": [1], "s": ["a"], "v": [5]})}, end=4).show()
    result = timeline.lanes[-1]
    assert [item.text for item in result.items] == ["result(a,5)"]


def test_thousands_of_atoms_are_drawn_as_far_as_there_is_room() -> None:
    choose = random.Random(7)
    items = [
        Item("data", f"s{choose.randrange(200)}", "1", f"p({i})", time := choose.randrange(500), time)
        for i in range(20_000)
    ]
    items.sort(key=lambda item: item.since)
    timeline = Timeline(0, 499, (Lane("p", tuple(items)),))
    source = timeline.svg()
    dots = source.count("<circle")
    more = re.search(r"and ([\d,]+) more", source)
    assert more is not None
    in_legend = 1
    assert dots - in_legend + int(more[1].replace(",", "")) == len(items)
    assert len(source) < 1_000_000


def test_a_lane_never_has_more_rows_than_it_may_and_loses_nothing() -> None:
    choose = random.Random(1)
    for _ in range(300):
        count, keys = choose.randrange(1, 120), choose.randrange(1, 30)
        items = []
        for number in range(count):
            since = choose.randrange(60)
            kind: Kind = "data" if choose.random() < 0.5 else "derived"
            until = since if kind == "data" else since + choose.randrange(20)
            items.append(
                Item(kind, f"k{choose.randrange(keys)}", "x" * choose.randrange(9), f"p{number}", since, until)
            )
        items.sort(key=lambda item: (item.since, item.text))
        most = choose.randrange(2, MOST_ROWS + 1)
        found = rows_of(
            items, lambda item: (100 + item.since * 5.0, 100 + (item.until + 1) * 5.0), (100.0, 520.0), most
        )
        assert len(found.rows) + bool(found.left_out) <= most
        placed = [one.item for row in found.rows for one in row.placed]
        assert sorted(item.text for item in (*placed, *found.left_out)) == sorted(item.text for item in items)
        for row in found.rows:
            for one, other in zip(row.placed, row.placed[1:], strict=False):
                assert one.right < other.left  # marks do not overlap


def test_many_predicates_are_counted() -> None:
    rules = "".join(f"q{i} :- p.\n" for i in range(MOST_LANES + 5))
    words = texts(drawn(lasing.run(rules, "p at 1.").show()))
    assert "and 6 more predicates" in words


@pytest.mark.parametrize("width", [1, 320, 960, 2000])
def test_nothing_is_drawn_outside_the_picture(width: int) -> None:
    long = "a very long name of a sensor in a very long corridor"
    timeline = lasing.run(RULES, [*[(t, "temp", long, 35) for t in range(9)], (9, "smoke", "kitchen")]).show(at=8)
    picture = drawn(timeline, width)
    right = float(picture.attrib["width"])
    for box in picture.iter(f"{SVG}rect"):
        assert float(box.attrib["x"]) >= 0
        assert float(box.attrib["x"]) + float(box.attrib["width"]) <= right + 0.2


def test_a_picture_has_colours_for_light_and_dark_pages() -> None:
    source = lasing.run(RULES, STREAM).show().svg()
    light, _, dark = source.partition("prefers-color-scheme: dark")
    assert "fill: #ffffff" in light
    assert "fill: #0d1117" in dark
    assert "@media screen and" in light  # paper is light


def test_an_altair_chart_has_every_atom(tmp_path: Path) -> None:
    rows = [(t, "temp", f"s{t % 90}", 35) for t in range(6000)]
    timeline = lasing.run("hot(S) :- temp(S, V) in [5], V > 30.", rows).show(at=100)
    timeline.save(tmp_path / "t.json")
    text = (tmp_path / "t.json").read_text(encoding="utf-8")
    chart = json.loads(text)
    assert text.count('"kind": "data"') == 6000
    assert len(chart["vconcat"]) == 2
    assert chart["params"][0]["bind"] == "scales"


def test_a_page_with_a_chart_cannot_be_broken_out_of(tmp_path: Path) -> None:
    timeline = lasing.run("q(X) :- p(X).", [(1, "p", "</script><script>alert(1)</script>")]).show()
    timeline.save(tmp_path / "t.html")
    page = (tmp_path / "t.html").read_text(encoding="utf-8")
    assert "</script><script>alert" not in page
    assert "alert(1)" in page


def test_dates_of_a_chart_are_dates(tmp_path: Path) -> None:
    rows = [(datetime(2026, 3, 1, 8, tzinfo=UTC), "p", 1)]
    lasing.run("#tick 1 min.  q(X) :- p(X).", rows).show().save(tmp_path / "t.json")
    assert '"when": "2026-03-01T08:00:00+00:00"' in (tmp_path / "t.json").read_text(encoding="utf-8")


def test_a_chart_without_altair_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "altair", None)
    with pytest.raises(lasing.LasingError, match=r"(?s)E772.*lasing\[viz\]"):
        lasing.run("q :- p.", "p at 1.").show().save(tmp_path / "t.html")


def test_other_endings_are_an_error(tmp_path: Path) -> None:
    with pytest.raises(lasing.LasingError, match=r"(?s)E771.*\.svg, \.html, \.json"):
        lasing.run("q :- p.", "p at 1.").show().save(tmp_path / "t.png")
    with pytest.raises(lasing.LasingError, match="E403"):
        lasing.run("q :- p.", "p at 1.").show().save(tmp_path / "missing" / "t.svg")
