"""Atoms, formulas and values in the words of the language that a program was written in: rows, triples and events."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import assert_never

from lasing.languages import prefixes_of
from lasing.logic.formulas import (
    Aggregate,
    Always,
    And,
    At,
    Atom,
    Compare,
    Formula,
    Implies,
    Not,
    Or,
    Select,
    Sometime,
    Window,
    all_nodes,
    map_formula,
    map_terms,
)
from lasing.logic.functions import Comparison
from lasing.logic.program import Program, Rule
from lasing.logic.provenance import PART, Provenance, Said
from lasing.logic.results import shown_columns
from lasing.logic.terms import Arithmetic, Substitution, Term, Variable, substituted, term_text, variables_of
from lasing.logic.values import UNBOUND, Iri, Value, datatypes

_MOST_PARTS = 6
"""How many parts of a pattern are said."""
_DEEPEST = 8
_GUARDS = ("", 1.7976931348623157e308, UNBOUND)
"""What only tests of types and of missing values compare with: all texts and all numbers are on one side of it."""
_LOCAL = re.compile(r"[\w-]*(?:\.[\w-]+)*")
_PLAIN = re.compile(rf'"(?P<lexical>[^"]*)"\^\^<(?:{re.escape(datatypes.DECIMAL)}|{re.escape(datatypes.BOOLEAN)})>')
"""Values that need no type beside them."""
_IRI = re.compile(r"<[^<>\s]+>")
_MOMENTS: Mapping[Comparison, str] = {">": "after", "<": "before", ">=": "not before", "<=": "not after", "=": "at"}
"""How two moments are compared."""
_TYPE = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"


@dataclass(slots=True)
class Saying:
    """Puts what the rules of a program hold into the words of its language."""

    program: Program
    provenance: Provenance
    _prefixes: dict[str, str] = field(init=False)
    _rules: dict[str, list[Rule]] = field(init=False)
    _said: dict[str, Said] = field(init=False)
    _moments: Mapping[Variable, str] = field(init=False, default_factory=dict)
    """What the variables for times are about, in the rule that is spoken of."""

    def __post_init__(self) -> None:
        self._prefixes = {iri: name for name, iri in prefixes_of(self.program).items() if iri}
        outputs = {o.predicate: Said("row", o.predicate, shown_columns(o)) for o in self.program.outputs or ()}
        self._said = {**outputs, **self.provenance.said}
        self._rules = {}
        for rule in self.program.rules:
            for atom in rule.head_atoms():
                self._rules.setdefault(atom.predicate, []).append(rule)

    def said(self, predicate: str) -> Said | None:
        return self._said.get(predicate)

    @contextmanager
    def speaking_of(self, body: Iterable[Formula]) -> Iterator[None]:
        """Within the body of a rule, its variables for times are called by the events that they belong to."""
        before = self._moments
        self._moments = self._moments_in(body)
        try:
            yield
        finally:
            self._moments = before

    def _moments_in(self, body: Iterable[Formula]) -> dict[Variable, str]:
        """The times in a body: `Rain` for the T of `rain(A) at T`, and the start and end of an interval."""
        found: dict[Variable, str] = {}
        for node in all_nodes(tuple(body)):
            match node:
                case At(Variable() as time, Atom(predicate)) if predicate in self._said:
                    found.setdefault(time, self._said[predicate].name)
                case Atom(predicate, (*_, begin, end)) if predicate in self._said:
                    said = self._said[predicate]
                    for which, bound in (("start", begin), ("end", end)):
                        if said.form == "interval" and isinstance(bound, Variable):
                            found.setdefault(bound, f"the {which} of {said.name}")
                case _:
                    continue
        return found

    def value(self, value: Term) -> str:
        """A value or a term."""
        match value:
            case Variable() if value in self._moments:
                return self._moments[value]
            case Iri():
                written = term_text(value)
                iri = written[1:-1]
                beginning = max((b for b in self._prefixes if iri.startswith(b)), key=len, default=None)
                if beginning is None or not _LOCAL.fullmatch(iri[len(beginning) :]):
                    return written
                return f"{self._prefixes[beginning]}:{iri[len(beginning) :]}"
            case Variable():
                name = self.provenance.variable(value.name)
                hidden = name == value.name and any(n.startswith("?") for n in self.provenance.variables.values())
                return "_" if hidden and not name.startswith("?") else name
            case Arithmetic():
                return term_text(substituted(value, {v: Variable(self.value(v)) for v in variables_of(value)}))
            case _ if value == UNBOUND:
                return "NULL"
            case _:
                written = term_text(value)
                plain = _PLAIN.fullmatch(written)
                return plain["lexical"] if plain else written

    def atom(self, atom: Atom) -> str:
        """An atom of a predicate that the reader knows: a row, a triple, an event."""
        said = self._said[atom.predicate]
        if said.form == "triple":
            *graph, s, p, o = atom.args
            verb = "a" if term_text(p) == _TYPE else self.value(p)
            quad = f" in graph {self.value(graph[0])}" if graph else ""
            return f"{self.value(s)} {verb} {self.value(o)}{quad}"
        count = len(atom.args) - 2 if said.form == "interval" else len(said.columns) or len(atom.args)
        columns = said.columns or ("",) * count
        shown = [
            f"{column} = {self.value(arg)}" if column else self.value(arg)
            for column, arg in zip(columns, atom.args, strict=False)
            if not (arg == UNBOUND and column.startswith("?")) and self.value(arg) != column
        ]
        text = f"{said.name}({', '.join(shown)})" if shown or said.form == "row" else said.name
        if said.form == "interval":
            begin, end = atom.args[-2:]
            text += f" from {self.time(begin)} to {self.time(end)}"
        return text

    def where(self, predicate: str) -> str:
        """Where a triple is: in a stream, or in the graph of a result."""
        said = self.said(predicate)
        return f" in {self.shortened(said.name)}" if said is not None and said.form == "triple" and said.name else ""

    def shortened(self, text: str) -> str:
        """A text with the prefixes of the program in its IRIs."""
        return _IRI.sub(lambda found: self.value(Iri(found[0][1:-1])), text)

    def time(self, term: Term) -> str:
        return self.program.time_text(term) if isinstance(term, int) else self.value(term)

    def pattern(self, formula: Formula, depth: int = 0) -> str:
        """A formula as a pattern: a helper predicate becomes what its rule looks for."""
        match formula:
            case Atom() if formula.predicate in self._said:
                return self.atom(formula)
            case Atom():
                return self._helper(formula, depth)
            case Window(body=body) | Sometime(body) | At(_, body):
                return self.pattern(body, depth)
            case Not(Compare()):
                return f"not {self.condition(formula.body)}"  # type: ignore[arg-type]  # the case says so
            case Not(body):
                return self._without(body, depth)
            case Compare():
                return self.condition(formula)
            case Aggregate():
                return f"{formula.function.upper()} over {self._together(formula.condition, depth)}"
            case Select():
                return f"the {formula.end} of {self._together(formula.condition, depth)}"
            case And(parts):
                return self._together(parts, depth)
            case Or(parts):
                return " or ".join(self.pattern(part, depth) for part in parts)
            case Implies(left, right):
                return f"{self.pattern(right, depth)} if {self.pattern(left, depth)}"
            case Always(body):
                return f"{self.pattern(body, depth)} at every time point"
            case _:
                assert_never(formula)

    def _together(self, parts: Iterable[Formula], depth: int) -> str:
        """Several formulas, as far as they say something to a reader."""
        told = [self.pattern(part, depth + 1) for part in parts if self.is_told(part)]
        shown = list(dict.fromkeys(filter(None, told)))
        return " and ".join(shown[:_MOST_PARTS]) + (" and more" if len(shown) > _MOST_PARTS else "")

    def _without(self, body: Formula, depth: int) -> str:
        """The absence of something."""
        inner = atom_in(body)
        helper = self.provenance.helper(inner.predicate) if inner is not None else PART
        if helper.purpose == "context":
            return self.provenance.words.get(helper.absent, "")
        pattern = self.pattern(body, depth)
        return f"no {pattern}" if pattern else ""

    def _helper(self, atom: Atom, depth: int) -> str:
        rules = self._rules.get(atom.predicate, ())
        if depth and self.provenance.helper(atom.predicate).purpose == "context":
            return ""
        if self.provenance.helper(atom.predicate).purpose == "value":
            name = atom.predicate.rstrip("0123456789").removeprefix("plain_").upper()
            return f"{name} is {self.value(atom.args[-1])}"
        if not rules or depth > _DEEPEST:
            return f"({', '.join(map(self.value, atom.args))})"
        rule = rules[0]
        (head,) = rule.head_atoms()
        known: dict[Variable, Term] = {
            parameter: arg
            for parameter, arg in zip(head.args, atom.args, strict=True)
            if isinstance(parameter, Variable)
        }
        with self.speaking_of(rule.body):
            return self._together(map_all(rule.body, known), depth)

    def condition(self, formula: Compare) -> str:
        """A comparison, with what is compared first: `?v > 30` for `30 < V`. Moments are after or before others."""
        left, operator, right = turned(formula)
        if operator in _MOMENTS and any(side in self._moments for side in (left, right)):
            return f"{self.value(left)} {_MOMENTS[operator]} {self.value(right)}"
        return f"{self.value(left)} {operator} {self.value(right)}"

    def is_told(self, formula: Formula) -> bool:
        """Whether a literal says something to a reader: not if it only tests types, or belongs to the translation."""
        match formula:
            case Compare(operator, left, right):
                is_integer = operator == "=" and left == Arithmetic("floor", (right,))
                counts = any(self.provenance.is_count(v.name) for side in (left, right) for v in variables_of(side))
                return not (is_integer or counts or _is_guard(left) or _is_guard(right))
            case Not(body):
                inner = atom_in(body)
                if inner is None or inner.predicate in self._said:
                    return self.is_told(body)
                return self.provenance.helper(inner.predicate).purpose != "detail"
            case Atom(predicate):
                return predicate in self._said or self.provenance.helper(predicate).purpose != "detail"
            case Window(body=body) | Sometime(body) | At(_, body):
                return self.is_told(body)
            case _:
                return True

    def bindings(self, binding: Substitution) -> str:
        """The values of the variables that the text names."""
        named: dict[str, Value] = {}
        for variable, value in binding.items():
            name = self.provenance.variables.get(variable.name)
            if name is not None and value != UNBOUND:
                named.setdefault(name, value)
        return ", ".join(f"{name} = {self.value(value)}" for name, value in named.items())


def turned(formula: Compare, *values: Value) -> tuple[Term, Comparison, Term]:
    """A comparison, or two values in its place, with the constant on the right."""
    left, right = values or (formula.left, formula.right)
    if isinstance(formula.left, Variable | Arithmetic):
        return left, formula.operator, right
    return right, _TURNED[formula.operator], left


_TURNED: dict[Comparison, Comparison] = {"<": ">", ">": "<", "<=": ">=", ">=": "<=", "=": "=", "!=": "!="}


def map_all(body: Iterable[Formula], known: dict[Variable, Term]) -> list[Formula]:
    """Formulas with terms in place of variables."""
    return [map_formula(f, lambda node: map_terms(node, lambda term: substituted(term, known))) for f in body]


def atom_in(formula: Formula) -> Atom | None:
    """The atom inside windows and times."""
    match formula:
        case Atom():
            return formula
        case Window(body=body) | Sometime(body) | At(_, body):
            return atom_in(body)
        case _:
            return None


def _is_guard(term: Term) -> bool:
    return any(type(term) is type(guard) and term == guard for guard in _GUARDS)
