"""Terms and formulas, by recursive descent.

From loosest to tightest:   ->   or   and   not ◇ □ @ ⊞   < <= > >= = !=   + -   * / div mod   -   atoms, (…)

A parenthesis may open a term or a formula, and a bare name may be a constant or an atom. So every level returns an
`Operand`, and its user decides with `as_term` or `as_formula` which it has to be. Reading is linear in the text.
"""

from __future__ import annotations

from typing import cast

from lasing.errors import LasingError, similar
from lasing.languages.lars.braces import Targets, Uncompared, compared, fail_targets, read_braces
from lasing.languages.lars.cursor import DEEPEST, Cursor
from lasing.languages.lars.numbers import read_number
from lasing.languages.lars.prefixes import prefixed_iri, read_literal_value
from lasing.languages.lars.slips import capitalised
from lasing.languages.lars.windows import attach_window, read_window
from lasing.logic.formulas import (
    Always,
    And,
    At,
    Atom,
    Compare,
    Formula,
    Implies,
    Not,
    Or,
    Sometime,
    Window,
)
from lasing.logic.functions import COMPARISONS, Comparison, calls, functions, infixes
from lasing.logic.terms import NOW, Arithmetic, Term, Variable
from lasing.logic.values import (
    SMALLEST,
    BlankNode,
    Boxed,
    Constructed,
    Iri,
    Truth,
    datatypes,
    is_boxed,
    is_number,
    is_value,
    normal,
    unescape,
)
from lasing.timeline.ticks import parse_time

_COMPARISONS = frozenset(COMPARISONS)
_FUNCTIONS = calls()
_SUMS, _PRODUCTS = infixes(1), infixes(2)
_TERM_ENDS = frozenset(",)")
_DEEPEST_TERM = 2 * DEEPEST


Operand = Term | Formula | Uncompared | Targets


def read_literal(c: Cursor) -> Formula:
    """A literal of a body: any formula."""
    if c.kinds[c.i] == "NAME":
        atom = read_atom(c)
        kind = c.kinds[c.i]
        if kind in (",", "."):
            return atom
        if kind in _SUFFIXES:
            literal = _suffix(c, atom)
            if c.kinds[c.i] in (",", "."):
                return literal
            return as_formula(c, _implication(c, literal))
        return as_formula(c, _implication(c, atom))
    return as_formula(c, _implication(c))


def read_formula(c: Cursor) -> Formula:
    return as_formula(c, _implication(c))


def read_term(c: Cursor) -> Term:
    """A term. The common case, a lone constant or variable before a comma or parenthesis, takes a short cut."""
    i = c.i
    if c.kinds[i + 1] in _TERM_ENDS:
        kind = c.kinds[i]
        if kind == "VARIABLE":
            c.i = i + 1
            return _variable(c, i)
        if kind == "NAME":
            c.i = i + 1
            text = c.texts[i]
            return c.environment.constants.get(text, text)
        if kind == "NUMBER":
            return read_number(c)
    c.enter()
    term = as_term(c, _sum(c))
    c.leave()
    return term


def read_time(c: Cursor) -> Term:
    """A term for a time."""
    first = c.i
    c.enter()
    term = as_term(c, _sum(c))
    c.leave()
    return as_time(c, term, first)


def as_time(c: Cursor, term: Term, first: int) -> Term:
    """A term that starts at the token `first`, where a time is expected. A date in quotes becomes its time point."""
    if isinstance(term, Variable | Arithmetic | int):
        return term
    offset = c.offsets[first]
    length = c.offsets[c.i - 1] + len(c.texts[c.i - 1]) - offset
    if isinstance(term, float):
        c.fail("E113", f"a time point is a whole number, not {term}", "", offset, length)
    if is_boxed(term):
        c.fail("E113", f"{term} is not a time", "", offset, length)
    if c.kinds[first] == "NAME" and c.texts[first] not in c.environment.constants:
        note = f"a time is a number, a variable such as T, or a date in quotes; or define it: #const {term} = 5."
        c.fail("E113", f"{term} is not a time", note, offset, length)
    c.dated = True
    try:
        return parse_time(str(term), c.environment.tick)
    except LasingError as error:
        found = error.diagnostics[0]
        c.fail(found.code, found.message, found.note, offset, length)


def read_atom(c: Cursor) -> Atom:
    """A predicate and its arguments."""
    i = c.i
    if c.kinds[i] != "NAME":
        if c.kinds[i] in _IRIS and c.kinds[i + 1] == "(":
            return _read_triple(c)
        c.fail_expected("a predicate's name", "here", _name_note(c))
    name = c.texts[i]
    if c.kinds[i + 1] != "(":
        c.i = i + 1
        return Atom(name, (), c.offsets[i])
    c.i = i + 2
    args = [read_term(c)]
    while c.accept(","):
        args.append(read_term(c))
    if not c.accept(")"):
        c.fail_expected(", or )", f"in the arguments of {name}")
    return Atom(name, tuple(args), c.offsets[i])


