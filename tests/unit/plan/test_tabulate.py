"""Rules for one head that differ only in constants become one rule with a table, and mean the same."""

from __future__ import annotations

import pytest

import lasing
from lasing.plan.compile import compile_plan
from lasing.plan.nodes import Plan
from lasing.plan.optimize import optimized
from lasing.plan.optimize.tabulate import LEAST, tabulate_rules

CHAIN = "".join(f"t(X,a{i},Y) :- t(X,knows,Z), t(Z,b{i},Y).\n" for i in range(LEAST))


def plan(program: str) -> Plan:
    return compile_plan(lasing.parse(program))


def test_one_rule_has_the_constants_that_differ_in_a_table() -> None:
    found = tabulate_rules(plan(CHAIN))
    (rule,) = found.guaranteed
    *_, table = rule.lookups
    assert table.relation.arity == 2
    rows = [row for relation, row, _ in found.background if relation == table.relation]
    assert rows == [(f"b{i}", f"a{i}") for i in range(LEAST)]
    assert rule.lookups[0].args[1] == "knows"


def test_constants_with_the_same_values_share_a_column() -> None:
    found = tabulate_rules(plan("".join(f"q({i},X) :- p(X,{i}), r({i},X), s(7).\n" for i in range(LEAST))))
    (rule,) = found.guaranteed
    assert rule.lookups[-1].relation.arity == 1
    assert rule.lookups[2].args == (7,)


@pytest.mark.parametrize(
    "program",
    [
        CHAIN.split("\n", 1)[1],  # one rule less
        "".join(f"q{i}(X) :- p(X,{i}).\n" for i in range(LEAST)),  # other heads
        "".join(f"q(X+1) :- p(X,{i}).\n" for i in range(LEAST)),  # some instances may have no value
        "".join(f"q(X) :- p(X,{i}), not r({i}).\n" for i in range(LEAST)),  # counted
    ],
)
def test_other_rules_stay_as_they_are(program: str) -> None:
    known = plan(program)
    assert tabulate_rules(known) is known


def test_the_answers_are_the_same() -> None:
    stream = [(0, "t", "s", "knows", "o"), (0, "t", "o", "b3", "v")]
    stream += [
        (1, "t", "s", "knows", "o"),
        (1, "t", "o", "a2", "w"),
        (2, "t", "o", "b3", "v"),
        (2, "t", "o", "b9", "v"),
    ]
    program = f"{CHAIN} t(X,knows,Y) :- t(X,a3,Y)."
    local = [answer.atoms for answer in lasing.run(program, stream, start=0, end=3, engine="local")]
    assert local == [answer.atoms for answer in lasing.run(program, stream, start=0, end=3, engine="reference")]
    assert lasing.Atom("t", ("s", "a3", "v")) in local[0]
    assert len(optimized(plan(program)).guaranteed) < LEAST
