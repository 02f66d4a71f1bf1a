"""An explanation as a tree of text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import assert_never

from lasing.explain.bindings import Binding, given
from lasing.explain.explanation import Explanation, Key, Step
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
from lasing.explain.why_not import Attempt, Hint, Near, WhyNot
from lasing.explain.words import Words, words_of
from lasing.logic.formulas import Atom, Not
from lasing.logic.printer import formula_text
from lasing.logic.program import Program, Rule
from lasing.logic.terms import NOW
from lasing.logic.values import Value, value_text
from lasing.timeline.intervals import Interval

_MOST_MEMBERS = 8
"""How many tuples in braces are shown."""


@dataclass(slots=True)
class Branch:
    """A line, the details that belong to it, and the branches below it."""

    line: str
    details: list[str] = field(default_factory=list)
    below: list[Branch] = field(default_factory=list)


def tree(explanation: Explanation, depth: int | None = None) -> str:
    """An explanation as a tree; derivations deeper than `depth` are left out, and counted."""
    return "\n".join(lines_of(branch_of(explanation, depth)))


def branch_of(explanation: Explanation, depth: int | None = None) -> Branch:
    """The same as branches, for other ways to show it."""
    steps = {step.key: step for step in explanation.steps}
    return _Telling(explanation.program, explanation.now, steps, depth).found(explanation.found, 0)


def lines_of(branch: Branch, first: str = "", rest: str = "") -> Iterator[str]:
    """A branch as lines, with the lines of a tree in front."""
    yield first + branch.line
    for detail in branch.details:
        yield f"{rest}{'│  ' if branch.below else '   '}{detail}"
    for i, below in enumerate(branch.below):
        last = i == len(branch.below) - 1
        yield from lines_of(below, rest + ("└─ " if last else "├─ "), rest + ("   " if last else "│  "))


class _Telling:
    """Puts an explanation into words. A derivation that is used again is only named."""

    def __init__(self, program: Program, now: int, steps: Mapping[Key, Step], depth: int | None) -> None:
        self._program, self._now, self._steps, self._depth = program, now, steps, depth
        self._words: Words = words_of(program)
        self._shown: set[Key] = set()

    def found(self, found: Found, depth: int) -> Branch:
        when = f"{found.atom} at {self._time(found.time)}"
        if found.origin != "derived":
            return Branch(f"{self._named(found)} {self._origin(found)}")
        said = self._words.about(found.atom)
        line = f"{when}: {said}" if said else when
        key = found.atom.predicate, found.atom.values, found.time
        if key in self._shown:
            return Branch(f"{line} (see above)")
        if self._depth is not None and depth >= self._depth:
            return Branch(f"{line} (derived)")
        self._shown.add(key)
        step = self._steps[key]
        return Branch(line, [rule_text(step)], self._premises(step.premises, depth + 1))

    def _premises(self, premises: Iterable[Premise], depth: int) -> list[Branch]:
        return [branch for premise in premises for branch in self.premise(premise, depth)]

    def premise(self, premise: Premise, depth: int) -> list[Branch]:
        match premise:
            case Found():
                return [self.found(premise, depth)]
            case Compared():
                return [Branch(_compared(premise))]
            case Absent(body, span):
                return [Branch(f"no {formula_text(body)}{self._looked(span, premise)}")]
            case All(parts):
                return self._premises(parts, depth)
            case Throughout(body, span, each):
                line = f"{formula_text(body)} at every time point {self._span(span)}"
                if all(isinstance(part, Found) and part.origin != "derived" for part in each):
                    origins = {part.origin for part in each if isinstance(part, Found)}
                    return [Branch(f"{line} ({', '.join(sorted(origins))})")]
                return [Branch(line, below=self._premises(each, depth))]
            case Collected(formula, value, members):
                line = f"{formula_text(formula)}: the value is {value_text(value)}"
                return [Branch(f"{line}, of {_counted(len(members), 'tuple')}", below=self._members(members, depth))]
            case Chosen(formula, member, beaten, number):
                line = f"{formula_text(formula)}: {_tuple(member.values)}, of {_counted(number, 'tuple')}"
                if beaten:
                    line += f", ahead of {', '.join(map(_tuple, beaten))}"
                return [Branch(line, below=self._premises(member.premises, depth))]
            case _:
                assert_never(premise)

    def _members(self, members: Sequence[Member], depth: int) -> list[Branch]:
        shown = [Branch(_tuple(m.values), below=self._premises(m.premises, depth)) for m in members[:_MOST_MEMBERS]]
        if len(members) > _MOST_MEMBERS:
            shown.append(Branch(f"… and {len(members) - _MOST_MEMBERS:,} more"))
        return shown

    def _named(self, found: Found) -> str:
        return str(found.atom) if found.origin == "background" else f"{found.atom} at {self._time(found.time)}"

    def _origin(self, found: Found) -> str:
        match found.origin:
            case "background":
                return "(background)"
            case "remembered":
                return f"(remembered: it was in the answer at {self._time(found.time)}{self._leaves(found.leaving)})"
            case _:
                return f"(data{self._leaves(found.leaving)})"

    def _leaves(self, leaving: Leaving) -> str:
        if leaving.facts is not None:
            return f"; leaves the window after {_counted(leaving.facts, 'more fact')}"
        if leaving.time is None or leaving.time <= self._now + 1:
            return ""
        return f"; in the window until {self._time(leaving.time - 1)}"

    def _looked(self, span: Interval, absent: Absent) -> str:
        if isinstance(absent.body, Atom):
            return f" at {self._time(span.lo)}"
        return f" (looked {self._span(span)})" if span else " (the window is empty)"

    def _span(self, span: Interval) -> str:
        if span.hi is None:
            return f"from {self._time(span.lo)} on"
        return f"from {self._time(span.lo)} to {self._time(span.hi)}"

    def _time(self, time: int) -> str:
        return self._program.time_text(time)


def rule_text(step: Step) -> str:
    """The rule of a step, with the values of its variables, and its place."""
    return described(step.rule, step.binding)


def described(rule: Rule, binding: Binding) -> str:
    """A rule on one line, with the values of its variables, and its place."""
    values = ", ".join(
        f"{variable} = {value_text(value)}"
        for variable, value in binding.items()
        if variable != NOW and not variable.anonymous
    )
    place = rule.place()
    where = f"  [{place}]" if place is not None else ""
    return f"by {rule}{where}" + (f"  with {values}" if values else "")


def _compared(premise: Compared) -> str:
    formula = premise.formula
    written = formula_text(formula)
    computed = f"{value_text(premise.left)} {formula.operator} {value_text(premise.right)}"
    return written if written == computed else f"{written}: {computed}"


def _tuple(values: Sequence[Value]) -> str:
    text = ",".join(map(value_text, values))
    return text if len(values) == 1 else f"({text})"


def _counted(number: int, thing: str) -> str:
    return f"{number:,} {thing}" if number == 1 else f"{number:,} {thing}s"


# -- why not ---------------------------------------------------------------------------------------------------------


def why_not_tree(answer: WhyNot) -> str:
    """Why an atom does not hold, as a tree."""
    return "\n".join(lines_of(why_not_branch(answer)))


def why_not_branch(answer: WhyNot) -> Branch:
    """The same as branches, for other ways to show it."""
    time = answer.program.time_text
    root = Branch(f"{answer.atom} does not hold at {time(answer.now)}")
    if not answer.attempts and not answer.unfit:
        root.details.append(f"no rule derives {answer.atom.predicate}")
        root.below += _near(answer.near, answer.program)
    for attempt in answer.attempts:
        telling = _Telling(answer.program, answer.now, {}, 0)
        root.below.append(_attempt(attempt, telling, answer.program))
    for rule in answer.unfit:
        root.below.append(Branch(described(rule, {}), below=[Branch(f"✗ its head is never {answer.atom}")]))
    return root


def _attempt(attempt: Attempt, telling: _Telling, program: Program) -> Branch:
    branch = Branch(described(attempt.rule, attempt.binding))
    for _, premise in attempt.satisfied:
        for below in telling.premise(premise, 0):
            branch.below.append(Branch(f"✓ {below.line}"))
    for formula, hint in attempt.failed:
        wanted = formula_text(given(formula, attempt.binding))
        failed = Branch(f"✗ {wanted}{_how(hint, program)}", below=_near(hint.near, program))
        if isinstance(formula, Not) and hint.found is not None:
            failed.below += telling.premise(hint.found, 0)
        branch.below.append(failed)
    for formula in attempt.unseen:
        branch.below.append(Branch(f"? {formula_text(given(formula, attempt.binding))}"))
    if not attempt.distance:
        branch.below.append(Branch("✗ this instance derives another atom, or one before the start"))
    return branch


def _how(hint: Hint, program: Program) -> str:
    """How a literal failed, after a colon."""
    if isinstance(hint.found, Compared):
        left, right = value_text(hint.found.left), value_text(hint.found.right)
        return f": {left} {hint.found.formula.operator} {right} is false"
    if hint.found is not None:
        return ": but there is"
    if hint.gap is not None:
        return f": not at {program.time_text(hint.gap)}"
    if hint.members is not None:
        if hint.chosen:
            value = f"it is {' and '.join(map(_tuple, hint.chosen))}"
        else:
            value = "there is no value" if hint.value is None else f"the value is {value_text(hint.value)}"
        return f": {value}, of {_counted(hint.members, 'tuple')}"
    if hint.missing is not None:
        return ": not derived"
    return ": no such fact"


def _near(facts: Iterable[Near], program: Program) -> list[Branch]:
    """The nearest facts, and why they do not count."""
    found = []
    for near in facts:
        line = f"there is {near.found.atom} at {program.time_text(near.found.time)}"
        if near.left is not None:
            line += f", which left the window at {program.time_text(near.left)}"
        elif near.differs is not None:
            line += f": its {_ordinal(near.differs + 1)} argument is different"
        found.append(Branch(line))
    return found


def _ordinal(number: int) -> str:
    return {1: "first", 2: "second", 3: "third"}.get(number, f"{number}th")
