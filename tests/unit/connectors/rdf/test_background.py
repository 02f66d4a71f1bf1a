"""Graphs as background."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from lasing.connectors.rdf.background import read_graphs
from lasing.errors import LasingError
from lasing.logic.values import BlankNode, Iri, Value

S, P, G = Iri("http://ex.org/s"), Iri("http://ex.org/p"), Iri("http://ex.org/g")

FILES = {
    "a.ttl": "@prefix e: <http://ex.org/> . e:s e:p 5 .",
    "a.nt": '<http://ex.org/s> <http://ex.org/p> "5"^^<http://www.w3.org/2001/XMLSchema#integer> .',
    "a.rdf": (
        '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:e="http://ex.org/"><rdf:Description '
        'rdf:about="http://ex.org/s"><e:p rdf:datatype="http://www.w3.org/2001/XMLSchema#integer">5</e:p>'
        "</rdf:Description></rdf:RDF>"
    ),
    "a.jsonld": '{"@id": "http://ex.org/s", "http://ex.org/p": 5}',
    "a.trig": "@prefix e: <http://ex.org/> . e:s e:p 5 . e:g { e:s e:p 5 }",
    "a.nq": (
        '<http://ex.org/s> <http://ex.org/p> "5"^^<http://www.w3.org/2001/XMLSchema#integer> .\n'
        '<http://ex.org/s> <http://ex.org/p> "5"^^<http://www.w3.org/2001/XMLSchema#integer> <http://ex.org/g> .'
    ),
}


def facts(path: Path) -> dict[str, list[tuple[Value, ...]]]:
    return {table.predicate: list(table.rows()) for table in read_graphs(path)}


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("name", FILES)
def test_a_file_is_read_by_its_ending(tmp_path: Path, name: str, packed: bool) -> None:
    path = tmp_path / (f"{name}.gz" if packed else name)
    path.write_bytes(gzip.compress(FILES[name].encode()) if packed else FILES[name].encode())
    named = {"quad": [(S, P, 5, G)]} if name in ("a.trig", "a.nq") else {}
    assert facts(path) == {"triple": [(S, P, 5)], **named}


def test_blank_nodes_belong_to_their_file_and_have_the_same_labels_each_time(tmp_path: Path) -> None:
    text = "@prefix e: <http://ex.org/> . _:a e:p [ e:p _:a ] ."
    for name in ("a.ttl", "b.ttl"):
        (tmp_path / name).write_text(text, encoding="utf-8")
    one, again, other = (facts(tmp_path / name)["triple"] for name in ("a.ttl", "a.ttl", "b.ttl"))
    assert one == again
    nodes = [{value for row in rows for value in row if isinstance(value, BlankNode)} for rows in (one, other)]
    assert [len(several) for several in nodes] == [2, 2]
    assert not nodes[0] & nodes[1]


def test_a_term_in_several_positions_is_one_value(tmp_path: Path) -> None:
    (tmp_path / "a.ttl").write_text("@prefix e: <http://ex.org/> . e:p e:p e:p . e:s e:p e:s .", encoding="utf-8")
    (table,) = read_graphs(tmp_path / "a.ttl")
    assert list(table.values) == [P, S]
    assert list(table.rows()) == [(P, P, P), (S, P, S)]


@pytest.mark.parametrize(
    ("name", "text", "place", "message"),
    [
        ("a.ttl", "@prefix e: <http://ex.org/> .\ne:s e:p <a b> .", ":2:9", "not Turtle"),
        ("a.nt", "<http://ex.org/s> <http://ex.org/p> 5 .", ":1:37", "not N-Triples"),
        ("a.ttl", "<s> <p> <o> .", ":1:1", "write absolute IRIs"),
        ("a.jsonld", '{"@context": "http://ex.org/c", "p": 5}', "", "nothing is loaded from the web"),
        ("a.rdf", "<rdf>", "", "not RDF/XML"),
        ("a.ttl", "<x:s> <x:p> <<( <x:s> <x:p> <x:o> )>> .", "", "triple term"),
    ],
)
def test_mistakes_have_a_place(tmp_path: Path, name: str, text: str, place: str, message: str) -> None:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    with pytest.raises(LasingError) as raised:
        read_graphs(path)
    assert message in str(raised.value)
    assert f"{path}{place}" in str(raised.value)


def test_a_damaged_archive_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "a.ttl.gz").write_bytes(gzip.compress(FILES["a.ttl"].encode())[:-9])
    with pytest.raises(LasingError, match="cannot be unpacked"):
        read_graphs(tmp_path / "a.ttl.gz")
