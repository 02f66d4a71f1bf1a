"""A rule as variants: the order of their lookups as steps, in words of the arena (see `operators.variants`)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile

from lasing.engines.local.asking import PAIR
from lasing.engines.local.identifiers import make
from lasing.engines.local.operators import variants
from lasing.engines.local.operators.ahead import MOST_EARLY
from lasing.engines.local.operators.join import join_any
from lasing.engines.local.operators.operation import Layout, span_words
from lasing.engines.local.operators.pairs import compute_rows, copy_rows, filter_rows, join_pairs
from lasing.engines.local.operators.ranking import walk
from lasing.engines.local.pointers import kernel_address
from lasing.logic.functions import COMPARISONS, Function, codes
from lasing.logic.functions.entry import ANYTHING
from lasing.logic.terms import Arithmetic, Term, Variable, evaluate, variables_of
from lasing.logic.values import Value
from lasing.plan.nodes import NOW, Lookup, PlanRule, Test
from lasing.plan.operators import Ranking
from lasing.plan.optimize.order import as_written
from lasing.plan.relations import Relation

VARIABLES = 256
"""Registers for variables; those of constants follow. The last one holds the evaluation time."""

NOW_REGISTER = VARIABLES - 1

_COMPUTING = frozenset({variants.COMPUTE, variants.MAKE})
"""The steps that compute terms."""

_FILTERING = frozenset({variants.COMPARE, variants.WITHIN})
"""The steps that only test what is known."""


class Variant:
    """A rule that starts with one of its lookups: the order of the others, and the steps."""

    def __init__(self, layout: Layout, rule: PlanRule, begin: int, counted: bool, special: int) -> None:
        self._layout = layout
        self._rule = rule
        self._begin = begin
        self._counted = counted
        self._special = special
        self._registers: dict[Variable, int] = {NOW: NOW_REGISTER}
        self._since: dict[Variable, int] = {}
        self._free = 0
        self._steps: list[list[int]] = []

    def build(self) -> int:
        layout, rule = self._layout, self._rule
        changed = rule.lookups[self._begin]
        binds = self._begin_with(changed)
        self._since = dict.fromkeys(self._since, 0)
        tests = list(rule.tests)
        self._go_on(tests)
        for number in rule.orders[self._begin] if rule.orders else as_written(rule, self._begin):
            self._look_up(rule.lookups[number], before=number > self._begin)
            self._go_on(tests)
        assert not tests, "a safe rule binds every variable of its tests"
        head = [self._value(arg) for arg in rule.args]
        if rule.within is not None:
            time, span = rule.within
            self._steps.append([variants.WITHIN, self._register(time), *span_words(span)])
        if rule.timed:
            self._steps.append([variants.TIME, head[-1]])
        steps = layout.put([w for step in self._steps for w in (*step, *[0] * (variants.STEP - len(step)))])
        variant = [0] * variants.VARIANT
        variant[variants.HEAD] = layout.at(rule.head)
        variant[variants.STEPS], variant[variants.FIRST_STEP] = len(self._steps), steps
        variant[variants.CHANGED], variant[variants.SIGN] = self._changes(changed)
        variant[variants.BINDS], variant[variants.FIRST_BIND] = len(binds) // variants.BIND, layout.put(binds)
        variant[variants.HEAD_REGISTERS] = layout.put(head)
        variant[variants.RULE] = rule.origin if rule.origin >= 0 else layout.rule_count()
        variant[variants.SPECIAL] = self._special
        variant[variants.NOTED] = layout.noted(changed.relation)
        if self._counted:
            variant[variants.EARLY] = self._early(variant, binds)
        else:
            self._choose_kernel(variant, binds)
        return self._shown(variant) if self._computes() else layout.put(variant)

    def _begin_with(self, changed: Lookup) -> list[int]:
        """What to do with the columns of a changed row."""
        return self._binds(changed, ())

    def _go_on(self, tests: list[Test]) -> None:
        """Take what is ready, now that more variables are bound."""
        self._take_tests(tests)

    def _changes(self, changed: Lookup) -> tuple[int, int]:
        """Where the descriptor of the relation is whose changes the variant begins with, and what their sign means."""
        return self._layout.at(changed.relation), -1 if changed.negated else 1

    def _computes(self) -> bool:
        """Whether instances may have no value."""
        return any(step[variants.CODE] in {*_COMPUTING, variants.TIME} for step in self._steps)

    def _shown(self, variant: list[int]) -> int:
        """Write the variant, and note which variables the example of an instance without a value shows."""
        named = tuple(v for v in self._since if v.name.isidentifier())  # others are not part of the program
        words = [w for v in named for w in (self._registers[v], self._since[v])]
        if self._rule.lookups[self._begin].negated:  # a row that goes does not mean that there is an instance
            codes = [step[variants.CODE] for step in self._steps]
            variant[variants.NOTED_FROM] = codes.index(variants.PROBE)
        variant[variants.SHOWN] = self._layout.put([len(named), *words])
        at = self._layout.put(variant)
        self._layout.shows(at, variant[variants.RULE], named)
        return at

    def _early(self, variant: list[int], binds: list[int]) -> int:
        """Where the lookups are whose keys are known as soon as the changed row is: those of steps, and the head."""
        known = {register for _, register in _bound(binds)}
        lookups = [
            [step[variants.RELATION], step[variants.INDEX_NUMBER], step[variants.KEYS], step[variants.FIRST_KEY]]
            for step in self._steps
            if step[variants.CODE] in (variants.PROBE, variants.ABSENT) and step[variants.KEYS] > 0
        ]
        lookups.append([variant[variants.HEAD], 0, self._rule.head.arity, variant[variants.HEAD_REGISTERS]])
        early = []
        for relation, index, keys, first in lookups:
            if all(r in known or r >= NOW_REGISTER for r in self._layout.words[first : first + keys]):
                early.append([relation, index, keys, first])
        return self._layout.put([len(early[:MOST_EARLY]), *(word for lookup in early[:MOST_EARLY] for word in lookup)])

    def _choose_kernel(self, variant: list[int], binds: list[int]) -> None:
        """One of the loops for small rules, if one fits, and where its values come from."""
        small = self._small(variant, binds)
        if small is None:
            self._end_with_sweep(variant)
        variant[variants.KERNEL] = kernel_address(small or join_any)

    def _end_with_sweep(self, variant: list[int]) -> None:
        """Make the last probe a sweep, if only comparisons come after it, and it does not read what it derives."""
        steps = self._steps
        compared = len(list(takewhile(lambda step: step[variants.CODE] == variants.COMPARE, reversed(steps))))
        last = len(steps) - compared - 1
        if last < 0 or steps[last][variants.CODE] != variants.PROBE or self._special != 0:
            return
        if steps[last][variants.RELATION] == variant[variants.HEAD]:
            return
        words, probe = self._layout.words, variant[variants.FIRST_STEP] + last * variants.STEP
        first, count = words[probe + variants.STEP_FIRST_BIND], words[probe + variants.STEP_BINDS]
        binds = [words[first + i : first + i + variants.BIND] for i in range(0, count * variants.BIND, variants.BIND)]
        read = {step[side] for step in steps[last + 1 :] for side in (variants.LEFT, variants.RIGHT)}
        read |= {bind[variants.REGISTER] for bind in binds if bind[variants.CHECKED]}
        kept = [bind for bind in binds if bind[variants.CHECKED] or bind[variants.REGISTER] in read]
        column_of = {bind[variants.REGISTER]: bind[variants.COLUMN] for bind in binds if not bind[variants.CHECKED]}
        arity, head = self._rule.head.arity, variant[variants.HEAD_REGISTERS]
        taken = [(i, column_of[r]) for i, r in enumerate(words[head : head + arity]) if r in column_of]
        for field_, word in (
            (variants.CODE, variants.SWEEP),
            (variants.STEP_BINDS, len(kept)),
            (variants.STEP_FIRST_BIND, self._layout.put([word for bind in kept for word in bind])),
            (variants.COMPARES, compared),
            (variants.TEMPLATE, self._layout.put([0] * arity)),
            (variants.TAKEN, self._layout.put([len(taken), *(word for pair in taken for word in pair)])),
        ):
            words[probe + field_] = word

    def _small(self, variant: list[int], binds: list[int]) -> Callable[..., None] | None:
        """A rule of one literal, or of two that share a variable, has a loop of its own, if it has no tests, and
        constants only in the head; a rule of one literal may also compute terms, or test them."""
        probes = [step for step in self._steps if step[variants.CODE] == variants.PROBE]
        steps = {step[variants.CODE] for step in self._steps}
        computes, filters = bool(steps) and steps <= _COMPUTING, bool(steps) and steps <= _FILTERING
        if self._special & variants.STAMPS or _checks(binds):
            return None
        if not (computes or filters) and (len(probes) != len(self._steps) or len(probes) > 1):
            return None
        origin = {r: (variants.FROM_CHANGED, c) for c, r in _bound(binds)}
        keys: list[int] = []
        if probes:
            (probe,) = probes
            first, count = probe[variants.FIRST_KEY], probe[variants.KEYS]
            keys = self._layout.words[first : first + count]
            first, count = probe[variants.STEP_FIRST_BIND], probe[variants.STEP_BINDS]
            more = self._layout.words[first : first + count * variants.BIND]
            if not keys or _checks(more):
                return None
            origin |= {r: (variants.FROM_PROBED, c) for c, r in _bound(more)}
        first, count = variant[variants.HEAD_REGISTERS], self._rule.head.arity
        for field_, registers in (
            (variants.HEAD_FROM, self._layout.words[first : first + count]),
            (variants.KEY_FROM, keys),
        ):
            places = [w for r in registers for w in origin.get(r, (variants.FROM_REGISTER, r))]
            variant[field_] = self._layout.put(places)
        return compute_rows if computes else filter_rows if filters else join_pairs if probes else copy_rows

    def _register(self, variable: Variable) -> int:
        if variable not in self._registers:
            self._registers[variable] = self._temporary()
            self._since[variable] = len(self._steps) + 1  # after the step that is being made
        return self._registers[variable]

    def _temporary(self) -> int:
        self._free += 1
        assert self._free <= NOW_REGISTER, "the plan bounds the terms of a rule"
        return self._free - 1

    def _binds(self, lookup: Lookup, keys: Sequence[int]) -> list[int]:
        """What to do with the columns of a row that are not its key: set a register, or check it."""
        binds: list[int] = []
        for column, arg in enumerate(lookup.args):
            if column in keys:
                continue
            if isinstance(arg, Variable):
                known = arg in self._registers
                binds += [column, self._register(arg), int(known)]
            else:
                assert not isinstance(arg, Arithmetic)
                binds += [column, self._layout.constant(arg), 1]
        return binds

    def _bound_columns(self, lookup: Lookup) -> tuple[int, ...]:
        return tuple(i for i, arg in enumerate(lookup.args) if not isinstance(arg, Variable) or arg in self._registers)

    def _look_up(self, lookup: Lookup, before: bool) -> None:
        layout = self._layout
        if lookup.walk is not None:
            self._walk(lookup, int(before))
            return
        keys = self._bound_columns(lookup)
        step = [0] * variants.STEP
        step[variants.RELATION], step[variants.BEFORE] = layout.at(lookup.relation), int(before)
        registers = [self._value(lookup.args[i]) for i in keys]
        if lookup.negated:
            assert len(keys) == len(lookup.args), "the variables of a negated literal are bound elsewhere"
            step[variants.CODE] = variants.ABSENT
            step[variants.KEYS], step[variants.FIRST_KEY] = len(keys), layout.put(registers)
            self._steps.append(step)
            return
        step[variants.CODE] = variants.PROBE
        number = layout.index(lookup.relation, keys)
        keys = layout.indices[lookup.relation][number] if number >= 0 else ()
        registers = [self._value(lookup.args[i]) for i in keys]
        step[variants.INDEX_NUMBER] = max(number, 0)
        step[variants.KEYS], step[variants.FIRST_KEY] = len(keys), layout.put(registers)
        binds = self._binds(lookup, keys)
        step[variants.STEP_BINDS], step[variants.STEP_FIRST_BIND] = len(binds) // variants.BIND, layout.put(binds)
        self._steps.append(step)

    def _walk(self, lookup: Lookup, which: int, walked_from: int = 0) -> None:
        """A step that walks to the best tuple, if the group and the bounds are known."""
        layout = self._layout
        node, op = layout.ranking(lookup.relation)
        group, size = lookup.args[: node.groups], node.source.arity
        step = [0] * variants.STEP
        step[variants.CODE], step[variants.RELATION], step[variants.BEFORE] = variants.WALK, op, which
        step[variants.TESTS] = layout.put(self._tests_of_walk(lookup, node))
        step[variants.KEYS] = node.groups
        step[variants.FIRST_KEY] = layout.put([self._value(arg) for arg in group])
        binds = self._binds(Lookup(node.source, lookup.args[:size]), range(node.groups))
        step[variants.STEP_BINDS], step[variants.STEP_FIRST_BIND] = len(binds) // variants.BIND, layout.put(binds)
        step[variants.WALKED_FROM], step[variants.WALKER] = walked_from, kernel_address(walk)
        self._steps.append(step)

    def _tests_of_walk(self, lookup: Lookup, node: Ranking) -> list[int]:
        """The words of the tests of a walk."""
        words = [len(node.tests)]
        for test, bound in zip(node.tests, lookup.args[node.source.arity :], strict=True):
            code = COMPARISONS[test.comparison].kernel
            words += [test.column, code, int(not test.reversed), int(test.negated), self._value(bound)]
        return words

    def _take_tests(self, tests: list[Test]) -> None:
        """All tests whose variables are bound by now; one that binds a variable may make others ready."""
        progress = True
        while progress:
            progress = False
            for test in list(tests):
                if self._is_bound(test.left) and self._is_bound(test.right):
                    left, right = self._value(test.left), self._value(test.right)
                    code = COMPARISONS[test.comparison].kernel
                    stops = int(test.sorted is not None and self._scans(test.sorted))
                    self._steps.append([variants.COMPARE, code, left, right, int(test.negated), stops])
                elif _assigns(test) and isinstance(test.left, Variable) and self._is_bound(test.right):
                    self._assign(test.left, test.right)
                elif _assigns(test) and isinstance(test.right, Variable) and self._is_bound(test.left):
                    self._assign(test.right, test.left)
                else:
                    continue
                tests.remove(test)
                progress = True

    def _scans(self, relation: Relation) -> bool:
        """Whether the last step looks at rows of a relation, from the newest to the oldest."""
        last = self._steps[-1] if self._steps else [variants.COMPUTE]
        return last[variants.CODE] == variants.PROBE and last[variants.RELATION] == self._layout.at(relation)

    def _assign(self, variable: Variable, term: Term) -> None:
        value = self._value(term)
        self._steps.append([variants.COMPUTE, codes.COPY, self._register(variable), value, value, 0])

    def _is_bound(self, term: Term) -> bool:
        match term:
            case Variable():
                return term in self._registers
            case Arithmetic():
                return all(self._is_bound(operand) for operand in term.operands)
            case _:
                return True

    def _value(self, term: Term) -> int:
        """The register of a term's value; steps compute it if necessary."""
        match term:
            case Variable():
                return self._register(term)
            case Arithmetic(_, operands):
                if term.function.lazy:
                    return self._whole(term)
                return self._apply(term.function, [self._value(o) for o in operands])
            case _:
                return self._layout.constant(term)

    def _whole(self, term: Arithmetic) -> int:
        """The register of a term that is asked as a whole, given its variables: some of its parts may have no value."""
        variables = tuple(dict.fromkeys(variables_of(term)))
        given = variables or (0,)  # a question is about something
        function = replace(term.function, definition=_Whole(term, variables), operands=(ANYTHING,), lazy=False)
        return self._apply(function, [self._value(v) for v in given])

    def _apply(self, function: Function, registers: list[int]) -> int:
        """Steps that compute a function of registers, two at a time, and the register of its value.

        A kernel is applied again for each further operand. For a function without a kernel, the question has its last
        operand, and a pair of all those before it. An identifier is made of all its operands at once.
        """
        if function.makes and len(registers) > 1:
            return self._make(function, registers)
        result, *rest = registers
        last = function.kernel if function.kernel is not None else self._layout.question(function, len(registers))
        between = last if function.kernel is not None else PAIR
        operands = rest or [result]
        for i, register in enumerate(operands, 1):
            target = self._temporary()
            code = last if i == len(operands) else between
            self._steps.append([variants.COMPUTE, code, target, result, register, 0])
            result = target
        return result

    def _make(self, function: Function, registers: list[int]) -> int:
        """A step that makes an identifier of registers, and the register where it is."""
        step = [0] * variants.STEP
        step[variants.CODE], step[variants.MAKER] = variants.MAKE, kernel_address(make)
        step[variants.OPERATOR] = self._layout.question(function, len(registers))
        step[variants.MADE_OF], step[variants.OPERANDS] = self._layout.put(registers), len(registers)
        step[variants.TARGET] = self._temporary()
        self._steps.append(step)
        return step[variants.TARGET]


@dataclass(frozen=True, slots=True)
class _Whole:
    """The definition of a term as a function of its variables."""

    term: Arithmetic
    variables: tuple[Variable, ...]

    def __call__(self, *values: Value) -> Value:
        return evaluate(self.term, dict(zip(self.variables, values, strict=False)))


def _bound(binds: list[int]) -> list[tuple[int, int]]:
    """The columns that are bound, with their registers."""
    rows = [binds[i : i + variants.BIND] for i in range(0, len(binds), variants.BIND)]
    return [(row[variants.COLUMN], row[variants.REGISTER]) for row in rows]


def _checks(binds: list[int]) -> bool:
    return any(binds[i + variants.CHECKED] for i in range(0, len(binds), variants.BIND))


def _assigns(test: Test) -> bool:
    return test.comparison == "=" and not test.negated
