"""What can be said of a program before it runs, rule by rule."""

from __future__ import annotations

from dataclasses import dataclass

from lasing.logic.dependencies import Strata, stratify
from lasing.logic.fragments import Reason, fragment, non_monotone
from lasing.logic.lookback import Lookback, lookback, only_derived, rule_lookback
from lasing.logic.program import Program, Rule
from lasing.logic.rewrites import Plain, plain


@dataclass(frozen=True, slots=True)
class RuleAnalysis:
    """A rule's stratum, how far it looks back, what makes it non-monotone (or nothing), and its fragment.

    `helpers` counts the rules that are added where its nested formulas are rewritten.
    """

    rule: Rule
    stratum: int
    lookback: Lookback
    non_monotone: str
    reason: Reason
    helpers: int = 0


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
    rewritten = plain(program)
    rules = tuple(_analyse_rule(i, rule, strata, derived, looping, rewritten) for i, rule in enumerate(program.rules))
    return Analysis(rules, strata, lookback(program))


def _analyse_rule(
    index: int, rule: Rule, strata: Strata, derived: frozenset[str], looping: set[str], rewritten: Plain
) -> RuleAnalysis:
    heads = [atom.predicate for atom in rule.head_atoms()]
    stratum = max((strata.level[head] for head in heads), default=max(strata.level.values(), default=0))
    reason = fragment(rule, any(head in looping for head in heads))
    helpers = rewritten.helpers(index)
    if reason.fragment == "nested":
        reason = _nested(rewritten.left.get(index), helpers)
    return RuleAnalysis(rule, stratum, rule_lookback(rule, derived), non_monotone(rule), reason, helpers)


def _nested(left: str | None, helpers: int) -> Reason:
    """Which way a rule with nested formulas goes."""
    if left is not None:
        return Reason("nested", f"it has {left}")
    beside = f", with {helpers} helper rule{'s'[: helpers != 1]}" if helpers else ""
    return Reason("rewritten", f"its nested formula is rewritten{beside}")
