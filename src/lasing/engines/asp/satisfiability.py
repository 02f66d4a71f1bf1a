"""Whether there is a stream that satisfies a formula, or an answer stream of a program; and if so, which."""

from __future__ import annotations

from collections.abc import Callable

import clingo

from lasing.engines.asp.conditions import Literal, TimedAtom, any_of, literals
from lasing.engines.asp.encoding import Encoder
from lasing.engines.asp.grounding import Grounding, GroundRule
from lasing.engines.asp.searching import search
from lasing.engines.asp.solver import Model, Solver
from lasing.engines.asp.unfolding import Unknowns, instances
from lasing.logic.dependencies import stratify
from lasing.logic.formulas import Formula
from lasing.logic.program import Program


def evaluation(m: Unknowns, t: int, formula: tuple[Formula, ...]) -> Model | None:
    """Atoms of the stream, any of which may hold or not, with which M, t ⊨ φ for some values of its variables."""
    wanted = any_of(when for _, when in instances(m, m.stream, t, formula, {}))
    if isinstance(wanted, bool):
        return frozenset() if wanted else None
    control = clingo.Control(["1", "--warn=none"])
    with control.backend() as backend:
        encoder = Encoder(backend)
        free = dict.fromkeys(literal.atom for literal in literals(wanted))
        backend.add_rule([encoder.atom(atom) for atom in free], [], choice=True)
        backend.add_rule([], [-encoder.literal(wanted)])
        encoder.close()
    for model in search(control, len(free), 1, m.now, m.watch):
        return frozenset(atom for atom in free if model.is_true(encoder.atom(atom)))
    return None


def answer_stream(m: Unknowns, program: Program, may_hold: Callable[[TimedAtom], bool]) -> Model | None:
    """What an answer stream (LARS, Definition 9) has in addition to the data, if it derives only what may hold.

    Weak constraints do not matter: if there is an answer stream, there is one of least cost.
    """
    grounding = Grounding(program, stratify(program))
    ground, _ = grounding.ground(m)
    if not all(map(may_hold, ground.certain)):
        return None
    rules = [rule for rule in ground.rules if rule.cost is None]
    heads = dict.fromkeys(head for rule in rules for head in rule.heads)
    rules += [GroundRule((), Literal(head)) for head in heads if not may_hold(head)]
    found = Solver(grounding.component, lambda _: True, limit=1, watch=m.watch).models(tuple(rules), m.now)
    return ground.certain | found[0] if found else None
