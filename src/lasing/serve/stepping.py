"""A run that goes on moment by moment: at each, what came in and what is different."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from lasing.connectors.rows import by_time
from lasing.errors import LasingError, fault
from lasing.explain.as_json import explanation_json, why_not_json
from lasing.explain.branches import Branch
from lasing.explain.explanation import Explanation
from lasing.explain.goals import goal_of
from lasing.explain.tree import branch_of, why_not_branch
from lasing.explain.why_not import WhyNot
from lasing.live.engine import Engine
from lasing.live.local import LocalCore
from lasing.logic.answers import Answer, Changes
from lasing.logic.formulas import Atom
from lasing.logic.program import Fact, Program
from lasing.logic.results import formed, seen
from lasing.logic.splitting import has_several_answers
from lasing.serve.texts import finding_json
from lasing.session import Run

Json = dict[str, Any]

MOST_FACTS = 200
"""How many facts of a moment are shown; the others are counted."""
MOST_ATOMS = 400
"""How many derived atoms are shown at a time; the others are counted."""
_FIRST_LEAP, _LONGEST_LEAP = 64, 2**40


@dataclass(slots=True)
class Moment:
    """A time point at which something happens."""

    time: int
    facts: list[Atom] = field(default_factory=list)
    added: list[Atom] = field(default_factory=list)
    removed: list[Atom] = field(default_factory=list)
    models: int | None = None
    possible: frozenset[Atom] = frozenset()
    """With several answers: what holds in some of them and not in all."""


class Stepping:
    """A program on a stream. `first` is the first time point; nothing is evaluated before the first step."""

    def __init__(
        self,
        program: Program,
        stream: Any,
        start: Any = None,
        end: Any = None,
        max_memory: int | None = None,
        max_time: float | None = None,
    ) -> None:
        self.program = program
        self._stream = stream
        self._several = has_several_answers(program)
        limits = {"max_memory": max_memory, "max_time": max_time}
        only_stream = replace(program, data=())  # the engine adds the facts of the program's own text by itself
        reading = Run(only_stream, stream, start, end, warn=False)
        self._facts = reading.facts()
        self._failure: LasingError | None = None
        self._next = self._read()
        self._own = by_time(program.data)
        self.report = reading.report
        self.dated = reading
        begins = [fact.time for fact in (self._next, *self._own[:1]) if fact is not None]
        self.first = _point(start, program) if start is not None else min(begins, default=0)
        self.end = None if end is None else _point(end, program)
        self._own = [fact for fact in self._own if fact.time >= self.first]
        tick = reading.program.shown_tick()
        self._tick = tick
        self.engine = Engine(program, self.first, max_atoms=200_000, **limits)  # type: ignore[arg-type]
        self._outputs = formed(program.outputs)
        self._held = Counter[Atom]()
        self._sent: set[Atom] = set()
        self._before: Answer | None = None
        self.time = self.first - 1
        self._newest = self.first
        self.ended = False
        self.spent = 0.0
        """The seconds of evaluation, without reading the stream."""
        self.facts_seen = 0
        self._moments = self._run()
        core = self.engine._core
        self._measured = core._engine.measure() if isinstance(core, LocalCore) else None

    # -- going on --------------------------------------------------------------------------------------------------

    def step(self) -> Moment:
        """The next moment. Once the stream has ended, time goes on by one time point."""
        found = next(self._moments)
        self.time = found.time
        if self._failure is None and self._over() and found.time >= self._last():
            self.ended = True
        return found

    def _over(self) -> bool:
        """Whether no more facts come."""
        following = self._following()
        return following is None or (self.end is not None and following > self.end)

    def _last(self) -> int:
        """The last time point of the stream, once its last fact has come."""
        return self.program.end_after(self._newest) if self.end is None else self.end

    def _run(self) -> Iterator[Moment]:
        if self._failure is None or self._following() is not None:
            yield from self._upto(self.first, True)
        while not self._over() and (following := self._following()) is not None:
            yield from self._gap(following - 1)
            self._newest = following
            yield from self._upto(following, True)
        if self._failure is not None:
            raise self._failure
        last = self._last()
        yield from self._gap(last)
        if self.time < last:  # so that the timeline reaches its end
            yield self._quiet(last)
        while True:
            yield from self._upto(self.time + 1, True)

    def _following(self) -> int | None:
        times = [fact.time for fact in (self._next, *self._own[:1]) if fact is not None]
        return min(times, default=None)

    def _gap(self, last: int) -> Iterator[Moment]:
        """Let time pass, in leaps that grow while nothing happens: an idle day is one leap, a busy one many."""
        leap, now = 1 if self._several else _FIRST_LEAP, self.time
        while now < last:
            now = min(last, now + leap)
            happened = list(self._upto(now, False))
            yield from happened
            leap = _FIRST_LEAP if happened else min(2 * leap, _LONGEST_LEAP)
            if self._several:
                leap = 1

    def _upto(self, time_point: int, always: bool) -> Iterator[Moment]:
        """The moments up to a time point, at which facts may come; `always` also if nothing happens there."""
        own = [fact.atom for fact in self._own if fact.time == time_point]
        self._own = [fact for fact in self._own if fact.time > time_point]
        came = list(self._taken(time_point))
        begun = time.perf_counter()
        update = self.engine.push(time_point, came)
        steps = [self._of_models(time_point)] if self._several else list(map(self._moment, update.steps()))
        self.spent += time.perf_counter() - begun
        facts = [*own, *came]
        self.facts_seen += len(facts)
        found = [step for step in steps if step is not None]
        if (facts or always) and (not found or found[-1].time < time_point):
            found.append(self._quiet(time_point))
        if facts:
            found[-1].facts = facts
        yield from found

    def _taken(self, time_point: int) -> Iterator[Atom]:
        while self._next is not None and self._next.time == time_point:
            yield self._next.atom
            self._next = self._read()

    def _read(self) -> Fact | None:
        """The next fact. A mistake in the stream is reported once what comes before it has been evaluated."""
        try:
            return next(self._facts, None)
        except LasingError as error:
            self._failure = error
            return None

    def _moment(self, changes: Changes) -> Moment | None:
        found = Moment(changes.time, [], *self._shown(changes.added, changes.removed))
        return found if found.added or found.removed else None

    def _of_models(self, time_point: int) -> Moment | None:
        """The changes of what holds in every answer, for a program with any number of them."""
        answer, before = self.engine.answer(), self._before
        self._before = answer
        if before is not None and answer.models == before.models:
            return None
        certain = frozenset[Atom]() if before is None else before.possible
        added, removed = self._shown(answer.possible - certain, certain - answer.possible)
        return Moment(time_point, [], added, removed, len(answer.models), answer.possible - answer.certain)

    def _quiet(self, time_point: int) -> Moment:
        """A moment at which nothing derived comes or goes."""
        if self._before is None:
            return Moment(time_point)
        before = self._before
        return Moment(time_point, models=len(before.models), possible=before.possible - before.certain)

    def _shown(self, added: Iterable[Atom], removed: Iterable[Atom]) -> tuple[list[Atom], list[Atom]]:
        """The atoms that come and go for a reader, who does not see the order keys and copies of a query's rows."""
        before: dict[Atom, bool] = {}
        for sign, atoms in ((1, added), (-1, removed)):
            for atom in atoms:
                output = self._outputs.get(atom.predicate)
                shown = atom if output is None else Atom(atom.predicate, seen(output, atom.values)[0])
                before.setdefault(shown, self._held[shown] > 0)
                self._held[shown] += sign
        came = [atom for atom, was in before.items() if not was and self._held[atom] > 0]
        gone = [atom for atom, was in before.items() if was and self._held[atom] <= 0]
        for atom in gone:
            del self._held[atom]
        return sorted(came, key=str), sorted(gone, key=str)

    # -- for the page ----------------------------------------------------------------------------------------------

    def moment_json(self, moment: Moment) -> Json:
        """A moment as JSON, without more than a page can show."""
        room = max(0, MOST_ATOMS - len(self._sent))
        added = moment.added[:room]
        removed = [atom for atom in moment.removed if atom in self._sent]
        self._sent.update(added)
        self._sent.difference_update(removed)
        found: Json = {
            "time": moment.time,
            "shown": self.shown(moment.time),
            "facts": [atom_json(atom) for atom in moment.facts[:MOST_FACTS]],
            "added": [atom_json(atom) for atom in added],
            "removed": [atom_json(atom) for atom in removed],
            "holding": len(self._held),
        }
        hidden = len(moment.facts) - len(found["facts"]), len(moment.added) - len(added)
        if any(hidden):
            found["hidden"] = {"facts": hidden[0], "atoms": hidden[1]}
        if moment.models is not None:
            found["models"] = moment.models
            found["possible"] = sorted(map(str, moment.possible))[:MOST_ATOMS]
        return found

    def shown(self, time_point: int) -> str:
        tick = self._tick or self.engine.program.shown_tick()
        return str(time_point) if tick is None else tick.iso(time_point)

    def figures(self) -> Json:
        """What each rule has added so far and how long it took, and how many rows the engine holds."""
        found: Json = {"spent": self.spent, "facts": self.facts_seen}
        if self._measured is not None:
            found["rules"] = [
                {"rule": f.rule, "rows": f.rows, "seconds": f.seconds, "others": len(f.others)}
                for f in self._measured.rules()
            ]
            found["relations"] = [{"name": f.name, "rows": f.rows} for f in self._measured.relations()]
        return found

    def notes(self) -> list[Json]:
        """What was left out so far."""
        return [finding_json(d) for d in self.engine.diagnostics()]

    def explain(self, goal: str, time_point: int) -> Json:
        """Why an atom holds at a time point that the run has reached, or else why it does not.

        A time in the goal, `alarm(s3) at 41`, counts for more than `time_point`.
        """
        asked = goal_of(goal, self.program)
        when = time_point if asked.time is None else asked.time
        reached = max(self.first, self.time)
        if not self.first <= when <= reached:
            note = f"ask about a time from {self.shown(self.first)} to {self.shown(reached)}"
            raise fault("E333", f"the run has no time point {self.shown(when)} so far", note=note)
        if when == self.engine.time:  # it can be ahead of what the page has seen
            return {**explained(self.engine, asked.atom), "time": when}
        run = Run(self.program, self._stream, self.first, when, warn=False)
        return {**explained(_At(run, when), asked.atom), "time": when}


