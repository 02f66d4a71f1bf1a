"""Splitting: what a program derives in the same way in all of its answers is derived below, once.

*Undecided* are the predicates of choices and disjunctions, those in a cycle through negation or an aggregate, and all
that depend on them. The rules of the other predicates make a stratified program, which an engine for such programs
runs incrementally. Rules of undecided predicates and constraints stay above, and what they ask about decided
predicates is answered below: the decided literals of a body become the body of a helper rule, and the rule above has
the helper's atom instead, which holds now or does not.

A formula that mixes decided and undecided atoms in one literal is evaluated above. The rules of its decided predicates
are imported: above, they derive the same as below, with their bodies as helpers. Of derived streams, not the rules are
imported but what they derive, since that is remembered even where there is no answer.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from lasing.logic.dependencies import dependencies, stratify
from lasing.logic.facts import facts_of
from lasing.logic.formulas import (
    Aggregate,
    Always,
    At,
    Atom,
    Compare,
    Formula,
    Head,
    IntervalWindow,
    Not,
    Select,
    Sometime,
    Window,
    atoms_of,
    head_atom,
    terms_of,
    variables_in,
)
from lasing.logic.outputs import outputs_of
from lasing.logic.program import Output, Program, Rule, per_program
from lasing.logic.terms import Term, Variable, variables_of
from lasing.logic.variables import bound_by, free_variables, is_ready


@dataclass(frozen=True, slots=True)
class Split:
    """A program in two.

    `below` is stratified; its atoms of `helpers` hold above, at the time point of evaluation, where they hold below.
    The origins have, for each rule, the index of the rule in the whole program that it comes from.
    """

    whole: Program
    above: Program
    above_origin: tuple[int, ...]
    below: Program | None = None
    below_origin: tuple[int, ...] = ()
    helpers: frozenset[str] = frozenset()


def unsplit(program: Program) -> Split:
    """Everything above."""
    return Split(program, replace(program, data=()), tuple(range(len(program.rules))))


@per_program
def undecided(program: Program) -> frozenset[str]:
    """The predicates that answers may differ on."""
    strata = stratify(program)
    found = {edge.head for cycle in strata.cycles for edge in cycle}
    found |= {p for component in strata.components if component & found for p in component}
    found |= {atom.predicate for rule in program.rules if not rule.definite for atom in rule.head_atoms()}
    by_body: dict[str, list[str]] = {}
    for edge in dependencies(program):
        by_body.setdefault(edge.body, []).append(edge.head)
    waiting = list(found)
    while waiting:
        for head in by_body.get(waiting.pop(), ()):
            if head not in found:
                found.add(head)
                waiting.append(head)
    return frozenset(found)


def decided(program: Program) -> Program:
    """The rules of the predicates that all answers agree on. They have one answer."""
    open_predicates = undecided(program)
    heads = ((rule, {atom.predicate for atom in rule.head_atoms()}) for rule in program.rules)
    return replace(program, rules=tuple(rule for rule, names in heads if names and not names & open_predicates))


def has_several_answers(program: Program) -> bool:
    """Whether a program may have any number of answers at a time point, not just one."""
    return not all(rule.definite for rule in program.rules) or bool(stratify(program).cycles)


def split(program: Program) -> Split:
    """A program in two; all of it stays above if nothing is decided."""
    return _Splitter(program).split()


@dataclass
class _Splitter:
    program: Program
    undecided: frozenset[str] = field(init=False)
    imported: set[str] = field(default_factory=set)
    helper_rules: dict[tuple[tuple[Formula, ...], tuple[Term, ...]], tuple[Rule, int]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.undecided = undecided(self.program)

    def split(self) -> Split:
        program = self.program
        decided = [(i, r) for i, r in enumerate(program.rules) if r.heads and not self._is_undecided(r.heads)]
        above = [
            (i, self._above(i, rule))
            for i, rule in enumerate(program.rules)
            if not rule.heads or self._is_undecided(rule.heads)
        ]
        done: set[str] = set()
        while waiting := sorted(self.imported - done):
            done.update(waiting)
            waiting = [predicate for predicate in waiting if predicate not in program.remembered()]
            rules = [(i, r) for i, r in decided if head_atom(r.heads[0]).predicate in waiting]
            above = [(i, self._above(i, rule)) for i, rule in rules] + above
        helpers = list(self.helper_rules.values())
        if not decided and not helpers:
            return unsplit(program)
        below = [(i, rule) for i, rule in decided] + [(i, rule) for rule, i in helpers]
        heads = [head_atom(rule.heads[0]) for rule, _ in helpers]
        output = program.output() - self.undecided
        shown = [o for o in outputs_of(program) if o.predicate in output]
        remembered = [s for s in program.streams if s.predicate in self.imported]
        shown += [Output.unnamed(s.predicate, s.arity) for s in remembered if s.predicate not in output]
        return Split(
            program,
            replace(program, rules=tuple(rule for _, rule in above), data=()),
            tuple(i for i, _ in above),
            replace(
                program,
                rules=tuple(rule for _, rule in below),
                data=(),
                outputs=(*shown, *(Output.unnamed(a.predicate, len(a.args)) for a in heads)),
            ),
            tuple(i for i, _ in below),
            frozenset(atom.predicate for atom in heads) | {signature.predicate for signature in remembered},
        )

    def _is_undecided(self, heads: Iterable[Head]) -> bool:
        return any(head_atom(head).predicate in self.undecided for head in heads)

    # -- rules above ----------------------------------------------------------------------------------------------

    def _above(self, index: int, rule: Rule) -> Rule:
        used = {v for head in rule.heads for v in _head_variables(head)}
        if rule.penalty is not None:
            used |= {v for term in rule.penalty.all_terms() for v in variables_of(term)}
        return replace(rule, body=self._conjunction(index, rule.body, used))

    def _conjunction(self, index: int, body: tuple[Formula, ...], used: set[Variable]) -> tuple[Formula, ...]:
        """A body with helpers in place of what is decided below; `used` variables are needed outside it."""
        together = self._decided_together(body)
        rest = [literal for literal in body if literal not in together]
        asked: tuple[Formula, ...] = tuple(together)
        if any(list(atoms_of(literal)) for literal in together):  # comparisons alone are just as good above
            needed = used | {v for literal in rest for v in variables_in(literal)}
            args = tuple(sorted(bound_by(together) & needed, key=lambda v: v.name))
            asked = (self._helper(index, tuple(together), args, args),)
        return *asked, *(self._literal(index, literal) for literal in rest)

    def _decided_together(self, body: Sequence[Formula]) -> list[Formula]:
        """The decided literals of a body that are safe without the rest of it."""
        chosen = [literal for literal in body if not self._rests_on_undecided(literal)]
        while True:
            ready, bound = list[Formula](), frozenset[Variable]()
            while more := [f for f in chosen if f not in ready and is_ready(f, bound)]:
                ready += more
                bound = bound_by(ready, bound)
            kept = [f for f in chosen if f in ready and free_variables(f) <= bound]
            if kept == chosen:
                return kept
            chosen = kept

    def _rests_on_undecided(self, literal: Formula) -> bool:
        return any(atom.predicate in self.undecided for atom in atoms_of(literal))

    def _literal(self, index: int, literal: Formula) -> Formula:
        """A literal that cannot be asked below together with others."""
        match literal:
            case Compare():
                return literal
            case Not(body):
                return Not(self._literal(index, body))
            case Aggregate() | Select():
                inside = {v for term in literal.terms for v in variables_of(term)}
                outside = {v for v in free_variables(literal) if v not in literal.local}
                condition = self._conjunction(index, literal.condition, inside | outside)
                occurring = {v for part in condition for v in variables_in(part)} | inside
                return replace(literal, condition=condition, local=literal.local & occurring)
            case _ if self._rests_on_undecided(literal):
                return self._imported(literal)
            case Atom() | At(_, Atom()) | Window(_, Sometime(Atom()) | Always(Atom()) | At(_, Atom())):
                if isinstance(literal, Window) and isinstance(literal.function, IntervalWindow):
                    return self._imported(literal)
                general, args = _generalised(literal)
                return self._helper(index, (general,), tuple(_columns(len(args))), args)
            case _:
                return self._imported(literal)

    def _imported(self, literal: Formula) -> Formula:
        """A literal to be evaluated above, where everything that it mentions must then be known."""
        derived = facts_of(self.program).derived
        self.imported |= {a.predicate for a in atoms_of(literal) if a.predicate in derived} - self.undecided
        return literal

    def _helper(
        self, index: int, body: tuple[Formula, ...], args: tuple[Term, ...], given: tuple[Term, ...]
    ) -> Formula:
        """The atom that holds above if the body holds below; the same helper for the same body."""
        known = self.helper_rules.get((body, args))
        if known is None:
            name = f"#{len(self.helper_rules) + 1} for rule {index + 1}"
            source = self.program.rules[index]
            rule = Rule((Atom(name, args),), body, source.source, source.offset, source.length)
            known = self.helper_rules[body, args] = rule, index
        return Atom(head_atom(known[0].heads[0]).predicate, given)


def _generalised(literal: Formula) -> tuple[Formula, tuple[Term, ...]]:
    """A literal of one atom with variables for all its terms, and those terms."""
    match literal:
        case Atom(predicate, args):
            return Atom(predicate, _columns(len(args)), literal.offset), args
        case At(time, body):
            inner, args = _generalised(body)
            return At(Variable(f"C{len(args)}"), inner), (*args, time)
        case Sometime(body) | Always(body):
            inner, args = _generalised(body)
            return replace(literal, body=inner), args
        case Window():
            inner, args = _generalised(literal.body)
            return replace(literal, body=inner), args
        case _:
            raise AssertionError("not a literal of one atom")


def _columns(number: int) -> tuple[Variable, ...]:
    return tuple(Variable(f"C{i}") for i in range(number))


def _head_variables(head: Head) -> Iterator[Variable]:
    for term in (*terms_of(head), *(head.body.args if isinstance(head, At) and isinstance(head.body, Atom) else ())):
        yield from variables_of(term)
