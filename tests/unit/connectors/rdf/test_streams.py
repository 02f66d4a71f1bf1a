"""Time-stamped graphs as streams, in all formats."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path

import pytest
from pyjelly.integrations.generic import generic_sink as jelly
from pyjelly.integrations.generic.serialize import grouped_stream_to_file

import lasing
from lasing.connectors.missing import ERROR, SKIP, Gaps
from lasing.connectors.rdf import named_graphs
from lasing.connectors.rdf.clock import PROV
from lasing.connectors.sources import FileSource, file_source, stream_batches, stream_rows
from lasing.errors import LasingError
from lasing.logic.program import Fact
from lasing.logic.values import BlankNode, Iri
from lasing.timeline.ticks import Tick
from tests.command import lasing as command

XSD = "http://www.w3.org/2001/XMLSchema#"
TRIG = f"""
@prefix e: <http://ex.org/> . @prefix prov: <http://www.w3.org/ns/prov#> . @prefix xsd: <{XSD}> .
e:g1 prov:generatedAtTime "1970-01-01T00:00:05Z"^^xsd:dateTime .
e:g1 {{ e:s e:p 5, _:a }}
e:g2 {{ e:s e:p "x", _:a }}
e:g2 prov:generatedAtTime "1970-01-01T00:00:07.5Z"^^xsd:dateTime ; e:note "not a fact" .
"""
NQUADS = f"""
<http://ex.org/g1> <{PROV}> "1970-01-01T00:00:05Z"^^<{XSD}dateTime> .
<http://ex.org/s> <http://ex.org/p> "5"^^<{XSD}integer> <http://ex.org/g1> .
<http://ex.org/s> <http://ex.org/p> _:a <http://ex.org/g1> .
<http://ex.org/g2> <{PROV}> "1970-01-01T00:00:07.5Z"^^<{XSD}dateTime> .
<http://ex.org/s> <http://ex.org/p> "x" <http://ex.org/g2> .
<http://ex.org/s> <http://ex.org/p> _:a <http://ex.org/g2> .
"""
NTRIPLES = f"""# a comment
<http://ex.org/s> <http://ex.org/p> "5"^^<{XSD}integer> 5 .
<http://ex.org/s> <http://ex.org/p> _:a . 5 # another one

