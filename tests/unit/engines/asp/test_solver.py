"""The solver: answer sets of ground rules, repeated use of one program, and where clingo's semantics is not ours."""

from __future__ import annotations

import pytest

from lasing.engines.asp import solver as solving
from lasing.engines.asp.conditions import Condition, Literal, TimedAtom, all_of, any_of, at_least, negation
from lasing.engines.asp.grounding import Cost, GroundRule
from lasing.engines.asp.minimality import smaller_model
from lasing.engines.asp.solver import Solver
from lasing.errors import LasingError


def atom(name: str) -> TimedAtom:
    return TimedAtom(0, name, ())


def lit(name: str) -> Condition:
    return Literal(atom(name))


def rule(*heads: str, when: Condition = True, choice: bool = False) -> GroundRule:
    return GroundRule(tuple(map(atom, heads)), when, choice)


def models(*rules: GroundRule, limit: int = 0, solver: Solver | None = None) -> list[str]:
    found = (solver or make(limit)).models(rules)
    return sorted("".join(sorted(a.predicate for a in model)) for model in found)


def make(limit: int = 0, shown: str = "abcdef") -> Solver:
    return Solver(dict.fromkeys("abcdef", 0), lambda found: found.predicate in shown, limit)


A_OR_B = (rule("a", when=negation(lit("b"))), rule("b", when=negation(lit("a"))))


def test_cycles_disjunctions_choices_and_constraints() -> None:
    assert models(*A_OR_B) == ["a", "b"]
    assert models(rule("a", "b")) == ["a", "b"]
    assert models(rule("a", "b", choice=True)) == ["", "a", "ab", "b"]
    assert models(*A_OR_B, rule(when=lit("a"))) == ["b"]
    assert models(*A_OR_B, rule(when=True)) == []
    assert models(rule("a", when=negation(lit("a")))) == []


def test_positive_loops_support_nothing() -> None:
    assert models(rule("a", when=lit("b")), rule("b", when=lit("a"))) == [""]


def test_at_most_a_number_of_atoms() -> None:
    assert len(models(rule("a", "b", "c", choice=True), limit=3)) == 3


def test_hidden_atoms_do_not_distinguish_models() -> None:
    assert len(make(shown="a").models((rule("a", "b", choice=True),))) == 2


def test_the_least_cost_wins_level_by_level() -> None:
    choice = rule("a", "b", "c", choice=True)
    needed = rule(when=all_of(map(negation, (lit("a"), lit("b"), lit("c")))))
    costs = [
        GroundRule((), lit("a"), cost=Cost(1, 1, ("a",))),
        GroundRule((), lit("b"), cost=Cost(0, 5, ("b",))),
        GroundRule((), lit("c"), cost=Cost(0, 5, ("c",))),
    ]
    assert models(choice, needed, *costs) == ["b", "c"]
    assert models(choice, needed, *costs, limit=1) in (["b"], ["c"])


def test_a_cost_is_due_once_for_each_tuple() -> None:
    choice = rule("a", "b", "c", choice=True)
    either = rule(when=all_of((negation(all_of((lit("a"), lit("b")))), negation(lit("c")))))
    same = [GroundRule((), lit(name), cost=Cost(0, 3, ())) for name in "ab"]
    assert models(choice, either, *same, GroundRule((), lit("c"), cost=Cost(0, 4, ("c",)))) == ["ab"]


def test_a_cost_beyond_32_bits_is_refused() -> None:
    with pytest.raises(LasingError, match="E310"):
        models(rule("a", choice=True), GroundRule((), lit("a"), cost=Cost(0, 2**40, ())))


def test_bodies_are_kept_whole_in_the_reduct() -> None:
    """Definition 9: taken apart, `a :- a or not a` would have no answer."""
    tautology = any_of((lit("a"), all_of((negation(lit("a")), negation(lit("b"))))))
    assert models(rule("a", when=tautology)) == ["a"]


def test_costs_where_each_model_is_tested() -> None:
    mixed = rule("a", when=any_of((lit("a"), negation(lit("b")))))
    other = rule("b", when=any_of((lit("b"), negation(lit("a")))))
    assert models(mixed, other) == ["a", "b"]
    assert models(mixed, other, GroundRule((), lit("a"), cost=Cost(0, 1, ()))) == ["b"]


def test_sums_over_atoms_of_their_own_component() -> None:
    enough = at_least(2, [(lit("a"), 1), (lit("b"), 1)])
    assert models(rule("a", "b", choice=True), rule("c", when=enough)) == ["", "a", "abc", "b"]


def test_a_rule_that_says_nothing_leaves_its_other_head_alone() -> None:
    """clingo drops such a rule, and then assumed that `f`, which it had not seen, holds."""
    rules = (
        rule("a", choice=True),
        rule("b", choice=True),
        rule("c", "d", when=all_of((negation(lit("a")), lit("b")))),
        rule("f", "e", when=all_of((negation(lit("a")), lit("b"), lit("e")))),
        rule("e", when=lit("c")),
    )
    assert models(*rules) == ["", "a", "ab", "bce", "bd"]


def test_a_program_whose_rules_are_known_is_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    made = []
    original = solving._Program

    def counted(*args: object) -> solving._Program:
        made.append(args)
        return original(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(solving, "_Program", counted)
    solver = make()
    full = (*A_OR_B, rule("c", choice=True), rule(when=all_of((lit("a"), lit("c")))))
    assert models(*full, solver=solver) == ["a", "b", "bc"]
    for _ in range(3):
        assert models(*A_OR_B, solver=solver) == ["a", "b"]
        assert models(*full, solver=solver) == ["a", "b", "bc"]
        assert models(full[0], full[2], solver=solver) == ["a", "ac"]
    assert len(made) == 1


def test_old_rules_are_let_go(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes = []
    original = solving._Program.__init__

    def sized(self: solving._Program, rules: dict[GroundRule, None], *args: object) -> None:
        sizes.append(len(rules))
        original(self, rules, *args)  # type: ignore[arg-type]

    monkeypatch.setattr(solving._Program, "__init__", sized)
    solver = make()
    for number in range(200):
        changing = GroundRule((TimedAtom(0, "a", (number,)),), True, True)
        solver.models((*A_OR_B, changing))
        solver.models((*A_OR_B,))
    assert max(sizes) <= 3 * (1 + solving.MOST_IDLE)


def test_a_smaller_model_of_the_reduct() -> None:
    loop = (rule("a", when=lit("b")), rule("b", when=lit("a")))
    assert smaller_model(loop, frozenset((atom("a"), atom("b")))) == frozenset()
    assert smaller_model((rule("a"),), frozenset((atom("a"),))) is None
