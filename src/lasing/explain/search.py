"""Find out what is derived, from the goal backwards: only what the goal needs is looked at.

A `Question` asks for the rows of a derived predicate that have some known values. Predicates that depend on each other
share a round of work: a question about one of them is answered again whenever a question that it asked has new rows,
until nothing is new. Everything below them is complete before it is used, as negation and aggregates need.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from lasing.errors import fault
from lasing.explain.bindings import Binding
from lasing.explain.evidence import Args, Evidence, Positions
from lasing.explain.premises import Premise
from lasing.explain.solving import Row, Solving
from lasing.limits import Watch
from lasing.logic.dependencies import stratify
from lasing.logic.formulas import At, Head, head_atom
from lasing.logic.program import Rule
from lasing.logic.terms import NOW, Arithmetic, Term, Variable, evaluate
from lasing.logic.values import Undefined, Value
from lasing.timeline.intervals import Interval

MOST_INSTANCES = 50
"""How many derivations of one atom are kept."""


@dataclass(frozen=True, slots=True)
class Instance:
    """A rule whose body holds for these values of its variables, and why each literal holds."""

    rule: Rule
    binding: Binding
    premises: tuple[Premise, ...]
    head: int = 0
    """Which head it derives, of a choice or a disjunction."""
    also: tuple[tuple[str, Args, int], ...] = ()
    """Derived atoms that it needs although no premise is one of them, as double negation does."""


@dataclass(frozen=True, slots=True)
class Question:
    """Which rows of a derived predicate have these values at these positions, at this time point or at any?"""

    predicate: str
    positions: Positions
    values: Args
    time: int | None


@dataclass(slots=True)
class Answers:
    """The rows found for a question, each with its derivations; `asked_by` must look again when there are new ones."""

    rows: dict[Row, list[Instance]] = field(default_factory=dict)
    asked_by: dict[Question, None] = field(default_factory=dict)
    is_complete: bool = False


@dataclass(slots=True)
class _Round:
    """Work on the questions about one component of mutually dependent predicates."""

    level: int
    waiting: dict[Question, None] = field(default_factory=dict)
    known: set[Question] = field(default_factory=set)
    current: Question | None = None


class Search(Solving):
    """What is derived at one time point, as far as questions ask for it."""

    def __init__(self, evidence: Evidence, watch: Watch | None = None) -> None:
        super().__init__(evidence, watch)
        self.answers: dict[Question, Answers] = {}
        self._rounds: list[_Round] = []
        self._rules: dict[str, list[Rule]] = {}
        self._timed: set[str] = set()
        for rule in evidence.program.rules:
            for head in rule.heads:
                predicate = head_atom(head).predicate
                self._rules.setdefault(predicate, []).append(rule)
                if isinstance(head, At):
                    self._timed.add(predicate)
        self._components = stratify(evidence.program).components
        self._level = {predicate: i for i, component in enumerate(self._components) for predicate in component}

    def is_derived(self, predicate: str) -> bool:
        return predicate in self._rules

    def rules_for(self, predicate: str) -> list[Rule]:
        return self._rules.get(predicate, [])

    def derived(self, predicate: str, positions: Positions, values: Args, span: Interval) -> Iterable[Row]:
        if predicate not in self._rules or (predicate not in self._timed and self.evidence.now not in span):
            return ()
        is_point = span.lo == span.hi and predicate in self._timed
        rows = self.rows_of(Question(predicate, positions, values, span.lo if is_point else None))
        return [row for row in rows if row[0] in span]

    def last_derived(self) -> int:
        highest = self._rounds[-1].level if self._rounds else len(self._components)
        below = sorted(predicate for predicate in self._timed if self._level[predicate] <= highest)
        rows = [row for predicate in below for row in self.rows_of(Question(predicate, (), (), None))]
        return max([self.evidence.now, *(time for time, _ in rows)])

    def rows_of(self, question: Question) -> Iterable[Row]:
        """The rows that answer a question; inside a round, those that are known so far."""
        known = self.answers.get(question)
        if known is None:
            known = self.answers[question] = Answers()
        if known.is_complete:
            return known.rows
        round_ = self._rounds[-1] if self._rounds else None
        if round_ is not None and self._level[question.predicate] == round_.level:
            if question not in round_.known:
                round_.known.add(question)
                round_.waiting[question] = None
            if round_.current is not None:
                known.asked_by[round_.current] = None
        else:
            self._complete(question)
        return known.rows

    def _complete(self, question: Question) -> None:
        """Answer a question, and all that it asks about the same component."""
        round_ = _Round(self._level[question.predicate])
        round_.known.add(question)
        round_.waiting[question] = None
        self._rounds.append(round_)
        try:
            while round_.waiting:
                round_.current, _ = round_.waiting.popitem()  # the newest first: the others wait for what it finds
                if self._look(round_.current):
                    round_.waiting.update(self.answers[round_.current].asked_by)
        finally:
            self._rounds.pop()
        for each in round_.known:
            self.answers[each].is_complete = True

    def _look(self, question: Question) -> bool:
        """Apply the rules for a question once. Returns whether there are new rows."""
        answers, evidence = self.answers[question], self.evidence
        before = len(answers.rows)
        for rule in self._rules[question.predicate]:
            if not rule.definite:
                raise fault("E302", "this rule leaves a choice, so what it derives has no single reason", rule.place())
            binding = from_head(rule, question, evidence.now)
            if binding is None:
                continue
            for found, premises in self.instances(self.whole, evidence.now, rule.body, binding):
                row = head_row(rule.heads[0], found, evidence)
                if row is not None and _answers(row, question):
                    instances = answers.rows.setdefault(row, [])
                    if len(instances) < MOST_INSTANCES and all(
                        one.rule is not rule or one.binding != found for one in instances
                    ):
                        instances.append(Instance(rule, found, premises))
        return len(answers.rows) > before


def from_head(rule: Rule, question: Question, now: int, number: int = 0) -> Binding | None:
    """The variables of a rule that a question determines; None if this head of it cannot be an answer."""
    head = rule.heads[number]
    atom = head_atom(head)
    wanted: list[tuple[Term, Value]] = [
        (atom.args[i], value) for i, value in zip(question.positions, question.values, strict=True)
    ]
    if question.time is not None:
        wanted.append((head.time if isinstance(head, At) else now, question.time))
    binding: Binding = {NOW: now}
    for term, value in wanted:
        match term:
            case Variable():
                if binding.setdefault(term, value) != value:
                    return None
            case Arithmetic():
                continue  # compared when its variables are known
            case _:
                if term != value:
                    return None
    return binding


def head_row(head: Head, binding: Binding, evidence: Evidence) -> Row | None:
    """The row that a head is; None if it has no value or lies before the start."""
    try:
        time = evaluate(head.time, binding) if isinstance(head, At) else evidence.now
        args = tuple([evaluate(term, binding) for term in head_atom(head).args])
    except Undefined:
        return None
    return (time, args) if type(time) is int and time >= evidence.start else None


def _answers(row: Row, question: Question) -> bool:
    time, args = row
    return question.time in (None, time) and all(
        args[i] == value for i, value in zip(question.positions, question.values, strict=True)
    )