<http://ex.org/s> <http://ex.org/p> "x" "1970-01-01T00:00:07.5Z"^^<{XSD}dateTime> .
<http://ex.org/s><http://ex.org/p>_:a."1970-01-01T00:00:07.5Z"^^<{XSD}dateTime>
"""
JSONLD = """
{"@context": {"@vocab": "http://ex.org/"}}
{"time": 5, "@id": "http://ex.org/s", "p": [5, {"@id": "_:a"}]}
{"time": {"@value": "1970-01-01T00:00:07.5Z"}, "@context": {"p": "http://ex.org/p"}, "@id": "http://ex.org/s", "p": ["x", {"@id": "_:a"}]}
"""  # noqa: E501 -- lines of JSON
TEXTS = {"a.trig": TRIG, "a.nq": NQUADS, "a.nt": NTRIPLES, "a.jsonld": JSONLD, "a.ndjsonld": JSONLD}
SECOND = Tick(1000)


def source(folder: Path, name: str, text: str = "", time: str = "time") -> FileSource:
    path = folder / name
    text = text or TEXTS[name.removesuffix(".gz")]
    path.write_bytes(gzip.compress(text.encode()) if name.endswith(".gz") else text.encode())
    return file_source(str(path), time)


def facts(given: FileSource, tick: Tick | None = SECOND, sort: bool = False) -> list[Fact]:
    return list(stream_rows(given, tick, sort))


def shape(found: list[Fact]) -> list[tuple[object, ...]]:
    """Times and arguments, with blank nodes numbered."""
    numbers: dict[object, int] = {}
    return [
        (
            time,
            atom.predicate,
            *(numbers.setdefault(v, len(numbers)) + 100 if isinstance(v, BlankNode) else v for v in atom.args),
        )
        for time, atom in found
    ]


S, P = Iri("http://ex.org/s"), Iri("http://ex.org/p")
EXPECTED = [
    (5, "triple", S, P, 5),
    (5, "triple", S, P, 100),
    (7, "triple", S, P, "x"),
    (7, "triple", S, P, 101),
]


@pytest.mark.parametrize("name", [*TEXTS, "a.trig.gz", "a.nt.gz", "a.jsonld.gz"])
def test_a_graph_is_facts_at_its_time_with_blank_nodes_of_its_own(tmp_path: Path, name: str) -> None:
    given = source(tmp_path, name)
    assert shape(facts(given)) == EXPECTED
    assert facts(given) == facts(given)  # labels are stable


@pytest.mark.parametrize("name", TEXTS)
def test_columns_have_the_same_facts(tmp_path: Path, name: str) -> None:
    given = source(tmp_path, name)
    (batches,) = stream_batches(given, SECOND, False, None, {}, Gaps())
    found = []
    for batch in batches:
        (part,) = batch.parts
        rows = zip(*(column.to_pylist() for column in part.args), strict=True)
        found += [(time, part.predicate, *row) for time, row in zip(batch.times.tolist(), rows, strict=True)]
    assert found == [(time, atom.predicate, *atom.args) for time, atom in facts(given)]


def test_the_predicate_can_be_named(tmp_path: Path) -> None:
    source(tmp_path, "a.nt")
    found = facts(file_source(f"obs={tmp_path / 'a.nt'}"))
    assert {atom.predicate for _, atom in found} == {"obs"}


def test_another_property_and_a_file_may_have_the_times(tmp_path: Path) -> None:
    text = TRIG.replace("prov:generatedAtTime", "e:at")
    assert shape(facts(source(tmp_path, "b.trig", text, "http://ex.org/at"))) == EXPECTED
    given = source(tmp_path, "c.trig", "@prefix e: <http://ex.org/> . e:g1 { e:s e:p 1 } e:g2 { e:s e:p 2 }")
    times = tmp_path / "times.csv"
    times.write_text("graph,time\nhttp://ex.org/g1,5\n<http://ex.org/g2>,6\n", encoding="utf-8")
    listed = FileSource(given.path, given.format, given.columns, times)
    assert [time for time, _ in facts(listed)] == [5, 6]
    rdf = tmp_path / "times.ttl"
    rdf.write_text(f"<http://ex.org/g1> <{PROV}> 5 . <http://ex.org/g2> <{PROV}> 6 .", encoding="utf-8")
    assert [time for time, _ in facts(FileSource(given.path, given.format, given.columns, rdf))] == [5, 6]


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.trig", "<x:g> { <x:s> <x:p> <x:o> }", "the graph <x:g>: it has no time"),
        ("a.trig", f"<x:g> <{PROV}> 'soon' . <x:g> {{ <x:s> <x:p> <x:o> }}", "the graph <x:g>: "),
        ("a.trig", f"<x:g> <{PROV}> 1, 2 .", "it has two times"),
        ("a.nt", "<x:s> <x:p> <x:o> .", "a.nt:1:1"),
        ("a.nt", "<x:s> <x:p> <x:o> . soon", "a.nt:1:21"),
        ("a.nt", '<x:s> <x:p> "a"^^<b c> . 5', "this is not a triple with a time"),
        ("a.nt", '<x:s> <x:p> "a"@toolonglanguage . 5', "a.nt:1:"),
        ("a.nt", "<x:s> <x:p> <x:o> . 5\n<x:s> <x:p> <x:o> . 4", "out of order"),
        ("a.jsonld", '{"time": 5, "@id": 5}', "a.jsonld:1:"),
        ("a.jsonld", '\n{"time": 5, ', "a.jsonld:2:"),
        ("a.jsonld", '{"time": true, "x:p": 5}', "a.jsonld:1:"),
    ],
)
def test_mistakes_say_where_they_are(tmp_path: Path, name: str, text: str, message: str) -> None:
    with pytest.raises(LasingError) as raised:
        facts(source(tmp_path, name, text))
    assert message in str(raised.value)


def test_dates_need_a_tick(tmp_path: Path) -> None:
    with pytest.raises(LasingError) as raised:
        facts(source(tmp_path, "a.trig"), tick=None)
    assert raised.value.diagnostics[0].code == "E503"


def test_a_stream_can_be_sorted(tmp_path: Path) -> None:
    given = source(tmp_path, "a.nt", "<x:s> <x:p> <x:o> . 5\n<x:s> <x:p> <x:o> . 4")
    assert [time for time, _ in facts(given, sort=True)] == [4, 5]


def test_an_object_without_a_time_is_left_out_or_an_error(tmp_path: Path) -> None:
    given, gaps = source(tmp_path, "a.jsonld", '{"x:p": 5}\n{"time": 1, "x:p": 5}'), Gaps(SKIP)
    assert len(list(stream_rows(given, None, gaps=gaps))) == 1
    assert gaps.left_out == {(str(given.path), "time"): 1}
    with pytest.raises(LasingError, match="has no time"):
        list(stream_rows(given, None, gaps=Gaps(ERROR)))


def test_the_time_is_part_of_the_graph_if_the_context_names_it(tmp_path: Path) -> None:
    text = '{"at": 5, "@context": {"@vocab": "x:", "at": "x:at"}, "@id": "x:s", "p": 1}'
    found = facts(source(tmp_path, "a.jsonld", text, "at"))
    assert {atom.args[1] for _, atom in found} == {Iri("x:at"), Iri("x:p")}


def test_few_graphs_are_remembered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(named_graphs, "MOST_GRAPHS", 2)
    monkeypatch.setattr(named_graphs, "MOST_VALUES", 2)
    text = "\n".join(f"<x:g{i}> <{PROV}> {i} . <x:g{i}> {{ <x:s> <x:p> {i} }}" for i in range(9))
    assert [time for time, _ in facts(source(tmp_path, "a.trig", text))] == list(range(9))


def test_too_many_triples_without_a_time_are_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(named_graphs, "MOST_WAITING", 2)
    with pytest.raises(LasingError, match="has no time"):
        facts(source(tmp_path, "a.trig", "<x:g> { <x:s> <x:p> 1, 2, 3, 4 }"))


def test_a_graph_without_time_is_background_and_columns_are_for_tables(tmp_path: Path) -> None:
    with pytest.raises(LasingError, match="--data"):
        file_source(str(tmp_path / "a.ttl"))
    source(tmp_path, "a.nt")
    with pytest.raises(LasingError, match="triples, not columns"):
        facts(file_source(f"p(a,b)={tmp_path / 'a.nt'}"))


# -- Jelly -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ending", ["nt", "jsonld", "ndjsonld", "trig", "jelly"])
def test_the_only_stream_of_a_query_needs_no_name(tmp_path: Path, ending: str) -> None:
    texts = {
        "nt": '<http://ex.org/s> <http://ex.org/p> "5" 1970-01-01T00:00:05Z .',
        "trig": f'<e:g> <{PROV}> "1970-01-01T00:00:05Z" . <e:g> {{ <http://ex.org/s> <http://ex.org/p> "5" }}',
    }
    line = '{"time": "1970-01-01T00:00:05Z", "@id": "http://ex.org/s", "http://ex.org/p": "5"}'
    path = tmp_path / f"graphs.{ending}"
    if ending == "jelly":
        with path.open("wb") as file:
            grouped_stream_to_file((triples_frame("05", jelly.Literal("5")) for _ in range(1)), file)
    else:
        path.write_text(texts.get(ending, line), encoding="utf-8")
    query = tmp_path / "q.rq"
    query.write_text(
        "SELECT ?o FROM NAMED WINDOW <e:w> ON <e:readings> [RANGE 1s STEP 1s] "
        "{ WINDOW <e:w> { ?s <http://ex.org/p> ?o } }",
        encoding="utf-8",
    )
    for stream in (path, {"readings": path}):
        (found,) = [str(answer) for answer in lasing.run(query, stream, engine="reference") if answer.atoms]
        assert found.startswith('1970-01-01T00:00:06Z: result("5",1)')


def _sink(*statements: object) -> jelly.GenericStatementSink:
    sink = jelly.GenericStatementSink()
    for statement in statements:
        sink.add(statement)
    return sink


def _stamp(seconds: str) -> jelly.Literal:
    return jelly.Literal(f"1970-01-01T00:00:{seconds}Z", None, f"{XSD}dateTime")


def triples_frame(seconds: str, value: jelly.Literal) -> jelly.GenericStatementSink:
    s, p = jelly.IRI("http://ex.org/s"), jelly.IRI("http://ex.org/p")
    about = jelly.Triple(jelly.IRI("http://ex.org/o"), jelly.IRI(PROV), _stamp(seconds))
    return _sink(jelly.Triple(s, p, value), jelly.Triple(s, p, jelly.BlankNode("a")), about)


def quads_frame(seconds: str, value: jelly.Literal) -> jelly.GenericStatementSink:
    s, p, g = jelly.IRI("http://ex.org/s"), jelly.IRI("http://ex.org/p"), jelly.IRI("http://ex.org/g")
    about = jelly.Quad(g, jelly.IRI(PROV), _stamp(seconds), jelly.DefaultGraph)
    return _sink(jelly.Quad(s, p, value, g), jelly.Quad(s, p, jelly.BlankNode("a"), g), about)


@pytest.mark.parametrize("frame", [triples_frame, quads_frame])
def test_jelly_has_a_graph_in_each_frame(tmp_path: Path, frame: Callable[..., jelly.GenericStatementSink]) -> None:
    path = tmp_path / "a.jelly"
    frames = [frame("05", jelly.Literal("5", None, f"{XSD}integer")), frame("07.5", jelly.Literal("x"))]
    with path.open("wb") as file:
        grouped_stream_to_file((one for one in frames), file)
    found = shape(facts(file_source(str(path))))
    assert [row for row in found if row[3] == P] == EXPECTED


@pytest.mark.parametrize("content", [b"", b"hello", b"\x0a\x0a\x0a\x0a"])
def test_damaged_jelly_is_an_error(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "a.jelly").write_bytes(content)
    with pytest.raises(LasingError, match="is not Jelly"):
        facts(file_source(str(tmp_path / "a.jelly")))


def test_a_frame_without_a_time_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "a.jelly"
    one = jelly.Triple(jelly.IRI("x:s"), jelly.IRI("x:p"), jelly.IRI("x:o"))
    with path.open("wb") as file:
        grouped_stream_to_file((sink for sink in [_sink(one)]), file)
    with pytest.raises(LasingError, match="frame 1: it has no time"):
        facts(file_source(str(path)))


# -- as users give them ----------------------------------------------------------------------------------------------


def test_commands_and_functions_take_them(tmp_path: Path) -> None:
    program = "#tick 1 sec. q(O) :- triple(S,<http://ex.org/p>,O) in [1 sec], O = 5."
    given = source(tmp_path, "a.trig")
    assert [len(answer.atoms) for answer in lasing.run(program, given.path)] == [1, 1, 0]
    (tmp_path / "p.lars").write_text(program, encoding="utf-8")
    done = command("run", "p.lars", "a.trig", "-q", folder=tmp_path)
    assert done.stdout.splitlines()[0] == 'q(5) at "1970-01-01T00:00:05Z".'
    done = command("run", "p.lars", "-", "--input-format", "ntriples", "-q", folder=tmp_path, data=NTRIPLES)
    assert done.stdout.splitlines()[0].startswith("q(5) at ")
