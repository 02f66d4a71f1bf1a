"""An explanation in the words of the language that a program was written in.

What a helper predicate rests on is shown in its place, so a reader sees the row, the pattern, and the rows, triples and
events that match it. The proof below is the same: `Explanation.steps` has all of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import assert_never

from lasing.explain.bindings import Binding, given
from lasing.explain.branches import Branch, Kind, lines_of
from lasing.explain.explanation import Explanation, Key, Step
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
    founds,
)
from lasing.explain.saying import Saying, atom_in, turned
from lasing.explain.why_not import Attempt, Hint, Near, WhyNot
from lasing.explain.words import words_of
from lasing.logic.formulas import Aggregate, And, At, Atom, Compare, Formula, Not, Select, all_nodes, atoms_of
from lasing.logic.program import Program, Rule
from lasing.logic.provenance import Provenance
from lasing.logic.terms import Arithmetic, Substitution, Variable
from lasing.logic.values import Value
from lasing.timeline.intervals import Interval

_MOST_MEMBERS = 8
_LONGEST = 90
"""How much of the first line of a statement is shown."""


def told(explanation: Explanation, provenance: Provenance, depth: int | None = None) -> Branch:
    """The branches of an explanation."""
    steps = {step.key: step for step in explanation.steps}
    program = explanation.program
    teller = Teller(program, explanation.now, steps, Saying(program, provenance), depth)
    (branch,) = teller.found(explanation.found, 0)
    return branch


class Teller:
    """Folds helper predicates away. What was shown once is only named when it is used again."""

    def __init__(
        self, program: Program, now: int, steps: Mapping[Key, Step], saying: Saying, depth: int | None
    ) -> None:
        self._program, self.now, self._steps, self._depth = program, now, steps, depth
        self.saying = saying
        self._words = words_of(program)
        self._shown: set[Key] = set()
        self._groups: set[frozenset[Atom]] = set()
        self._folded: dict[tuple[Key, str], list[Branch]] = {}
        self._binding: Binding = {}
        """The values of the variables of the rule that is spoken of."""

    def found(self, found: Found, depth: int, via: str = "") -> list[Branch]:
        """The branches of an atom: one for what the reader knows, and for a helper, those of what it rests on."""
        key = found.atom.predicate, found.atom.values, found.time
        if self.saying.said(found.atom.predicate) is None:
            return self._helper(found, key, depth, via)
        text = self.saying.atom(found.atom)
        if found.origin != "derived":
            kind: Kind = "background" if found.origin == "background" else "data"
            return [Branch(f"{text}{self.saying.where(found.atom.predicate)}{self._origin(found, via)}", kind=kind)]
        said = self._words.about(found.atom)
        line = f"{text} at {self._time(found.time)}" + (f": {said}" if said else "")
        if key in self._shown:
            return [Branch(f"{line} (see above)", kind="derived")]
        step = self._steps.get(key)
        if step is None or (self._depth is not None and depth >= self._depth):
            return [Branch(f"{line} (derived)", kind="derived")]
        self._shown.add(key)
        return [Branch(line, [self.by(step.rule, step.binding)], self._body(step, depth + 1), "derived")]

    def by(self, rule: Rule, binding: Substitution) -> str:
        """The statement that a rule came from, and the values of its variables."""
        (head,) = rule.head_atoms()
        said = self.saying.said(head.predicate)
        source, offset = rule.source, rule.offset
        if said is not None and said.source is not None and said.offset >= 0:
            source, offset = said.source, said.offset
        kind = self.saying.provenance.rule
        text = f"by the {kind}"
        if source is not None and offset >= 0:
            start = source.text.rfind("\n", 0, offset) + 1
            line = source.text[start:].split("\n", 1)[0].strip()
            line = line if len(line) <= _LONGEST else f"{line[:_LONGEST]}…"
            text += f" {line}  [{source.place(offset, 1)}]"
        values = self.saying.bindings(binding) if said is not None and said.form == "triple" else ""
        return text + (f"  with {values}" if values else "")

    def _body(self, step: Step, depth: int, via: str = "") -> list[Branch]:
        """The branches of a rule's body: those of data once each."""
        (head,) = step.rule.head_atoms()
        found: list[Branch] = []
        around, self._binding = self._binding, step.binding
        with self.saying.speaking_of(step.rule.body):
            for premise in step.premises:
                if (
                    isinstance(premise, Collected)
                    and premise.formula.bound in head.args[-1:]
                    and self._counts(head.predicate)
                ):
                    found += self._copies(premise, depth)
                else:
                    found += self.premise(premise, depth, via)
        self._binding = around
        return _once(found)

    def _counts(self, predicate: str) -> bool:
        """Whether the last argument of an output says how many equal rows there are."""
        return any(o.predicate == predicate and o.counted for o in self._program.outputs or ())

    def _copies(self, premise: Collected, depth: int) -> list[Branch]:
        """The equal rows of a result: for one, just what it rests on."""
        if len(premise.members) == 1:
            return self._premises(premise.members[0].premises, depth)
        return [Branch(f"{len(premise.members):,} equal rows", below=self._members(premise.members, depth))]

    def _helper(self, found: Found, key: Key, depth: int, via: str) -> list[Branch]:
        helper = self.saying.provenance.helper(found.atom.predicate)
        if helper.purpose == "detail":
            return []
        step = self._steps.get(key)
        if step is None:
            pattern = self.saying.pattern(found.atom)
            is_now = found.origin == "background" or found.time == self.now
            when = "" if is_now else f" at {self._time(found.time)}"
            return [Branch(f"{pattern}{when}")] if pattern != "()" else []
        inner = helper.via or via
        if (key, inner) in self._folded:
            known = self._folded[key, inner]
            if sum(1 + len(branch.below) for branch in known) <= 2:
                return known
            return [Branch(f"{self.saying.pattern(found.atom)} (see above)")]
        self._folded[key, inner] = [Branch(f"{self.saying.pattern(found.atom)} (see above)")]
        is_value = helper.purpose == "value"
        branches = [self._value(found, step, depth)] if is_value else self._body(step, depth, inner)
        self._folded[key, inner] = branches
        return branches

    def _value(self, found: Found, step: Step, depth: int) -> Branch:
        """An aggregate of a group, with the rows of the group."""
        members = next((p.members for p in step.premises if isinstance(p, Collected)), ())
        return self._aggregate(self.saying.pattern(found.atom), members, depth)

    def _aggregate(self, line: str, members: Sequence[Member], depth: int) -> Branch:
        """An aggregate with the rows of its group; rows that another aggregate has shown are not repeated."""
        rows = frozenset(f.atom for member in members for premise in member.premises for f in founds(premise))
        if members and rows in self._groups:
            return Branch(f"{line}, of the same {_rows(len(members))}")
        self._groups.add(rows)
        return Branch(f"{line}, of {_rows(len(members))}", below=self._members(members, depth))

    # -- premises ----------------------------------------------------------------------------------------------------

    def _premises(self, premises: Iterable[Premise], depth: int, via: str = "") -> list[Branch]:
        return _once([branch for premise in premises for branch in self.premise(premise, depth, via)])

    def premise(self, premise: Premise, depth: int, via: str = "") -> list[Branch]:
        match premise:
            case Found():
                return self.found(premise, depth, via)
            case Compared(formula, left, right):
                return self._compared(formula, left, right)
            case Absent(body, span):
                return self.absent(body, span)
            case All(parts):
                return self._premises(parts, depth, via)
            case Throughout(body, span, each):
                line = f"{self.saying.pattern(body)} at every time point {self._span(span)}"
                return [Branch(line, below=self._premises(each, depth, via))]
            case Collected(formula, value, members):
                if members and not any(self._is_told(part) for part in members[0].premises):
                    return []  # it is about the translation only
                if _is_nothing(formula):
                    pattern = self.saying.pattern(given(And(formula.condition), self._binding))
                    return [Branch(f"no {pattern}", kind="absent")]
                name = f"{formula.function.upper()} is {self.saying.value(value)}"
                if formula.operator != "=":
                    name += f", {formula.operator} {self.saying.value(formula.bound)}"
                return [self._aggregate(name, members, depth)]
            case Chosen(formula, member, beaten, number):
                function = extreme(formula)
                if function is not None:
                    line = f"{function} is {self.saying.value(member.values[-1])}, of {_rows(number)}"
                    return [Branch(line, below=self._members((member,), depth))]
                line = self._selected(formula, number)
                if beaten:
                    line += f", ahead of {'; '.join(self.tuple_text(formula, values) for values in beaten)}"
                return [Branch(line, below=self._premises(member.premises, depth, via))]
            case _:
                assert_never(premise)

    def _selected(self, formula: Select, number: int) -> str:
        """What was selected: an event by its name, or else a match of the pattern."""
        return f"the {formula.end} {self.name_in(formula) or 'match'}, " + (
            "the only one" if number == 1 else f"of {number:,}"
        )

    def name_in(self, formula: Select) -> str:
        """What the event is called that a selection is about; empty if it is about no event."""
        said = (self.saying.said(atom.predicate) for atom in atoms_of(And(formula.condition)))
        return next((s.name for s in said if s is not None and s.form in ("event", "interval")), "")

    def _is_told(self, premise: Premise) -> bool:
        return any(self.saying.is_told(found.atom) for found in founds(premise))

    def tuple_text(self, formula: Select, values: Sequence[Value]) -> str:
        """A tuple that was or was not selected: its values by name, and its time."""
        times = {f.time for f in all_nodes(formula.condition) if isinstance(f, At)}
        parts = []
        for term, value in zip(formula.terms, values, strict=True):
            if term in times and isinstance(value, int):
                parts.append(f"the one at {self._time(value)}")
            else:
                parts.append(f"{self.saying.value(term)} = {self.saying.value(value)}")
        return " with ".join(filter(None, (parts[0], ", ".join(parts[1:]))))

    def _compared(self, formula: Compare, left: Value, right: Value) -> list[Branch]:
        if not self.saying.is_told(formula):
            return []
        written = self.saying.condition(formula)
        one, operator, other = turned(formula, left, right)
        computed = f"{self.saying.value(one)} {operator} {self.saying.value(other)}"
        target = formula.left if isinstance(formula.left, Variable) else formula.right
        if (
            operator == "="
            and isinstance(target, Variable)
            and isinstance(formula.left, Arithmetic) != isinstance(formula.right, Arithmetic)
            and target.name not in self.saying.provenance.variables
        ):
            return []  # it only gives a value a name
        if written == computed or (operator == "=" and one == other):
            return [Branch(written)]
        return [Branch(f"{written}: {computed}")]

    def absent(self, body: object, span: Interval) -> list[Branch]:
        """What was looked for in vain."""
        formula = Not(body)  # type: ignore[arg-type]  # the body of an absence is a formula
        if not self.saying.is_told(formula):
            return []
        if isinstance(body, Compare):
            return [Branch(f"not {self.saying.condition(body)}")]
        inner = atom_in(formula.body)
        words = "no"
        if inner is not None and self.saying.said(inner.predicate) is None:
            helper = self.saying.provenance.helper(inner.predicate)
            words = self.saying.provenance.words.get(helper.absent, words)
            if helper.purpose == "context":
                return [Branch(words, kind="absent")]
        pattern = self.saying.pattern(formula.body)
        looked = "" if not span or span.lo == span.hi else f" (looked {self._span(span)})"
        return [Branch(f"{words} {pattern}{looked}", kind="absent")]

    def _members(self, members: Sequence[Member], depth: int) -> list[Branch]:
        shown = []
        for member in members[:_MOST_MEMBERS]:
            below = self._premises(member.premises, depth)
            if len(below) == 1:
                shown += below
            elif below:
                shown.append(Branch("a row", below=below))
        if shown and len(members) > _MOST_MEMBERS:
            shown.append(Branch(f"… and {len(members) - _MOST_MEMBERS:,} more"))
        return shown

    def _origin(self, found: Found, via: str) -> str:
        seen = f", {self.saying.shortened(via)}" if via else ""
        match found.origin:
            case "background":
                return f" (background{seen})" if seen else " (background)"
            case "remembered":
                return f" at {self._time(found.time)} (from the answer then{self._leaves(found, '; ', '')})"
            case _:
                return f" at {self._time(found.time)}{seen}{self._leaves(found)}"

    def _leaves(self, found: Found, before: str = " (", after: str = ")") -> str:
        leaving = found.leaving
        if leaving.facts is not None:
            more = "1 more fact" if leaving.facts == 1 else f"{leaving.facts:,} more facts"
            return f"{before}leaves the window after {more}{after}"
        if leaving.time is None or leaving.time <= max(self.now, found.time + 1):
            return ""
        return f"{before}in the window until {self._time(leaving.time - 1)}{after}"

    def _span(self, span: Interval) -> str:
        if span.hi is None:
            return f"from {self._time(span.lo)} on"
        return f"from {self._time(span.lo)} to {self._time(span.hi)}"

    def _time(self, time: int) -> str:
        return self._program.time_text(time)


