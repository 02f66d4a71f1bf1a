"""Ask evidence why something holds, and why something else does not."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

from lasing.errors import LasingError, fault
from lasing.explain.evidence import Evidence
from lasing.explain.explanation import Among, Explanation, explanations
from lasing.explain.founded import explanations_in
from lasing.explain.goals import Goal
from lasing.explain.premises import Found
from lasing.explain.search import Search
from lasing.explain.why_not import Broken, Forbidden, WhyNot, why_not
from lasing.explain.world import World, Worlds, WorldSearch
from lasing.limits import Watch
from lasing.logic.formulas import Atom, Not
from lasing.logic.program import Program, Rule
from lasing.logic.splitting import has_several_answers
from lasing.logic.terms import NOW, Variable

MOST_MODELS = 1000
"""How many models are numbered. If there are more, one that has the atom is asked for, and it has no number."""
_MOST_TRIED = 100
"""How many models without constraints are looked at, to find one that breaks as few as possible."""


def explain(
    evidence: Evidence,
    goal: Goal,
    limit: int = 1,
    watch: Watch | None = None,
    *,
    worlds: Worlds,
    model: int | None = None,
) -> list[Explanation]:
    """The explanations of a goal, the shortest first: of one that has variables, one for each atom that it matches.

    If the program can have several models, `worlds` finds them; `model` is the number of the one that is asked about,
    by default the first one in which the goal holds. Raises E335 if nothing matches it.
    """
    if not has_several_answers(evidence.program):
        _check_number(model, 1, evidence)
        search = Search(evidence, watch)
        atoms = list(dict.fromkeys(_matching(search, goal)))
        found = _shortest((explanations(search, atom, evidence.now) for atom in atoms), len(atoms), limit)
        if not found:
            note = "--why-not on the command line, and why_not in Python, say why" if goal.is_ground else ""
            raise fault("E335", f"{goal.atom} does not hold at {_time(evidence)}", note=note)
        return found
    world, world_search, among = _model_with(evidence, goal, watch, worlds, model)
    atoms = list(dict.fromkeys(_matching(world_search, goal)))
    each = (explanations_in(world_search, world, atom, evidence.now, among) for atom in atoms)
    return _shortest(each, len(atoms), limit)


def explain_absence(
    evidence: Evidence, goal: Goal, watch: Watch | None = None, *, worlds: Worlds, model: int | None = None
) -> WhyNot:
    """Why an atom does not hold, or of a query, why no such row is in its result. Raises E335 if it does hold.

    Of a program that can have several models: why it is not in the model of that number, or in none of them.
    """
    if not goal.is_ground and evidence.program.provenance is None:
        raise fault("E333", f"{goal.atom} has variables", note="ask about one atom, such as alarm(s4)")
    if has_several_answers(evidence.program):
        return _absence_in_models(evidence, goal, watch, worlds, model)
    _check_number(model, 1, evidence)
    search = Search(evidence, watch)
    if next(_matching(search, goal), None) is not None:
        raise _holds(goal, _time(evidence))
    return why_not(search, goal.atom, evidence.now)


def _shortest(each: Iterator[Iterator[Explanation]], number: int, limit: int) -> list[Explanation]:
    """Several explanations of one atom, or one of each of several atoms."""
    few = limit if number == 1 else 1
    found = (sorted(islice(some, few), key=lambda one: one.size) for some in islice(each, limit))
    return [explanation for some in found for explanation in some]


def _matching(search: Search, goal: Goal) -> Iterator[Atom]:
    """The atoms that match a goal and hold now."""
    for _, found in search.solve(search.whole, search.evidence.now, goal.atom, {}):
        assert isinstance(found, Found)
        yield found.atom


def _time(evidence: Evidence) -> str:
    return evidence.program.time_text(evidence.now)


def _holds(goal: Goal, where: str) -> LasingError:
    return fault("E335", f"{goal.atom} holds at {where}", note="leave out --why-not; in Python, call explain")


# -- several models --------------------------------------------------------------------------------------------------


def _model_with(
    evidence: Evidence, goal: Goal, watch: Watch | None, worlds: Worlds, model: int | None
) -> tuple[World, WorldSearch, Among]:
    """The model that is asked about, or the first one in which a goal holds. Raises E335 if there is none."""
    when = _time(evidence)
    found = _all(evidence, goal, watch, worlds, model)
    if not found:
        note = "the constraints, or rules that depend on their own absence, leave none"
        raise fault("E335", f"{goal.atom} does not hold: there is no model at {when}", note=note)
    _check_number(model, len(found), evidence)
    searches = [WorldSearch(evidence, world.atoms, watch) for world in found]
    holding = [next(_matching(search, goal), None) is not None for search in searches]
    is_all = model is not None or len(found) < MOST_MODELS
    if model is not None:
        if not holding[model - 1]:
            note = "leave out --model, to ask about one that has it" if any(holding) else _WHY_NOT
            raise fault("E335", f"{goal.atom} does not hold at {when} in model {model}", note=note)
        return found[model - 1], searches[model - 1], Among(model, len(found), sum(holding))
    if any(holding):
        number = holding.index(True)
        return found[number], searches[number], Among(number + 1 if is_all else None, len(found), sum(holding))
    if not is_all and not _has_costs(evidence.program):
        required = worlds(_requiring(evidence.program, goal), evidence, 1, watch)
        for world in required:
            return world, WorldSearch(evidence, world.atoms, watch), Among(None, len(found), 0)
    raise fault("E335", f"{goal.atom} does not hold at {when} in any model", note=_WHY_NOT if goal.is_ground else "")


_WHY_NOT = "--why-not on the command line, and why_not in Python, say why"


def _check_number(model: int | None, models: int, evidence: Evidence) -> None:
    if model is not None and not 1 <= model <= models:
        there_are = "there is one model" if models == 1 else f"there are {models:,} models"
        raise fault("E760", f"there is no model {model} at {_time(evidence)}", note=f"{there_are}, numbered from 1 on")


def _all(evidence: Evidence, goal: Goal, watch: Watch | None, worlds: Worlds, model: int | None) -> list[World]:
    """The models, in the order in which a run shows them; for a number, that has to be all of them."""
    return list(worlds(_showing(evidence.program, goal), evidence, MOST_MODELS if model is None else 0, watch))


def _showing(program: Program, goal: Goal) -> Program:
    """The program with the predicate of the goal among its outputs: models that differ in it are different."""
    if goal.atom.predicate in program.output():
        return program
    from lasing.logic.outputs import outputs_of
    from lasing.logic.program import Output

    shown = Output.unnamed(goal.atom.predicate, len(goal.atom.args))
    return replace(program, outputs=(*outputs_of(program), shown))


def _requiring(program: Program, goal: Goal) -> Program:
    """The program whose models are those in which the goal holds."""
    args = tuple(Variable(f"_#{i}") if isinstance(arg, Variable) else arg for i, arg in enumerate(goal.atom.args))
    return replace(_showing(program, goal), rules=(*program.rules, Rule((), (Not(Atom(goal.atom.predicate, args)),))))


def _has_costs(program: Program) -> bool:
    return any(rule.penalty is not None for rule in program.rules)


def _absence_in_models(
    evidence: Evidence, goal: Goal, watch: Watch | None, worlds: Worlds, model: int | None
) -> WhyNot:
    found = _all(evidence, goal, watch, worlds, model)
    if found or model is not None:
        _check_number(model, len(found), evidence)
    searches = [WorldSearch(evidence, world.atoms, watch) for world in found]
    holding = [next(_matching(search, goal), None) is not None for search in searches]
    is_all = model is not None or len(found) < MOST_MODELS
    held = model or (holding.index(True) + 1 if any(holding) else 0)
    if held and holding[held - 1]:
        where = f"model {held} of {len(found):,}" if is_all else "some models"
        raise _holds(goal, f"{_time(evidence)} in {where}")
    if (
        not is_all
        and not _has_costs(evidence.program)
        and worlds(_requiring(evidence.program, goal), evidence, 1, watch)
    ):
        raise _holds(goal, f"{_time(evidence)} in some models")
    forbidden = None if any(holding) else _forbidden(evidence, goal, watch, worlds)
    if not found:
        return WhyNot(evidence.program, evidence.now, goal.atom, (), among=Among(None, 0, 0), forbidden=forbidden)
    number = model or 1
    answer = why_not(searches[number - 1], goal.atom, evidence.now)
    among = Among(number if is_all else None, len(found), sum(holding))
    return replace(answer, among=among, forbidden=forbidden)


def _forbidden(evidence: Evidence, goal: Goal, watch: Watch | None, worlds: Worlds) -> Forbidden | None:
    """The constraints that forbid an atom: those that are broken in a model with it that breaks fewest of them."""
    program = evidence.program
    free = replace(program, rules=tuple(rule for rule in program.rules if rule.heads))
    best: Forbidden | None = None
    for world in worlds(_requiring(free, goal), evidence, _MOST_TRIED, watch):
        search = WorldSearch(evidence, world.atoms, watch)
        broken: list[Broken] = []
        for rule in program.rules:
            if not rule.heads and rule.penalty is None:
                instances = search.instances(search.whole, evidence.now, rule.body, {NOW: evidence.now})
                broken += [Broken(rule, found, premises) for found, premises in instances]
        if best is None or len(broken) < len(best.broken):
            best = Forbidden(tuple(broken))
    return best
