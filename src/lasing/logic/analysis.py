"""What is known about a program before it runs, rule by rule."""

from __future__ import annotations

from dataclasses import dataclass

from lasing.logic.dependencies import Strata, stratify
from lasing.logic.facts import facts_of
from lasing.logic.formulas import atoms_of
from lasing.logic.fragments import Reason, fragment, non_monotone
from lasing.logic.lookback import Lookback, lookback, rule_lookback
from lasing.logic.program import Program, Rule
from lasing.logic.rewrites import Plain, plain
from lasing.logic.splitting import Split, has_several_answers, split, undecided


@dataclass(frozen=True, slots=True)
class RuleAnalysis:
    """A rule's stratum, how far it looks back, what makes it non-monotone (or nothing), and its fragment.

    `helpers` counts the rules that rewriting its nested formulas adds.
    """

    rule: Rule
    stratum: int
    lookback: Lookback
    non_monotone: str
    reason: Reason
    helpers: int = 0


@dataclass(frozen=True, slots=True)
class Analysis:
    """A program's rules, each analysed, its strata, and how far it looks back as a whole.

    `split` says what is decided below, for a program that may have several answers; otherwise it is None.
    """

    rules: tuple[RuleAnalysis, ...]
    strata: Strata
    lookback: Lookback
    split: Split | None = None


def analyse(program: Program) -> Analysis:
    """The analysis of a program."""
    strata = stratify(program)
    derived = facts_of(program).only_derived
    parts = split(program) if has_several_answers(program) else None
    below = program if parts is None else parts.below
    rewritten = Plain(program, ()) if below is None else plain(below)
    places = range(len(program.rules)) if parts is None else parts.below_origin
    place_of = {index: place for place, index in enumerate(places)}
    added = rewritten.helpers()
    open_predicates = undecided(program)
    looping = {edge.head for cycle in strata.cycles for edge in cycle}
    looping |= {p for component in strata.components if component & looping for p in component}
    top = max(strata.level.values(), default=0)
    rules = []
    for index, rule in enumerate(program.rules):
        heads = [atom.predicate for atom in rule.head_atoms()]
        stratum = max((strata.level[head] for head in heads), default=top)
        reason = fragment(rule, any(head in looping for head in heads))
        helpers = 0
        if reason.fragment != "several answers" and open_predicates.intersection(heads):
            reason = Reason("several answers", f"it depends on {_open_atom(rule, open_predicates)}, which is undecided")
        elif reason.fragment == "nested":
            place = place_of[index]
            helpers = added[place]
            reason = _nested(rewritten.left.get(place), helpers)
        back = rule_lookback(rule, derived)
        rules.append(RuleAnalysis(rule, stratum, back, non_monotone(rule), reason, helpers))
    return Analysis(tuple(rules), strata, lookback(program), parts)


def _open_atom(rule: Rule, open_predicates: frozenset[str]) -> str:
    """The first predicate of the body that answers may differ on, or else of the head, which other rules decide."""
    atoms = (atom.predicate for literal in rule.body for atom in atoms_of(literal))
    found = next((predicate for predicate in atoms if predicate in open_predicates), "")
    return found or next(iter(rule.head_atoms())).predicate


def _nested(left: str | None, helpers: int) -> Reason:
    """What happens to a rule with nested formulas."""
    if left is not None:
        return Reason("nested", f"it has {left}")
    beside = f", with {helpers} helper rule{'s'[: helpers != 1]}" if helpers else ""
    return Reason("rewritten", f"its nested formula is rewritten{beside}")