class _At:
    """A run that is asked about one time point."""

    def __init__(self, asked: Run, time_point: int) -> None:
        self._asked, self._time = asked, time_point

    def explain(self, goal: str | Atom) -> Explanation:
        return self._asked.explain(goal, self._time)

    def why_not(self, goal: str | Atom) -> WhyNot:
        return self._asked.why_not(goal, self._time)


def explained(asked: Engine | _At, goal: str | Atom) -> Json:
    """Why an atom holds, or if it does not, why not: as a tree, with the facts that it rests on."""
    try:
        found = asked.explain(goal)
    except LasingError as error:
        if error.diagnostics[0].code != "E335":
            raise
        absent = asked.why_not(goal)
        return {"holds": False, "tree": branch_json(why_not_branch(absent)), "uses": _uses(why_not_json(absent))}
    return {"holds": True, "tree": branch_json(branch_of(found)), "uses": _uses(explanation_json(found))}


def branch_json(branch: Branch) -> Json:
    return {"line": branch.line, "details": branch.details, "below": list(map(branch_json, branch.below))}


def _uses(content: Any) -> list[Json]:
    """The facts in an explanation, each once, to mark them in the timeline."""
    found: dict[tuple[str, int], Json] = {}

    def walk(node: Any) -> None:
        if isinstance(node, dict):
            if "atom" in node and "time" in node and node.get("kind") != "background":
                found.setdefault((node["atom"], node["time"]), {"atom": node["atom"], "time": node["time"]})
            for value in node.values():
                walk(value)
        elif isinstance(node, list):
            for one in node:
                walk(one)

    walk(content)
    return list(found.values())[:MOST_FACTS]


def atom_json(atom: Atom) -> list[Any]:
    """An atom as `[predicate, text, number]`: the number is its last argument, to be drawn as a curve, or null."""
    last = atom.args[-1] if atom.args else None
    number = last if isinstance(last, int | float) and not isinstance(last, bool) else None
    return [atom.predicate, str(atom), number]


def _point(given: Any, program: Program) -> int:
    from lasing.connectors.rows import time_of

    return time_of(given, program.tick)
