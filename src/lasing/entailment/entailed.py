"""A program with the rules of an entailment regime."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from lasing.entailment.regimes import INCONSISTENT, RECOGNISED, TRIPLE, Regime, regime_of
from lasing.entailment.schema import DATATYPE, TYPE, schema_triples
from lasing.errors import LasingError
from lasing.logic.checks import MISTAKES, findings
from lasing.logic.facts import facts_of
from lasing.logic.formulas import Aggregate, Atom, Compare, Formula, Head, Select, atoms_of, map_formula
from lasing.logic.program import Output, Program, Rule
from lasing.logic.repeated import dependent, for_each
from lasing.logic.tables import FactTable
from lasing.logic.terms import Arithmetic, Variable
from lasing.logic.values import Iri, Truth

Named = str | Path | Regime
Entail = Named | Sequence[Named] | None
"""One or several entailment regimes: names, files of rules, or None for no regime."""


def with_entailment(program: Program, regimes: Entail) -> Program:
    """The program that sees what its triples entail."""
    if regimes is None:
        return program
    own = len(program.rules)
    for regime in (regimes,) if isinstance(regimes, Named) else regimes:
        if not program.graphs or _reads_triples(program):
            program = entailed(program, regime)
        for graph in program.graphs:
            program = entailed(program, regime, graph, schema=TRIPLE)
    if all(output.form == "atoms" for output in program.outputs or ()):
        return program
    graphs = frozenset((TRIPLE, *program.graphs))
    return replace(program, rules=(*(_legal(rule, graphs) for rule in program.rules[:own]), *program.rules[own:]))


def _legal(rule: Rule, graphs: frozenset[str]) -> Rule:
    """A rule of a query, without triples whose subject is a literal: they serve entailment, but are not RDF."""
    if any(head.predicate in graphs for head in rule.head_atoms()):
        return rule  # it fills a graph

    def tests(literals: Sequence[Formula]) -> Iterator[Formula]:
        atoms = [literal for literal in literals if isinstance(literal, Atom) and literal.predicate in graphs]
        subjects = dict.fromkeys(atom.args[0] for atom in atoms if isinstance(atom.args[0], Variable))
        return (Compare("=", Arithmetic("is_literal", (subject,)), Truth(False)) for subject in subjects)

    body = [
        replace(literal, condition=(*literal.condition, *tests(literal.condition)))
        if isinstance(literal, Aggregate | Select)
        else literal
        for literal in rule.body
    ]
    return replace(rule, body=(*body, *tests(rule.body)))


def _reads_triples(program: Program) -> bool:
    """Whether static triples matter for more than the graphs of windows."""
    return any(
        atom.predicate == TRIPLE
        for rule in program.rules
        if not any(head.predicate in program.graphs for head in rule.head_atoms())
        for literal in rule.body
        for atom in atoms_of(literal)
    )


def entailed(
    program: Program,
    regime: Named,
    predicate: str = TRIPLE,
    schema: str | None = None,
    *,
    compile_schema: bool = True,
) -> Program:
    """The program with rules that derive what the triples of `predicate` entail.

    If `schema` is another predicate, its background triples about classes and properties count as triples of
    `predicate`. What is output stays what the program's own rules derive, unless `#show` names more; atoms of
    `inconsistent` are always output, if the regime has any. For another predicate than `triple` they are atoms of, say,
    `city_inconsistent`.

    A schema in the background is closed first, if the regime has rules for that, unless `compile_schema` is false; the
    answers are the same.

    >>> from lasing.languages import read_program
    >>> from lasing.errors import SourceText
    >>> program = read_program([SourceText("p", "q(X) :- triple(X, rdf:type, rdf:Property).")])
    >>> [str(output) for output in entailed(program, "rdf").outputs]
    ['q/1', 'inconsistent/7']
    """
    chosen = regime_of(regime)
    rules = chosen.rules
    if compile_schema and chosen.compiled is not None:
        rules = chosen.compiled
    given: list[Atom] = []
    if schema is not None and schema != predicate:
        given = [Atom(TRIPLE, triple) for triple in schema_triples(program, schema)]
    given += chosen.axioms
    tables: list[FactTable] = []
    if rules is chosen.compiled:
        tables = _relations(program, predicate, given, chosen)
    if any(RECOGNISED in _predicates(rule) for rule in rules):
        given += [Atom(RECOGNISED, (Iri(datatype),)) for datatype in sorted(chosen.recognised)]
    names = _names(rules, [*given, *(Atom(table.predicate) for table in tables)], predicate, program)
    renamed = [_renamed(rule, names) for rule in rules]
    background = [replace(atom, predicate=names[atom.predicate], offset=-1) for atom in given]
    if (domain := dict(program.repeated).get(predicate)) is not None:
        renamed, background = _in_each_evaluation(renamed, background, predicate, domain)
    found = replace(
        program,
        rules=(*program.rules, *renamed),
        background=tuple(dict.fromkeys((*program.background, *background))),
        tables=(*program.tables, *(replace(table, predicate=names[table.predicate]) for table in tables)),
        closed=(*program.closed, *(names[table.predicate] for table in tables)),
        outputs=_outputs(program, renamed, names.get(INCONSISTENT, INCONSISTENT)),
    )
    if mistakes := findings(found, MISTAKES):
        raise LasingError(mistakes)
    return found


def _in_each_evaluation(
    rules: list[Rule], background: list[Atom], graph: str, domain: str
) -> tuple[list[Rule], list[Atom]]:
    """Rules about a graph that differs between the evaluations of a time point. Given triples are in all of them."""
    given, each = f"{graph}_given", Variable("Each")
    triple = tuple(Variable(name) for name in "SPO")
    filling = Rule((Atom(graph, triple),), (Atom(given, triple),))
    changed = for_each([filling, *rules], dependent(rules, (graph,)), domain, each)
    return changed, [replace(atom, predicate=given) if atom.predicate == graph else atom for atom in background]


def _relations(program: Program, predicate: str, given: Sequence[Atom], regime: Regime) -> list[FactTable]:
    """The relations of the schema in the background of a program, and in some triples more."""
    static = regime.schema()
    static.add(atom.values for atom in given if atom.predicate == TRIPLE)
    static.add((Iri(datatype), TYPE, DATATYPE) for datatype in regime.recognised)
    static.add(atom.values for atom in program.background if atom.predicate == predicate)
    for table in program.tables:
        if table.predicate == predicate:
            static.add_table(table)
    return [FactTable.of(name, rows, _ARITY.get(name, 2)) for name, rows in static.relations().items()]


_ARITY = {"known_class": 1, "known_property": 1}


def _predicates(rule: Rule) -> set[str]:
    return {atom.predicate for formula in (*rule.heads, *rule.body) for atom in atoms_of(formula)}


def _names(rules: Sequence[Rule], facts: Sequence[Atom], predicate: str, program: Program) -> dict[str, str]:
    """A name for each predicate of a rule set: helpers of several graphs have to be apart."""
    taken = facts_of(program).arity_with_data
    found = {TRIPLE: predicate}
    heads = [atom.predicate for rule in rules for atom in rule.head_atoms()]
    for name in dict.fromkeys((*heads, *(atom.predicate for atom in facts))):
        if name == TRIPLE:
            continue
        found[name] = name if name == INCONSISTENT and predicate == TRIPLE else f"{predicate}_{name}"
        while found[name] in taken and name != INCONSISTENT:
            found[name] += "_"
    return found


def _renamed(rule: Rule, names: Mapping[str, str]) -> Rule:
    def change(formula: Formula) -> Formula:
        if isinstance(formula, Atom) and formula.predicate in names:
            return replace(formula, predicate=names[formula.predicate])
        return formula

    heads: list[Head] = [map_formula(head, change) for head in rule.heads]  # type: ignore[misc]  # heads stay heads
    return replace(rule, heads=tuple(heads), body=tuple(map_formula(literal, change) for literal in rule.body))


def _outputs(program: Program, rules: list[Rule], inconsistent: str) -> tuple[Output, ...]:
    """What the program has output without the rules, and inconsistencies."""
    outputs = program.outputs
    if outputs is None:
        arity = facts_of(program).arity
        heads = dict.fromkeys(atom.predicate for rule in program.rules for atom in rule.head_atoms())
        outputs = tuple(Output.unnamed(name, arity[name]) for name in heads)
    derives = any(atom.predicate == inconsistent for rule in rules for atom in rule.head_atoms())
    if not derives or any(output.predicate == inconsistent or output.form != "atoms" for output in outputs):
        return outputs
    return (*outputs, Output.unnamed(inconsistent, 7))
