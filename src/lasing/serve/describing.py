"""What a program is, for the page: its predicates, its rules, and where each rule runs."""

from __future__ import annotations

from typing import Any

from lasing.engine_choice import plan_for
from lasing.logic.analysis import analyse
from lasing.logic.facts import facts_of
from lasing.logic.formulas import atoms_of
from lasing.logic.fragments import ENGINE_NEEDED
from lasing.logic.program import Program
from lasing.logic.results import formed, shown_columns
from lasing.logic.splitting import has_several_answers
from lasing.plan.planes import planes
from lasing.serve.texts import NAME

Json = dict[str, Any]


def described(program: Program) -> Json:
    """The program as JSON: `predicates` for the lanes of a timeline, `rules` for the plan."""
    several = has_several_answers(program)
    analysis = analyse(program)
    decided = program if analysis.split is None else analysis.split.below
    plan = None if decided is None else plan_for(decided, "auto")
    places = range(len(program.rules)) if analysis.split is None else analysis.split.below_origin
    manner = {} if plan is None else {places[at]: plane for at, plane in planes(plan).items()}
    rules = []
    for number, one in enumerate(analysis.rules):
        engine = ENGINE_NEEDED[one.reason.fragment]
        if engine == "local" and plan is None:
            engine = "reference"
        place = one.rule.place()
        rules.append(
            {
                "text": str(one.rule),
                "line": place.line if place is not None and place.source == NAME else None,
                "stratum": one.stratum,
                "lookback": str(one.lookback),
                "plane": manner.get(number, ""),
                "engine": engine,
                "why": one.reason.why,
                "heads": sorted({atom.predicate for atom in one.rule.head_atoms()}),
                "reads": sorted({atom.predicate for literal in one.rule.body for atom in atoms_of(literal)}),
            }
        )
    return {
        "predicates": _predicates(program),
        "rules": rules,
        "several": several,
        "engine": "clingo" if several else "local" if plan is not None else "reference",
        "tick": None if program.tick is None else str(program.tick),
        "lookback": str(analysis.lookback),
        "background": program.background_size,
    }


def _predicates(program: Program) -> list[Json]:
    """What is data, and what is output: in the order of the text, data first."""
    known = facts_of(program)
    output, outputs = program.output(), formed(program.outputs)
    named = {one.predicate: one.names for one in program.inputs if one.names is not None}
    found: list[Json] = []
    for name, arity in known.arity_with_data.items():
        is_data = name in known.streamed or not (name in known.derived or name in known.background)
        if name in output:
            columns = shown_columns(outputs[name]) if name in outputs else ()
            made = {"name": name, "arity": arity, "kind": "derived", "columns": list(columns)}
            is_quiet = any(one.predicate == name and one.rejects for one in program.outputs or ())
            found.append({**made, "quiet": True} if is_quiet else made)  # a lane only once there is bad data
        if is_data and program.takes(name):
            found.append({"name": name, "arity": arity, "kind": "data", "columns": list(named.get(name, ()))})
    return sorted(found, key=lambda one: one["kind"] != "data")
