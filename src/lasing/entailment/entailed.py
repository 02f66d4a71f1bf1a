"""A program with the rules of an entailment regime."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from lasing.entailment.regimes import INCONSISTENT, RECOGNISED, TRIPLE, Regime, regime_of
from lasing.errors import LasingError
from lasing.logic.checks import MISTAKES, findings
from lasing.logic.facts import facts_of
from lasing.logic.formulas import Atom, Formula, Head, atoms_of, map_formula
from lasing.logic.program import Output, Program, Rule
from lasing.logic.values import Iri

Named = str | Path | Regime
Entail = Named | Sequence[Named] | None
"""One or several entailment regimes: names, files of rules, or None for no regime."""


def with_entailment(program: Program, regimes: Entail) -> Program:
    """The program that sees what its triples entail."""
    if regimes is None:
        return program
    for regime in (regimes,) if isinstance(regimes, Named) else regimes:
        program = entailed(program, regime)
    return program


def entailed(program: Program, regime: Named, predicate: str = TRIPLE, schema: str | None = None) -> Program:
    """The program with rules that derive what the triples of `predicate` entail.

    The background triples of `schema`, if that is another predicate, count as triples of `predicate`. What is output
    stays what the program's own rules derive, unless `#show` names more; atoms of `inconsistent` are always output, if
    the regime has any. For another predicate than `triple` they are atoms of, say, `city_inconsistent`.

    >>> from lasing.languages import read_program
    >>> from lasing.errors import SourceText
    >>> program = read_program([SourceText("p", "q(X) :- triple(X, rdf:type, rdf:Property).")])
    >>> [str(output) for output in entailed(program, "rdf").outputs]
    ['q/1', 'inconsistent/7']
    """
    chosen = regime_of(regime)
    known = facts_of(program)
    names = _names(chosen, predicate, frozenset(known.arity_with_data))
    rules = [_renamed(rule, names) for rule in chosen.rules]
    axioms = [replace(atom, predicate=names.get(atom.predicate, atom.predicate), offset=-1) for atom in chosen.axioms]
    recognised = names.get(RECOGNISED, RECOGNISED)
    used = {atom.predicate for rule in rules for literal in rule.body for atom in atoms_of(literal)}
    if recognised in used:
        axioms += [Atom(recognised, (Iri(datatype),)) for datatype in sorted(chosen.recognised)]
    tables = list(program.tables)
    if schema is not None and schema != predicate:
        axioms += [replace(atom, predicate=predicate) for atom in program.background if atom.predicate == schema]
        tables += [replace(table, predicate=predicate) for table in program.tables if table.predicate == schema]
    outputs = _outputs(program, rules, names.get(INCONSISTENT, INCONSISTENT))
    found = replace(
        program,
        rules=(*program.rules, *rules),
        background=tuple(dict.fromkeys((*program.background, *axioms))),
        tables=tuple(tables),
        outputs=outputs,
    )
    if mistakes := findings(found, MISTAKES):
        raise LasingError(mistakes)
    return found


def _names(regime: Regime, predicate: str, taken: frozenset[str]) -> dict[str, str]:
    """A name for each predicate of a regime: helpers of several graphs have to be apart."""
    atoms = [atom for rule in regime.rules for atom in rule.head_atoms()] + list(regime.axioms)
    found = {TRIPLE: predicate}
    for name in dict.fromkeys(atom.predicate for atom in atoms):
        if name == TRIPLE or (name == INCONSISTENT and predicate == TRIPLE):
            continue
        candidate = f"{predicate}_{name}"
        while candidate in taken:
            candidate += "_"
        found[name] = candidate
    if RECOGNISED not in found:
        found[RECOGNISED] = f"{predicate}_{RECOGNISED}"
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
