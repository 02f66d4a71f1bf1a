"""What a run counts as it goes: facts, answers and atoms, and everything that it leaves out."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from lasing.connectors.missing import Gaps
from lasing.connectors.rows import Arity, EventArity
from lasing.engine_choice import ChangesEngine, ModelsEngine
from lasing.entailment.contradictions import Contradictions
from lasing.errors import Diagnostic, similar
from lasing.errors import warn as issue
from lasing.logic.answers import Answer, Changes
from lasing.logic.facts import facts_of
from lasing.logic.formulas import Atom
from lasing.logic.program import Program
from lasing.logic.rejected import Rejected
from lasing.reports import Report, counted, left_out

if TYPE_CHECKING:  # these load Arrow and the kernels, so only when needed
    from lasing.connectors.batches import Slab
    from lasing.connectors.changed import ChangedColumns
    from lasing.engines.local.columnar import ColumnarEngine

_NAME_IT = "to give them another name: {0}=FILE on the command line, Table(frame, predicate='{0}') in Python"


class Counting:
    """Keeps the report of a run up to date."""

    program: Program
    report: Report
    contradictions: Contradictions
    """The inconsistencies that a query has met so far."""
    _known: Arity
    _gaps: Gaps
    _rejected: Rejected
    _unused: Counter[str] | None
    """Facts of predicates that the program does not use; None if it counts all facts."""
    _size: int
    _streams: int
    _counted_until: int

    def diagnostics(self) -> list[Diagnostic]:
        """Warnings about what was left out so far."""
        report, found = self.report, []
        if report.early_facts:
            message = f"{counted(report.early_facts, 'fact')} before the start of the timeline ignored"
            found.append(Diagnostic("W201", message, note="start the timeline earlier to include them"))
        for predicate, count in sorted((self._unused or {}).items()):
            message = f"{counted(count, 'fact')} of {predicate}, which the program does not use"
            note = similar(predicate, self._known) or self._naming()
            if predicate in facts_of(self.program).derived:
                note = "rules derive it, and it is not declared as an event of the stream"
            found.append(Diagnostic("W204", message, note=note))
        found += [*self._gaps.warnings(), *self._gaps.bad.warnings()]
        found += self._known.warnings() if isinstance(self._known, EventArity) else []
        found += self._rejected.warnings()
        found += report.late.warnings("to wait longer, a longer --delay (delay= in Python)")
        found += self.contradictions.findings()
        return found + left_out(self.program, report.dropped_heads, report.failures, report.examples)

    def _naming(self) -> str:
        """A note on how to name facts after a predicate that the program reads and does not derive, if there is one."""
        facts = facts_of(self.program)
        inputs = sorted(facts.read - facts.derived - facts.background)
        return _NAME_IT.format(inputs[0]) if inputs else "no rule reads it"

    def _taken(self, arrived: list[Atom]) -> list[Atom]:
        """Count facts, and leave out those that the program does not take."""
        if self._unused is not None:
            self._unused.update(atom.predicate for atom in arrived if atom.predicate not in self._known)
        self.report.facts += len(arrived)
        if not self.program.only_inputs:
            return arrived
        return [atom for atom in arrived if atom.predicate in self._known]

    def _count_rejected(self, columns: ChangedColumns) -> None:
        sides = {i: name for i, (name, _) in enumerate(columns.predicates) if name in self._rejected.events}
        if not sides:
            return
        import numpy as np

        for row in np.flatnonzero(np.isin(columns.numbers, list(sides))):
            name = sides[int(columns.numbers[row])]
            self._rejected.advance(int(columns.times[row]), {name: int(columns.signs[row])})

    def _noted(self, columns: ChangedColumns) -> ChangedColumns:
        """Take note of the inconsistencies among changes, and return the others."""
        hidden = [i for i, (name, _) in enumerate(columns.predicates) if name in self.contradictions.predicates]
        if not hidden:
            return columns
        import numpy as np

        mine = np.isin(columns.numbers, hidden)
        for change in columns.taken(np.flatnonzero(mine)).changes():
            self.contradictions.note(change.time, change.added)
        return columns.taken(np.flatnonzero(~mine))

    def _count_facts(self, facts: Slab) -> None:
        for batch in facts:
            self.report.facts += len(batch)
            if self._unused is not None:
                for part in batch.parts:
                    if part.predicate not in self._known:
                        self._unused[part.predicate] += len(batch) if part.where is None else len(part.where)

    def _note(self, engine: ChangesEngine | ModelsEngine | ColumnarEngine) -> None:
        self.report.dropped_heads = engine.dropped_heads
        self.report.failures = dict(engine.failures)
        if self.report.failures:
            self.report.examples = dict(engine.examples)

    def _warn(self, warn: bool) -> None:
        self._gaps.bad.check()
        if warn:
            issue(self.diagnostics())

    def _counted(self, change: Changes) -> Changes:
        """Count the atoms of all answers up to these changes."""
        if self._rejected.events:
            differences = Counter(atom.predicate for atom in change.added)
            differences.subtract(atom.predicate for atom in change.removed)
            self._rejected.advance(change.time, {p: n for p, n in differences.items() if p in self._rejected.events})
        self._count_until(change.time, self._size + len(change.added) - len(change.removed), 1)
        return change

    def _counted_models(self, answer: Answer) -> Answer:
        self._count_until(answer.time, sum(map(len, answer.models)), len(answer.models))
        return answer

    def _count_until(self, time: int, size: int, streams: int) -> None:
        idle = time - self._counted_until - 1
        self.report.atoms += self._size * idle + size
        self.report.answers += self._streams * idle + streams
        self._size, self._streams, self._counted_until = size, streams, time
