"""What no engine evaluates yet is refused by name, rule and place."""

from __future__ import annotations

from collections.abc import Iterator

from lasing.errors import Diagnostic
from lasing.logic.dependencies import Dependency, stratify
from lasing.logic.program import Program


def evaluable(program: Program) -> Iterator[Diagnostic]:
    """E301 negation in a cycle, E302 disjunctive heads, E303 constraints: programs with any number of answers."""
    for rule in program.rules:
        if not rule.heads:
            yield Diagnostic(
                "E303",
                "no engine evaluates constraints yet",
                rule.place(),
                "derive an atom instead, such as: violated :- …",
            )
        elif len(rule.heads) > 1:
            yield Diagnostic(
                "E302",
                "no engine evaluates a disjunction in the head yet",
                rule.place(),
                "a program with disjunctions may have several answers per time point",
            )
    for cycle in stratify(program).cycles:
        yield _cycle(cycle)


def _cycle(cycle: tuple[Dependency, ...]) -> Diagnostic:
    through = "not" if cycle[0].sign == "not" else "an aggregate"
    words = {"positive": "", "not": "not ", "aggregate": "an aggregate of "}
    steps = [cycle[0].head, *(words[edge.sign] + edge.body for edge in cycle)]
    lines = [f"the cycle: {' <- '.join(steps)}"]
    for edge in cycle:
        place = edge.rule.place()
        lines.append(f"  {edge.head} needs {edge.body}: {edge.rule}" + (f"  ({place})" if place else ""))
    lines.append("such programs may have none, one or several answers per time point; no engine evaluates them yet")
    rule, atom = cycle[0].rule, cycle[0].atom
    return Diagnostic(
        "E301",
        f"{cycle[0].head} depends on itself through {through}",
        rule.place(atom.offset, len(atom.predicate)),
        "\n".join(lines),
    )
