"""Our engine on graphs: facts in, the triples of results out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lasing.bench.dotr.workloads import Fact, Triple
from lasing.live.engine import Engine
from lasing.logic.program import Program


class Live:
    """A live engine that takes a graph at each time point."""

    def __init__(self, program: Program) -> None:
        self.engine = Engine(program, start=0)
        self._results = {output.predicate for output in program.outputs or ()}

    def step(self, t: int, graph: Sequence[Fact]) -> list[Triple]:
        """The triples of the results at a time point."""
        update, found = self.engine.push(t, graph), list[Any]()
        for predicate in self._results:
            found += update.added_of(predicate)
        return found
