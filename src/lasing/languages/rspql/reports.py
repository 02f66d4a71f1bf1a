"""When a query reports, and what: RSTREAM, ISTREAM and DSTREAM, as rules over its result.

    report at t        t is a multiple of the period, and the conditions of the reports hold
                       or a batch of triples is complete: then once for each evaluation (see `batches.py`)
    RSTREAM            what holds at a report
    ISTREAM, DSTREAM   what holds at a report and not at the one before; the other way round

| dialect | reports | stream, unless REGISTER says otherwise |
|---|---|---|
| RSP-QL | when a window closes | RSTREAM |
| C-SPARQL | when a window closes and has content | RSTREAM |
| CQELS | when the result changes | ISTREAM |
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from lasing.algebra.builder import Builder
from lasing.algebra.changes import difference_of, with_args
from lasing.languages.rspql.batches import Evaluations
from lasing.languages.rspql.graphs import BatchContent, Content, StreamContent
from lasing.languages.rspql.numbering import last_time
from lasing.languages.rspql.syntax import Dialect, Operator, Report, StreamQuery
from lasing.logic.formulas import (
    Aggregate,
    Atom,
    Compare,
    Formula,
    Not,
    PartitionWindow,
    Sometime,
    TimeWindow,
    Window,
)
from lasing.logic.program import Output, Signature
from lasing.logic.terms import NOW, Arithmetic, Variable

REPORTS: dict[Dialect, tuple[Report, ...]] = {
    "SPARQL": (),
    "RSP-QL": ("ON_WINDOW_CLOSE",),
    "C-SPARQL": ("ON_WINDOW_CLOSE", "NON_EMPTY_CONTENT"),
    "CQELS": (),
}
STREAM: dict[Dialect, Operator] = {
    "SPARQL": "RSTREAM", "RSP-QL": "RSTREAM", "C-SPARQL": "RSTREAM", "CQELS": "ISTREAM",
}  # fmt: skip


@dataclass(slots=True)
class Reports:
    """The reports of one query. `windows` are its windows, `period` the time points between two reports.

    With `evaluations`, the rules of the result are evaluated several times, and all predicates here have one more
    argument that says in which evaluation they hold.
    """

    query: StreamQuery
    windows: tuple[Content, ...]
    period: int
    builder: Builder
    evaluations: Evaluations | None = None
    remembered: list[Signature] = field(default_factory=list)
    """The predicates that the rules look back on."""

    @property
    def operator(self) -> Operator:
        return self.query.operator or STREAM[self.query.dialect]

    @property
    def _conditions(self) -> frozenset[Report]:
        """The policies that the content of the windows decides."""
        policies = frozenset(self.query.reports or REPORTS[self.query.dialect])
        return policies & {"NON_EMPTY_CONTENT", "ON_CONTENT_CHANGE"}

    @property
    def needed(self) -> bool:
        """Whether a report is something else than the result at each time point."""
        other = self.operator != "RSTREAM" or self.period > 1 or bool(self._conditions)
        return bool(self.windows) and (other or self.evaluations is not None)

    def reported(self, result: Output, predicate: str, first: int) -> Output:
        """The output of a query, as it is reported, under this predicate. The rules from `first` on are the query's."""
        if not self.needed:
            return result
        if not self.builder.derives(result.predicate):
            return replace(result, predicate=predicate)
        if self.evaluations is not None:
            return self._in_evaluations(self.evaluations, result, predicate, first)
        gates = self._gates()
        row = self._row(result)
        if self.operator == "RSTREAM":
            self.builder.rule(Atom(predicate, row), (Atom(result.predicate, row), *gates))
        else:
            then = self._before(result, gates)
            self._changes(result, predicate, Atom(result.predicate, row), then, gates)
        return replace(result, predicate=predicate)

    def _row(self, result: Output) -> tuple[Variable, ...]:
        return tuple(self.builder.variable("Row") for _ in result.columns)

    # -- what is new, and what is gone --------------------------------------------------------------------------------

    def _before(self, result: Output, gates: tuple[Formula, ...]) -> Formula:
        """The literal that the report before this one had a row."""
        row = self._row(result)
        if not self._conditions:
            self.remembered.append(Signature(result.predicate, result.arity))
            return Window(TimeWindow(self.period, -self.period), Sometime(Atom(result.predicate, row)))
        report, kept = self.builder.predicate("report"), self.builder.predicate("reported")
        self.builder.rule(Atom(report), gates)
        self.builder.rule(Atom(kept, row), (Atom(result.predicate, row), Atom(report)))
        self.builder.rule(Atom(kept, row), (last_time(Atom(kept, row)), Not(Atom(report))))
        self.remembered.append(Signature(kept, result.arity))
        return last_time(Atom(kept, row))

    def _changes(self, result: Output, predicate: str, now: Atom, then: Formula, gates: tuple[Formula, ...]) -> None:
        """The rows of ISTREAM and DSTREAM: those of one side that the other does not have."""
        here, there = (now, then) if self.operator == "ISTREAM" else (with_args(then, now.args), now)
        difference_of(result, predicate, here, there, self.builder, gates)

    # -- several evaluations ------------------------------------------------------------------------------------------

    def _in_evaluations(self, evaluations: Evaluations, result: Output, predicate: str, first: int) -> Output:
        """The reports of all evaluations of a time point, together."""
        builder, each = self.builder, evaluations.each
        report = builder.predicate("report")
        builder.rule(Atom(report), (Atom(evaluations.due), *self._content_gates()))
        evaluations.repeat(first, (result.predicate, report))
        row, gate = self._row(result), Atom(report, (each,))
        now = Atom(result.predicate, (*row, each))
        found = builder.predicate("evaluated")
        if self.operator == "RSTREAM":
            builder.rule(Atom(found, now.args), (now, gate))
        else:
            self._changes(result, found, now, self._evaluated_before(evaluations, result, report), (gate,))
        return self._together(result, predicate, found, each)

    def _evaluated_before(self, evaluations: Evaluations, result: Output, report: str) -> Formula:
        """The literal that the report before the one of an evaluation had a row: it may be of the same time point."""
        builder, each = self.builder, evaluations.each
        row, other, last = self._row(result), builder.variable("Other"), builder.variable("Last")
        kept, then, latest = (builder.predicate(what) for what in ("reported", "then", "latest"))

        def greatest(result: Variable, *tests: Formula) -> Aggregate:
            return Aggregate("max", (other,), (Atom(report, (other,)), *tests), "=", result, frozenset((other,)))

        builder.rule(Atom(latest, (last,)), [greatest(last)])
        builder.rule(Atom(kept, row), (Atom(latest, (last,)), Atom(result.predicate, (*row, last))))
        builder.rule(Atom(kept, row), (last_time(Atom(kept, row)), Not(Atom(report, (Variable("_#1"),)))))
        before = greatest(last, Compare("<", other, each))
        builder.rule(Atom(then, (*row, each)), (Atom(report, (each,)), before, Atom(result.predicate, (*row, last))))
        least = Aggregate("min", (other,), (Atom(report, (other,)),), "=", each, frozenset((other,)))
        builder.rule(Atom(then, (*row, each)), (last_time(Atom(kept, row)), least))
        self.remembered.append(Signature(kept, result.arity))
        return Atom(then, (*row, each))

    def _together(self, result: Output, predicate: str, found: str, each: Variable) -> Output:
        """The rows of all evaluations. A row that two of them have comes twice."""
        builder, row = self.builder, self._row(result)
        if result.form != "rows":
            builder.rule(Atom(predicate, row), [Atom(found, (*row, each))])
            return replace(result, predicate=predicate)
        kept = row[:-1] if result.counted else row
        counts = row[len(kept) :]
        some, times = builder.predicate("row"), builder.variable("Times")
        builder.rule(Atom(some, kept), [Atom(found, (*row, each))])
        total = Aggregate(
            "sum" if counts else "count",
            (*counts, each),
            (Atom(found, (*row, each)),),
            "=",
            times,
            frozenset((*counts, each)),
        )
        builder.rule(Atom(predicate, (*kept, times)), (Atom(some, kept), total))
        columns = result.columns if result.counted else (*result.columns, "")
        return replace(result, predicate=predicate, columns=columns, counted=True)

    # -- when ---------------------------------------------------------------------------------------------------------

    def _gates(self) -> tuple[Formula, ...]:
        """The literals that hold at a report."""
        if self.period == 1:
            return self._content_gates()
        return Compare("=", Arithmetic("mod", (NOW, self.period)), 0), *self._content_gates()

    def _content_gates(self) -> tuple[Formula, ...]:
        gates: list[Formula] = []
        if "NON_EMPTY_CONTENT" in self._conditions:
            gates.append(self._any("content", [self._some(window) for window in self.windows]))
        if "ON_CONTENT_CHANGE" in self._conditions:
            gates.append(self._any("changed", [edge for window in self.windows for edge in self._edges(window)]))
        return tuple(gates)

    def _any(self, name: str, literals: list[Formula]) -> Atom:
        """Whether one of some literals holds."""
        predicate = self.builder.predicate(name)
        for literal in literals:
            self.builder.rule(Atom(predicate, ()), [literal])
        return Atom(predicate, ())

    def _some(self, content: Content) -> Formula:
        """The literal that a window has a triple."""
        return content.triple(*(self.builder.variable(v) for v in ("S", "P", "O")))

    def _edges(self, content: Content) -> list[Formula]:
        """The literals that a triple has come into a window since the last report, or has left it."""
        if isinstance(content, BatchContent):
            return [Atom(content.closes)]
        return [self._some(replace(content, window=window)) for window in self._moved(content)]

    def _moved(self, content: StreamContent) -> list[TimeWindow]:
        """The time points that have come into a window since the last report, and those that have left it."""
        match content.window:
            case TimeWindow(None) | PartitionWindow():
                return [TimeWindow(self.period - 1)]
            case TimeWindow(back, ahead, step) if back is not None:
                moved = max(step, self.period)
                newest, oldest = -ahead, back
                return [TimeWindow(newest + moved - 1, -newest), TimeWindow(oldest + moved, -(oldest + 1))]
        raise AssertionError("queries have no other windows")
