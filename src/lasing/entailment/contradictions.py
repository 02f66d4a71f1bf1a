"""Inconsistencies that queries report beside their rows: as a warning, because rows have no place for them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from lasing.entailment.regimes import INCONSISTENT
from lasing.errors import Diagnostic
from lasing.logic.answers import Changes
from lasing.logic.formulas import Atom
from lasing.logic.program import Output, Program
from lasing.logic.values import value_text


@dataclass
class Contradictions:
    """The inconsistencies that a query meets. `watched` is the query with outputs for them."""

    program: Program
    watched: Program = field(init=False)
    found: dict[Atom, int] = field(default_factory=dict)
    """Each inconsistency, and when it was found first."""

    def __post_init__(self) -> None:
        outputs = self.program.outputs or ()
        shown = {output.predicate for output in outputs}
        heads = {
            (atom.predicate, len(atom.args))
            for rule in self.program.rules
            for atom in rule.head_atoms()
            if atom.predicate == INCONSISTENT or atom.predicate.endswith(f"_{INCONSISTENT}")
        }
        asked = any(output.form != "atoms" for output in outputs)
        more = [Output.unnamed(*head) for head in sorted(heads) if asked and head[0] not in shown]
        self._predicates = frozenset(output.predicate for output in more)
        self.watched = replace(self.program, outputs=(*outputs, *more)) if more else self.program

    def rest(self, moments: Iterable[Changes]) -> Iterator[Changes]:
        """The changes of everything else."""
        for change in moments:
            if not self._predicates:
                yield change
                continue
            self.note(change.time, change.added)
            yield replace(
                change,
                added=frozenset(filter(self._is_other, change.added)),
                removed=frozenset(filter(self._is_other, change.removed)),
                expiries={atom: expiry for atom, expiry in change.expiries.items() if self._is_other(atom)},
            )

    def _is_other(self, atom: Atom) -> bool:
        return atom.predicate not in self._predicates

    def note(self, time: int, atoms: Iterable[Atom]) -> None:
        """Take note of the inconsistencies among some atoms."""
        for atom in atoms:
            if atom.predicate in self._predicates:
                self.found.setdefault(atom, time)

    def findings(self, timed: bool = True) -> Iterator[Diagnostic]:
        """W210 with an example: the earliest, or the first by its text."""
        if not self.found:
            return
        atom, time = min(self.found.items(), key=lambda item: (item[1], str(item[0])))
        rule, triples = atom.values[0], [value_text(value) for value in atom.values[1:7]]
        first, second = " ".join(triples[:3]), " ".join(triples[3:])
        when = f" at {self.program.time_text(time)}" if timed else ""
        others = f"; {len(self.found) - 1} more" if len(self.found) > 1 else ""
        note = f"by the rule {rule}, this cannot be true{when}{others}:\n{first}"
        note += "" if first == second else f"\n{second}"
        yield Diagnostic("W210", "the data is inconsistent, so anything would follow from it", note=note)
