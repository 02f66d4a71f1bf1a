"""The answer streams of any program, by Definition 9 of the LARS paper word for word: minimal models of the reduct.

It tries all sets of derivable atoms. That is the definition, and works for a dozen atoms: enough to test other engines.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, combinations

from lasing.engines.reference.engine import ReferenceEngine
from lasing.engines.reference.entailment import instances
from lasing.engines.reference.stream import NOTHING, Args, Derived, Facts, Stream
from lasing.engines.reference.structure import Binding, Structure, background_of
from lasing.errors import fault
from lasing.limits import Watch
from lasing.logic.answers import Answer
from lasing.logic.examples import Example
from lasing.logic.formulas import At, Atom, Formula, head_atom
from lasing.logic.program import Fact, Program, Rule
from lasing.logic.runs import Run
from lasing.logic.splitting import decided
from lasing.logic.terms import Variable, evaluate
from lasing.logic.values import Undefined, Value
from lasing.timeline.intervals import Interval

MOST_ATOMS = 14
"""How many atoms may be derivable at a time point: each one doubles the number of sets."""


@dataclass(frozen=True, slots=True)
class Derivable:
    """An atom that rules can derive, and its time."""

    time: int
    predicate: str
    args: Args


@dataclass(frozen=True, slots=True)
class Instance:
    """A ground rule whose body holds in some interpretation: its heads, or what it costs."""

    rule: int
    binding: frozenset[tuple[Variable, Value]]
    heads: frozenset[Derivable]
    choice: bool
    cost: tuple[int, int, tuple[Value, ...]] | None


Interpretation = frozenset[Derivable]
"""What an interpretation stream has in addition to the data."""


class DefinitionEngine:
    """Tries all interpretation streams at each time point.

    `dropped_heads` counts derivable atoms that lay before the start, `failures` the instances that had no value,
    and `examples` has one of these for each rule and reason.
    """

    def __init__(self, program: Program, start: int, limit: int = 0, watch: Watch | None = None) -> None:
        self._watch = watch
        self.dropped_heads = 0
        self.failures: Counter[tuple[int, str]] = Counter()
        self.examples: dict[tuple[int, str], Example] = {}
        self._program = program
        self._limit = limit
        self._output = program.output()
        self._background = background_of(program.all_background())
        self._timeline = Interval(start, None)
        self._data = Facts()
        self._orders: dict[object, tuple[Formula, ...]] = {}
        self._last = start - 1
        # All answers agree on what derived streams remember, so the rules below every choice are enough to derive it.
        self._decided = ReferenceEngine(decided(program), start, watch) if program.streams else None

    def advance(self, time: int, atoms: Iterable[Atom]) -> Iterator[Answer]:
        """The answers at all time points up to this one, given its new data."""
        for idle in range(self._last + 1, time):
            yield self._answer_and_remember(idle, ())
        new = list(atoms)
        for atom in new:
            self._data.add(Fact(time, atom))
        self._last = time
        yield self._answer_and_remember(time, new)

    def _answer_and_remember(self, now: int, atoms: Iterable[Atom]) -> Answer:
        answer = self._answer(now)
        if self._decided is not None:
            self._decided.step(now, atoms)
        return answer

    def recall(self, time: int, facts: Iterable[Fact], runs: Iterable[Run] = ()) -> Answer:
        """Add past data, and what derived streams remember, and return what holds at a time point, without evaluating
        earlier ones."""
        past = list(facts)
        for at, atom in past:
            self._data.add(Fact(at, atom))
        self._last = time
        if self._decided is not None:
            self._decided.recall(time, past, runs)
        return self._answer(time)

    def remembered(self) -> Iterable[Run]:
        """What derived streams remember."""
        return () if self._decided is None else self._decided.remembered()

    def _answer(self, now: int) -> Answer:
        given = {Atom(p, args) for p in self._output for args in self._data.at(now, p)}
        found = set()
        for model in self.answer_streams(now):
            shown = (a for a in model if a.time == now and a.predicate in self._output)
            found.add(frozenset(given | {Atom(a.predicate, a.args) for a in shown}))
        models = sorted(found, key=lambda model: sorted(map(str, model)))
        return Answer(now, tuple(models[: self._limit or None]))

    def answer_streams(self, now: int) -> list[Interpretation]:
        """The answer streams at a time point, those of least cost."""
        holding = self._all_interpretations(now)
        found = [candidate for candidate in holding if _is_answer(candidate, holding)]
        levels = sorted({i.cost[0] for rows in holding.values() for i in rows if i.cost is not None}, reverse=True)
        costs = [(_cost(holding[candidate], levels), candidate) for candidate in found]
        least = min((cost for cost, _ in costs), default=[])
        return [candidate for cost, candidate in costs if cost == least]

    def _all_interpretations(self, now: int) -> dict[Interpretation, frozenset[Instance]]:
        """Every set of derivable atoms, and the instances whose bodies hold in it.

        An atom is derivable if a rule derives it in some interpretation of derivable atoms. Answers have no others.
        """
        holding: dict[Interpretation, frozenset[Instance]] = {}
        derivable: Interpretation = frozenset()
        failures: dict[tuple[int, frozenset[tuple[Variable, Value]]], str] = {}
        dropped: set[Derivable] = set()
        while True:
            if len(derivable) > MOST_ATOMS:
                raise fault(
                    "E311",
                    f"more than {MOST_ATOMS} atoms are derivable at time point {now}, "
                    "and the reference engine tries all sets of them",
                    note="use the engine auto",
                )
            for chosen in chain.from_iterable(combinations(derivable, n) for n in range(len(derivable) + 1)):
                if frozenset(chosen) not in holding:
                    holding[frozenset(chosen)] = self._instances(frozenset(chosen), now, failures, dropped)
            found = frozenset(head for rows in holding.values() for row in rows for head in row.heads)
            if found == derivable:
                break
            derivable = found
        self.dropped_heads += len(dropped)
        for (rule, _), reason in failures.items():
            self.failures[rule, reason] += 1
        return holding

    def _instances(
        self,
        interpretation: Interpretation,
        now: int,
        failures: dict[tuple[int, frozenset[tuple[Variable, Value]]], str],
        dropped: set[Derivable],
    ) -> frozenset[Instance]:
        derived = Derived()
        for atom in interpretation:
            derived.add(atom.time, atom.predicate, atom.args)
        remembered = NOTHING if self._decided is None else self._decided.remembered_before(now)
        stream = Stream(self._timeline, self._data, derived, remembered=remembered)
        m = Structure(stream, self._background, now, self._orders, watch=self._watch)
        found = set()
        for index, rule in enumerate(self._program.rules):
            m.rule = index
            for binding in instances(m, m.stream, now, rule.body, {}):
                try:
                    if instance := self._instance(index, rule, binding, now, dropped):
                        found.add(instance)
                except Undefined as reason:
                    m.note_failure(reason, binding)
        failures.update(m.failures)
        self.examples = m.examples | self.examples
        return frozenset(found)

    def _instance(self, index: int, rule: Rule, binding: Binding, now: int, dropped: set[Derivable]) -> Instance | None:
        """A ground rule; None if its head adds nothing new."""
        heads = []
        for head in rule.heads:
            time = evaluate(head.time, binding) if isinstance(head, At) else now
            if not isinstance(time, int):
                raise Undefined("a head time that is not an integer")
            atom = head_atom(head)
            heads.append(Derivable(time, atom.predicate, tuple(evaluate(term, binding) for term in atom.args)))
        cost = None
        if rule.penalty is not None:
            weight, level, *terms = (evaluate(term, binding) for term in rule.penalty.all_terms())
            if not isinstance(weight, int) or not isinstance(level, int):
                raise Undefined("a cost that is not an integer")
            cost = level, weight, tuple(terms)
        if not rule.choice and any(self._is_given(head, now, rule.definite) for head in heads):
            return None
        kept = [head for head in heads if head.time >= self._timeline.lo]
        dropped.update(head for head in heads if head.time < self._timeline.lo)
        if rule.choice:
            kept = [head for head in kept if not self._is_given(head, now, False)]
        if heads and not kept:
            return None
        return Instance(index, frozenset(binding.items()), frozenset(kept), rule.choice, cost)

    def _is_given(self, head: Derivable, now: int, derived_anyway: bool) -> bool:
        """Whether an atom is data, or background, which holds from the start up to now.

        A rule without a choice derives its head even if it is background, as in programs with one answer.
        """
        if head.args in self._background.get(head.predicate, ()) and not derived_anyway:
            return self._timeline.lo <= head.time <= now
        return head.args in self._data.at(head.time, head.predicate)


def _is_answer(candidate: Interpretation, holding: dict[Interpretation, frozenset[Instance]]) -> bool:
    """Whether a set of atoms is a minimal model of its reduct: the rules whose bodies hold in it."""
    reduct = [(i, _demanded(i, candidate)) for i in holding[candidate] if i.cost is None]
    if not _is_model(candidate, holding[candidate], reduct):
        return False
    subsets = chain.from_iterable(combinations(candidate, n) for n in range(len(candidate)))
    return not any(_is_model(frozenset(s), holding[frozenset(s)], reduct) for s in subsets)


def _demanded(instance: Instance, candidate: Interpretation) -> list[frozenset[Derivable]]:
    """Sets of atoms; if the body holds, one atom of each must hold: for a choice, all that are chosen."""
    if instance.choice:
        return [frozenset((head,)) for head in instance.heads & candidate]
    return [instance.heads]


def _is_model(
    interpretation: Interpretation,
    holding: frozenset[Instance],
    rules: Iterable[tuple[Instance, list[frozenset[Derivable]]]],
) -> bool:
    return all(interpretation & heads for rule, demanded in rules if rule in holding for heads in demanded)


def _cost(holding: frozenset[Instance], levels: Iterable[int]) -> list[int]:
    """The cost of an interpretation at each level; each tuple costs once."""
    costs = {instance.cost for instance in holding if instance.cost is not None}
    return [sum(weight for at, weight, _ in costs if at == level) for level in levels]
