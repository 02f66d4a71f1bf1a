"""Explanations of one model of several: what is founded, what chose it, and what forbids it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import lasing
from lasing.explain.as_json import explanation_json, why_not_json

CHOICE = """
{cut(R)} :- room(R).
on(R) ; off(R) :- room(R), not cut(R).
warm(R) :- on(R).
:- warm(R), small(R).
"""
STREAM = "room(k) at 1. room(s) at 2. small(s) at 2."


def asked(program: str, stream: str = STREAM) -> lasing.Run:
    return lasing.run(program, stream)


def test_a_choice_and_a_disjunction_say_what_else_there_was() -> None:
    run = asked(CHOICE)
    assert "a choice: the rule may leave it out" in str(run.explain("cut(k) at 1"))
    assert "a disjunction: off(k) would do as well" in str(run.explain("warm(k) at 1"))
    (step,) = run.explain("on(k) at 1").steps
    assert step.others == ((("off", ("k",), 1), False),)


def test_the_first_model_that_has_the_atom_is_explained_unless_one_is_named() -> None:
    run = asked(CHOICE)
    models = next(answer for answer in run if answer.time == 1).models
    having = [number for number, model in enumerate(models, 1) if lasing.Atom("warm", ("k",)) in model]
    explanation = run.explain("warm(k)", 1)
    assert explanation.among is not None
    assert (explanation.among.number, explanation.among.models, explanation.among.agree) == (having[0], len(models), 1)
    assert run.explain("warm(k)", 1, model=having[0]).among == explanation.among
    assert explanation_json(explanation)["model"] == having[0]
    other = next(number for number in range(1, len(models) + 1) if number not in having)
    with pytest.raises(lasing.LasingError, match="E335"):
        run.explain("warm(k)", 1, model=other)
    assert "does not hold" in str(run.why_not("warm(k)", 1, model=other))
    with pytest.raises(lasing.LasingError, match="E760"):
        run.explain("warm(k)", 1, model=len(models) + 1)


def test_why_not_names_the_constraint_that_forbids_an_atom() -> None:
    answer = asked(CHOICE).why_not("on(s) at 2")
    assert answer.forbidden is not None
    assert [str(broken.rule) for broken in answer.forbidden.broken] == [":- warm(R), small(R)."]
    assert "a constraint forbids it by :- warm(R), small(R)." in str(answer)
    assert why_not_json(answer)["forbidden_by"][0]["values"] == {"R": "s"}


def test_why_not_says_that_other_models_cost_less() -> None:
    answer = asked("{a} :- s. :~ a. [1@0]", "s at 1.").why_not("a at 1")
    assert "rules allow a, but models without it cost less" in str(answer)


def test_without_a_model_nothing_holds_and_the_constraint_is_named() -> None:
    run = asked("{a} :- s. b :- s. :- s.", "s at 1.")
    with pytest.raises(lasing.LasingError, match="there is no model at 1"):
        run.explain("b at 1")
    assert "a constraint forbids it by :- s." in str(run.why_not("b at 1"))


def test_an_engine_explains_a_model_of_now() -> None:
    engine = lasing.Engine(CHOICE, start=0)
    engine.push(3, [("room", "k")])
    assert "in model" in str(engine.explain("on(k)"))
    assert "holds instead" in str(engine.why_not("off(k)", model=3))


def test_double_negation_does_not_support_what_rests_on_it() -> None:
    run = asked("{c} :- s. a :- not (not b), s. b :- a. a :- c.", "s at 1.")
    explanation = run.explain("a at 1")
    assert [str(step.rule) for step in explanation.steps] == ["{c} :- s.", "a :- c."]


def test_an_aggregate_over_what_it_derives_is_built_up_in_stages() -> None:
    program = "{c} :- s. p(1) :- s, #sum{X : p(X)} >= 0. p(2) :- p(1). p(1) :- p(2). q :- p(2), c."
    explanation = asked(program, "s at 1.").explain("q at 1")
    derived = [str(step.atom) for step in explanation.steps]
    assert derived.index("p(1)") < derived.index("p(2)") < derived.index("q")


def test_models_that_are_too_many_to_number_are_searched_for_one_with_the_atom() -> None:
    rooms = "".join(f"room(r{i}) at 1. " for i in range(14))
    explanation = asked("{on(R)} :- room(R). all :- not missing. missing :- room(R), not on(R).", rooms).explain("all")
    assert explanation.among is not None
    assert explanation.among.number is None
    assert explanation.steps[-1].atom == lasing.Atom("all")


@pytest.mark.parametrize(
    "ask", [lambda run: run.explain("a at 1", model=2), lambda run: run.why_not("b at 1", model=2)]
)
def test_a_program_with_one_answer_has_one_model(ask: Callable[[lasing.Run], object]) -> None:
    with pytest.raises(lasing.LasingError, match="E760"):
        ask(asked("a :- s. b :- t.", "s at 1."))


def test_derived_streams_are_remembered_in_every_model() -> None:
    program = "hot :- s. #stream hot/0. {a} :- hot in [3]."
    assert "remembered" in str(asked(program, "s at 1. t at 3.").explain("a at 3"))


def test_facts_of_a_conjunction_in_a_window_say_when_they_leave() -> None:
    text = str(asked("q :- (a and b) in [5].", "a at 1. b at 1.").explain("q at 3"))
    assert text.count("in the window until 6") == 2
