"""When a query reports, and what: RSTREAM, ISTREAM and DSTREAM, as rules over its result.

    report at t        t is a multiple of the period, and the conditions of the reports hold
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
from lasing.languages.rspql.graphs import StreamContent
from lasing.languages.rspql.syntax import Dialect, Operator, Report, StreamQuery
from lasing.logic.formulas import Atom, Compare, Formula, Not, PartitionWindow, Sometime, TimeWindow, Window
from lasing.logic.program import Output, Signature
from lasing.logic.terms import NOW, Arithmetic, Term, Variable

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
    """The reports of one query. `windows` are its windows, `period` the time points between two reports."""

    query: StreamQuery
    windows: tuple[StreamContent, ...]
    period: int
    builder: Builder
    remembered: list[Signature] = field(default_factory=list)
    """The predicates that the rules look back on."""

    @property
    def operator(self) -> Operator:
        return self.query.operator or STREAM[self.query.dialect]

    @property
    def _policies(self) -> frozenset[Report]:
        return frozenset(self.query.reports or REPORTS[self.query.dialect])

    @property
    def needed(self) -> bool:
        """Whether a report is something else than the result at each time point."""
        conditions = self._policies & {"NON_EMPTY_CONTENT", "ON_CONTENT_CHANGE"}
        return bool(self.windows) and (self.operator != "RSTREAM" or self.period > 1 or bool(conditions))

    def reported(self, result: Output, predicate: str) -> Output:
        """The output of a query, as it is reported, under this predicate."""
        if not self.needed:
            return result
        operator, gates = self.operator, self._gates()
        row = tuple(self.builder.variable("Row") for _ in result.columns)
        if operator == "RSTREAM":
            self.builder.rule(Atom(predicate, row), (Atom(result.predicate, row), *gates))
            return replace(result, predicate=predicate)
        self.remembered.append(Signature(result.predicate, result.arity))
        if result.counted:
            self._counted_change(result.predicate, predicate, row, gates, operator)
        else:
            now, then = self._now(result.predicate, row), self._then(result.predicate, row)
            literals = (now, Not(then)) if operator == "ISTREAM" else (then, Not(now))
            self.builder.rule(Atom(predicate, row), (*literals, *gates))
        return replace(result, predicate=predicate)

    def _now(self, predicate: str, row: tuple[Term, ...]) -> Formula:
        return Atom(predicate, row)

    def _then(self, predicate: str, row: tuple[Term, ...]) -> Formula:
        """What held at the report before this one."""
        return Window(TimeWindow(self.period, -self.period), Sometime(Atom(predicate, row)))

    def _counted_change(
        self, source: str, predicate: str, row: tuple[Variable, ...], gates: tuple[Formula, ...], operator: Operator
    ) -> None:
        """The difference of two bags: new rows, and rows that now occur more often."""
        *shown, count = row
        other = self.builder.variable("Times")
        here, there = (self._now, self._then) if operator == "ISTREAM" else (self._then, self._now)
        was = self.builder.predicate("was")
        some = (*shown, self.builder.variable("Times"))
        self.builder.rule(Atom(was, tuple(shown)), [there(source, some)])
        self.builder.rule(Atom(predicate, row), (here(source, row), Not(Atom(was, tuple(shown))), *gates))
        more = Arithmetic("-", (count, other))
        literals = (here(source, row), there(source, (*shown, other)), Compare(">", count, other))
        self.builder.rule(Atom(predicate, (*shown, more)), (*literals, *gates))

    def _gates(self) -> tuple[Formula, ...]:
        """The literals that hold at a report."""
        gates: list[Formula] = []
        if self.period > 1:
            gates.append(Compare("=", Arithmetic("mod", (NOW, self.period)), 0))
        if "NON_EMPTY_CONTENT" in self._policies:
            gates.append(self._any("content", [[window] for window in self.windows]))
        if "ON_CONTENT_CHANGE" in self._policies:
            gates.append(self._any("changed", [self._edges(window) for window in self.windows]))
        return tuple(gates)

    def _any(self, name: str, groups: list[list[StreamContent]]) -> Atom:
        """Whether one of some windows has a triple."""
        predicate = self.builder.predicate(name)
        for window in (window for group in groups for window in group):
            triple = window.triple(*(self.builder.variable(v) for v in ("S", "P", "O")))
            self.builder.rule(Atom(predicate, ()), [triple])
        return Atom(predicate, ())

    def _edges(self, content: StreamContent) -> list[StreamContent]:
        """The time points that have come into a window since the last report, and those that have left it."""
        match content.window:
            case TimeWindow(None):
                return [replace(content, window=TimeWindow(self.period - 1))]
            case TimeWindow(back, ahead, step) if back is not None:
                moved = max(step, self.period)
                newest, oldest = -ahead, back
                came = TimeWindow(newest + moved - 1, -newest)
                left = TimeWindow(oldest + moved, -(oldest + 1))
                return [replace(content, window=came), replace(content, window=left)]
            case PartitionWindow():
                return [replace(content, window=TimeWindow(self.period - 1))]
        raise AssertionError("queries have no other windows")
