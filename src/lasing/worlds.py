"""The models of a program at a time point, with all that is derived in them: what explanations of one need."""

from __future__ import annotations

from lasing.engine_choice import choose, load_clingo
from lasing.explain.evidence import Evidence
from lasing.explain.world import World
from lasing.limits import Watch
from lasing.logic.formulas import Atom
from lasing.logic.program import Fact, Program
from lasing.logic.runs import Run
from lasing.logic.splitting import split, undecided


def worlds(program: Program, evidence: Evidence, limit: int, watch: Watch | None) -> list[World]:
    """The models of a program at the time point of some evidence, in the order in which a run shows them.

    At most `limit` of them, unless it is 0.
    """
    load_clingo("programs that may have several answers need it")
    from lasing.engines.asp.engine import AspEngine

    now, parts, open_predicates = evidence.now, split(program), undecided(program)
    below = None if parts.below is None else choose(parts.below, "auto", watch=watch).make(evidence.start)
    engine = AspEngine(parts, evidence.start, below, limit, watch)  # type: ignore[arg-type]  # what is decided has one answer
    facts = [Fact(time, Atom(predicate, args)) for time, predicate, args in evidence.data.log]
    return [
        World(
            frozenset(
                (atom.predicate, atom.args, now + atom.ahead) for atom in model if atom.predicate in open_predicates
            )
        )
        for model in engine.worlds(now, facts, remembered_runs(evidence))
    ]


def remembered_runs(evidence: Evidence) -> list[Run]:
    """What derived streams remember, as runs of one time point each."""
    return [Run(predicate, args, time, time) for time, predicate, args in evidence.remembered.log]
