"""A plan in the arena: descriptors say where the fields of a record are, and operations where their kernels are."""

from __future__ import annotations

from dataclasses import dataclass, replace

import pytest

import lasing
from lasing.engines.local import accumulator, memory, sums
from lasing.engines.local.layout import Arena, lay_out
from lasing.engines.local.operators import fold, leaders
from lasing.engines.local.operators.operation import KERNEL, OPERATION
from lasing.engines.local.operators.table import OPERATORS
from lasing.engines.local.pointers import kernel_address
from lasing.plan.compile import compile_plan
from lasing.plan.nodes import Plan


def plan_of(program: str) -> Plan:
    return compile_plan(lasing.parse(program))


def descriptor(arena: Arena, name: str) -> int:
    (number,) = (i for i, relation in enumerate(arena.relations) if relation.name == name)
    return memory.HEADER + number * memory.DESCRIPTOR


def kernels(arena: Arena) -> set[str]:
    """The names of the operators of all operations."""
    names = {kernel_address(operator.kernel): node.__name__ for node, operator in OPERATORS.items()}
    first, number = (int(arena.memory[at]) for at in (memory.FIRST_OPERATION, memory.OPERATIONS))
    return {names[int(arena.memory[first + i * OPERATION + KERNEL])] for i in range(number)}


@pytest.mark.parametrize(
    ("program", "used"),
    [
        ("q(X) :- p(X) in [2].", {"Fixpoint"}),
        ("q(X) :- p(X) in [2], not r(X) in [2].", {"Fixpoint", "Track", "Derive"}),
        ("q(X) :- p(X) in [#2 by X].", {"Fixpoint", "Track", "LastFacts", "Derive"}),
        ("q(X) :- p(X) in [3 step 2].", {"Fixpoint", "Track"}),
        ("q(N) :- N = #count{X : p(X) in [2]}.", {"Fixpoint", "Track", "Derive", "Fold"}),
    ],
)
def test_a_plan_has_the_operations_that_it_needs(program: str, used: set[str]) -> None:
    assert kernels(lay_out(plan_of(program))) == used


def test_fields_of_a_record_lie_one_after_the_other() -> None:
    arena = lay_out(plan_of("q(X,Y) :- p(X,Y) in [2], not p(Y,X) in [2]."))
    d, words = descriptor(arena, "p in 2"), arena.memory
    assert [int(words[d + at]) for at in (memory.ARITY, memory.AT_H, memory.AT_S, memory.AT_D)] == [2, 2, 3, 4]
    assert int(words[d + memory.AT_NEXT]) == 5  # a guaranteed row has no count
    assert int(words[d + memory.STRIDE]) == 5 + int(words[d + memory.INDICES])
    assert int(words[d + memory.KIND]) == memory.TRACKED


def test_a_group_keeps_words_and_says_which_of_them_are_codes() -> None:
    arena = lay_out(plan_of("q(N) :- N = #max{X : p(X) in [2]}."))
    (groups,) = (relation for relation in arena.relations if relation.name.startswith("groups of"))
    d, words = descriptor(arena, groups.name), arena.memory
    assert int(words[d + memory.STRIDE] - words[d + memory.AT_MORE]) == fold.FIRST_FEW + leaders.LEADERS
    assert int(words[d + memory.MORE_CODES]) == 1 << fold.VALUE | (2**leaders.ROOM - 1) << fold.FIRST_FEW + leaders.RING
    assert int(words[d + memory.MORE_BLOCK]) == fold.FIRST_FEW + leaders.BLOCK + 1
    assert int(words[d + memory.CODES_IN_BLOCK]) == fold.FIRST_FEW + leaders.SIZE + 1


def test_a_group_of_a_sum_says_which_word_is_its_block() -> None:
    arena = lay_out(plan_of("q(N) :- N = #sum{X : p(X) in [2]}."))
    (groups,) = (relation for relation in arena.relations if relation.name.startswith("groups of"))
    d = descriptor(arena, groups.name)
    assert int(arena.memory[d + memory.MORE_CODES]) == 1 << fold.VALUE
    assert int(arena.memory[d + memory.MORE_BLOCK]) == fold.SUMS + sums.LIMBS_AT + accumulator.BLOCK + 1


def test_only_the_output_needs_the_changes_of_a_plain_head() -> None:
    arena = lay_out(plan_of("q(X) :- p(X) in [2]."))
    d = descriptor(arena, "q")
    assert int(arena.memory[d + memory.KIND]) == memory.TRACKED
    assert int(arena.memory[d + memory.REPORTED]) == memory.FIRST_REPORTED
    annotated = lay_out(plan_of("q(X) :- p(X) in [2]."), annotated=True)
    assert int(annotated.memory[descriptor(annotated, "q") + memory.KIND]) == memory.LIGHT


@dataclass(frozen=True)
class Unheard:
    """A node without an operator."""


def test_a_node_without_an_operator_is_an_error() -> None:
    plan = replace(plan_of("q(X) :- p(X) in [2]."), stages=(Unheard(),))  # type: ignore[arg-type]
    with pytest.raises(AssertionError, match="no operator for Unheard"):
        lay_out(plan)