def _read_triple(c: Cursor) -> Atom:
    """`ex:p(X,Y)` is `triple(X,ex:p,Y)`, and `ex:c(X)` is `triple(X,rdf:type,ex:c)`."""
    i = c.i
    written = c.texts[i]
    name = Iri(written[1:-1]) if c.kinds[i] == "IRI" else prefixed_iri(c, written, c.offsets[i])
    c.i = i + 2
    args = [read_term(c)]
    while c.accept(","):
        args.append(read_term(c))
    if not c.accept(")"):
        c.fail_expected(", or )", f"in the arguments of {written}")
    if len(args) > 2:
        note = "a property has a subject and an object: ex:p(X,Y); a class has one argument: ex:c(X)"
        c.fail("E105", f"{written} has {len(args)} arguments", note, c.offsets[i], len(written))
    args = [args[0], name, args[1]] if len(args) == 2 else [args[0], _TYPE, name]
    return Atom(TRIPLE, tuple(args), c.offsets[i])


TRIPLE = "triple"
_TYPE = Iri(f"{datatypes.RDF}type")
_IRIS = frozenset(("IRI", "PREFIXED"))


def as_term(c: Cursor, operand: Operand) -> Term:
    """The operand, where only a term is allowed."""
    match operand:
        case Variable() | Arithmetic() | int() | float() | str() | Boxed():  # the most common ones come first
            return operand
        case Atom(name, ()):
            return c.environment.constants.get(name, name)
        case Atom("new", (str(function), *args)) if all(map(is_value, args)):
            return Constructed(function, tuple(args))  # type: ignore[arg-type]  # they are values
        case Atom(name, args) if name in _FUNCTIONS:
            if not any(function.takes(len(args)) for function in functions(name)):
                takes = next(functions(name)).arity_text
                c.fail("E105", f"{name} takes {takes}", offset=operand.offset, length=len(name))
            return _arithmetic(c, name, args, operand.offset)
        case Atom(name):
            hint = similar(name, _FUNCTIONS)
            note = hint or "there is no function of this name; one of your own is written @f(…)"
            c.fail("E105", f"{name}(…) is not a term", note, operand.offset, len(name))
        case Uncompared(name=name):
            note = f"give it a name first: N = #{name}{{…}}"
            c.fail("E105", f"#{name} cannot be part of a term", note, operand.offset)
        case Targets():
            fail_targets(c, operand)
        case _:
            c.fail_expected("a term", "before this", "this is a formula, but only a term is allowed here")


def negated(c: Cursor, term: Term, offset: int) -> Term:
    """The term with a minus before it."""
    if is_number(term) and term != SMALLEST:
        return normal(-term)
    return _arithmetic(c, "-", (term,), offset)


def as_formula(c: Cursor, operand: Operand) -> Formula:
    """The operand, where only a formula is allowed."""
    match operand:
        case Atom() | Window() | Compare():  # almost always
            return operand
        case Variable() | Arithmetic() | int() | float() | str() | Boxed():
            c.fail_expected("a comparison such as < or =", "after a term", "a term alone is not a literal")
        case Uncompared(name=name):
            note = f"such as: X = #{name}{{Y : p(Y)}}" if operand.selects else "such as: #count{X : p(X)} >= 3"
            c.fail_expected("a comparison", f"after #{name}", note)
        case Targets():
            fail_targets(c, operand)
        case _:
            return operand


def _name_note(c: Cursor) -> str:
    if c.kind == "VARIABLE":
        return "names start with a lower-case letter, variables with an upper-case one"
    if c.kind in ("STRING", "LITERAL", "IRI", "PREFIXED", "BLANK", "NUMBER"):
        return "a predicate is a name that starts with a lower-case letter"
    return ""


# -- formulas -----------------------------------------------------------------------------------------------------
# `first`, if given, is an operand already read: the first one of its level.


def _implication(c: Cursor, first: Operand | None = None) -> Operand:
    left = _disjunction(c, first)
    if c.kinds[c.i] != "->":
        return left
    c.i += 1
    c.enter()
    right = as_formula(c, _implication(c))
    c.leave()
    return Implies(as_formula(c, left), right)


def _disjunction(c: Cursor, first: Operand | None = None) -> Operand:
    operand = _conjunction(c, first)
    if c.kinds[c.i] != "or":
        return operand
    parts = [as_formula(c, operand)]
    while c.accept("or"):
        parts.append(as_formula(c, _conjunction(c)))
    return Or(tuple(parts))


