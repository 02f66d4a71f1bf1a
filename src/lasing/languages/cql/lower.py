"""From the texts of queries to a program."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from lasing.algebra.changes import difference_of
from lasing.algebra.lowering import Lowering
from lasing.algebra.nodes import Project
from lasing.algebra.output import put_out
from lasing.algebra.purposes import COUNTS
from lasing.algebra.terms import call
from lasing.errors import Diagnostic, SourceText
from lasing.languages.cql.catalog import CONVERTED, Catalog, View, predicate_of, tests_of, variable_name
from lasing.languages.cql.clauses import statements
from lasing.languages.cql.inserts import inserted_rows
from lasing.languages.cql.mistakes import NAME, WINDOW, Mistake, Mistakes, no_constants
from lasing.languages.cql.parsing import parsed
from lasing.languages.cql.relations import Relation, Translator, renamed
from lasing.languages.cql.syntax import Declaration, Insert, Query, Range, Statement
from lasing.languages.cql.types import Field, Typed, column_type
from lasing.languages.cql.windows import slide_of, tick_of
from lasing.logic.formulas import Atom, Compare, Formula, Not, Sometime, TimeWindow, Window
from lasing.logic.program import Output, Program, Signature
from lasing.logic.provenance import Provenance, Said
from lasing.logic.terms import NOW, Variable
from lasing.logic.values import Value
from lasing.timeline.ticks import Tick

_WORDS = {
    "removed": "taken away by no row:",
    "matched": "no partner in the outer join:",
    "exists": "no row exists:",
    "was": "not there before:",
}
"""What it means for a query that there is no such row."""


def lower(sources: Sequence[SourceText], constants: Mapping[str, Value]) -> tuple[Program, list[Diagnostic]]:
    """The program of some texts, and their mistakes."""
    found = no_constants(constants)
    texts: list[tuple[SourceText, list[Statement], Mistakes]] = []
    for source in sources:
        mistakes = Mistakes()
        texts.append((source, statements(source.text, mistakes), mistakes))
    queries = _Queries(texts, tuple(sources))
    for source, _, mistakes in texts:
        found += [mistake.diagnostic(source) for mistake in mistakes.found]
    if found:
        return Program((), outputs=(), sources=tuple(sources)), found
    return queries.program(), []


def _texts(declared: Declaration) -> frozenset[str]:
    """The columns whose values come in as texts."""
    return frozenset(c.name for c in declared.columns if c.type in ("VARCHAR", *CONVERTED))


def _lookup(table: Declaration, catalog: Catalog) -> Signature:
    names = tuple(column.name for column in table.columns)
    rows = catalog.inserted.get(table.name.lower())
    last = sum(fact.predicate == rows for fact in catalog.builder.background)
    return Signature(
        predicate_of(table.name),
        len(names),
        names=names,
        texts=_texts(table),
        required=frozenset(column.name for column in table.columns if column.not_null),
        types=tuple(column.full_type for column in table.columns),
        numbered=None if rows is None else (rows, last),
    )


class _Queries:
    """The statements of some texts, which run together."""

    def __init__(
        self, texts: Sequence[tuple[SourceText, list[Statement], Mistakes]], sources: tuple[SourceText, ...]
    ) -> None:
        self._sources = sources
        self._texts = [(source, part) for source, part, _ in texts]
        self._source: SourceText | None = None
        self._statements = [statement for _, part, _ in texts for statement in part]
        self._declared = [s for s in self._statements if isinstance(s, Declaration)]
        dated = any(d.time is not None and d.time.type == "TIMESTAMP" for d in self._declared)
        self._tick = tick_of(self._statements, dated, texts[0][2] if texts else Mistakes())
        self._builder = Lowering({predicate_of(d.name) for d in self._declared})
        self._catalog = Catalog(self._builder, self._tick)
        self._outputs: list[Output] = []
        self._made: list[tuple[str, Output]] = []
        self._streams: list[Signature] = []
        self._said = {
            predicate_of(d.name): Said("row", d.name, tuple(c.name for c in d.columns)) for d in self._declared
        }
        now = Typed(NOW, "BIGINT", False)
        if self._tick is not None:
            now = Typed(call("instant", NOW, self._tick), "TIMESTAMP", False)
        for _, part, mistakes in texts:
            for declaration in (s for s in part if isinstance(s, Declaration)):
                self._declare(declaration, mistakes)
        for source, part, mistakes in texts:
            for statement in part:
                try:
                    match statement:
                        case Insert():
                            self._builder.background += inserted_rows(statement, self._catalog, mistakes, now)
                        case Query():
                            self._source = source
                            self._add(statement, Translator(self._catalog, mistakes, now, statement.windows), mistakes)
                except Mistake as mistake:
                    mistakes.add(mistake)

    def _declare(self, declaration: Declaration, mistakes: Mistakes) -> None:
        key = declaration.name.lower()
        other = next((d for d in self._catalog.declared.values() if predicate_of(d.name) == predicate_of(key)), None)
        if other is not None:
            message = (
                f"{other.name} is declared twice"
                if other.name.lower() == key
                else (f"the facts of {declaration.name} and {other.name} both have the predicate {predicate_of(key)}")
            )
            mistakes.add(Mistake(NAME, message, declaration.offset, len(declaration.name)))
        self._catalog.declared[key] = declaration

    def _add(self, query: Query, translator: Translator, mistakes: Mistakes) -> None:
        """Add the rules of a view or a query."""
        if query.name is not None and query.name.lower() in (*self._catalog.views, *self._catalog.declared):
            raise Mistake(NAME, f"{query.name} is declared twice", query.offset, len(query.name))
        before = len(mistakes.found)
        relation = translator.query(parsed(query.sql, query.offset))
        for end, window in query.windows.items():
            if end not in translator.used:
                note = "a window follows the name of a stream: temps [RANGE 5 MINUTES] AS t"
                mistakes.add(Mistake(WINDOW, "this window belongs to no stream", window.offset, window.length, note))
        relation = renamed(relation, list(query.columns), (query.offset, 1))
        if len(mistakes.found) > before:
            if query.name is not None:  # so that what reads it has no mistakes of its own
                self._catalog.views[query.name.lower()] = View(query.name, "nothing", tuple(relation.fields), 0)
            return
        if query.name is None:
            self._outputs.append(self._result(query, relation, self._builder.predicate("result")))
            self._say(self._outputs[-1].predicate, self._outputs[-1].predicate, relation, query)
        elif query.operator is None:
            view = translator.view(query.name, relation)
            self._catalog.views[query.name.lower()] = view
            self._say(view.predicate, query.name, relation, query)
        else:
            self._stream(query, relation)
            self._say(self._catalog.views[query.name.lower()].predicate, query.name, relation, query)

    def _say(self, predicate: str, name: str, relation: Relation, query: Query) -> None:
        """Note what the rows of a query are called."""
        columns = tuple(f.name for f in relation.fields)
        self._said[predicate] = Said("row", name, columns, self._source, query.offset)

    # -- results ------------------------------------------------------------------------------------------------------

    def _result(self, query: Query, relation: Relation, predicate: str) -> Output:
        """The output of a query."""
        content = predicate if query.operator in (None, "RSTREAM") else self._builder.predicate("content")
        output = self._put_out(relation, content)
        if content == predicate:
            return output
        row = tuple(self._builder.variable("Row") for _ in output.columns)
        then = Window(TimeWindow(1, -1), Sometime(Atom(content, row)))
        now = Atom(content, row)
        here, there = (now, then) if query.operator == "ISTREAM" else (then, now)
        if any(atom.predicate == content for rule in self._builder.rules for atom in rule.head_atoms()):
            difference_of(output, predicate, here, there, self._builder)
            self._streams.append(Signature(content, output.arity))
        return replace(output, predicate=predicate)

    def _put_out(self, relation: Relation, predicate: str) -> Output:
        shown = tuple(f.column for f in relation.fields)
        keys = tuple(column for column, _ in relation.order)
        rows = self._builder.lower(Project(relation.node, tuple(dict.fromkeys((*shown, *keys)))))
        counted = put_out(rows, (*shown, *keys), predicate, self._builder)
        names = (*(f.name for f in relation.fields), *("" for _ in keys), *("",) * counted)
        order = tuple(descending for _, descending in relation.order)
        types = tuple(column_type(f) for f in relation.fields)
        return Output(predicate, names, form="rows", order=order, counted=counted, types=types)

    def _stream(self, query: Query, relation: Relation) -> None:
        """A derived stream: the rows that an operator reports, each at its time."""
        assert query.name is not None
        relation = Relation(relation.node, relation.fields)
        builder = self._builder
        made = builder.predicate(predicate_of(query.name))
        reported = self._result(query, relation, builder.predicate("reported"))
        row = tuple(builder.variable("Row") for _ in relation.fields)
        unseen = int(reported.counted)
        if not reported.counted:
            builder.rule(Atom(made, row), [Atom(reported.predicate, row)])
        else:  # a row for each copy
            count, number = builder.variable("Times"), builder.variable("Copy")
            some = Atom(reported.predicate, (*row, count))
            builder.rule(Atom(made, (*row, 1)), [some])
            more: list[Formula] = [Atom(made, (*row, number)), some, Compare("<", number, count)]
            builder.rule(Atom(made, (*row, call("+", number, 1))), more)
        fields = tuple(Field(f.name, f.column, f.type, f.nullable, scale=f.scale) for f in relation.fields)
        self._catalog.views[query.name.lower()] = View(query.name, made, fields, unseen, stream=True)
        self._streams.append(Signature(made, len(row) + unseen))
        self._made.append((query.name.lower(), reported))

    # -- the program --------------------------------------------------------------------------------------------------

    def program(self) -> Program:
        """The program of all statements."""
        outputs = [*self._outputs] or self._unread()
        inputs, rejected = [], []
        for stream in (d for d in self._declared if d.stream):
            names = tuple(c.name for c in stream.columns)
            time = None if stream.time is None else stream.time.name
            predicate = predicate_of(stream.name)
            needed = frozenset(c.name for c in stream.columns if c.not_null)
            known = Signature(predicate, len(names), names=names, time=time, texts=_texts(stream), required=needed)
            inputs.append(known)
            rejected += self._rejected(stream)
        return Program(
            tuple(self._builder.rules),
            tuple(dict.fromkeys(self._builder.background)),
            outputs=(*outputs, *rejected),
            inputs=tuple(inputs),
            tick=None if self._tick is None else Tick(self._tick),
            sources=self._sources,
            streams=tuple(dict.fromkeys(self._streams)),
            closing=(((slide_of(self._statements, self._tick), 0),),),
            only_inputs=bool(inputs),
            nulls=True,
            lookups=tuple(_lookup(table, self._catalog) for table in self._declared if not table.stream),
            cautions=tuple(self._unbounded()),
            provenance=Provenance("query", self._said, self._builder.helpers, self._variables(), _WORDS, COUNTS),
        )

    def _unbounded(self) -> Iterator[Diagnostic]:
        """A warning for each window that keeps all rows."""
        note = "memory grows with the stream; a window such as [RANGE 1 HOUR] bounds it"
        for source, part in self._texts:
            for query in (s for s in part if isinstance(s, Query)):
                for window in query.windows.values():
                    if window.content == Range(None):
                        message = "unbounded state: this window keeps all rows"
                        yield Mistake("W217", message, window.offset, window.length, note).diagnostic(source)

    def _variables(self) -> dict[str, str]:
        """The names of columns, by those of variables."""
        columns = (name for said in self._said.values() for name in said.columns if name)
        return {variable_name(column): column for column in columns}

    def _unread(self) -> list[Output]:
        """The outputs of a text without a query: the views and streams that nothing reads."""
        found = [output for name, output in self._made if name not in self._catalog.read]
        for name, view in self._catalog.views.items():
            if not view.stream and name not in self._catalog.read:
                predicate = self._builder.predicate(f"{view.predicate}_rows")
                pattern, fields = self._catalog.source(view.name, view.name, None, 0, {})
                found.append(self._put_out(Relation(pattern, fields), predicate))
                self._said[predicate] = replace(self._said[view.predicate], columns=tuple(f.name for f in fields))
                self._said.pop(view.predicate)
        return found

    def _rejected(self, stream: Declaration) -> list[Output]:
        """The rows that come in with a value of the wrong type, as an output of their own."""
        variables = tuple(Variable(f"Value_{i}") for i, _ in enumerate(stream.columns, start=1))
        atom = Atom(predicate_of(stream.name), variables)
        predicate = ""
        for variable, column in zip(variables, stream.columns, strict=True):
            for test in tests_of(variable, column):
                predicate = predicate or self._builder.predicate(f"rejected_{predicate_of(stream.name)}")
                wrong = test.body if isinstance(test, Not) else Not(test)
                self._builder.rule(Atom(predicate, variables), (atom, wrong))
        names = tuple(c.name for c in stream.columns)
        return [Output(predicate, names, rejects=stream.name)] if predicate else []
