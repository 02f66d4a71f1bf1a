"""N-Triples in columns: the kernel and the exact readers find the same triples and the same mistakes."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyoxigraph import RdfFormat, parse

from lasing.connectors.bad_rows import BadRow, BadRows
from lasing.connectors.batches import Batch, Chosen
from lasing.connectors.rdf.background import read_graphs, tables_of
from lasing.connectors.rdf.blanks import Blanks, scope_of
from lasing.connectors.rdf.clock import Clock
from lasing.connectors.rdf.columns import TripleScanner
from lasing.connectors.rdf.files import quads
from lasing.connectors.rdf.lines import stamped_batches, stamped_lines
from lasing.connectors.rdf.scan import PLAIN_IRI
from lasing.errors import LasingError
from lasing.timeline.ticks import Tick

IRIS = ["<http://ex.org/a>", "<http://ex.org/b#c>", "<urn:x>", "<http://ex.org/é>", "<http://ex.org:80/%41?q=1>"]
STRANGE_IRIS = ["<a>", "<http://ex.org/a#b#c>", "<http://ex.org/\\u0041>", "<http://ex.org:x/>", "<http://e{x>", "<>"]
BLANKS = ["_:a", "_:b1", "_:a-b", "_:a.b"]
LITERALS = ['"x"', '"é \\"q\\" \\n"', '"5"^^<http://www.w3.org/2001/XMLSchema#integer>', '"a"@en-GB', '"05"^^<urn:d>']
STRANGE_LITERALS = ['"x', '"\\q"', '"a"@', '"a"^^<b>', "'x'", '"a\\']
TIMES = ["3", "3", "4", "17", "-2", "2026-01-31T08:00:00Z", '"5"', "x", "3.", "", "999999999999999999999"]
BETWEEN = [" ", "  ", "\t"]


def drawn(common: list[str], strange: list[str]) -> st.SearchStrategy[str]:
    """Mostly common forms, sometimes strange ones."""
    return st.one_of(*[st.sampled_from(common)] * 12, st.sampled_from(strange))


subjects = drawn([*IRIS, *BLANKS], STRANGE_IRIS)
predicates = drawn(IRIS, [*STRANGE_IRIS, *BLANKS])
objects = drawn([*IRIS, *BLANKS, *LITERALS], [*STRANGE_IRIS, *STRANGE_LITERALS])
ends = st.sampled_from(["\n", "\n", "\n", "\r\n", " \n", " # why\n"])
others = st.sampled_from(["\n", "# nothing\n", " \t\n", "rubbish\n"])


@st.composite
def stamped(draw: st.DrawFn) -> str:
    """A line with a time; times mostly rise."""
    space = draw(st.sampled_from(BETWEEN))
    time = draw(drawn(TIMES[:4], TIMES))
    stamp = draw(st.sampled_from([f"{space}{time} .", f" . {time}", f" .{time}", f"{space}{time}."]))
    return f"{draw(subjects)}{space}{draw(predicates)}{space}{draw(objects)}{stamp}{draw(ends)}"


@st.composite
def plain(draw: st.DrawFn) -> str:
    space = draw(st.sampled_from([*BETWEEN, ""]))
    return f"{draw(subjects)}{space}{draw(predicates)}{space}{draw(objects)}{space}.{draw(ends)}"


def lines_of(line: st.SearchStrategy[str]) -> st.SearchStrategy[bytes]:
    texts = st.lists(st.one_of(line, line, line, line, others), max_size=12).map("".join)
    damaged = st.tuples(texts, st.integers(0, 300)).map(
        lambda d: d[0].encode()[: d[1]] + b"\xff" + d[0].encode()[d[1] :]
    )
    return st.one_of(texts.map(str.encode), texts.map(str.encode), texts.map(str.encode), damaged)


def outcome(read: Callable[[], Iterator[Any]]) -> tuple[list[Any], str]:
    """What is read, and the mistake that ends it."""
    found = []
    try:
        for one in read():
            found.append(one)
    except LasingError as error:
        return found, str(error)
    return found, ""


def facts_of(batches: Iterator[Batch]) -> Iterator[tuple[Any, ...]]:
    for batch in batches:
        (part,) = batch.parts
        yield from zip(batch.times.tolist(), *(column.to_pylist() for column in part.args), strict=True)


@pytest.mark.parametrize("ordered", [True, False])
@given(lines_of(stamped()))
def test_columns_have_the_triples_of_lines(ordered: bool, text: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.nt"
        path.write_bytes(text)

        def clock() -> Clock:
            return Clock(str(path), Tick(1000), ordered)

        quickly = outcome(lambda: facts_of(stamped_batches(path, clock(), "triple", BadRows())))
        assert quickly == outcome(lambda: stamped_lines(path, clock(), BadRows()))

        bad: list[list[BadRow]] = [[], []]
        one, other = (BadRows(skips=True, on_bad=found.append) for found in bad)
        sound = list(facts_of(stamped_batches(path, clock(), "triple", one)))
        assert sound == list(stamped_lines(path, clock(), other))
        assert bad[0] == bad[1]
        assert one.rows == other.rows == len(sound)


@given(lines_of(plain()))
def test_background_has_the_triples_that_pyoxigraph_finds(text: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.nt"
        path.write_bytes(text)

        def quickly() -> Iterator[Any]:
            return (row for table in read_graphs(path) for row in table.rows())

        def exactly() -> Iterator[Any]:
            return (row for table in tables_of(quads(path), Blanks(scope_of(str(path)))) for row in table.rows())

        mine, other = outcome(quickly), outcome(exactly)
        assert mine[0] == other[0]
        assert bool(mine[1]) == bool(other[1])


@given(st.text("aZ09-._~/#:?%&=@+!$*,;[]é", max_size=12))
def test_plain_iris_are_valid(rest: str) -> None:
    for iri in (f"<http:{rest}>", f"<{rest}>", f"<http://{rest}>"):
        line = f"{iri} <a:b> <a:b> .\n".encode()
        scanner = TripleScanner(stamped=False)
        found = scanner.scan(line, 0)
        if len(found.triples) and found.kinds[0] == PLAIN_IRI:
            assert len(list(parse(line, RdfFormat.N_TRIPLES))) == 1


def test_common_lines_are_read_by_the_kernel() -> None:
    lines = b'<http://ex.org/a> <http://ex.org/p> "x"@en 3 .\n_:b <http://ex.org/p> <http://ex.org/a> . 4\n# end\n'
    found = TripleScanner(stamped=True).scan(lines, 0)
    assert found.end == len(lines)
    assert found.triples[:, :3].tolist() == [[1, 2, 3], [5, 2, 1]]
    assert sorted(found.stamps.values()) == ["3", "4"]


def test_a_graph_that_continues_in_the_next_block_keeps_its_blank_nodes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lasing.connectors.rdf.lines._SIZE", 80)
    path = tmp_path / "a.nt"
    path.write_text("".join(f"_:a <http://ex.org/p> _:b{i % 3} {i // 5} .\n" for i in range(40)), encoding="utf-8")
    quickly = list(facts_of(stamped_batches(path, Clock(str(path), None, True), "triple", BadRows())))
    assert quickly == list(stamped_lines(path, Clock(str(path), None, True), BadRows()))
    assert len({fact[1] for fact in quickly}) == 8


@given(st.lists(st.integers(0, 40), max_size=20), st.integers(1, 200))
def test_a_column_of_chosen_values_uses_what_its_rows_have(numbers: list[int], length: int) -> None:
    import numpy as np

    values = list(range(100, 141 + length))
    column = Chosen(values, np.array(numbers, np.int64))
    used, places = column.used()
    assert [used[place] for place in places.tolist()] == column.to_pylist() == [values[n] for n in numbers]
    assert len(used) == len(set(column.to_pylist()))