def _conjunction(c: Cursor, first: Operand | None = None) -> Operand:
    operand = _unary(c, first)
    if c.kinds[c.i] != "and":
        return operand
    parts = [as_formula(c, operand)]
    while c.accept("and"):
        parts.append(as_formula(c, _unary(c)))
    return And(tuple(parts))


def _unary(c: Cursor, first: Operand | None = None) -> Operand:
    if first is None and c.kinds[c.i] in _PREFIXES:
        c.enter()
        formula = _prefixed(c)
        c.leave()
        return formula
    operand = _comparison(c, first)
    if c.kinds[c.i] in _SUFFIXES:
        return _suffix(c, as_formula(c, operand))
    return operand


def _prefixed(c: Cursor) -> Formula:
    """¬φ, ◇φ, □φ, @Tφ, ⊞[w]φ"""
    kind, offset = c.kind, c.offset
    c.i += 1
    if kind == "@" and _calls_own(c, c.i):
        c.i -= 1
        return as_formula(c, _comparison(c))
    if kind == "@":
        first = c.i
        time = as_time(c, as_term(c, _primary(c)), first)
        return At(time, as_formula(c, _unary(c)))
    if kind == "⊞":
        window = read_window(c, read_term, as_time)
        return attach_window(c, window, as_formula(c, _unary(c)), offset)
    body = as_formula(c, _unary(c))
    match kind:
        case "not":
            return Not(body)
        case "◇":
            return Sometime(body)
        case "□":
            return Always(body)
    raise AssertionError(kind)


_PREFIXES = frozenset(("not", "◇", "□", "@", "⊞"))
_SUFFIXES = frozenset(("at", "in", "always", "[", "⊞", "◇", "□"))


def _suffix(c: Cursor, body: Formula) -> Formula:
    """`at T`, `at T in [w]`, `in [w]`, `[w]`, `always in [w]` after a formula; symbols work like the words."""
    offset = c.offset
    modal: Formula
    if c.accept("at"):
        modal = At(read_time(c), body)
        result: Formula = modal
        if c.kind in ("in", "[", "⊞"):
            result = _window_suffix(c, modal, offset)
    else:
        if c.accept("always") or c.accept("□"):
            modal = Always(body)
            if c.kind not in ("in", "[", "⊞"):
                c.fail_expected("in [window]", "after always", "such as: a always in [5]")
        else:
            c.accept("◇")
            modal = Sometime(body)
        result = _window_suffix(c, modal, offset)
    if c.kind in _SUFFIXES:
        c.fail_expected("one window or time", "per formula", "to apply another, write parentheses: (a in [5]) at T")
    return result


def _window_suffix(c: Cursor, modal: Formula, offset: int) -> Window:
    if not c.accept("in"):
        c.accept("⊞")
    return attach_window(c, read_window(c, read_term, as_time), modal, offset)


def _comparison(c: Cursor, first: Operand | None = None) -> Operand:
    left = _sum(c, first)
    if c.kinds[c.i] not in _COMPARISONS:
        return left
    operator, offset = cast(Comparison, c.kind), c.offset
    c.i += 1
    if c.kinds[c.i] in _COMPARISONS:
        written = f"{operator}{c.kind}"
        meant = {"<>": "for unequal, write !=", "=<": "write <=", "=>": "write >=", "==": "for equal, write a single ="}
        c.fail(
            "E105",
            f"{written} is not a comparison",
            meant.get(written, "the comparisons are < <= > >= = !="),
            offset,
            2,
        )
    right = _sum(c)
    if c.kinds[c.i] in _COMPARISONS:
        c.fail("E105", "comparisons do not chain", "write them one by one: 1 <= X, X < 9")
    if isinstance(left, Uncompared):
        return compared(c, left, operator, _targets(c, right), offset)
    if isinstance(right, Uncompared):
        return compared(c, right, COMPARISONS[operator].flipped, _targets(c, left), offset)
    one, other = _truth_beside(c, left, right), _truth_beside(c, right, left)
    return Compare(operator, as_term(c, one), as_term(c, other), offset)


def _truth_beside(c: Cursor, operand: Operand, other: Operand) -> Operand:
    """The operand; the word true or false beside a function that may give a truth value is that truth value."""
    if not isinstance(operand, Atom) or operand.args or operand.predicate not in ("true", "false"):
        return operand
    call = as_term(c, other)
    gives_truth = isinstance(call, Arithmetic) and (call.is_own or call.function.gives_truth)
    return Truth(operand.predicate == "true") if gives_truth else operand


