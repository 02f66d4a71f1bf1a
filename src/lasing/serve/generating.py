"""A random stream for a program: the facts that it reads, with values that its rules can tell apart.

The values of an argument come from the stream that is there already, if it has some. Otherwise they come from the
program: constants in the place of that argument, background that joins with it, and numbers around those with which
its variable is compared. The same seed gives the same stream.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping

from lasing.logic.facts import facts_of
from lasing.logic.formulas import Atom, Compare, Formula
from lasing.logic.program import Fact, Program, body_nodes
from lasing.logic.terms import Arithmetic, Variable
from lasing.logic.values import Value
from lasing.serve.describing import described

_NAMES = ("a", "b", "c")
_PERSISTENCE = 0.8
"""How likely a number stays near the one before it: readings drift more often than they jump."""
MOST_FACTS = 20_000

Place = tuple[str, int]
"""An argument of a predicate."""


def generated(program: Program, known: Iterable[Fact], points: int, rate: float, seed: int, first: int = 0) -> str:
    """A stream as text: `points` time points with about `rate` facts each."""
    choose = random.Random(seed)  # the same again, so no secret
    arity = facts_of(program).arity_with_data
    wanted = [str(one["name"]) for one in described(program)["predicates"] if one["kind"] == "data"]
    values = _values(program, known)
    near: dict[tuple[Value, ...], float] = {}
    lines: list[str] = []
    for time in range(first, first + points):
        found = dict.fromkeys(_facts(wanted, arity, values, near, _number(choose, rate), choose))
        lines += [str(Fact(time, atom)) for atom in found]
        if len(lines) >= MOST_FACTS:
            break
    return "\n".join(lines) + "\n"


def _number(choose: random.Random, rate: float) -> int:
    """How many facts come at a time point: the rate, rounded up or down so that its mean is right."""
    whole = int(rate)
    return whole + (choose.random() < rate - whole)


def _facts(
    wanted: list[str],
    arity: Mapping[str, int],
    values: dict[Place, list[Value]],
    near: dict[tuple[Value, ...], float],
    number: int,
    choose: random.Random,
) -> Iterator[Atom]:
    for _ in range(number if wanted else 0):
        predicate = choose.choice(wanted)
        args: list[Value] = []
        for position in range(arity[predicate]):
            args.append(_value(values.get((predicate, position), list(_NAMES)), (predicate, *args), near, choose))
        yield Atom(predicate, tuple(args))


def _value(
    known: list[Value], before: tuple[Value, ...], near: dict[tuple[Value, ...], float], choose: random.Random
) -> Value:
    numbers = [one for one in known if isinstance(one, int | float) and not isinstance(one, bool)]
    if len(numbers) < len(known) or not numbers:
        return choose.choice(known)
    low, high = min(numbers), max(numbers)
    span = high - low or 10
    if before in near and choose.random() < _PERSISTENCE:
        drawn = near[before] + choose.gauss(0, span / 10)
    else:
        drawn = choose.uniform(low - span / 4, high + span / 4)
    if low >= 0:
        drawn = max(0.0, drawn)
    near[before] = drawn
    return round(drawn) if all(isinstance(one, int) for one in numbers) else round(drawn, 1)


def _values(program: Program, known: Iterable[Fact]) -> dict[Place, list[Value]]:
    """The values that an argument can have: those that it has already, or else those of what it is joined with."""
    found: dict[Place, dict[Value, None]] = defaultdict(dict)
    for fact in (*program.data, *known):
        for position, value in enumerate(fact.atom.values):
            found[fact.atom.predicate, position][value] = None
    joined = _Joined()
    guessed: dict[Place, dict[Value, None]] = defaultdict(dict)
    for atom in program.all_background():
        for position, value in enumerate(atom.values):
            guessed[atom.predicate, position][value] = None
    for rule, nodes in body_nodes(program):
        places: dict[Variable, Place] = {}
        for atom in (*rule.head_atoms(), *(node for node in nodes if isinstance(node, Atom))):
            for position, term in enumerate(atom.args):
                place = atom.predicate, position
                if isinstance(term, Variable) and not term.anonymous:
                    joined.join(place, places.setdefault(term, place))
                elif not isinstance(term, Variable | Arithmetic):
                    guessed[place][term] = None
        for variable, limit in _compared(nodes):
            if variable in places:
                guessed[places[variable]].update(dict.fromkeys(_around(limit)))
    together: dict[Place, dict[Value, None]] = defaultdict(dict)
    for place, values in guessed.items():
        together[joined.first(place)].update(values)
    wanted = ((name, i) for name, arity in facts_of(program).arity_with_data.items() for i in range(arity))
    chosen = {place: found.get(place) or together.get(joined.first(place)) for place in wanted}
    return {place: list(values) for place, values in chosen.items() if values}


class _Joined:
    """Arguments that share a variable in some rule, directly or through others: they have the same kind of values."""

    def __init__(self) -> None:
        self._next: dict[Place, Place] = {}

    def first(self, place: Place) -> Place:
        """The argument that stands for all that this one is joined with."""
        while place in self._next:
            place = self._next[place]
        return place

    def join(self, one: Place, other: Place) -> None:
        one, other = self.first(one), self.first(other)
        if one != other:
            self._next[one] = other


def _compared(nodes: Iterable[Formula]) -> Iterator[tuple[Variable, int | float]]:
    """The variables of a rule that are compared with numbers."""
    for node in nodes:
        if isinstance(node, Compare):
            for variable, limit in ((node.left, node.right), (node.right, node.left)):
                if isinstance(variable, Variable) and isinstance(limit, int | float):
                    yield variable, limit


def _around(limit: int | float) -> tuple[Value, ...]:
    """Numbers on both sides of a limit."""
    step = max(1, abs(limit) // 3) if isinstance(limit, int) else max(1.0, abs(limit) / 3)
    return limit - step, limit + step
