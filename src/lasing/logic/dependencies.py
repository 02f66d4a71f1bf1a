"""Which predicate depends on which, and how; components, strata, and the cycles that rule strata out."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import permutations
from typing import Literal, assert_never

from lasing.logic.facts import facts_of
from lasing.logic.formulas import (
    Aggregate,
    Always,
    And,
    At,
    Atom,
    Compare,
    Formula,
    Implies,
    IntervalWindow,
    Not,
    Or,
    PartitionWindow,
    Select,
    Sometime,
    TimeWindow,
    TupleWindow,
    Window,
)
from lasing.logic.program import Program, Rule, per_program

_FEW_HEADS = 8

Sign = Literal["positive", "not", "aggregate"]


@dataclass(frozen=True, slots=True)
class Dependency:
    """The rule derives `head` from `body`. Unless the sign is positive, `body` must be complete first."""

    head: str
    body: str
    sign: Sign
    rule: Rule
    atom: Atom


@dataclass(frozen=True, slots=True)
class Strata:
    """The derived predicates, in an order in which they can be evaluated.

    `components` are the sets of mutually recursive predicates, each after those that it depends on; `level` counts
    the negations on the way; `cycles` are the ways in which a predicate depends on its own absence.
    """

    components: tuple[frozenset[str], ...]
    recursive: frozenset[str]
    level: dict[str, int]
    cycles: tuple[tuple[Dependency, ...], ...]


def signed_atoms(formula: Formula) -> Iterator[tuple[Atom, Sign]]:
    """The atoms of a body formula with their sign: an even number of negations counts as none.

    Two negations cancel because ¬ in LARS is classical (Definition 7) and answer streams are minimal models of the
    reduct by satisfied bodies (Definition 9).
    """
    return ((atom, sign) for atom, sign, _ in _read(formula, False, 0, None))


def present_atoms(formula: Formula, remembered: frozenset[str]) -> Iterator[tuple[Atom, Sign]]:
    """The same, without the atoms of derived streams that are looked up only in the past.

    What was remembered before this time point does not depend on what holds now.
    """
    for atom, sign, latest in _read(formula, False, 0, None):
        if atom.predicate not in remembered or latest is None or latest >= 0:
            yield atom, sign


def _read(
    formula: Formula, negative: bool, here: int | None, reach: int | None
) -> Iterator[tuple[Atom, Sign, int | None]]:
    """The atoms with their sign, and the latest time point, counted from now, at which each is looked up.

    `here` is the latest reference time point, `reach` the latest one of the timeline; None: any.
    """
    match formula:
        case Atom():
            yield formula, "not" if negative else "positive", _earlier(here, reach)
        case Aggregate() | Select():
            for part in formula.condition:
                for atom, _, latest in _read(part, False, here, reach):
                    yield atom, "aggregate", latest
        case Compare():
            return
        case Not(body):
            yield from _read(body, not negative, here, reach)
        case Implies(left, right):
            yield from _read(left, not negative, here, reach)
            yield from _read(right, negative, here, reach)
        case And(parts) | Or(parts):
            for part in parts:
                yield from _read(part, negative, here, reach)
        case At(_, body) | Sometime(body) | Always(body):
            yield from _read(body, negative, reach, reach)
        case Window(function, body, full):
            around = None if full else reach
            match function:
                case TimeWindow(_, ahead, _):
                    end = None if here is None else here + ahead
                    yield from _read(body, negative, here, _earlier(end, around))
                case TupleWindow() | PartitionWindow() | IntervalWindow():
                    yield from _read(body, negative, here, around)
                case _:
                    assert_never(function)
        case _:
            assert_never(formula)


def _earlier(one: int | None, other: int | None) -> int | None:
    if one is None or other is None:
        return other if one is None else one
    return min(one, other)


def dependencies(program: Program) -> Iterator[Dependency]:
    """All dependencies between derived predicates at one time point; the alternatives of a disjunction depend on one
    another."""
    derived, remembered = facts_of(program).derived, program.remembered()
    for rule in program.rules:
        if len(rule.heads) > 1 and not rule.choice:
            for head, other in _one_another(list(rule.head_atoms())):
                yield Dependency(head.predicate, other.predicate, "positive", rule, other)
        for literal in rule.body:
            for atom, sign in present_atoms(literal, remembered):
                if atom.predicate in derived:
                    for head in rule.head_atoms():
                        yield Dependency(head.predicate, atom.predicate, sign, rule, atom)


def _one_another(heads: list[Atom]) -> Iterator[tuple[Atom, Atom]]:
    """Pairs that make each head depend on every other one; if there are very many heads, in a circle."""
    return permutations(heads, 2) if len(heads) <= _FEW_HEADS else zip(heads, [*heads[1:], heads[0]], strict=True)


@per_program
def stratify(program: Program) -> Strata:
    """Components, levels and negative cycles of a program."""
    edges: dict[str, list[Dependency]] = {p: [] for p in dict.fromkeys(_heads(program))}
    for edge in dependencies(program):
        edges[edge.head].append(edge)
    components = _components(edges)
    level: dict[str, int] = {}
    cycles: dict[frozenset[str], tuple[Dependency, ...]] = {}
    recursive: set[str] = set()
    written = {predicate: i for i, predicate in enumerate(edges)}
    for component in components:
        height, loops = 0, False
        for edge in (e for p in sorted(component, key=written.__getitem__) for e in edges[p]):
            if edge.body in component:
                loops = True
                if edge.sign != "positive" and component not in cycles:
                    cycles[component] = (edge, *_path(edges, edge.body, edge.head, component))
            else:
                height = max(height, level[edge.body] + (edge.sign != "positive"))
        recursive |= component if loops else frozenset()
        level.update(dict.fromkeys(component, height))
    return Strata(tuple(components), frozenset(recursive), level, tuple(cycles.values()))


def _heads(program: Program) -> Iterator[str]:
    return (atom.predicate for rule in program.rules for atom in rule.head_atoms())


def _components(edges: dict[str, list[Dependency]]) -> list[frozenset[str]]:
    """Strongly connected components, each after those it depends on (Tarjan's algorithm, without recursion)."""
    order: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    on_stack: set[str] = set()
    result: list[frozenset[str]] = []
    for root in edges:
        if root in order:
            continue
        work = [(root, iter(edges[root]))]
        order[root] = low[root] = len(order)
        stack.append(root)
        on_stack.add(root)
        while work:
            node, rest = work[-1]
            for edge in rest:
                if edge.body not in order:
                    order[edge.body] = low[edge.body] = len(order)
                    stack.append(edge.body)
                    on_stack.add(edge.body)
                    work.append((edge.body, iter(edges[edge.body])))
                    break
                if edge.body in on_stack:
                    low[node] = min(low[node], order[edge.body])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == order[node]:
                    members = set()
                    while node not in members:
                        members.add(stack.pop())
                    on_stack -= members
                    result.append(frozenset(members))
    return result


def _path(
    edges: dict[str, list[Dependency]], start: str, goal: str, component: frozenset[str]
) -> tuple[Dependency, ...]:
    """The shortest chain of dependencies from `start` to `goal` inside a component; empty if they are the same."""
    arrived: dict[str, tuple[Dependency, ...]] = {start: ()}
    queue = deque([start])
    while goal not in arrived:
        node = queue.popleft()
        for edge in edges[node]:
            if edge.body in component and edge.body not in arrived:
                arrived[edge.body] = (*arrived[node], edge)
                queue.append(edge.body)
    return arrived[goal]
