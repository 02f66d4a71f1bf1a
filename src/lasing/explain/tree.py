"""An explanation as a tree of text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import assert_never

from lasing.explain.bindings import Binding, given
from lasing.explain.branches import Branch, Kind, lines_of
from lasing.explain.explanation import Among, Explanation, Key, Step
from lasing.explain.premises import (
    Absent,
    All,
    Chosen,
    Collected,
    Compared,
    Found,
    Member,
    Premise,
    Throughout,
)
from lasing.explain.told import told, told_why_not, why_near
from lasing.explain.why_not import Attempt, Hint, Near, WhyNot
from lasing.explain.words import Words, words_of
from lasing.logic.formulas import Atom, Compare, Not
from lasing.logic.printer import formula_text
from lasing.logic.program import Program, Rule
from lasing.logic.terms import NOW
from lasing.logic.values import Value, value_text
from lasing.timeline.intervals import Interval

_MOST_MEMBERS = 8
"""How many tuples in braces are shown."""
_MOST_BELOW = 2
"""How many attempts are shown for an atom that another one lacks."""


def tree(explanation: Explanation, depth: int | None = None) -> str:
    """An explanation as a tree; derivations deeper than `depth` are left out, and counted."""
    return "\n".join(lines_of(branch_of(explanation, depth)))


def branch_of(explanation: Explanation, depth: int | None = None) -> Branch:
    """The same as branches, for other ways to show it."""
    provenance = explanation.program.provenance
    if provenance is not None:
        return told(explanation, provenance, depth)
    steps = {step.key: step for step in explanation.steps}
    root = _Telling(explanation.program, explanation.now, steps, depth).found(explanation.found, 0)
    if explanation.among is not None:
        root.details.insert(0, _model(explanation.among))
    return root


class _Telling:
    """Puts an explanation into words. A derivation that is used again is only named."""

    def __init__(
        self, program: Program, now: int, steps: Mapping[Key, Step], depth: int | None, cut: str = "(derived)"
    ) -> None:
        self._cut = cut  # what is said of atoms whose derivation is left out
        self._program, self._now, self._steps, self._depth = program, now, steps, depth
        self._words: Words = words_of(program)
        self._shown: set[Key] = set()

    def found(self, found: Found, depth: int) -> Branch:
        when = f"{found.atom} at {self._time(found.time)}"
        if found.origin != "derived":
            kind: Kind = "background" if found.origin == "background" else "data"
            return Branch(f"{self._named(found)} {self._origin(found)}", kind=kind)
        said = self._words.about(found.atom)
        line = f"{when}: {said}" if said else when
        key = found.atom.predicate, found.atom.values, found.time
        if key in self._shown:
            return Branch(f"{line} (see above)", kind="derived")
        if self._depth is not None and depth >= self._depth:
            return Branch(f"{line} {self._cut}", kind="derived")
        self._shown.add(key)
        step = self._steps[key]
        details = [rule_text(step), *_choice(step, self._program)]
        return Branch(line, details, self._premises(step.premises, depth + 1), "derived")

    def _premises(self, premises: Iterable[Premise], depth: int) -> list[Branch]:
        return [branch for premise in premises for branch in self.premise(premise, depth)]

    def premise(self, premise: Premise, depth: int) -> list[Branch]:
        match premise:
            case Found():
                return [self.found(premise, depth)]
            case Compared():
                return [Branch(_compared(premise))]
            case Absent(body, span):
                return [Branch(f"no {formula_text(body)}{self._looked(span, premise)}", kind="absent")]
            case All(parts):
                return self._premises(parts, depth)
            case Throughout(body, span, each):
                line = f"{formula_text(body)} at every time point {self._span(span)}"
                if all(isinstance(part, Found) and part.origin != "derived" for part in each):
                    origins = {part.origin for part in each if isinstance(part, Found)}
                    return [Branch(f"{line} ({', '.join(sorted(origins))})", kind="data")]
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
                return f"(remembered: it was in the answer at {self._time(found.time)}{self._leaves(found)})"
            case _:
                return f"(data{self._leaves(found)})"

    def _leaves(self, found: Found) -> str:
        leaving = found.leaving
        if leaving.facts is not None:
            return f"; leaves the window after {_counted(leaving.facts, 'more fact')}"
        if leaving.time is None or leaving.time <= max(self._now, found.time + 1):
            return ""  # it is about the present alone
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


def _model(among: Among) -> str:
    """Which model this is about, and how many have the atom."""
    if among.models == 1 and among.number is not None:
        return "in the only model"
    if among.number is None:
        return "there is no model" if not among.models else f"in one of {among.models:,} or more models"
    return f"in model {among.number:,} of {among.models:,}; {_agree(among.agree, among.models)} it"


def _agree(number: int, models: int) -> str:
    match number:
        case 0:
            return "none has"
        case 1:
            return "1 has"
        case _:
            return "all have" if number == models else f"{number:,} have"


def _choice(step: Step, program: Program) -> list[str]:
    """What else a choice or a disjunction could have derived."""
    if step.rule.definite:
        return []
    shown = [(str(Atom(p, args)), time, holds) for (p, args, time), holds in step.others]
    names = [
        (name if time == step.time else f"{name} at {program.time_text(time)}", holds) for name, time, holds in shown
    ]
    held, left = [name for name, holds in names if holds], [name for name, holds in names if not holds]
    if step.rule.choice:
        line = "a choice: the rule may leave it out"
        line += f", as {_and(left)} {'was' if len(left) == 1 else 'were'}" if left else ""
        return [line + (f"; {_and(held)} {'was' if len(held) == 1 else 'were'} chosen too" if held else "")]
    line = f"a disjunction: {_and(left, 'or')} would do as well" if left else "a disjunction"
    return [line + (f"; {_and(held)} {'holds' if len(held) == 1 else 'hold'} too" if held else "")]


def _and(names: Sequence[str], word: str = "and") -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} {word} {names[-1]}"


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


def why_not_tree(answer: WhyNot, depth: int | None = None) -> str:
    """Why an atom does not hold, as a tree; atoms that are missing below `depth` are only named."""
    return "\n".join(lines_of(why_not_branch(answer, depth)))


def why_not_branch(answer: WhyNot, depth: int | None = None) -> Branch:
    """The same as branches, for other ways to show it."""
    if answer.program.provenance is not None:
        return told_why_not(answer, answer.program.provenance)
    time = answer.program.time_text
    root = Branch(f"{answer.atom} does not hold at {time(answer.now)}")
    if answer.among is not None:
        root.details.append(_model(answer.among))
        if not answer.among.models:
            root.below += _forbidding(answer)
            return root
    if not answer.attempts and not answer.unfit:
        root.details.append(f"no rule derives {answer.atom.predicate}")
        root.below += _near(answer.near, answer)
    for attempt in answer.attempts:
        telling = _Telling(answer.program, answer.now, {}, 0)
        root.below.append(_attempt(attempt, telling, answer, depth))
    for rule in answer.unfit:
        root.below.append(Branch(described(rule, {}), below=[Branch(f"✗ its head is never {answer.atom}")]))
    root.below += _forbidding(answer)
    return root


def _forbidding(answer: WhyNot) -> list[Branch]:
    """The constraints that would be broken if the atom held."""
    if answer.forbidden is None:
        return []
    if not answer.forbidden.broken:
        return [Branch(f"rules allow {answer.atom}, but models without it cost less")]
    found = []
    for broken in answer.forbidden.broken[:_MOST_MEMBERS]:
        branch = Branch(f"a constraint forbids it {described(broken.rule, broken.binding)}")
        telling = _Telling(answer.program, answer.now, {}, 0, "(if it held)")
        branch.below += [below for premise in broken.premises for below in telling.premise(premise, 0)]
        found.append(branch)
    return found


def _attempt(attempt: Attempt, telling: _Telling, answer: WhyNot, depth: int | None = None) -> Branch:
    branch = Branch(described(attempt.rule, attempt.binding))
    for _, premise in attempt.satisfied:
        for below in telling.premise(premise, 0):
            branch.below.append(Branch(f"✓ {below.line}"))
    for formula, hint in attempt.failed:
        wanted = formula_text(formula if isinstance(formula, Compare) else given(formula, attempt.binding))
        failed = Branch(f"✗ {wanted}{_how(hint, answer.program)}", below=_near(hint.near, answer))
        if isinstance(formula, Not) and hint.found is not None:
            failed.below += telling.premise(hint.found, 0)
        for closest in hint.closest:
            failed.below += _attempt(closest, telling, answer).below
        if hint.below is not None and (depth is None or depth > 1):
            deeper = None if depth is None else depth - 1
            shown = hint.below.attempts[:_MOST_BELOW]
            failed.below += [_attempt(closest, telling, answer, deeper) for closest in shown]
        branch.below.append(failed)
    for formula in attempt.unseen:
        branch.below.append(Branch(f"? {formula_text(given(formula, attempt.binding))}"))
    if not attempt.distance and attempt.rule.choice:
        branch.below.append(Branch("✗ the choice leaves it out"))
    elif attempt.instead:
        held = "holds" if len(attempt.instead) == 1 else "hold"
        branch.below.append(Branch(f"✗ {_and(list(map(str, attempt.instead)))} {held} instead"))
    elif not attempt.distance:
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


def _near(facts: Iterable[Near], answer: WhyNot) -> list[Branch]:
    """The nearest facts, and why they do not count."""
    found = []
    for near in facts:
        time = answer.program.time_text
        line = (
            f"there is {near.found.atom} at {time(near.found.time)}"
            if near.found.origin == "data"
            else (f"there is {near.found.atom} (background)")
        )
        line += why_near(near, answer.now, time)
        if near.left is None and near.differs is not None:
            line += f": its {_ordinal(near.differs + 1)} argument is different"
        found.append(Branch(line))
    return found


def _ordinal(number: int) -> str:
    return {1: "first", 2: "second", 3: "third"}.get(number, f"{number}th")
