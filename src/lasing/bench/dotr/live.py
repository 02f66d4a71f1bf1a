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

    def step(self, t: int, graph: Sequence[Fact]) -> list[Triple]:
        """The triples of the results at a time point."""
        added: list[Any] = self.engine.push(t, graph).rows()[0]
        return [row[1:] for row in added]
