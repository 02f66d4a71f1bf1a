"""What can be said of a program before it runs, rule by rule."""

from __future__ import annotations

from dataclasses import dataclass

from lasing.logic.dependencies import Strata, stratify
from lasing.logic.fragments import Reason, fragment, non_monotone
from lasing.logic.lookback import Lookback, lookback, only_derived, rule_lookback
from lasing.logic.program import Program, Rule


@dataclass(frozen=True, slots=True)
class RuleAnalysis:
    """A rule's stratum, how far it looks back, what makes it non-monotone (or nothing), and its fragment."""

    rule: Rule
    stratum: int
    lookback: Lookback
    non_monotone: str
    reason: Reason


@dataclass(frozen=True, slots=True)
class Analysis:
    """A program's rules, each analysed, its strata, and how far it looks back as a whole."""

    rules: tuple[RuleAnalysis, ...]
    strata: Strata
    lookback: Lookback


def analyse(program: Program) -> Analysis:
    """The analysis of a program."""
    strata = stratify(program)
    derived = only_derived(program)
    looping = {edge.head for cycle in strata.cycles for edge in cycle}
    looping |= {p for component in strata.components if component & looping for p in component}
    rules = tuple(_analyse_rule(rule, strata, derived, looping) for rule in program.rules)
    return Analysis(rules, strata, lookback(program))


def _analyse_rule(rule: Rule, strata: Strata, derived: frozenset[str], looping: set[str]) -> RuleAnalysis:
    heads = [atom.predicate for atom in rule.head_atoms()]
    stratum = max((strata.level[head] for head in heads), default=max(strata.level.values(), default=0))
    reason = fragment(rule, any(head in looping for head in heads))
    return RuleAnalysis(rule, stratum, rule_lookback(rule, derived), non_monotone(rule), reason)
