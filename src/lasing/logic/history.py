"""How far before a slice of time its facts must begin, for its answers to be those of the whole history.

Without derived streams, that is how far the program looks back. What a stream remembers has to be derived again, from
facts that are older still: so lookbacks add up along streams. If a stream rests on its own past, no slice can be
evaluated alone.
"""

from __future__ import annotations

from dataclasses import dataclass

from lasing.logic.dependencies import dependencies
from lasing.logic.facts import facts_of
from lasing.logic.formulas import atoms_of
from lasing.logic.lookback import Lookback, lookback
from lasing.logic.program import Program, per_program
from lasing.logic.runs import reach_of_streams


@dataclass(frozen=True, slots=True)
class History:
    """The lookback of a slice; if it has to be all of the history because of a derived stream, `why`."""

    lookback: Lookback
    why: str = ""


class _InOrder(Exception):  # noqa: N818 -- no error: history is evaluated in one piece
    """No slice can be evaluated alone."""


@per_program
def history(program: Program) -> History:
    """How far slices of a history look back."""
    back, reach = lookback(program), reach_of_streams(program)
    if back.points is None or not any(reach is None or reach > 0 for reach in reach.values()):
        return History(back)
    try:
        if facts_of(program).counts_facts:
            raise _InOrder("a derived stream is remembered, and windows count facts")
        points = _Chains(program, back.points, reach).longest()
    except _InOrder as why:
        return History(Lookback(None, back.facts, back.per_key), str(why))
    return History(Lookback(points, back.facts, back.per_key))


class _Chains:
    """The lookbacks along chains of streams, each of which is read to derive the one before it."""

    def __init__(self, program: Program, back: int, reach: dict[str, int | None]) -> None:
        self._back = back
        self._reach = reach
        self._needs: dict[str, set[str]] = {}
        for edge in dependencies(program):
            self._needs.setdefault(edge.head, set()).add(edge.body)
        self._reads: dict[str, set[str]] = {}
        for rule in program.rules:
            read = {atom.predicate for literal in rule.body for atom in atoms_of(literal)} & reach.keys()
            for head in rule.head_atoms():
                self._reads.setdefault(head.predicate, set()).update(read)
        self._known: dict[str, int] = {}

    def longest(self) -> int:
        """The longest of all chains."""
        return max([self._back, *(self._of(stream, ()) for stream in self._reach)])

    def _of(self, stream: str, above: tuple[str, ...]) -> int:
        """How far before now facts may matter to what is remembered of a stream."""
        if stream in above:
            chain = " <- ".join((*above[above.index(stream) :], stream))
            own = f"{stream} is derived from its own past" + (f": {chain}" if above[-1] != stream else "")
            raise _InOrder(own)
        if stream not in self._known:
            reach = self._reach[stream]
            if reach is None:
                raise _InOrder(f"all of {stream} is remembered")
            below = [self._of(read, (*above, stream)) for read in sorted(self._streams_below(stream))]
            self._known[stream] = reach + max([self._back, *below])
        return self._known[stream]

    def _streams_below(self, predicate: str) -> set[str]:
        """The streams whose past is read to derive a predicate at a time point."""
        found, seen, waiting = set[str](), {predicate}, [predicate]
        while waiting:
            here = waiting.pop()
            found |= {stream for stream in self._reads.get(here, ()) if self._reach[stream] != 0}
            more = self._needs.get(here, set()) - seen
            seen |= more
            waiting += more
        return found
