"""Explanations as JSON: the steps in order, each with its rule, the values of its variables, and its premises."""

from __future__ import annotations

from typing import Any, assert_never

from lasing.explain.bindings import Binding, given
from lasing.explain.branches import Branch
from lasing.explain.explanation import Among, Explanation
from lasing.explain.premises import (
    Absent,
    All,
    Chosen,
    Collected,
    Compared,
    Found,
    Leaving,
    Member,
    Premise,
    Throughout,
)
from lasing.explain.tree import branch_of, why_not_branch
from lasing.explain.why_not import Attempt, Forbidden, Hint, Near, WhyNot
from lasing.explain.words import words_of
from lasing.logic.formulas import Atom
from lasing.logic.printer import formula_text
from lasing.logic.program import Program, Rule
from lasing.logic.terms import NOW
from lasing.logic.values import Value, value_text
from lasing.timeline.intervals import Interval

Json = dict[str, Any]


def explanation_json(explanation: Explanation) -> Json:
    """An explanation: `atom`, `time`, what `found` it, and the `steps`, premises before what rests on them."""
    words = words_of(explanation.program)
    steps = []
    for step in explanation.steps:
        described: Json = {"atom": str(step.atom), "time": step.time, **_rule(step.rule, step.binding)}
        if said := words.about(step.atom):
            described["words"] = said
        if not step.rule.definite:
            described["others"] = [
                {"atom": str(Atom(p, args)), "time": time, "holds": holds} for (p, args, time), holds in step.others
            ]
        premises = zip(step.rule.body, step.premises, strict=True)
        described["premises"] = [{"literal": formula_text(literal), **_premise(p)} for literal, p in premises]
        steps.append(described)
    return {
        "atom": str(explanation.atom),
        "time": explanation.now,
        "date": _date(explanation.program, explanation.now),
        **_among(explanation.among),
        **_told(explanation.program, branch_of(explanation)),
        "found": _premise(explanation.found),
        "steps": steps,
    }


def _among(among: Among | None) -> Json:
    """Which model this is about, how many there are, and how many have the atom."""
    if among is None:
        return {}
    return {"model": among.number, "models": among.models, "models_with_it": among.agree}


def _told(program: Program, branch: Branch) -> Json:
    """What a query says in its own words; `steps` has the proof, by the rules that the query became."""
    return {} if program.provenance is None else {"told": _branch(branch)}


def _branch(branch: Branch) -> Json:
    return {"line": branch.line, "details": branch.details, "below": [_branch(below) for below in branch.below]}


def why_not_json(answer: WhyNot) -> Json:
    """Why an atom does not hold: the attempts, each with what holds, what fails and what was not looked at."""
    return {
        "atom": str(answer.atom),
        "time": answer.now,
        "date": _date(answer.program, answer.now),
        "holds": False,
        **_among(answer.among),
        **_forbidden(answer.forbidden),
        **_told(answer.program, why_not_branch(answer)),
        "attempts": [_attempt(attempt) for attempt in answer.attempts],
        "rules_that_do_not_fit": [str(rule) for rule in answer.unfit],
        "near": [_near(near) for near in answer.near],
    }


def _forbidden(forbidden: Forbidden | None) -> Json:
    if forbidden is None:
        return {}
    broken = [
        {**_rule(each.rule, each.binding), "premises": [_premise(premise) for premise in each.premises]}
        for each in forbidden.broken
    ]
    return {"forbidden_by": broken}


def _attempt(attempt: Attempt) -> Json:
    return {
        **_rule(attempt.rule, attempt.binding),
        "holds": [{"literal": formula_text(literal), **_premise(p)} for literal, p in attempt.satisfied],
        "fails": [
            {"literal": formula_text(literal), "instance": formula_text(given(literal, attempt.binding)), **_hint(hint)}
            for literal, hint in attempt.failed
        ],
        **({"instead": list(map(str, attempt.instead))} if attempt.instead else {}),
        "unknown": [formula_text(given(literal, attempt.binding)) for literal in attempt.unseen],
    }


def _hint(hint: Hint) -> Json:
    found: Json = {}
    if hint.near:
        found["near"] = [_near(near) for near in hint.near]
    if hint.found is not None:
        found["found"] = _premise(hint.found)
    if hint.members is not None:
        found["value"] = None if hint.value is None else value_text(hint.value)
        found["chosen"] = [list(map(_text, values)) for values in hint.chosen]
        found["tuples"] = hint.members
    if hint.gap is not None:
        found["gap"] = hint.gap
    if hint.missing is not None:
        found["not_derived"] = str(hint.missing)
    if hint.below is not None:
        found["attempts"] = [_attempt(attempt) for attempt in hint.below.attempts]
    return found


def _near(near: Near) -> Json:
    found: Json = {"atom": str(near.found.atom), "time": near.found.time}
    if near.left is not None:
        found["left"] = near.left
    if near.differs is not None:
        found["different_argument"] = near.differs + 1
    return found


def _rule(rule: Rule, binding: Binding) -> Json:
    place = rule.place()
    return {
        "rule": str(rule),
        "place": None if place is None else str(place),
        "values": {
            str(variable): value_text(value)
            for variable, value in binding.items()
            if variable != NOW and not variable.anonymous
        },
    }


def _premise(premise: Premise) -> Json:
    match premise:
        case Found(atom, time, origin, leaving):
            return {"kind": origin, "atom": str(atom), "time": time, **_leaving(leaving, origin)}
        case Compared(formula, left, right):
            return {"kind": "compared", "left": _text(left), "operator": formula.operator, "right": _text(right)}
        case Absent(body, span):
            return {"kind": "absent", "looked_for": formula_text(body), **_span(span)}
        case All(parts):
            return {"kind": "all", "parts": [_premise(part) for part in parts]}
        case Throughout(body, span, each):
            return {
                "kind": "always",
                "body": formula_text(body),
                **_span(span),
                "each": [_premise(part) for part in each],
            }
        case Collected(formula, value, members):
            return {
                "kind": "aggregate",
                "function": formula.function,
                "value": _text(value),
                "members": [_member(member) for member in members],
            }
        case Chosen(formula, member, beaten, number):
            return {
                "kind": formula.end,
                "chosen": _member(member),
                "beaten": [list(map(_text, values)) for values in beaten],
                "tuples": number,
            }
        case _:
            assert_never(premise)


def _member(member: Member) -> Json:
    return {"values": list(map(_text, member.values)), "premises": [_premise(part) for part in member.premises]}


def _leaving(leaving: Leaving, origin: str) -> Json:
    if origin not in ("data", "remembered"):
        return {}
    if leaving.facts is not None:
        return {"leaves_after_facts": leaving.facts}
    return {} if leaving.time is None else {"leaves": leaving.time}


def _span(span: Interval) -> Json:
    return {"from": span.lo, "to": span.hi}


def _text(value: Value) -> str:
    return value_text(value)


def _date(program: Program, time: int) -> str | None:
    tick = program.shown_tick()
    return None if tick is None else tick.iso(time)
