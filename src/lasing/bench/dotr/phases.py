"""How long each phase of a graph takes, as in the paper's Table 1.

The paper's system is four programs: a store with a reasoner, its queries, an event engine, and translations between
them. Here all of that is one plan, and its rules and operations are put under these headings:

- knowledge update: taking in a graph, that is, giving codes to its terms, and all of a time point that is neither a
  rule nor an operation: replacing the graph before it, looking up what is due;
- ontological reasoning: the Datalog rules;
- query evaluation: the rules of the events' queries;
- input translation: keeping each row as an event, from which windows take it;
- event processing: what is in windows, selection, and the rules of patterns;
- output translation: triples of Python values from codes.

Rules and operations are measured by the engine itself, as `lasing run --stats` does. That costs, mostly for rules that
do nothing: the sum is more than the same work takes without a clock.
"""

from __future__ import annotations

import time
from collections.abc import Iterator

from lasing.bench.dotr.workloads import Setting
from lasing.engines.local.engine import LocalEngine
from lasing.live.local import LocalCore

UPDATE, REASONING, QUERIES = "knowledge update", "ontological reasoning", "query evaluation"
INPUT, EVENTS, OUTPUT = "input translation", "event processing", "output translation"
PHASES = (UPDATE, REASONING, QUERIES, INPUT, EVENTS, OUTPUT)
PAPER = dict(zip(PHASES, (200.0, 1_960.0, 7_560.0, 190.0, 2_010.0, 170.0), strict=True))
"""The paper's figures, in microseconds, on its machine."""


class Phases:
    """A live engine that measures its phases, graph by graph."""

    def __init__(self, setting: Setting, graphs: int) -> None:
        engine = LocalEngine(setting.program, 0)
        self._core = LocalCore(setting.program, engine)
        self._graphs = setting.graphs(2 * setting.window + graphs)
        self._time = 0
        for _ in range(2 * setting.window):
            self._step()
        self._measured = engine.measure()
        reasoning = len(setting.program.rules) - setting.datalog
        self._phase_of_rule = [
            _phase(next(rule.head_atoms()).predicate, number >= reasoning)
            for number, rule in enumerate(setting.program.rules)
        ]

    def _step(self) -> tuple[float, float]:
        """Take in a graph. Returns the seconds until the results are there, and those until they are triples."""
        t, begun = self._time, time.thread_time()
        changed = self._core.push(t, self._core.encode(t, self._graphs[t]))
        pushed = time.thread_time()
        changed.rows()
        self._time += 1
        return pushed - begun, time.thread_time() - pushed

    def spent(self, graphs: int) -> dict[str, float]:
        """The seconds that each phase takes for this number of graphs."""
        before = self._figures()
        pushing, showing = map(sum, zip(*(self._step() for _ in range(graphs)), strict=True))
        found = dict.fromkeys(PHASES, 0.0)
        for (phase, after), (_, known) in zip(self._figures(), before, strict=True):
            found[phase] += after - known
        found[UPDATE] = max(0.0, pushing - sum(found.values()))
        found[OUTPUT] = showing
        return found

    def _figures(self) -> list[tuple[str, float]]:
        """The seconds of each rule and operation so far, with their phases."""
        return [*self._of_rules(), *self._of_operations()]

    def _of_rules(self) -> Iterator[tuple[str, float]]:
        for figures in self._measured.rules():
            yield self._phase_of_rule[figures.rule], figures.seconds

    def _of_operations(self) -> Iterator[tuple[str, float]]:
        for figures in self._measured.relations():
            yield INPUT if figures.name.startswith("runs of") else EVENTS, figures.seconds


def _phase(head: str, is_datalog: bool) -> str:
    """The phase of a rule."""
    if is_datalog:
        return REASONING
    return EVENTS if head == "cE" else QUERIES
