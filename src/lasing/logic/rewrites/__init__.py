"""Nested formulas as plain literals, exactly, with helper predicates, so that the incremental engine can run them.

The passes below rewrite a rule, one after the other, or leave it alone: if plain literals cannot express a formula
exactly, a pass raises `Left` with the reason. Rewriting is sound if a program has one answer: its rules define each
helper predicate completely, and it represents a part of a formula.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from itertools import count
from operator import is_not

from lasing.logic.dependencies import stratify
from lasing.logic.facts import facts_of
from lasing.logic.formulas import Atom, atoms_of, walk
from lasing.logic.fragments import is_plain
from lasing.logic.narrowing import narrowed_rules
from lasing.logic.outputs import outputs_of
from lasing.logic.program import Program, Rule
from lasing.logic.rewrites.arithmetic import arithmetic
from lasing.logic.rewrites.braces import braces
from lasing.logic.rewrites.clock import with_clock
from lasing.logic.rewrites.draft import TICK, Draft
from lasing.logic.rewrites.formulas import formulas
from lasing.logic.rewrites.standpoint import Left
from lasing.logic.rewrites.truth import fails, holds

MOST_PARTS = 1000
"""Anything larger has no plan either, so it is left alone before it takes long."""

PASSES: tuple[Callable[[Draft, Rule], list[Rule]], ...] = (arithmetic, braces, formulas)


@dataclass(frozen=True, slots=True)
class Plain:
    """A program with the same answers on the same output predicates.

    `origin` has, for each of its rules, the index of the original rule that it comes from. `left` has the reason why an
    original rule with nested formulas stays unchanged.
    """

    program: Program
    origin: tuple[int, ...]
    left: dict[int, str] = field(default_factory=dict)

    def helpers(self) -> dict[int, int]:
        """How many rules were added for each original one."""
        return {index: number - 1 for index, number in Counter(self.origin).items()}


def plain(program: Program) -> Plain:
    """The program with plain literals in place of nested formulas, wherever that is exact.

    >>> from lasing.logic.formulas import Always, Not, TimeWindow, Window
    >>> quiet = Rule((Atom("quiet"),), (Window(TimeWindow(2), Always(Not(Atom("p")))),))
    >>> print(quiet, "becomes", plain(Program((quiet,))).program.rules[0])
    quiet :- (not p) always in [2]. becomes quiet :- not p in [2].
    """
    rules = narrowed_rules(program)
    if any(map(is_not, rules, program.rules)):
        program = replace(program, rules=rules)
    program = with_clock(program)
    same = tuple(range(len(program.rules)))
    nested = [i for i in same if not _is_plain(program.rules[i])]
    if not nested:
        return Plain(program, same)
    if any(not rule.definite for rule in program.rules) or stratify(program).cycles:
        return Plain(
            program, same, dict.fromkeys(nested, "a nested formula, in a program that may have several answers")
        )
    for absent in (True, False):
        found = _rewritten(program, absent)
        if not stratify(found.program).cycles:
            return found
    return Plain(program, same, dict.fromkeys(nested, "a nested formula, in a program with recursion through these"))


def _is_plain(rule: Rule) -> bool:
    return all(map(is_plain, rule.body))


def _rewritten(program: Program, absent: bool) -> Plain:
    background = facts_of(program).background
    names: dict[str, count[int]] = {}
    known: dict[str, Atom] = {}
    rules: list[Rule] = []
    origin: list[int] = []
    left: dict[int, str] = {}
    for index, rule in enumerate(program.rules):
        new = [rule]
        if not _is_plain(rule):
            (head,) = rule.head_atoms()
            numbers = names.setdefault(head.predicate, count(1))
            draft = Draft(rule, background, holds, fails, numbers, dict(known), absent)
            try:
                if sum(1 for literal in rule.body for _ in walk(literal)) > MOST_PARTS:
                    raise Left(f"more than {MOST_PARTS} parts")
                for rewriting in PASSES:
                    new = [found for one in new for found in rewriting(draft, one)]
            except Left as reason:
                left[index], new = str(reason), [rule]
            else:
                new += draft.helpers
                known = draft.known
        rules += new
        origin += [index] * len(new)
    changed = (
        program if len(left) == sum(not _is_plain(r) for r in program.rules) else _with_rules(program, tuple(rules))
    )
    return Plain(changed, tuple(origin), left)


def _with_rules(program: Program, rules: tuple[Rule, ...]) -> Program:
    """The program with other rules, and the same output."""
    ticks = any(atom == TICK for rule in rules for literal in rule.body for atom in atoms_of(literal))
    background = (*program.background, TICK) if ticks and TICK not in program.background else program.background
    return replace(program, rules=rules, outputs=outputs_of(program), background=background)
