"""The rules that a query becomes, while they are being made."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass, field

from lasing.algebra.nodes import Column, Columns, Node
from lasing.algebra.purposes import PURPOSES
from lasing.algebra.rows import Body, Rows
from lasing.logic.formulas import At, Atom, Compare, Formula, Not, TimeWindow, Window
from lasing.logic.program import Rule
from lasing.logic.provenance import Helper
from lasing.logic.terms import Arithmetic, Term, Variable
from lasing.logic.variables import occurrences

_NUMBER = re.compile(r"_\d+$")

NO_TERM = 0
"""The argument of a branch that has fewer unseen variables than another."""


@dataclass(slots=True)
class Builder(ABC):
    """Collects rules and facts, and names predicates and variables that nothing else uses."""

    taken: set[str] = field(default_factory=set)
    """The predicates and variables that have another meaning."""
    rules: list[Rule] = field(default_factory=list)
    background: list[Atom] = field(default_factory=list)
    helpers: dict[str, Helper] = field(default_factory=dict)
    """What the predicates are for."""
    _counters: dict[str, int] = field(default_factory=dict)

    @abstractmethod
    def lower(self, node: Node, bag: bool = True) -> Rows:
        """The rows of a node. `bag` says whether the number of equal rows matters."""

    def predicate(self, what: str) -> str:
        """A new predicate, named after what it holds."""
        while True:
            number = self._counters[what] = self._counters.get(what, 0) + 1
            name = what if number == 1 else f"{what}{number}"
            if name not in self.taken:
                self.taken.add(name)
                if what in PURPOSES:
                    self.helpers[name] = PURPOSES[what]
                return name

    def variable(self, like: str = "V") -> Variable:
        """A new variable."""
        stem = _NUMBER.sub("", like)
        while True:
            number = self._counters[stem] = self._counters.get(stem, 1) + 1
            name = f"{stem}_{number}"
            if name not in self.taken:
                return Variable(name)

    def rule(self, head: Atom, literals: Iterable[Formula]) -> None:
        """Add a rule."""
        self.rules.append(Rule((head,), tuple(literals)))

    def derives(self, predicate: str) -> bool:
        """Whether a rule for a predicate has been added."""
        return any(head.predicate == predicate for rule in self.rules for head in rule.head_atoms())

    def stored(self, rows: Rows, what: str, bag: bool) -> Rows:
        """The rows as a predicate of their own, in one body, in which each column is the variable of its name.

        A bag keeps its unseen variables, and a number for each body if rows of two bodies could coincide.
        """
        if len(rows.bodies) == 1 and is_stored(rows.bodies[0], rows.columns, bag):
            return self._named(rows)
        predicate = self.predicate(what)
        unseen = [body.unseen() if bag else () for body in rows.bodies]
        width = max(map(len, unseen), default=0)
        numbered = bag and len(rows.bodies) > 1 and not (rows.apart and width == 0)
        for number, (body, more) in enumerate(zip(rows.bodies, unseen, strict=True), start=1):
            filler = (NO_TERM,) * (width - len(more))
            args = (*(body.terms[c] for c in rows.columns), *more, *filler, *((number,) if numbered else ()))
            self.rule(Atom(predicate, args), body.literals)
        fresh = tuple(self.variable() for _ in range(width + numbered))
        atom = Atom(predicate, (*rows.columns, *fresh))
        return Rows(rows.columns, (Body((atom,), {column: column for column in rows.columns}),), rows.missing)

    def at_hand(self, rows: Rows, what: str) -> Rows:
        """The rows of a bag in one body, in which each column is the variable of its name, and whose data is one
        literal: a predicate of its own, or a window on a predicate, with comparisons."""
        if len(rows.bodies) == 1 and is_at_hand(rows.bodies[0]):
            return self._named(rows)
        return self.stored(rows, what, bag=True)

    def _named(self, rows: Rows) -> Rows:
        """The rows of one body, in which each column is the variable of its name."""
        body = self.apart(rows.bodies[0])
        own = {term: column for column, term in body.terms.items() if isinstance(term, Variable)}
        return Rows(rows.columns, (body.replaced(own),), rows.missing, rows.apart)

    def helper(self, what: str, columns: Columns, bodies: Iterable[Body]) -> str:
        """A new predicate for the distinct values of some columns in some bodies."""
        predicate = self.predicate(what)
        for body in bodies:
            self.rule(Atom(predicate, tuple(body.terms[column] for column in columns)), body.literals)
        return predicate

    def renamed(self, rows: Rows, columns: Iterable[Column]) -> Rows:
        """The same rows, with new variables in some columns; the columns keep their names."""
        changed = {column: self.variable(column.name) for column in columns}
        bodies = tuple(
            body.replaced({t: changed[c] for c, t in body.terms.items() if c in changed and isinstance(t, Variable)})
            for body in rows.bodies
        )
        return Rows(rows.columns, bodies, rows.missing, rows.apart)

    def apart(self, body: Body) -> Body:
        """The same body, with new variables for all that are in no column."""
        return body.replaced({variable: self.variable(variable.name) for variable in body.unseen()})


def is_at_hand(body: Body) -> bool:
    """Whether a body is a window on one atom, and comparisons of its arguments, and its columns are among these."""
    data = [literal for literal in body.literals if not _is_test(literal)]
    if len(data) != 1:
        return False
    match data[0]:
        case Window(TimeWindow(), At(Variable() as time, Atom(args=args))):
            found = (*args, time)
        case _:
            return False
    tested = {v for literal in body.literals if literal is not data[0] for v in occurrences(literal)}
    seen = list(body.terms.values())
    distinct = len(set(found)) == len(found) and all(isinstance(arg, Variable) for arg in found)
    return distinct and tested <= set(found) and set(seen) <= set(found) and len(set(seen)) == len(seen)


def _is_test(literal: Formula) -> bool:
    """Whether a literal is a comparison, or says that one does not hold."""
    compared = literal.body if isinstance(literal, Not) else literal
    return isinstance(compared, Compare) and not any(isinstance(s, Arithmetic) for s in (compared.left, compared.right))


def is_stored(body: Body, columns: Columns, bag: bool) -> bool:
    """Whether a body is one atom whose arguments are just the columns, and more only in a bag."""
    if len(body.literals) != 1 or not isinstance(body.literals[0], Atom):
        return False
    args = body.literals[0].args
    seen: list[Term] = [body.terms[column] for column in columns]
    distinct = len(set(args)) == len(args) and all(isinstance(arg, Variable) for arg in args)
    return distinct and (set(seen) <= set(args) if bag else set(seen) == set(args)) and len(set(seen)) == len(seen)