def _targets(c: Cursor, operand: Operand) -> Term | Targets:
    return operand if isinstance(operand, Targets) else as_term(c, operand)


# -- terms --------------------------------------------------------------------------------------------------------


def _sum(c: Cursor, first: Operand | None = None) -> Operand:
    left = _product(c, first)
    while c.kinds[c.i] in _SUMS:
        operator, offset = c.kind, c.offset
        c.i += 1
        left = _arithmetic(c, operator, (as_term(c, left), as_term(c, _product(c))), offset)
    return left


def _product(c: Cursor, first: Operand | None = None) -> Operand:
    left = _factor(c) if first is None else first
    while c.kinds[c.i] in _PRODUCTS:
        operator, offset = c.kind, c.offset
        c.i += 1
        left = _arithmetic(c, operator, (as_term(c, left), as_term(c, _factor(c))), offset)
    return left


def _arithmetic(c: Cursor, operator: str, operands: tuple[Term, ...], offset: int) -> Arithmetic:
    """An operation. Fails if operations are nested so deep that walking over them would be a risk."""
    depth = 1 + max(operand.depth if isinstance(operand, Arithmetic) else 0 for operand in operands)
    if depth > _DEEPEST_TERM:
        c.fail("E106", f"more than {_DEEPEST_TERM} operators in one term", "split it: Y = …, Z = Y + …", offset)
    return Arithmetic(operator, operands, offset, depth)


def _factor(c: Cursor) -> Operand:
    if c.kinds[c.i] != "-":
        return _primary(c)
    offset = c.offset
    c.i += 1
    if c.kinds[c.i] == "NUMBER":
        return read_number(c, negative=True)
    c.enter()
    operand = as_term(c, _factor(c))
    c.leave()
    return negated(c, operand, offset)


def _primary(c: Cursor) -> Operand:
    i = c.i
    match c.kinds[i]:
        case "NAME":
            return read_atom(c)
        case "VARIABLE":
            if c.kinds[i + 1] == "(":
                c.fail("E105", f"{c.text} is a variable, but a predicate was expected before (", capitalised(c.text))
            c.i = i + 1
            return _variable(c, i)
        case "NUMBER":
            return read_number(c)
        case "STRING":
            c.i = i + 1
            return unescape(c.texts[i])
        case "IRI" | "PREFIXED" if c.kinds[i + 1] == "(":
            return _read_triple(c)
        case "IRI":
            c.i = i + 1
            return Iri(c.texts[i][1:-1])
        case "PREFIXED":
            c.i = i + 1
            return prefixed_iri(c, c.texts[i], c.offsets[i])
        case "BLANK":
            c.i = i + 1
            return BlankNode(c.texts[i][2:])
        case "LITERAL":
            c.i = i + 1
            return read_literal_value(c, c.texts[i], c.offsets[i])
        case "@" if _calls_own(c, i + 1):
            return _own(c)
        case "DIRECTIVE":
            return read_braces(c, read_term, read_formula)
        case "#now":
            c.i = i + 1
            return NOW
        case "(":
            c.i = i + 1
            c.enter()
            inside = _implication(c)
            if c.kinds[c.i] == ",":
                inside = _tuple(c, inside, c.offsets[i])
            c.leave()
            c.expect(")", "to close the parenthesis")
            return inside
        case "not" | "in" | "at" | "always" | "and" | "or" | "div" | "mod":
            c.fail_expected(
                "a literal or term",
                "here",
                f'{c.text} is a reserved word: rename the predicate, or quote the constant: "{c.text}"',
            )
        case _:
            c.fail_expected("a literal or term", "here")


def _tuple(c: Cursor, first: Operand, offset: int) -> Targets:
    """`T, V)` after the first term."""
    terms = [as_term(c, first)]
    while c.accept(","):
        terms.append(read_term(c))
    return Targets(tuple(terms), offset)


def _calls_own(c: Cursor, i: int) -> bool:
    """Whether the tokens from `i` on are `f(`, and f no function of the language: `@min(T,U) p` has a time."""
    return c.kinds[i] == "NAME" and c.kinds[i + 1] == "(" and c.texts[i] not in _FUNCTIONS


def _own(c: Cursor) -> Arithmetic:
    """`@f(X, Y)`, a function of the user."""
    offset = c.offset
    c.i += 1
    atom = read_atom(c)
    return _arithmetic(c, f"@{atom.predicate}", atom.args, offset)


def _variable(c: Cursor, i: int) -> Variable:
    name = c.texts[i]
    if name == "_":
        c.anonymous += 1
        name = f"_#{c.anonymous}"
    return Variable(name, c.offsets[i])
