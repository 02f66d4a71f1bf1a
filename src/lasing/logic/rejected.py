"""How many facts a program has rejected: the atoms of its side outputs, counted at each time point."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from lasing.errors import Diagnostic
from lasing.logic.program import Program


@dataclass(slots=True)
class Rejected:
    """Counts the atoms of side outputs from the changes of a run.

    >>> from lasing.logic.program import Output
    >>> rejected = Rejected.of(Program(outputs=(Output("rejected_temp", ("room",), rejects="Temp"),)))
    >>> rejected.advance(5, {"rejected_temp": 2})
    >>> rejected.advance(8, {"rejected_temp": -2})
    >>> rejected.counts
    Counter({'rejected_temp': 6})
    """

    events: Mapping[str, str]
    """The events whose facts a side output holds, by its predicate."""
    counts: Counter[str] = field(default_factory=Counter)
    _standing: Counter[str] = field(default_factory=Counter)
    _time: int | None = None

    @classmethod
    def of(cls, program: Program) -> Rejected:
        return cls({output.predicate: output.rejects for output in program.outputs or () if output.rejects})

    def advance(self, time: int, differences: Mapping[str, int]) -> None:
        """Take the differences in the number of atoms at a time point, which may come in several parts."""
        passed = 0 if self._time is None else time - self._time
        if passed:
            for predicate, number in self._standing.items():
                self.counts[predicate] += number * passed
        for predicate, difference in differences.items():
            self._standing[predicate] += difference
            self.counts[predicate] += difference
        self._time = time

    def warnings(self) -> list[Diagnostic]:
        """What was rejected, as warnings."""
        found = []
        for predicate, count in sorted(self.counts.items()):
            if count:
                events = f"{count:,} event{'s'[: count != 1]} of {self.events[predicate]}"
                message = f"{events} rejected: a value has the wrong type"
                note = f"the output has {'them' if count > 1 else 'it'} as {predicate}"
                found.append(Diagnostic("W207", message, note=note))
        return found
