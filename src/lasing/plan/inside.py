"""Literals as relations, inside a recursion of the counted plane.

The windows of the recursion's own predicates are made from what it has derived so far; the rest is copied from outside.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from lasing.plan.build import PlanDraft, copies, stamp_rule, untimed, view_rule
from lasing.plan.literals import Outside, Predicates
from lasing.plan.nodes import PlanRule
from lasing.plan.operators import Box
from lasing.plan.relations import POINT, Relation, Span


@dataclass
class Inside:
    """Literals inside a recursion of the counted plane, whose predicates are `own`.

    Its relations are scratch: copies of what comes from outside, and what is derived from them at this time point.
    """

    own: frozenset[str]
    outside: Outside
    inputs: dict[Relation, Relation] = field(default_factory=dict)
    rules: list[PlanRule] = field(default_factory=list)
    boxes: list[Box] = field(default_factory=list)

    @property
    def draft(self) -> PlanDraft:
        return self.outside.draft

    def in_background(self, predicate: str) -> bool:
        return predicate in self._known.background

    @property
    def _known(self) -> Predicates:
        return self.outside.predicates

    @property
    def by_time(self) -> bool:
        """Whether the passing of time alone may change what is derived."""
        return bool(self.own & self._known.at_heads) or any(r.stamps for r in self.rules) or bool(self.boxes)

    def copied(self, relation: Relation) -> Relation:
        """The copy of a relation from outside."""
        if relation not in self.inputs:
            self.draft.watched(relation)
            self.inputs[relation] = self._scratch(f"copy of {relation.name}", relation.arity)[0]
        return self.inputs[relation]

    def derived(self, predicate: str) -> Relation:
        """`p` without background, so far."""
        relation, new = self._scratch(predicate, self._known.arity[predicate])
        if new:
            facts = self.outside.facts(predicate, POINT, timed=False)
            self.rules += copies(relation, self.copied(facts))
            self._take_timed(predicate, relation, POINT, keep_time=False)
        return relation

    def timed(self, predicate: str) -> Relation:
        """What is derived of a predicate `at T`, so far."""
        return self._scratch(f"{predicate} @", self._known.arity[predicate] + 1)[0]

    def now(self, predicate: str) -> Relation:
        if predicate not in self.own:
            return self.copied(self.outside.now(predicate))
        if predicate not in self._known.background:
            return self.derived(predicate)
        relation, new = self._scratch(f"{predicate} or background", self._known.arity[predicate])
        if new:
            background = self.copied(self.outside.background(predicate, None))
            self.rules += copies(relation, self.derived(predicate), background)
        return relation

    def within(self, predicate: str, span: Span) -> Relation:
        if predicate not in self.own or self._is_past(predicate, span):
            return self.copied(self.outside.within(predicate, span))
        relation, new = self._scratch(f"{predicate} in {span}", self._known.arity[predicate])
        if new and predicate in self._known.streams and span.back == 0 and span.step > 1:
            # Whether its one time point is now changes with time, which an interval of evaluation times cannot say.
            self.rules += untimed(relation, self.at(predicate, span))
        elif new:
            if predicate in self._known.streams:
                if span.back != 0:  # otherwise, the window has no time point before now
                    past = self.outside.recalled(predicate, span, "in", past=True)
                    self.rules += copies(relation, self.copied(past))
            else:
                self.rules += copies(relation, self.copied(self.outside.facts(predicate, span, timed=False)))
            self._take_timed(predicate, relation, span, keep_time=False)
            self._take_stamped(predicate, relation, span, keep_time=False)
            if predicate in self._known.background:
                self.rules += copies(relation, self.copied(self.outside.background(predicate, span)))
        return relation

    def at(self, predicate: str, span: Span | None) -> Relation:
        if predicate not in self.own or self._is_past(predicate, span):
            return self.copied(self.outside.at(predicate, span))
        relation, new = self._scratch(f"{predicate} at {span or ''}".strip(), self._known.arity[predicate] + 1)
        if new:
            if predicate in self._known.streams:
                past = self.outside.recalled(predicate, span or Span(None), "at", past=True)
                self.rules += copies(relation, self.copied(past))
            else:
                self.rules += copies(relation, self.copied(self.outside.facts(predicate, span, timed=True)))
            self._take_timed(predicate, relation, span, keep_time=True)
            self._take_stamped(predicate, relation, span, keep_time=True)
            if predicate in self._known.background:
                rows = self.outside.background_at(predicate, span)
                self.rules += copies(relation, self.copied(rows))
        return relation

    def always(self, predicate: str, span: Span) -> Relation:
        if predicate not in self.own or self._is_past(predicate, span):
            return self.copied(self.outside.always(predicate, span))
        relation, new = self._scratch(f"{predicate} always {span}", self._known.arity[predicate])
        if new:
            self.boxes.append(Box(self.at(predicate, span), relation, span))
        return relation

    def last(self, predicate: str, facts: int, keys: tuple[int, ...] | None) -> Relation:
        return self.copied(self.outside.last(predicate, facts, keys))

    def last_within(self, predicate: str, facts: int, keys: tuple[int, ...] | None) -> Relation:
        return self.copied(self.outside.last_within(predicate, facts, keys))

    def last_always(self, predicate: str, facts: int) -> Relation:
        return self.copied(self.outside.last_always(predicate, facts))

    def _is_past(self, predicate: str, span: Span | None) -> bool:
        """Whether a window asks only what is remembered: then it is no part of the recursion."""
        return predicate in self._known.streams and span is not None and span.ahead < 0

    def _scratch(self, name: str, arity: int) -> tuple[Relation, bool]:
        return self.draft.relation(f"scratch of {min(self.own)}: {name}", arity)

    def _take_timed(self, predicate: str, relation: Relation, span: Span | None, keep_time: bool) -> None:
        if predicate in self._known.at_heads:
            self.rules.append(view_rule(relation, self.timed(predicate), span, keep_time))

    def _take_stamped(self, predicate: str, relation: Relation, span: Span | None, keep_time: bool) -> None:
        if span is not None and not span.has_now:
            return
        stamped, new = self._scratch(f"{predicate} @ now", self._known.arity[predicate] + 1)
        if new:
            self.rules.append(stamp_rule(stamped, self.derived(predicate)))
        self.rules.append(view_rule(relation, stamped, span, keep_time))
