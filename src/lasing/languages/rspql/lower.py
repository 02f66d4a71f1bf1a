"""From the texts of queries to a program."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from rdflib.plugins.sparql.parserutils import CompValue

from lasing.algebra.lowering import Lowering
from lasing.algebra.purposes import COUNTS
from lasing.algebra.terms import call
from lasing.errors import Diagnostic, LasingError, SourceText
from lasing.languages.rspql.batches import Batches, Evaluations
from lasing.languages.rspql.clauses import read_clauses
from lasing.languages.rspql.closing import closing_of
from lasing.languages.rspql.graphs import DEFAULT, GRAPH, QUAD, TRIPLE, BatchContent, Content, Graph, StreamContent
from lasing.languages.rspql.mistakes import Mistake
from lasing.languages.rspql.names import WORDS_OF_PATTERNS, Names
from lasing.languages.rspql.patterns import Patterns
from lasing.languages.rspql.reports import Reports
from lasing.languages.rspql.results import ask, construct, describe, select
from lasing.languages.rspql.sparql import parse
from lasing.languages.rspql.static import loaded
from lasing.languages.rspql.syntax import StreamQuery, StreamWindow, TripleRange
from lasing.languages.rspql.windows import is_batch, period_of, tick_of, window_of
from lasing.logic.formulas import Atom
from lasing.logic.program import Output, Program, Signature
from lasing.logic.provenance import Form, Helper, Provenance, Said
from lasing.logic.results import shown_columns
from lasing.logic.tables import FactTable
from lasing.logic.terms import NOW, Term
from lasing.logic.values import Value, datatypes, literal
from lasing.timeline.ticks import Tick

_VARIABLE = re.compile(r"[?$](\w+)")
_NO_NAME = re.compile(r"[^a-z0-9_]+")
_BEGINNING = re.compile(r"^[ \t]*(REGISTER|SELECT|ASK|CONSTRUCT|DESCRIBE)\b", re.IGNORECASE | re.MULTILINE)

_OF_GRAPHS = ("ConstructQuery", "DescribeQuery")


def lower(sources: Sequence[SourceText], _constants: Mapping[str, Value]) -> tuple[Program, list[Diagnostic]]:
    """The program of some queries, and their mistakes."""
    queries: list[tuple[SourceText, StreamQuery]] = []
    mistakes: list[Diagnostic] = []
    for source in sources:
        try:
            queries.append((source, read_clauses(source.text, _base(source))))
        except Mistake as mistake:
            mistakes.append(mistake.diagnostic(source))
    try:
        lowering = Queries(sources, [query for _, query in queries])
    except Mistake as mistake:  # it is about how the queries fit together
        source = next((source for source, _ in queries if mistake.near in source.text), queries[0][0])
        return Program((), outputs=()), [*mistakes, mistake.diagnostic(source)]
    for source, query in queries:
        try:
            lowering.add(source, query)
        except Mistake as mistake:
            mistakes.append(mistake.diagnostic(source))
        except LasingError as error:
            mistakes += error.diagnostics
    return lowering.program(), mistakes


def _base(source: SourceText) -> str:
    folder = Path.cwd() if source.path is None else source.path.resolve().parent
    return f"{folder.as_uri()}/"


class Queries:
    """Queries that run together: they share a tick, and one may read the stream that another makes."""

    def __init__(self, sources: Sequence[SourceText], queries: list[StreamQuery]) -> None:
        self._sources = tuple(sources)
        self._tick = tick_of(queries)
        self._builder = Lowering({TRIPLE, QUAD, GRAPH})
        self._inputs: list[str] = []
        self._streams: dict[str, str] = {}
        self._made: dict[str, str] = {}
        for query in queries:
            if query.makes_stream and query.name is not None:
                if query.name in self._made:
                    note = "give each of these queries a name of its own"
                    raise Mistake(f"two queries make the stream {query.name}", note, "REGISTER", code="E703")
                self._made[query.name] = self._streams[query.name] = self._named(query.name, "stream")
        self._read: set[str] = set()
        makers: dict[str, StreamQuery] = {}
        for window in (window for query in queries for window in query.windows):
            made = next((name for name in self._made if name in (window.stream, _local(window.stream))), None)
            if made is not None:
                makers[window.stream] = next(query for query in queries if query.name == made and query.makes_stream)
                self._read.add(made)
                self._streams[window.stream] = self._made[made]
            elif window.stream not in self._streams:
                self._streams[window.stream] = self._named(window.stream, "stream")
                self._inputs.append(self._streams[window.stream])
        self._outputs: list[Output] = []
        self._remembered: list[Signature] = []
        self._tables: list[FactTable] = []
        self._of_triples: list[str] = []
        tick = self._tick or 1
        self._closing = closing_of(queries, makers, tick)
        self._batches = Batches(self._builder, self._remembered)
        self._repeated: list[tuple[str, str]] = []
        self._said: dict[str, Said] = {TRIPLE: Said("triple", ""), QUAD: Said("triple", "")}
        self._said |= {predicate: Said("triple", f"stream <{iri}>") for iri, predicate in self._streams.items()}
        self._variables: dict[str, str] = {}
        self._cautions: list[Diagnostic] = []

    def _named(self, iri: str, otherwise: str) -> str:
        """A predicate that looks like the last part of an IRI."""
        plain = _NO_NAME.sub("_", _local(iri).lower()).strip("_")
        return self._builder.predicate(plain if plain[:1].isalpha() else otherwise)

    def add(self, source: SourceText, query: StreamQuery) -> None:
        """Add the rules of a query."""
        read, star = parse(query.sparql, _base(source))
        if query.makes_stream and query.name in self._read and read.algebra.name not in _OF_GRAPHS:
            raise Mistake("a stream that another query reads must be made by CONSTRUCT", near="REGISTER", code="E703")
        self._tables += loaded(read.algebra.datasetClause, source)
        builder = self._builder
        period = period_of(query, self._tick or 1)
        evaluations = None
        if any(is_batch(window.range) for window in query.windows):
            evaluations = Evaluations(builder, period, query.every is not None, self._remembered)
        contents = [self._content(query, window, evaluations) for window in query.windows]
        first = len(builder.rules)
        default, graphs = self._graphs(query, contents, evaluations)
        base = str(read.prologue.base or "")
        names = Names(builder.taken)
        merges = query.dialect == "C-SPARQL"
        patterns = Patterns(builder, names, self._now(), base, default, graphs, self._tick, windows_are_graphs=merges)
        if merges and graphs:  # GRAPH ?g may well find windows alone
            self._tables += [FactTable.of(QUAD, (), 4), FactTable.of(GRAPH, (), 1)]
        reports = Reports(query, tuple(contents), period or 1, builder, evaluations)
        final = self._made.get(query.name or "") or self._named(query.name or "", "result")
        inner = builder.predicate("content") if reports.needed else final
        graph: tuple[Term, ...] = ()
        if query.makes_stream and query.name in self._read:  # a window has graphs of several reports and queries
            graph = (final, NOW) if reports.operator == "RSTREAM" else (final,)
        output = reports.reported(_result(read.algebra, patterns, inner, star, query.sparql, graph), final, first)
        self._remembered += reports.remembered
        if query.makes_stream and query.name in self._read:
            self._remembered.append(Signature(output.predicate, output.arity))
        self._cautions += _unmatched(query, patterns.matched, source)
        if not builder.derives(output.predicate):
            message = "the query never has a result: no data can satisfy its pattern"
            self._cautions.append(Diagnostic("W102", message, source.place(_start(source, query))))
        self._outputs.append(output)
        form: Form = "triple" if output.form == "graph" else "row"
        shown = tuple(f"?{column}" for column in shown_columns(output)) if form == "row" else ()
        made = _local(query.name or "") or "result"
        self._said[output.predicate] = Said(form, made, shown, source, _start(source, query))
        self._variables |= {column.name: _named_in_text(name) for name, column in names.columns.items()}

    def _content(self, query: StreamQuery, window: StreamWindow, evaluations: Evaluations | None) -> Content:
        """The content of a window."""
        stream, found = self._streams[window.stream], window.range
        if evaluations is not None and isinstance(found, TripleRange) and found.step is not None:
            return evaluations.content(self._batches.closing(stream, found.size, found.step))
        try:
            return StreamContent(stream, window_of(query.dialect, found, stream, self._tick or 1))
        except Mistake as mistake:
            raise Mistake(mistake.message, mistake.note, at=window.offset, code="E703") from None

    def _graphs(
        self, query: StreamQuery, contents: list[Content], evaluations: Evaluations | None
    ) -> tuple[Graph, dict[str, Graph]]:
        """The default graph, and the windows by name."""
        named: dict[str, Graph] = {}
        merged: list[Content] = []
        for window, content in zip(query.windows, contents, strict=True):
            if window.graph is None:
                merged.append(content)
            else:
                named[window.graph] = self._graph(self._named(window.graph, "window"), (content,))
                self._builder.helpers[named[window.graph].predicate] = Helper(via=f"in WINDOW <{window.graph}>")
        default = DEFAULT if not merged else self._graph(self._builder.predicate("merged"), tuple(merged), DEFAULT)
        if evaluations is not None:
            batches = [g for g in (default, *named.values()) if any(isinstance(w, BatchContent) for w in g.windows)]
            self._repeated += [(graph.predicate, evaluations.domain) for graph in batches]
        return default, named

    def _graph(self, predicate: str, windows: tuple[Content, ...], static: Graph | None = None) -> Graph:
        """A graph with the content of some windows, and perhaps with static triples."""
        s, p, o = (self._builder.variable(name) for name in ("S", "P", "O"))
        parts: list[Graph | Content] = [*([static] if static else []), *windows]
        for part in parts:
            self._builder.rule(Atom(predicate, (s, p, o)), [part.triple(s, p, o)])
        self._of_triples.append(predicate)
        return Graph(predicate, windows=windows)

    def _now(self) -> Term:
        """NOW(): when the current time point begins; for a query without streams, the time at which it is read."""
        if self._tick is not None:
            return call("instant", NOW, self._tick)
        return literal(datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"), datatypes.DATE_TIME)

    def program(self) -> Program:
        """The program of all queries."""
        return Program(
            tuple(self._builder.rules),
            tuple(self._builder.background),
            outputs=tuple(self._outputs),
            inputs=tuple(Signature(name, 3) for name in self._inputs),
            tick=None if self._tick is None else Tick(self._tick),
            sources=self._sources,
            streams=tuple(s for s in dict.fromkeys(self._remembered) if self._builder.derives(s.predicate)),
            tables=tuple(self._tables),
            graphs=tuple(self._of_triples),
            repeated=tuple(self._repeated),
            closing=self._closing,
            cautions=tuple(self._cautions),
            provenance=Provenance(
                "query", self._said, self._builder.helpers, self._variables, WORDS_OF_PATTERNS, COUNTS
            ),
        )


def _named_in_text(name: str) -> str:
    """What the text calls a variable. Aggregates are variables of the algebra without a name."""
    return "the aggregate" if name.startswith("__agg_") else f"?{name}"


def _unmatched(query: StreamQuery, matched: set[str], source: SourceText) -> Iterator[Diagnostic]:
    """W108 for windows in which the query matches nothing: what is outside of WINDOW is matched in static triples."""
    clause = "GRAPH" if query.dialect == "C-SPARQL" else "WINDOW"
    for window in query.windows:
        if window.graph is not None and window.graph not in matched:
            note = f"match triples in it: {clause} <{window.graph}> {{ … }}"
            message = f"the query matches nothing in the window <{window.graph}>"
            yield Diagnostic("W108", message, source.place(window.offset), note)


def _start(source: SourceText, query: StreamQuery) -> int:
    """Where a query begins: at REGISTER, or at its form."""
    found = _BEGINNING.search(source.text, query.offset)
    return query.offset if found is None else found.start()


def _local(iri: str) -> str:
    """The last part of an IRI."""
    return re.split(r"[/#:]", iri.rstrip("/#"))[-1]


def _result(
    found: CompValue, patterns: Patterns, predicate: str, star: bool, text: str, graph: tuple[Term, ...]
) -> Output:
    """The rules of a query's form, and its output."""
    match found.name:
        case "SelectQuery":
            return select(found, patterns, predicate, star, dict.fromkeys(_VARIABLE.findall(text)))
        case "AskQuery":
            return ask(found, patterns, predicate)
        case "ConstructQuery":
            return construct(found, patterns, predicate, found.template or _own_template(found.p), graph)
        case "DescribeQuery":
            return describe(found, patterns, predicate, patterns.default)
    raise Mistake(f"{found.name} is not supported")


def _own_template(part: CompValue) -> list[tuple[Any, Any, Any]]:
    """The pattern of CONSTRUCT WHERE is its own template."""
    while part.name != "BGP":
        part = part.p
    triples: list[tuple[Any, Any, Any]] = part.triples
    return triples
