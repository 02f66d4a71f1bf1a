"""What lets a program have any number of answers, by rule and place."""

from __future__ import annotations

from collections.abc import Iterator

from lasing.errors import Diagnostic
from lasing.logic.dependencies import Dependency, stratify
from lasing.logic.program import Program, Rule

_WHAT_IT_MEANS = "such a program may have none, one or several answers at a time point"


def several_answers(program: Program) -> Iterator[Diagnostic]:
    """E301 negation in a cycle, E302 disjunctions and choices in heads, E303 constraints and weak constraints."""
    for rule in program.rules:
        if not rule.definite:
            code, message, why = _kind(rule)
            yield Diagnostic(code, message, rule.place(), f"{why}\n{_WHAT_IT_MEANS}")
    for cycle in stratify(program).cycles:
        yield _cycle(cycle)


def _kind(rule: Rule) -> tuple[str, str, str]:
    """The code, what the rule is, and what it does to answers."""
    if rule.penalty is not None:
        return "E303", "this is a weak constraint", "it prefers some answers to others"
    if not rule.heads:
        return "E303", "this is a constraint", "it rules answers out; to report cases instead, derive: violated :- …"
    if rule.choice:
        return "E302", "the head is a choice", "each of its atoms may hold or not"
    return "E302", "the head is a disjunction", "it does not say which of its atoms holds"


def _cycle(cycle: tuple[Dependency, ...]) -> Diagnostic:
    through = "not" if cycle[0].sign == "not" else "an aggregate"
    lines = [f"the cycle: {cycle_text(cycle)}"]
    for edge in cycle:
        place = edge.rule.place()
        lines.append(f"  {edge.head} needs {edge.body}: {edge.rule}" + (f"  ({place})" if place else ""))
    lines.append(_WHAT_IT_MEANS)
    rule, atom = cycle[0].rule, cycle[0].atom
    return Diagnostic(
        "E301",
        f"{cycle[0].head} depends on itself through {through}",
        rule.place(atom.offset, len(atom.predicate)),
        "\n".join(lines),
    )


def cycle_text(cycle: tuple[Dependency, ...]) -> str:
    """A chain of dependencies that returns to its start: `a <- not b <- a`."""
    words = {"positive": "", "not": "not ", "aggregate": "an aggregate of "}
    return " <- ".join([cycle[0].head, *(words[edge.sign] + edge.body for edge in cycle)])
