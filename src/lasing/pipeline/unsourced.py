"""A predicate that no source of a pipeline brings is probably misspelt, or its source is missing."""

from __future__ import annotations

from collections.abc import Iterator

from lasing.errors import Diagnostic, similar
from lasing.logic.facts import facts_of
from lasing.logic.formulas import Atom
from lasing.logic.program import body_nodes
from lasing.pipeline.described import Pipeline
from lasing.spark.inputs import specification


def unsourced(pipeline: Pipeline) -> Iterator[Diagnostic]:
    """W101 for a predicate of the program that is neither derived, background nor brought by a source.

    A query may ask about graphs and tables that are empty, so it is left out.
    """
    program = pipeline.program
    if program.graphs or program.lookups:
        return
    facts = facts_of(program)
    brought = {specification(source.fact)[0] for source in pipeline.sources}
    known = facts.derived | facts.background | brought | {fact.atom.predicate for fact in program.data}
    seen: set[str] = set()
    for rule, nodes in body_nodes(program):
        for atom in nodes:
            if not isinstance(atom, Atom) or (name := atom.predicate) in known or name in seen:
                continue
            seen.add(name)
            note = similar(name, known) or f"sources bring {', '.join(sorted(brought))}; add [sources.{name}]"
            message = f"{name} is neither derived nor background, and no source brings it"
            yield Diagnostic("W101", message, rule.place(atom.offset, len(name)), note)