# -- why not ---------------------------------------------------------------------------------------------------------


def told_why_not(answer: WhyNot, provenance: Provenance) -> Branch:
    """The branches of why something does not hold."""
    saying = Saying(answer.program, provenance)
    return _WhyNot(saying, Teller(answer.program, answer.now, {}, saying, 0)).answer(answer)


class _WhyNot:
    """Tells which patterns match and which do not; a helper that is missing becomes what is missing in it."""

    def __init__(self, saying: Saying, teller: Teller) -> None:
        self._saying, self._teller = saying, teller

    def answer(self, answer: WhyNot) -> Branch:
        time = answer.program.time_text(answer.now)
        named = self._saying.said(answer.atom.predicate)
        text = str(answer.atom) if named is None else self._saying.atom(answer.atom)
        root = Branch(f"{text} does not hold at {time}")
        if not answer.attempts and not answer.unfit:
            root.details.append(f"no {self._saying.provenance.rule} derives it")
            root.below += self._near(answer.near)
        failures: set[frozenset[str]] = set()
        for attempt in answer.attempts:
            below = self._attempt(attempt)
            missing = frozenset(branch.line for branch in below if branch.line.startswith("✗"))
            if missing and not any(known <= missing for known in failures):
                failures.add(missing)
                root.below.append(Branch(self._teller.by(attempt.rule, attempt.binding), below=below))
        if not root.below:
            rules = (*answer.unfit, *(attempt.rule for attempt in answer.attempts))
            reason = "✗ nothing matches"
            root.below += [Branch(self._teller.by(rule, {}), below=[Branch(reason)]) for rule in rules]
        return Branch(root.line, root.details, _once(root.below, whole=True))

    def _attempt(self, attempt: Attempt) -> list[Branch]:
        with self._saying.speaking_of(attempt.rule.body):
            return self._tried(attempt)

    def _tried(self, attempt: Attempt) -> list[Branch]:
        found: list[Branch] = []
        for _, premise in attempt.satisfied:
            found += [Branch(f"✓ {b.line}", below=b.below) for b in self._teller.premise(premise, 0)]
        for formula, hint in attempt.failed:
            found += self._failed(formula, hint, attempt)
        for formula in attempt.unseen:
            inner = atom_in(formula.body) if isinstance(formula, Not) else None
            if inner is not None and self._saying.provenance.helper(inner.predicate).absent == "was":
                continue  # what was there before does not matter to what is not there now
            if self._saying.is_told(formula) and not isinstance(formula, Aggregate | Select | Compare):
                found.append(Branch(f"? {self._saying.pattern(given(formula, attempt.binding))}"))
        return _once(found)

    def _failed(self, formula: Formula, hint: Hint, attempt: Attempt) -> list[Branch]:
        below = hint.below
        if below is not None and below.attempts:
            return self._attempt(below.attempts[0])
        if not self._saying.is_told(formula):
            return []
        if isinstance(formula, Not) and hint.found is not None:
            inner = atom_in(formula.body)
            if inner is not None and self._saying.provenance.helper(inner.predicate).absent == "consumed":
                at = self._saying.time(hint.found.time) if isinstance(hint.found, Found) else ""
                return [Branch(f"✗ it was consumed at {at}")]
            pattern = self._saying.pattern(given(formula.body, attempt.binding))
            shown = [b for b in self._teller.premise(hint.found, 0) if b.line != pattern]
            return [Branch(f"✗ there must be no {pattern}, but there is", below=shown)]
        if isinstance(formula, Compare) and isinstance(hint.found, Compared):
            one, operator, other = turned(formula, hint.found.left, hint.found.right)
            written, values = self._saying.condition(formula), f"{self._saying.value(one)} {operator} {other}"
            return [Branch(f"✗ {written}: {values} is false")]
        if hint.members is not None:
            line = f"✗ {self._braces(given(formula, attempt.binding), hint)}"
            return [Branch(line, below=self._closest(hint.closest))]
        pattern = self._saying.pattern(given(formula, attempt.binding))
        return [Branch(f"✗ no {pattern}", below=self._near(hint.near))]

    def _closest(self, attempts: Sequence[Attempt]) -> list[Branch]:
        """What came closest to being selected: several below their first lines, which tell them apart."""
        tried = [branches for branches in map(self._attempt, attempts) if branches]
        if len(tried) == 1:
            return tried[0]
        return [Branch(first.line, below=[*first.below, *rest]) for first, *rest in tried]

    def _braces(self, formula: Formula, hint: Hint) -> str:
        match formula:
            case Select():
                chosen = "; ".join(self._teller.tuple_text(formula, values) for values in hint.chosen)
                what = f"the {formula.end} is {chosen}" if hint.chosen else "there is none"
                if hint.closest and self._teller.name_in(formula):
                    return f"the {formula.end} {self._teller.name_in(formula)}: {what}"
                if extreme(formula) is not None:
                    value = self._saying.value(hint.chosen[0][-1]) if hint.chosen else "without a value"
                    return f"{extreme(formula)} is {value}, of {_rows(hint.members or 0)}"
                return f"{self._saying.pattern(formula)}: {what}"
            case Aggregate() if _is_nothing(formula):
                return f"there must be no {self._saying.pattern(And(formula.condition))}, but there is"
            case Aggregate(function=function, operator=operator, bound=bound):
                value = "without a value" if hint.value is None else self._saying.value(hint.value)
                wanted = f" and must be {operator} {self._saying.value(bound)}"
                return f"{function.upper()} is {value}, of {_rows(hint.members or 0)}{wanted}"
            case _:
                return self._saying.pattern(formula)

    def _near(self, facts: Iterable[Near]) -> list[Branch]:
        found = []
        for near in facts:
            said = self._saying.said(near.found.atom.predicate)
            if said is None:
                continue
            line = f"there is {self._saying.atom(near.found.atom)} at {self._saying.time(near.found.time)}"
            found.append(Branch(line + why_near(near, self._teller.now, self._saying.time)))
        return found


def why_near(near: Near, now: int, time: Callable[[int], str]) -> str:
    """Why a fact that is near does not count."""
    if near.left is not None:
        return f", which left the window at {time(near.left)}" if near.left <= now else ", not in the window yet"
    return ""


def _once(branches: Iterable[Branch], whole: bool = False) -> list[Branch]:
    """Branches without those that say nothing new: the same line again, or with `whole`, the same lines."""
    found: dict[str, Branch] = {}
    for branch in branches:
        found.setdefault("\n".join(lines_of(branch)) if whole else branch.line, branch)
    return list(found.values())


def _is_nothing(formula: Aggregate) -> bool:
    """Whether an aggregate only says that there is no match: `#count{…} = 0`."""
    return formula.function == "count" and formula.operator == "=" and formula.bound == 0


def extreme(formula: Select) -> str | None:
    """MAX or MIN, if that is what a selection computes: the last or first value in the order of all values."""
    match formula.terms:
        case (Arithmetic("sort_class", (value,)), other) if value == other:
            return "MAX" if formula.end == "last" else "MIN"
        case _:
            return None


def _rows(number: int) -> str:
    return "1 row" if number == 1 else f"{number:,} rows"
