"""Where answers go, and that written answers can be read back."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from lasing.connectors.arrow import read_parquet
from lasing.connectors.csv import read_csv
from lasing.connectors.facts import parse_facts
from lasing.connectors.jsonl import read_jsonl
from lasing.connectors.sinks import (
    Record,
    View,
    header,
    model_records,
    records,
    write_csv,
    write_jsonl,
    write_parquet,
    write_text,
)
from lasing.connectors.tables import Columns
from lasing.logic.answers import Answer, changes
from lasing.logic.formulas import Atom, ground_atom
from lasing.logic.program import Fact
from lasing.logic.values import value_from_text
from lasing.timeline.ticks import Tick

P, Q = ground_atom("p", "x", 2), ground_atom("q", "A b")
ANSWERS = [
    Answer.single(4, frozenset((Q, P))),
    Answer.single(5, frozenset((P,))),
    Answer.single(6, frozenset()),
    Answer.single(7, frozenset((P,))),
]
FACTS = [Fact(4, P), Fact(4, Q), Fact(5, P), Fact(7, P)]


def batches(view: View = "answers") -> list[list[Record]]:
    return list(records(changes(ANSWERS), view, lambda time: time))


@pytest.mark.parametrize(
    ("view", "lines"),
    [
        ("answers", ["p(x,2) at 4.", 'q("A b") at 4.', "p(x,2) at 5.", "p(x,2) at 7."]),
        ("changes", ["+p(x,2) at 4.", '+q("A b") at 4.', '-q("A b") at 5.', "-p(x,2) at 6.", "+p(x,2) at 7."]),
        ("intervals", ["p(x,2) from 4 to 5.", 'q("A b") from 4 to 4.', "p(x,2) from 7 to 7."]),
    ],
)
def test_text_is_sorted_by_time_and_then_by_text(view: View, lines: list[str]) -> None:
    out = io.StringIO()
    write_text(batches(view), out)
    assert out.getvalue().splitlines() == lines


def test_written_text_reads_back() -> None:
    out = io.StringIO()
    write_text(batches(), out)
    assert list(parse_facts(out.getvalue())) == FACTS


def test_written_dates_read_back() -> None:
    out, tick = io.StringIO(), Tick(60_000)
    write_text(records(changes(ANSWERS), "answers", tick.iso), out)
    assert out.getvalue().startswith('p(x,2) at "1970-01-01T00:04:00Z".\n')
    assert list(parse_facts(out.getvalue(), tick)) == FACTS


def test_written_tables_read_back(tmp_path: Path) -> None:
    with (tmp_path / "a.jsonl").open("w", encoding="utf-8") as out:
        write_jsonl(batches(), out)
    with (tmp_path / "a.csv").open("w", encoding="utf-8") as out:
        write_csv(batches(), out, header("answers", False, 2))
    write_parquet(batches(), tmp_path / "a.parquet", header("answers", False, 2))
    assert list(read_jsonl(tmp_path / "a.jsonl", Columns())) == FACTS
    assert list(read_csv(tmp_path / "a.csv", Columns())) == FACTS
    assert list(read_parquet(tmp_path / "a.parquet", Columns())) == FACTS


@pytest.mark.parametrize(
    ("view", "names", "first"),
    [
        ("answers", "time,predicate,arg1,arg2", "4,p,x,2"),
        ("changes", "time,change,expires_at,predicate,arg1,arg2", "4,+,,p,x,2"),
        ("intervals", "from,until,predicate,arg1,arg2", "4,5,p,x,2"),
    ],
)
def test_the_columns_of_each_view(view: View, names: str, first: str) -> None:
    out = io.StringIO()
    write_csv(batches(view), out, header(view, False, 2))
    assert out.getvalue().splitlines()[:2] == [names, first]


@pytest.mark.parametrize(
    ("values", "kind"), [((1, 2), "int64"), ((1, 0.5), "double"), ((1, "x"), "string"), ((), "string")]
)
def test_a_parquet_column_has_the_type_of_its_values(tmp_path: Path, values: tuple[int | str, ...], kind: str) -> None:
    answers = [Answer.single(1, frozenset(Atom("p", (value,)) for value in values))]
    batch = records(changes(answers), "answers", lambda t: t)
    write_parquet(batch, tmp_path / "a.parquet", header("answers", False, 1))
    schema = pq.read_schema(tmp_path / "a.parquet")
    assert str(schema.field("arg1").type) == kind
    assert str(schema.field("time").type) == "int64"


SEVERAL = [
    Answer(4, (frozenset(), frozenset((Q, P)))),
    Answer(5, ()),
    Answer(6, (frozenset((P,)),)),
    Answer(7, (frozenset(),)),
]


def model_batches(limit: int | None = None) -> Iterator[list[Record]]:
    return model_records(SEVERAL, limit, lambda time: time)


def test_comments_separate_several_answers() -> None:
    out = io.StringIO()
    write_text(model_batches(), out)
    assert out.getvalue().splitlines() == [
        "% 4: answer 1 of 2",
        "% 4: answer 2 of 2",
        "p(x,2) at 4.",
        'q("A b") at 4.',
        "% 5: no answer",
        "p(x,2) at 6.",
    ]
    assert list(parse_facts(out.getvalue())) == [(4, P), (4, Q), (6, P)]


@pytest.mark.parametrize(
    ("limit", "comments"),
    [
        (1, ["% 5: no answer", "% 6: answer 1 of 1 or more", "% 7: answer 1 of 1 or more"]),
        (2, ["% 4: answer 1 of 2 or more", "% 4: answer 2 of 2 or more", "% 5: no answer"]),
        (3, ["% 4: answer 1 of 2", "% 4: answer 2 of 2", "% 5: no answer"]),
    ],
)
def test_at_the_limit_there_may_be_more_answers(limit: int, comments: list[str]) -> None:
    out = io.StringIO()
    write_text(model_records([a for a in SEVERAL if len(a.models) <= limit], limit, int), out)
    assert [line for line in out.getvalue().splitlines() if line.startswith("%")] == comments


def test_comments_have_the_date_where_facts_have_it() -> None:
    out, tick = io.StringIO(), Tick(60_000)
    write_text(model_records(SEVERAL, None, tick.iso), out)
    assert out.getvalue().startswith("% 1970-01-01T00:04:00Z: answer 1 of 2\n")
    assert list(parse_facts(out.getvalue(), tick)) == [(4, P), (4, Q), (6, P)]


def test_rows_have_the_number_of_their_answer(tmp_path: Path) -> None:
    out = io.StringIO()
    write_jsonl(model_batches(), out)
    assert out.getvalue().splitlines() == [
        '{"time": 4, "answer": 1, "answers": 2}',
        '{"time": 4, "answer": 2, "answers": 2, "predicate": "p", "args": ["x", 2]}',
        '{"time": 4, "answer": 2, "answers": 2, "predicate": "q", "args": ["A b"]}',
        '{"time": 5, "answers": 0}',
        '{"time": 6, "answer": 1, "answers": 1, "predicate": "p", "args": ["x", 2]}',
        '{"time": 7, "answer": 1, "answers": 1}',
    ]
    out, names = io.StringIO(), header("answers", True, 2)
    write_csv(model_batches(), out, names)
    assert out.getvalue().splitlines() == [
        "time,answer,answers,predicate,arg1,arg2",
        "4,1,2,,,",
        "4,2,2,p,x,2",
        "4,2,2,q,A b,",
        "5,,0,,,",
        "6,1,1,p,x,2",
        "7,1,1,,,",
    ]
    write_parquet(model_batches(), tmp_path / "a.parquet", names)
    table = pq.read_table(tmp_path / "a.parquet")
    assert table.column_names == names
    assert [tuple(row.values()) for row in table.to_pylist()] == [
        (4, 1, 2, None, None, None),
        (4, 2, 2, "p", "x", 2),
        (4, 2, 2, "q", "A b", None),
        (5, None, 0, None, None, None),
        (6, 1, 1, "p", "x", 2),
        (7, 1, 1, None, None, None),
    ]


def test_a_table_without_any_answer_has_numbers_for_them(tmp_path: Path) -> None:
    batches = model_records([Answer(5, ())], None, int)
    write_parquet(batches, tmp_path / "a.parquet", header("answers", True, 0))
    assert str(pq.read_schema(tmp_path / "a.parquet").field("answer").type) == "int64"


def test_each_time_point_is_written_as_soon_as_it_is_known() -> None:
    out = io.StringIO()
    written: list[str] = []

    def live() -> Iterator[list[Record]]:
        for batch in batches():
            yield batch
            written.append(out.getvalue())

    write_text(live(), out)
    assert written[0].splitlines() == ["p(x,2) at 4.", 'q("A b") at 4.']


def test_a_number_and_its_text_are_written_apart(tmp_path: Path) -> None:
    values = (1, "1", 2.5, "2.5", 2**53 + 1, "x")
    answers = [Answer.single(1, frozenset(Atom("p", (value,)) for value in values))]
    batch = records(changes(answers), "answers", lambda t: t)
    write_parquet(batch, tmp_path / "a.parquet", header("answers", False, 1))
    table = pq.read_table(tmp_path / "a.parquet")
    assert {value_from_text(text) for text in table["arg1"].to_pylist()} == set(values)
    assert table.schema.field("arg1").metadata[b"lasing"] == b"terms"


def test_a_large_whole_number_beside_others_is_written_exactly(tmp_path: Path) -> None:
    answers = [Answer.single(1, frozenset(Atom("p", (value,)) for value in (2**53 + 1, 0.5)))]
    write_parquet(
        records(changes(answers), "answers", lambda t: t), tmp_path / "a.parquet", header("answers", False, 1)
    )
    assert sorted(pq.read_table(tmp_path / "a.parquet")["arg1"].to_pylist()) == ["0.5", str(2**53 + 1)]
