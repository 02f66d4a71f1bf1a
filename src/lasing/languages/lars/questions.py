"""Questions about streams: a formula on its own, and the atoms that an answer may use.

They take their constants and their tick from the programs that come with them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeVar

from lasing.errors import Diagnostic, LasingError, SourceText, in_order
from lasing.languages.lars.cursor import Cursor, Environment, Mistake
from lasing.languages.lars.expressions import read_atom
from lasing.languages.lars.lower import lower_around
from lasing.languages.lars.rules import read_literals, with_local_variables
from lasing.languages.lars.tokens import Tokens, declared_prefixes, tokenize
from lasing.logic.checks import findings
from lasing.logic.checks.arity import arity
from lasing.logic.checks.safety import safety
from lasing.logic.formulas import Atom
from lasing.logic.program import Program, Rule
from lasing.logic.question import Question
from lasing.logic.terms import evaluate
from lasing.logic.values import Undefined, Value

Read = TypeVar("Read")


def read_question(
    sources: Sequence[SourceText],
    constants: Mapping[str, Value],
    formula: SourceText | None = None,
    atoms: SourceText | None = None,
) -> Question:
    """Read a question. Raises a `LasingError` with all mistakes if there are any.

    The timeline of a formula has an end, so ◇ and □ need no window here.
    """
    prefixes = frozenset[str]().union(*(declared_prefixes(source.text) for source in sources))
    asked = [source for source in (formula, atoms) if source is not None]
    tokens = {source.name: tokenize(source, prefixes=prefixes) for source in asked}
    words = {word for read, _ in tokens.values() for word in read.texts}
    program, environment, found = lower_around(sources, constants, words)
    rule = None if formula is None else _read(*tokens[formula.name], environment, found, _formula)
    given = None if atoms is None else _read(*tokens[atoms.name], environment, found, _atoms)
    if rule is not None:
        beside = Program((rule,), program.background, program.data, inputs=program.inputs, sources=program.sources)
        found += [*_rules_beside(program), *findings(beside, (arity, safety))]
    if found:
        raise LasingError(in_order(found))
    return Question(program, rule, given)


def _read(
    tokens: Tokens,
    bad: list[Diagnostic],
    environment: Environment,
    found: list[Diagnostic],
    read: Callable[[Cursor], Read],
) -> Read | None:
    """What a text says, or findings."""
    found += bad
    try:
        return read(Cursor(tokens, environment))
    except Mistake as mistake:
        if not bad:  # otherwise, an error already says why this cannot be read
            found.append(mistake.diagnostic)
        return None


def _formula(c: Cursor) -> Rule:
    c.begin_rule()
    body = read_literals(c)
    _end(c, "a literal")
    rule = Rule((), tuple(body), c.source, 0, len(c.source.text))
    return with_local_variables(rule) if c.braces else rule


def _atoms(c: Cursor) -> tuple[Atom, ...]:
    """`p(a), q`: ground atoms, or none at all."""
    found: dict[Atom, None] = {}
    while c.kind != "END":
        found[_ground(c)] = None
        if not c.accept(","):
            _end(c, "an atom")
    return tuple(found)


def _ground(c: Cursor) -> Atom:
    offset = c.offset
    atom = read_atom(c)
    c.refuse_own_calls(atom.args, "an atom")
    try:
        return Atom(atom.predicate, tuple(evaluate(arg, {}) for arg in atom.args), offset)
    except Undefined as reason:
        c.fail("E113", f"this atom has no value: {reason}", "", offset, len(atom.predicate))
    except KeyError:
        c.fail("E314", f"{atom} has variables", "name the atoms one by one: p(a), p(b)", offset, len(atom.predicate))


def _end(c: Cursor, what: str) -> None:
    c.accept(".")
    if c.kind != "END":
        c.fail_expected("a comma or the end", f"after {what}")


def _rules_beside(program: Program) -> Iterator[Diagnostic]:
    note = "only background facts, data and directives go with a formula; to ask about a program, leave the formula out"
    for rule in program.rules[:1]:
        yield Diagnostic("E314", "a formula asks about a stream, not about rules", rule.place(), note)
