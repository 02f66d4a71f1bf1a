"""Structures (LARS, Definition 6): an interpretation stream and the background data, at an evaluation time."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from lasing.engines.reference.stream import Args, Stream
from lasing.limits import Watch
from lasing.logic.examples import Example
from lasing.logic.formulas import Atom, Braces, Formula
from lasing.logic.terms import Substitution, Variable
from lasing.logic.values import Undefined, Value

Background = dict[str, dict[Args, None]]
Binding = dict[Variable, Value]


Values = Callable[["Structure", Stream, int, Braces, Substitution], Iterable[tuple[Value, ...]]]


@dataclass(slots=True)
class Structure:
    """M = ⟨T, v, W, B⟩, and `now`, the time point up to which data is known.

    `failures` are the instances of `rule` in which a term had no value, `examples` has one of them for each rule and
    reason, and `orders` remembers in which order the formulas of a body are evaluated. If some atoms of the stream may
    hold or not, `values` gives all the values that the terms outside braces can have. `watch` enforces the
    limits, if any.
    """

    stream: Stream
    background: Background
    now: int
    orders: dict[object, tuple[Formula, ...]] = field(default_factory=dict)
    rule: int = -1
    failures: dict[tuple[int, frozenset[tuple[Variable, Value]]], str] = field(default_factory=dict)
    examples: dict[tuple[int, str], Example] = field(default_factory=dict)
    values: Values | None = None
    watch: Watch | None = None

    def pulse(self) -> None:
        """Called at every step of an evaluation, which may be long. Raises an error if a limit is exceeded."""
        if self.watch is not None:
            self.watch.pulse(self.now, self.stream.derived.size)

    def note_failure(self, why: Undefined, binding: Substitution) -> None:
        """Remember that an instance of the rule under evaluation has no value."""
        reason = str(why)
        self.failures.setdefault((self.rule, frozenset(binding.items())), reason)
        if (self.rule, reason) not in self.examples:
            self.examples[self.rule, reason] = Example(self.now, dict(binding), why.value)

    def background_holds(self, stream: Stream, time: int) -> bool:
        """Whether background counts at a time point: up to now, and beyond it in a window that was opened up to now."""
        return time <= self.now or stream.ahead

    def background_holds_throughout(self, stream: Stream) -> bool:
        """Whether background counts at every time point of a timeline."""
        end = stream.timeline.hi
        return stream.ahead or (end is not None and end <= self.now)

    def extent(self, stream: Stream) -> range:
        """The time points of a timeline; for the endless one, those up to now or up to the last derived atom."""
        end = stream.timeline.hi
        if end is None:
            last = stream.derived.last
            end = self.now if last is None else max(self.now, last)
        return range(stream.timeline.lo, end + 1)


def background_of(atoms: Iterable[Atom]) -> Background:
    """Background facts by predicate."""
    background: Background = {}
    for atom in atoms:
        background.setdefault(atom.predicate, {})[atom.values] = None
    return background
