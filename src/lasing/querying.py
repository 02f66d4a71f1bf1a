"""`lasing.query`: the answer of a query over files and graphs, without streams and time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, overload

from lasing.background import files_of, named_graph, with_background
from lasing.connectors.files import OnBytesRead
from lasing.engine_choice import EngineName
from lasing.entailment import Entail, with_entailment
from lasing.errors import Diagnostic, LasingError, fault, warn
from lasing.languages import SPARQL, prefixes_of, read_program
from lasing.limits import Limits, limits_of
from lasing.logic.facts import facts_of
from lasing.logic.formulas import Window
from lasing.logic.program import Form, Output, Program, body_nodes
from lasing.logic.results import Row, rows_of, shown_columns
from lasing.logic.values import Iri
from lasing.reading import source_of
from lasing.session import Run

_STATIC = frozenset(("triple", "quad", "graph"))
"""The predicates that hold the data of a query over files."""


@dataclass(frozen=True)
class Result(Sequence[Row]):
    """The answer of a query: its rows, or the triples of its graph, as tuples; in the query's order.

    A cell without a value is None. The answer of ASK has no rows: it is true or false, as `bool(result)`. Any other
    answer is true if it has rows.
    """

    columns: tuple[str, ...]
    rows: list[Row]
    form: Form = "rows"
    truth: bool = True
    prefixes: Mapping[str, str] = field(default_factory=dict, repr=False)
    """The prefixes that the query declares."""

    def __bool__(self) -> bool:
        return self.truth if self.form == "truth" else bool(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)

    @overload
    def __getitem__(self, place: int) -> Row: ...
    @overload
    def __getitem__(self, place: slice) -> list[Row]: ...
    def __getitem__(self, place: int | slice) -> Row | list[Row]:
        return self.rows[place]

    def to_arrow(self) -> Any:
        """The rows as an Arrow table: numbers, texts, or terms as text (see `Update.to_arrow`)."""
        from lasing.connectors.arrow import column_of, table_with

        cells = zip(*self.rows, strict=True) if self.rows else ((),) * len(self.columns)
        return table_with({}, {name: column_of(column) for name, column in zip(self.columns, cells, strict=True)})


def query(
    query: str | Path | Program,
    data: Any = None,
    *,
    graphs: Mapping[str, Any] | None = None,
    entail: Entail = None,
    engine: EngineName = "auto",
    max_atoms: int | None = None,
    max_memory: int | str | None = None,
    max_time: float | str | None = None,
) -> Result:
    """The answer of a SPARQL query: text, a Path, or a `Program` that `lasing.parse` has read.

    `data` is the default graph: the name of a file, a graph, or a list of these, as for `lasing.run`. `graphs` has
    named graphs: `{"http://ex.org/g": "g.ttl"}`; TriG and N-Quads bring their own. `entail` and the limits are those
    of `lasing.run`.

    >>> static = '<http://ex.org/s1> <http://ex.org/room> "kitchen" .'
    >>> import lasing
    >>> found = query("SELECT ?r { ?s <http://ex.org/room> ?r }", lasing.rdf.graph(static, format="ttl"))
    >>> found.columns, found.rows
    (('r',), [('kitchen',)])
    """
    if isinstance(query, Program):
        read = query
    else:
        source = source_of(query, (*files_of(data), *files_of(list((graphs or {}).values()))))
        read = read_program([source], None, SPARQL.name if isinstance(query, str) else None)
    static_output(read)
    given = with_entailment(with_graphs(read, data, graphs or {}), entail)
    answering = Answering(given, engine, limits_of(max_atoms, max_memory, max_time))
    result = answering.result()
    warn(answering.findings)
    return result


def with_graphs(program: Program, data: Any, graphs: Mapping[str, Any], progress: OnBytesRead | None = None) -> Program:
    """A query with its data: the default graph, and named graphs."""
    program = with_background(program, data, progress)
    for name, source in graphs.items():
        atoms, tables = named_graph(_iri(name), source, progress)
        program = with_background(program, [*atoms, *tables])
    return program


def _iri(name: str) -> Iri:
    try:
        return Iri(name.removeprefix("<").removesuffix(">"))
    except LasingError as error:
        d = error.diagnostics[0]
        raise fault("E511", f"{name!r} is not the name of a graph: {d.message}", note=d.note) from None


def static_output(program: Program) -> Output:
    """The one output of a query over files; fails if the program is anything else."""
    outputs = program.outputs or ()
    if len(outputs) != 1 or outputs[0].form == "atoms":
        raise fault("E706", "this is a program, not one query", note="lasing run evaluates programs over streams")
    windows = any(isinstance(node, Window) for _, nodes in body_nodes(program) for node in nodes)
    streams = [signature.predicate for signature in program.inputs if signature.predicate not in _STATIC]
    if windows or streams or program.streams or program.tick is not None:
        note = "lasing run evaluates it, time point by time point: lasing run QUERY STREAM"
        raise fault("E706", "this query reads streams or has windows", note=note)
    return outputs[0]


def _without_data(program: Program) -> Iterator[Diagnostic]:
    """W101 for a query that asks about triples, and has no data at all."""
    if program.background_size == 0 and facts_of(program).read & {"triple", "quad"}:
        note = "give the query data: lasing query DATA QUERY, data= in Python, or a file in FROM"
        yield Diagnostic("W101", "the query asks about triples, and there are none", None, note)


class Answering:
    """The evaluation of a query at its only time point."""

    def __init__(self, program: Program, engine: str = "auto", limits: Limits | None = None) -> None:
        self.program = program
        self.findings: list[Diagnostic] = []
        """What the query and entailment say about the data, once there is an answer."""
        self.run = Run(program, [], 0, 0, engine, warn=False, limits=limits)
        self.run.contradictions.timed = False

    def result(self) -> Result:
        """The answer."""
        output = static_output(self.program)
        answer = next(self.run)
        (atoms,) = answer.models
        rows = rows_of(output, atoms)
        self.findings = [*_without_data(self.program), *self.run.contradictions.findings()]
        prefixes = prefixes_of(self.program, SPARQL.name)
        if output.form == "truth":
            return Result((), [], "truth", bool(rows), prefixes)
        return Result(shown_columns(output), rows, output.form, prefixes=prefixes)
