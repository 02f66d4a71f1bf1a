"""Filter: the rows for which a condition is true; and EXISTS inside conditions.

An EXISTS becomes a predicate over the columns that its pattern mentions. A condition that is nothing but an EXISTS, or
a conjunction with one, is a literal of the body. Anywhere else there are two bodies, one for each truth value.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from lasing.algebra.builder import Builder
from lasing.algebra.correlated import mentioned, stands_alone, substituted_into
from lasing.algebra.matches import Matches, decided_by, with_copies
from lasing.algebra.nodes import Condition, Exists, Pattern
from lasing.algebra.rows import Body, Rows, unified
from lasing.algebra.terms import FALSE, TRUE, conjuncts, tests_of
from lasing.logic.formulas import Atom, Compare, Formula
from lasing.logic.functions.comparisons import holds
from lasing.logic.terms import Arithmetic, Term, Variable, substituted
from lasing.logic.values import is_value


def filtered(rows: Rows, condition: Condition, builder: Builder, bag: bool) -> Rows:
    """The rows for which a condition is true."""
    asked = {exists.marker: exists for exists in condition.exists}
    literals: list[tuple[Exists, bool]] = []
    rest: list[Term] = []
    for part in conjuncts(condition.term):
        match part:
            case Variable() if part in asked:
                literals.append((asked.pop(part), True))
            case Arithmetic("opposite", (Variable() as marker,)) if marker in asked:
                literals.append((asked.pop(marker), False))
            case _ if part == TRUE:
                continue
            case _:
                rest.append(part)
    if asked or literals:
        rows = _once(rows, builder, bag)
    bodies: list[Body] = []
    tests = [(_matches(exists, rows, builder), wanted) for exists, wanted in literals]
    for body in rows.bodies:
        kept = body.extended(*(m.holds(body) if wanted else m.fails(body) for m, wanted in tests))
        bodies += _satisfying(kept, rows, rest, tuple(asked.values()), builder)
    return Rows(rows.columns, tuple(bodies), rows.missing, rows.apart)


def _satisfying(
    body: Body, rows: Rows, parts: list[Term], asked: tuple[Exists, ...], builder: Builder
) -> Iterator[Body]:
    """The body with the conditions that do not consist of an EXISTS alone."""
    for split, truth in _split(body, _asked(asked, rows, builder)):
        terms = [substituted(part, truth) for part in parts]
        every = [t for term in terms for t in tests_of(substituted(term, rows.references(body, term)))]
        if any(_known(test) is False for test in every):
            continue
        tests = [test for test in every if _known(test) is None]
        equal = [t for t in tests if isinstance(t, Compare) and t.operator == "=" and _unifies(t)]
        same = unified(split.extended(*(t for t in tests if t not in equal)), [(t.left, t.right) for t in equal])
        if same is not None:
            yield same


def _known(test: Formula) -> bool | None:
    """Whether a comparison holds, if that does not depend on the row."""
    if not isinstance(test, Compare) or not (is_value(test.left) and is_value(test.right)):
        return None
    return holds(test.operator, test.left, test.right)


def _unifies(equation: Compare) -> bool:
    """Whether an equation is between columns and constants, so that they can be the same in all literals: then the rows
    are found by them."""
    return not isinstance(equation.left, Arithmetic) and not isinstance(equation.right, Arithmetic)


def decided(rows: Rows, condition: Condition, builder: Builder, bag: bool) -> Iterator[tuple[Body, Term]]:
    """The bodies with a term for the condition in each, in which no EXISTS is left."""
    if condition.exists:
        rows = _once(rows, builder, bag)
    asked = _asked(condition.exists, rows, builder)
    for body in rows.bodies:
        for split, truth in _split(body, asked):
            yield split, substituted(condition.term, truth)


Asked = list[tuple[Variable, Matches]]


def _asked(exists: tuple[Exists, ...], rows: Rows, builder: Builder) -> Asked:
    return [(one.marker, _matches(one, rows, builder)) for one in exists]


def _split(body: Body, asked: Asked) -> Iterator[tuple[Body, dict[Variable, Term]]]:
    """A body for each combination of answers, and the truth values in place of the markers."""
    for values in product((True, False), repeat=len(asked)):
        answers = list(zip(asked, values, strict=True))
        literals = [matches.holds(body) if value else matches.fails(body) for (_, matches), value in answers]
        yield body.extended(*literals), {marker: TRUE if value else FALSE for (marker, _), value in answers}


def _once(rows: Rows, builder: Builder, bag: bool) -> Rows:
    """The rows as a predicate if they are more than one body, since they will be needed several times."""
    return rows if len(rows.bodies) == 1 else builder.stored(rows, "filtered", bag)


def _matches(exists: Exists, rows: Rows, builder: Builder) -> Matches:
    """The rows for which a pattern has a solution."""
    inner = exists.node
    outer = tuple(column for column in rows.columns if column in mentioned(inner))
    if stands_alone(inner, frozenset(outer)):
        right = builder.lower(inner, bag=False)
        shared = decided_by(rows, right)
        if shared is not None:
            return Matches(builder, "exists", shared, right.bodies)
    unsure = tuple(column for column in outer if column in rows.missing)
    source, copies = with_copies(rows, unsure, builder)
    columns = (*outer, *copies.values())
    predicate = builder.helper("context", columns, source.bodies)
    context = Pattern((Atom(predicate, columns),), columns, frozenset(unsure))
    found = builder.lower(substituted_into(inner, context, outer), bag=False)
    return Matches(builder, "exists", outer, found.bodies, copies)
