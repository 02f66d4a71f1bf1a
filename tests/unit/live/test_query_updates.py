"""Updates of a query: rows and tables have its columns, duplicates, and nothing where there is no value."""

from __future__ import annotations

from typing import Any

import pytest

import lasing
from lasing.logic.values import Iri

QUERY = """
PREFIX ex: <http://ex.org/>
SELECT ?n ?time { ?s ex:name ?n OPTIONAL { ?s ex:mail ?time } } ORDER BY ?n
"""


def name(who: str, called: str) -> tuple[Any, ...]:
    return ("triple", Iri(f"http://ex.org/{who}"), Iri("http://ex.org/name"), called)


@pytest.mark.parametrize("kind", ["local", "reference"])
def test_rows_and_tables_show_what_a_reader_sees(kind: Any) -> None:
    engine = lasing.Engine(lasing.parse(QUERY, language="sparql"), start=0, engine=kind)
    first = engine.push(1, [name("a", "Ada"), name("b", "Ada")])
    assert first.rows() == ([("result", "Ada", None)] * 2, [])
    table = first.to_arrow()["result"]
    assert table.column_names == ["time", "change", "expires_at", "n", "time_"]
    assert table["n"].to_pylist() == ["Ada", "Ada"]
    assert table["time_"].null_count == 2

    mail = ("triple", Iri("http://ex.org/c"), Iri("http://ex.org/mail"), 3)
    second = engine.push(2, [name("a", "Ada"), name("b", "Ada"), name("c", "Ada"), name("d", "Ada"), mail])
    added, removed = second.rows()
    assert sorted(map(str, added)) == ["('result', 'Ada', 3)", "('result', 'Ada', None)"]
    assert removed == []
    assert second.to_arrow()["result"]["change"].to_pylist() == [1, 1]
    assert engine.holding()["result"].num_rows == 4

    third = engine.push(3, [name("a", "Ada")])
    assert sorted(map(str, third.rows()[1])) == ["('result', 'Ada', 3)", *["('result', 'Ada', None)"] * 2]
    assert third.to_arrow()["result"]["change"].to_pylist() == [-1, -1, -1]


def test_a_batch_has_the_net_changes_of_each_time_point() -> None:
    engine = lasing.Engine(lasing.parse(QUERY, language="sparql"), start=0)
    import pyarrow as pa

    terms = pa.field("s", pa.string(), metadata={"lasing": "terms"})
    schema = pa.schema([("time", pa.int64()), terms, terms.with_name("p"), ("o", pa.string())])
    rows = [(1, "a", "Ada"), (2, "a", "Ada"), (2, "b", "Ada")]
    named = [{"time": t, "s": f"<http://ex.org/{s}>", "p": "<http://ex.org/name>", "o": o} for t, s, o in rows]
    changed = engine.push_batch({"triple": pa.Table.from_pylist(named, schema)}, end=3)["result"]
    found = [(row["time"], row["change"], row["n"], row["time_"]) for row in changed.to_pylist()]
    assert found == [(1, 1, "Ada", None), (2, 1, "Ada", None), (3, -1, "Ada", None), (3, -1, "Ada", None)]
