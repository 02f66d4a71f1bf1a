"""Mappings from the rows of tables to triples."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

import lasing
from lasing.connectors.rdf.blanks import Blanks
from lasing.connectors.rdf.mapping import mapping_of, typed
from lasing.errors import LasingError
from lasing.logic.values import BlankNode, Iri, TaggedLiteral, Value, datatypes, literal

PREFIXES = '[prefixes]\ne = "http://ex.org/"\n'
CSV = "ts,id,sensor,celsius\n1,1,a b,21.5\n2,2,s2,\n"
CITY = f"""time = "ts"
{PREFIXES}
[[triples]]
triple = "e:obs/{{id}} a e:Observation"
[[triples]]
triple = "e:obs/{{id}} e:celsius {{celsius}}^^xsd:double"
[[triples]]
triple = "e:obs/{{id}} e:by <http://ex.org/sensor/{{sensor}}> ."
when = "celsius"
"""


def made(template: str, **row: Value | None) -> list[tuple[Value, Value, Value]]:
    how = mapping_of(f"{PREFIXES}[[triples]]\ntriple = '''{template}'''")
    return list(how.triples(row, Blanks("r"), "row 1"))


@pytest.mark.parametrize(
    ("term", "cell", "value"),
    [
        ("{c}", 5, 5),
        ("{c}", "x", "x"),
        ("{c}", Iri("http://ex.org/a"), Iri("http://ex.org/a")),
        ("<http://ex.org/{c}>", "a b/é", Iri("http://ex.org/a%20b%2Fé")),
        ("<{c}>", "http://ex.org/a/b", Iri("http://ex.org/a/b")),
        ("e:obs/{c}", 7, Iri("http://ex.org/obs/7")),
        ("e:a-{c}#x", "007", Iri("http://ex.org/a-007#x")),
        ("{c}^^xsd:integer", "007", 7),
        ("{c}^^xsd:double", 21.5, 21.5),
        ("{c}^^xsd:double", 21, literal("2.1E1", datatypes.DOUBLE)),
        ("{c}^^xsd:decimal", "1.50", literal("1.5", datatypes.DECIMAL)),
        ("{c}^^xsd:boolean", "TRUE", literal("true", datatypes.BOOLEAN)),
        ("{c}^^<http://ex.org/t>", "x y", literal("x y", "http://ex.org/t")),
        ("{c}@en", "chat", TaggedLiteral("chat", "en")),
        ('"room {c}"', 5, "room 5"),
        ('"a \\"{c}\\""@de', 5, TaggedLiteral('a "5"', "de")),
        ('"{c}T00:00:00Z"^^xsd:dateTime', "2026-01-31", literal("2026-01-31T00:00:00Z", datatypes.DATE_TIME)),
        ("_:n", 5, BlankNode("rn1")),
        ("5", 5, 5),
        ("-1.5", 5, literal("-1.5", datatypes.DECIMAL)),
    ],
)
def test_what_a_term_makes_of_a_cell(term: str, cell: Value, value: Value) -> None:
    assert made(f"e:s e:p {term}", c=cell) == [(Iri("http://ex.org/s"), Iri("http://ex.org/p"), value)]


def test_a_triple_with_a_missing_cell_is_not_made() -> None:
    assert made("e:s e:p {c}", c=None) == []


def test_rows_of_a_file_become_graphs_with_their_time(tmp_path: Path) -> None:
    (tmp_path / "city.csv").write_text(CSV, encoding="utf-8")
    (tmp_path / "city.toml").write_text(CITY, encoding="utf-8")
    stream = lasing.rdf.triples(tmp_path / "city.csv", tmp_path / "city.toml")
    program = "q(P,O) :- triple(S,P,O)."
    kinds = {atom.args for answer in lasing.run(program, stream) for atom in answer.atoms}
    assert kinds == {
        (Iri(f"{datatypes.RDF}type"), Iri("http://ex.org/Observation")),
        (Iri("http://ex.org/celsius"), 21.5),
        (Iri("http://ex.org/by"), Iri("http://ex.org/sensor/a%20b")),
    }
    expected = [answer.atoms for answer in lasing.run(program, stream, engine="reference")]
    assert [answer.atoms for answer in lasing.run(program, stream, engine="local")] == expected


def test_data_frames_and_json_lines_are_tables_too(tmp_path: Path) -> None:
    frame = pa.table({"ts": [1, 2], "id": [1, 2], "sensor": ["a b", "s2"], "celsius": [21.5, None]})
    (tmp_path / "city.toml").write_text(CITY, encoding="utf-8")
    lines = '{"ts": 1, "id": 1, "sensor": "a b", "celsius": 21.5}\n{"ts": 2, "id": 2, "sensor": "s2", "celsius": null}'
    (tmp_path / "city.jsonl").write_text(lines, encoding="utf-8")
    (tmp_path / "city.csv").write_text(CSV, encoding="utf-8")
    program = "q(S,P,O) :- obs(S,P,O)."
    found = [
        [
            str(answer)
            for answer in lasing.run(program, lasing.rdf.triples(table, tmp_path / "city.toml", predicate="obs"))
        ]
        for table in (frame, tmp_path / "city.jsonl", tmp_path / "city.csv")
    ]
    assert found[0] == found[1] == found[2]
    assert len(found[0]) == 2


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("triples = 5", "", "no triples"),
        ("tripels = []", "m:1:1", "did you mean triples"),
        (f"{PREFIXES}[[triples]]\ntriple = 'e:s f:p 5'", "m:4:11", "the prefix f: is unknown"),
        (f"{PREFIXES}[[triples]]\ntriple = 'e:s e:p'", "m:4:11", "3 terms, not 2"),
        (f"{PREFIXES}[[triples]]\ntriple = 'e:s e:p !'", "m:4:11", "! is not a term"),
        ("triples = [5]", "m:1:", "5 is not a triple"),
        ("= 5", "", "not TOML"),
    ],
)
def test_mistakes_name_the_line_of_the_mapping(text: str, place: str, message: str) -> None:
    with pytest.raises(LasingError) as raised:
        mapping_of(text, "m")
    assert message in str(raised.value)
    assert place in str(raised.value)


def test_a_bad_cell_names_the_row_and_the_line(tmp_path: Path) -> None:
    (tmp_path / "city.csv").write_text(CSV.replace("s2,", "s2,warm"), encoding="utf-8")
    (tmp_path / "city.toml").write_text(CITY, encoding="utf-8")
    stream = lasing.rdf.triples(tmp_path / "city.csv", tmp_path / "city.toml")
    with pytest.raises(LasingError) as raised:
        list(lasing.run("q(P,O) :- triple(S,P,O).", stream))
    assert "row 2 of" in str(raised.value)
    assert "city.toml:8:" in str(raised.value)


def test_a_column_that_the_table_lacks_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "city.csv").write_text("ts,id,sensor\n1,1,a\n", encoding="utf-8")
    (tmp_path / "city.toml").write_text(CITY, encoding="utf-8")
    with pytest.raises(LasingError, match="no column celsius"):
        list(lasing.run("q(P) :- triple(S,P,O).", lasing.rdf.triples(tmp_path / "city.csv", tmp_path / "city.toml")))


@pytest.mark.parametrize(
    ("lexical", "name"), [("x", "integer"), ("1.5", "integer"), ("nan", "decimal"), ("", "double")]
)
def test_a_text_that_is_not_of_the_datatype_is_refused(lexical: str, name: str) -> None:
    with pytest.raises(LasingError, match="is not a"):
        typed(lexical, f"{datatypes.XSD}{name}", "c")
