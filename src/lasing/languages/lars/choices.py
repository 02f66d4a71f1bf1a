"""Choices: `1 {pick(X) : item(X), not bad(X) ; other} 2 :- body.`

One statement becomes several rules. Elements without a condition share one; an element with a condition has its own,
with the condition in the body; and each bound is a constraint on how many of the elements hold:

    {other} :- body.
    {pick(X)} :- body, item(X), not bad(X).
    :- body, #count{I,A : (I = 1 and A = X and pick(X) and item(X) and …) or (I = 2 and …)} < 1.
    :- body, #count{…} > 2.

The rules share the text of the body, and each parses it again, so its anonymous variables are numbered as if the rule
had been written out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count

from lasing.languages.lars.cursor import Cursor
from lasing.languages.lars.expressions import read_term
from lasing.languages.lars.rules import (
    fail_mixed,
    read_body,
    read_head,
    read_literals,
    variables_outside_braces,
    with_local_variables,
)
from lasing.logic.formulas import (
    Aggregate,
    And,
    At,
    Atom,
    Braces,
    Compare,
    Formula,
    Head,
    Not,
    Or,
    TimeWindow,
    Window,
    head_atom,
    terms_of,
    variables_in,
    walk,
)
from lasing.logic.functions import COMPARISONS, Comparison, calls
from lasing.logic.program import Rule
from lasing.logic.terms import Arithmetic, Term, Variable, evaluate, own_calls, variables_of
from lasing.logic.values import Undefined, is_text, is_value

_AFTER_A_HEAD = frozenset(("(", ":-", ".", "at", ";", "or"))
_VALUES = frozenset(("NUMBER", "NAME", "STRING", "LITERAL", "IRI", "PREFIXED", "BLANK"))
_BEFORE_A_TERM = _VALUES | frozenset(("VARIABLE", "@", "-", "("))


@dataclass(frozen=True, slots=True)
class _Element:
    """A head in braces, and the indices of the first tokens of the head and its condition."""

    head: Head
    condition: tuple[Formula, ...]
    at_head: int
    at_condition: int


@dataclass(frozen=True, slots=True)
class _Bound:
    """A bound on the number of elements that hold."""

    operator: Comparison
    term: Term
    offset: int
    length: int


def begins_choice(c: Cursor) -> bool:
    """Whether the next statement has braces in its head."""
    i, kinds = c.i, c.kinds
    if kinds[i] == "NAME" and kinds[i + 1] in _AFTER_A_HEAD and c.texts[i] not in calls():
        return False
    while kinds[i] not in ("{", "DIRECTIVE", ":-", ".", "END"):
        i += 1
    return kinds[i] == "{"


def read_choice(c: Cursor) -> tuple[Rule, ...]:
    """`{a ; b at T} :- body.`, with conditions and bounds or without."""
    first = c.i
    c.begin_rule()
    bounds = [] if c.kind == "{" else [_read_bound_before(c)]
    brace = c.offset
    elements = _read_elements(c)
    if c.kind not in (":-", "."):
        bounds.append(_read_bound_behind(c))
    at_body, body = None, []
    if c.accept(":-"):
        at_body = c.i
        body = read_body(c)
    if c.kind != ".":
        c.fail_expected(":- or a full stop", "after the head")
    end = c.i
    choice = _Choice(c, elements, body, at_body, c.offsets[first], c.offsets[end] + 1 - c.offsets[first])
    choice.check(bounds)
    rules = (*choice.rules(), *(choice.constraint(bound, brace) for bound in bounds))
    c.i = end + 1
    return rules


# -- the text -----------------------------------------------------------------------------------------------------


def _read_bound_before(c: Cursor) -> _Bound:
    """`1 {` or `1 <= {`"""
    first = c.i
    term = read_term(c)
    end = c.i
    operator: Comparison = ">="
    if c.kind in COMPARISONS:
        operator = COMPARISONS[c.kind].flipped
        c.i += 1
    if c.kind != "{":
        c.fail_expected("{", "after the bound of a choice")
    return _bound(c, operator, term, first, end)


def _read_bound_behind(c: Cursor) -> _Bound:
    """`} 2` or `} <= 2`"""
    if c.kind in (";", "or"):
        fail_mixed(c)
    operator: Comparison = "<="
    if c.kind in COMPARISONS:
        operator = c.kind
        c.i += 1
    if c.kind not in _BEFORE_A_TERM:
        c.fail_expected("a bound, :- or a full stop", "after the braces", "such as: 1 {a ; b at T} 2 :- body.")
    first = c.i
    term = read_term(c)
    return _bound(c, operator, term, first, c.i)


def _bound(c: Cursor, operator: Comparison, term: Term, first: int, end: int) -> _Bound:
    """A bound, written from the token `first` up to `end`."""
    offset = c.offsets[first]
    length = c.offsets[end - 1] + len(c.texts[end - 1]) - offset
    if is_value(term) and not isinstance(term, int):
        note = "is a #const missing?" if is_text(term) else ""
        c.fail("E115", f"a bound is a whole number, but {term} is not", note, offset, length)
    return _Bound(operator, term, offset, length)


def _read_elements(c: Cursor) -> list[_Element]:
    """`{a ; b at T : condition}`; only the first of equal elements."""
    c.i += 1
    if c.kind == "}":
        c.fail("E115", "there is nothing to choose", "put the atoms that may hold inside: {a ; b}")
    elements = [_read_element(c)]
    while c.accept(";"):
        elements.append(_read_element(c))
    if c.kind in (",", "or"):
        c.fail_expected("; or }", "after an element", "elements are separated by ; and their conditions follow a colon")
    c.expect("}", "to close the choice")
    first: dict[tuple[Head, tuple[Formula, ...]], _Element] = {}
    for element in elements:
        first.setdefault(_alone(c, element) if c.anonymous else (element.head, element.condition), element)
    return list(first.values())


def _alone(c: Cursor, element: _Element) -> tuple[Head, tuple[Formula, ...]]:
    """The element as if it were alone, so that its `_` have the same names as those of an equal element."""
    before = c.i, c.anonymous, c.braces
    c.i, c.anonymous = element.at_head, 0
    again = _read_element(c)
    c.i, c.anonymous, c.braces = before
    return again.head, again.condition


def _read_element(c: Cursor) -> _Element:
    at_head = c.i
    head = read_head(c)
    if not c.accept(":"):
        return _Element(head, (), at_head, c.i)
    at_condition = c.i
    return _Element(head, tuple(read_literals(c)), at_head, at_condition)


# -- its rules ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Choice:
    """What has been read of a choice, and its place."""

    c: Cursor
    elements: list[_Element]
    body: list[Formula]
    at_body: int | None
    offset: int
    length: int

    def check(self, bounds: Sequence[_Bound]) -> None:
        """Fail if a variable would mean two things, or if it is unclear which elements count."""
        enclosed = {v for literal in self.body for v in variables_in(literal)} - variables_outside_braces(self.body)
        for element in (e for e in self.elements if e.condition):
            own = variables_outside_braces((element.head, *element.condition))
            for v in sorted((v for v in own if v in enclosed), key=lambda v: v.offset):
                message = f"{v} is a variable of this element, but a different variable in an aggregate of the body"
                self.c.fail("E115", message, "rename one of them", v.offset, len(v.name))
        for node in (n for e in self.elements for f in (e.head, *e.condition) for n in walk(f) if bounds):
            if isinstance(node, Braces):
                message = f"#{node.name} in a condition of a choice that has bounds"
                example = "#count{…} > 1" if isinstance(node, Aggregate) else f"X = #{node.name}{{…}}"
                note = f"derive an atom from it in a rule of its own, such as: ok :- {example}."
                self.c.fail("E115", message, note, node.offset, len(node.name) + 1)
            # One formula counts several elements: if a term of one had no value, the others would fail with it.
            for term in terms_of(node) if len(self.elements) > 1 else ():
                if isinstance(term, Arithmetic) and _may_have_no_value(term):
                    message = "arithmetic in a choice that has bounds and several elements"
                    note = "compute it in the body, such as: U = T + 1, or in a rule of its own"
                    self.c.fail("E115", message, note, term.offset, len(term.operator))

    def rules(self) -> Iterator[Rule]:
        """The rules that choose."""
        groups = [[e for e in self.elements if not e.condition], *([e] for e in self.elements if e.condition)]
        for elements in filter(None, groups):
            self.c.begin_rule()
            heads = tuple(self._head(element) for element in elements)
            body = (*self._body(), *self._condition(elements[0]))
            yield self._rule(heads, body, self.offset, self.length, True)

    def constraint(self, bound: _Bound, brace: int) -> Rule:
        """The rule that has no answer if a bound is violated."""
        self.c.begin_rule()
        body = self._body()
        terms, condition = self._counted(bound)
        violated = "!=" if bound.operator == "!=" else COMPARISONS[bound.operator].opposite
        number: Formula = Aggregate("count", terms, condition, violated, bound.term, offset=brace)
        if bound.operator == "!=":
            number = Not(number)  # not `=`, which would bind a variable
        return self._rule((), (*body, number), bound.offset, bound.length, False)

    def _rule(self, heads: tuple[Head, ...], body: tuple[Formula, ...], offset: int, length: int, choice: bool) -> Rule:
        rule = Rule(heads, body, self.c.source, offset, length, choice)
        return with_local_variables(rule) if self.c.braces or not heads else rule

    def _head(self, element: _Element) -> Head:
        self.c.i = element.at_head
        return read_head(self.c)

    def _body(self) -> list[Formula]:
        if self.at_body is None:
            return []
        self.c.i = self.at_body
        return read_body(self.c)

    def _condition(self, element: _Element) -> list[Formula]:
        if not element.condition:
            return []
        self.c.i = element.at_condition
        return read_literals(self.c)

    def _counted(self, bound: _Bound) -> tuple[tuple[Term, ...], tuple[Formula, ...]]:
        """The terms that distinguish the atoms of a choice, and the condition under which one counts."""
        if len(self.elements) == 1:
            head = self._head(self.elements[0])
            return _terms(head) or (1,), (head, *self._condition(self.elements[0]))
        return self._counted_apart(bound)

    def _counted_apart(self, bound: _Bound) -> tuple[tuple[Term, ...], tuple[Formula, ...]]:
        """For several elements: the number of a predicate and its arguments, each in a new variable."""
        heads = [element.head for element in self.elements]
        number = {p: i for i, p in enumerate(dict.fromkeys(head_atom(head).predicate for head in heads), 1)}
        timed = {head_atom(head).predicate for head in heads if isinstance(head, At)}
        width = max(len(head_atom(head).args) for head in heads)
        outside = variables_outside_braces(self.body) | set(variables_of(bound.term))
        used = {v.name for e in self.elements for f in (e.head, *e.condition) for v in variables_in(f)}
        used |= {v.name for f in self.body for v in variables_in(f)} | {v.name for v in outside}
        kind, time = _fresh("I", used), _fresh("T", used)
        arguments = [_fresh(f"A{i}", used) for i in range(1, width + 1)]
        named = ([kind] if len(number) > 1 else []) + arguments + ([time] if timed else [])
        own = dict.fromkeys(
            v
            for element in self.elements
            for formula in (element.head, *element.condition)
            for v in variables_in(formula)
            if v not in outside and not v.anonymous
        )
        alternatives: list[Formula] = []
        for element in self.elements:
            head = self._head(element)
            atom = head_atom(head)
            given: dict[Variable, Term] = dict.fromkeys((*named, *own), 0)
            given.update(zip(arguments, atom.args, strict=False))
            if len(number) > 1:
                given[kind] = number[atom.predicate]
            holds: Formula = head
            if isinstance(head, At):
                given[time] = head.time
            elif atom.predicate in timed:  # equal to the atom with a time, if that time is now
                holds = Window(TimeWindow(0), At(time, atom), offset=atom.offset)
                del given[time]
            for formula in (element.head, *element.condition):
                for v in variables_in(formula):
                    given.pop(v, None)
            values = [Compare("=", v, term) for v, term in given.items()]
            parts = (*values[:1], holds, *self._condition(element), *values[1:])
            alternatives.append(And(parts) if len(parts) > 1 else holds)
        return tuple(named) or (1,), (Or(tuple(alternatives)),)


def _terms(head: Head) -> tuple[Term, ...]:
    """What distinguishes an atom from others of its predicate."""
    return (
        (*head.body.args, head.time) if isinstance(head, At) and isinstance(head.body, Atom) else head_atom(head).args
    )


def _may_have_no_value(term: Arithmetic) -> bool:
    if next(own_calls(term), None) is not None:
        return True
    try:
        evaluate(term, {})
    except (KeyError, Undefined):
        return True
    return False


def _fresh(name: str, used: set[str]) -> Variable:
    """A variable of that name, or of the name with a number if it is taken."""
    return Variable(next(n for i in count() if (n := f"{name}_{i}" if i else name) not in used))
