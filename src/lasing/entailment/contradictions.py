"""Inconsistencies that queries report beside their rows: as a warning, because rows have no place for them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from copy import copy
from dataclasses import dataclass, field, replace
from typing import Self

from lasing.entailment.regimes import INCONSISTENT
from lasing.errors import Diagnostic
from lasing.logic.answers import Answer, Changes
from lasing.logic.formulas import Atom
from lasing.logic.program import Output, Program
from lasing.logic.values import value_text

_ARITY = 7
"""A rule and two triples; in batches of triples, their number comes last."""


_MIDDLE = 2**63
"""Time points plus this number are not negative."""


@dataclass(slots=True)
class Contradiction:
    """The first of some inconsistencies: when it came, in words; and how many there are. `order` tells which is first.

    An inconsistency that ends and comes back counts again, so that nothing has to be kept about it.
    """

    order: tuple[int, str]
    words: str
    number: int = 1

    def joined(self, other: Self | None) -> Contradiction:
        """The first of these and of other ones."""
        if other is None:
            return self
        first = min(self, other, key=lambda one: one.order)
        return Contradiction(first.order, first.words, self.number + other.number)

    def to_json(self) -> str:
        """The same as text, for whoever warns in another process; the earliest text is that of the first one."""
        time, text = self.order
        return json.dumps([f"{time + _MIDDLE:020}", text, self.words, self.number])

    @classmethod
    def from_json(cls, text: str) -> Contradiction:
        """What `to_json` gave."""
        time, atom, words, number = json.loads(text)
        return cls((int(time) - _MIDDLE, atom), words, number)

    def findings(self) -> Iterator[Diagnostic]:
        """W210, with the first inconsistency as an example."""
        others = f"; {self.number - 1:,} more" if self.number > 1 else ""
        head, _, triples = self.words.partition("\n")
        note = f"{head}{others}:\n{triples}"
        yield Diagnostic("W210", "the data is inconsistent, so anything would follow from it", note=note)


@dataclass
class Contradictions:
    """The inconsistencies that a query meets. `watched` is the query with outputs for them."""

    program: Program
    timed: bool = True
    """Whether to say when an inconsistency came."""
    watched: Program = field(init=False)
    predicates: frozenset[str] = field(init=False)
    """The predicates of these outputs. There are none in programs whose output has inconsistencies anyway."""
    found: Contradiction | None = None
    _standing: frozenset[Atom] = frozenset()

    def __post_init__(self) -> None:
        outputs = self.program.outputs or ()
        shown = {output.predicate for output in outputs}
        heads = {
            (atom.predicate, len(atom.args))
            for rule in self.program.rules
            for atom in rule.head_atoms()
            if len(atom.args) >= _ARITY
            and (atom.predicate == INCONSISTENT or atom.predicate.endswith(f"_{INCONSISTENT}"))
        }
        asked = any(output.form != "atoms" for output in outputs)
        more = [Output.unnamed(*head) for head in sorted(heads) if asked and head[0] not in shown]
        self.predicates = frozenset(output.predicate for output in more)
        self.watched = replace(self.program, outputs=(*outputs, *more)) if more else self.program

    def aside(self) -> Contradictions:
        """The same for another look at what has been noted already: it takes notes of its own."""
        other = copy(self)
        other.found = None
        return other

    def taken(self) -> Contradiction | None:
        """What was found since the last call."""
        found, self.found = self.found, None
        return found

    def rest(self, change: Changes) -> Changes:
        """The changes of everything else."""
        if not self.predicates:
            return change
        self.note(change.time, change.added)
        return replace(
            change,
            added=self._others(change.added),
            removed=self._others(change.removed),
            expiries={atom: expiry for atom, expiry in change.expiries.items() if self._is_other(atom)},
        )

    def rest_of_answer(self, answer: Answer) -> Answer:
        """An answer without inconsistencies."""
        if not self.predicates:
            return answer
        mine = frozenset(atom for atom in answer.possible if not self._is_other(atom))
        self.note(answer.time, mine - self._standing)
        self._standing = mine
        return replace(answer, models=tuple(dict.fromkeys(map(self._others, answer.models))))

    def _others(self, atoms: frozenset[Atom]) -> frozenset[Atom]:
        return frozenset(filter(self._is_other, atoms))

    def _is_other(self, atom: Atom) -> bool:
        return atom.predicate not in self.predicates

    def note(self, time: int, atoms: Iterable[Atom]) -> None:
        """Take note of the inconsistencies among some atoms that a time point adds."""
        for atom in atoms:
            if atom.predicate in self.predicates:
                order = (time, str(atom))
                if self.found is None or order < self.found.order:
                    self.found = Contradiction(order, self._words(time, atom)).joined(self.found)
                else:
                    self.found.number += 1

    def _words(self, time: int, atom: Atom) -> str:
        rule, triples = atom.values[0], [value_text(value) for value in atom.values[1:_ARITY]]
        first, second = " ".join(triples[:3]), " ".join(triples[3:])
        when = f" at {self.program.time_text(time)}" if self.timed else ""
        both = first if first == second else f"{first}\n{second}"
        return f"by the rule {rule}, this cannot be true{when}\n{both}"

    def findings(self) -> Iterator[Diagnostic]:
        """W210 with the first inconsistency, if there is any: the earliest one, or the first by its text."""
        if self.found is not None:
            yield from self.found.findings()
