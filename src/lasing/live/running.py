"""A program that runs: its core, where its timeline begins, the data in its own text, and what it leaves out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any, assert_never

from lasing.connectors.bad_rows import BadRows
from lasing.connectors.missing import SKIP, Gaps, present, rule_of, without_gaps
from lasing.connectors.rows import EventArity, by_time, time_of
from lasing.drawing.svg import clean
from lasing.engine_choice import (
    AnyAnswers,
    Choice,
    OnLocal,
    OnReference,
)
from lasing.entailment.contradictions import Contradiction, Contradictions
from lasing.errors import Diagnostic, LasingError, fault, warn
from lasing.explain.asking import explain, explain_absence
from lasing.explain.evidence import Evidence, remembered_facts
from lasing.explain.evidence import Facts as KnownFacts
from lasing.explain.explanation import Explanation
from lasing.explain.goals import Goal, goal_of
from lasing.explain.why_not import WhyNot
from lasing.limits import Watch, stopped
from lasing.live.cores import Core, EncodedBatch, Facts, declared_columns, frame_of, unused, without_misfits
from lasing.live.corrections import Past
from lasing.live.lateness import Lateness, len_of
from lasing.live.local import LocalCore
from lasing.live.models import ModelsCore
from lasing.live.reference import ReferenceCore
from lasing.live.remembered import still_reached, table_of
from lasing.live.updates import ChangeSource, Joined, KnownChanges, Update, shown_tables
from lasing.live.watched import Watched
from lasing.logic.answers import Answer
from lasing.logic.examples import Examples
from lasing.logic.formulas import Atom
from lasing.logic.program import Program
from lasing.logic.results import formed
from lasing.logic.runs import Run
from lasing.logic.values import is_name
from lasing.reports import left_out
from lasing.timeline.reorder import Late
from lasing.timeline.timing import LateCount, Timing, called_with_late
from lasing.worlds import worlds

OnLate = Callable[[Late[Facts]], None]
Opener = Callable[[int], Core]

_TO_SEE_LATE = "a longer delay= would have waited for them; on_late= gets them"


class Running:
    """What every engine has, however facts come in."""

    program: Program

    def _set_up(
        self,
        program: Program,
        start: Any,
        choice: Choice,
        watch: Watch,
        contradictions: Contradictions,
        on_late: OnLate | None,
        timing: Timing | None = None,
    ) -> None:
        self.program = program
        self.on_late = called_with_late(on_late)
        self._late = LateCount()
        self._past: Past | None = None  # what is kept of it, if answers are corrected
        self._lateness = None if timing is None else Lateness(timing, program)
        self._watch = watch
        watch.shown = program.time_text
        self._kind = choice.name
        self._contradictions = contradictions
        self._warned = False
        self._open = _opener(choice, program, contradictions)
        self._own = by_time(self.program.data)
        self._queries = formed(program.outputs)
        self._core: Core | None = None
        self._start: int | None = None
        self._whole = True
        self._gaps = Gaps(rule_of(SKIP, program.nulls))
        self._bad = BadRows()
        self._undeclared: set[str] = set()
        self._declared = {signature.predicate for signature in program.inputs if program.takes(signature.predicate)}
        names = program.argument_names()
        self._events = EventArity({predicate: len(known) for predicate, known in names.items()}, names)
        self._unstarted: Core | None = None  # checks facts as long as the start is not known
        if start is not None:
            first = time_of(start, self.program.tick)
            self._begin(first, self._open(first))
            if self._lateness is not None:
                self._lateness.closing.move(first - 1)

    @property
    def start(self) -> int | None:
        """The first time point; None if no start was given and no fact has come."""
        return self._start

    @property
    def time(self) -> int | None:
        """The time point up to which everything is evaluated; before that, the one before the start, or None."""
        return None if self._core is None else self._core.time

    @property
    def incremental(self) -> bool:
        """Whether this is the local engine, whose memory follows the windows; the reference engine keeps all facts."""
        return self._kind == "local"

    def __repr__(self) -> str:
        rules = f"{len(self.program.rules)} rule{'s'[: len(self.program.rules) != 1]}"
        reached = "no facts yet" if self._core is None else f"start={self.start}, time={self.time}"
        return f"Engine({rules}, {self._kind} engine, {reached})"

    def _repr_html_(self) -> str:
        try:
            holds = "" if self._core is None else self.answer()._repr_html_()
        except LasingError:  # interrupted, and so without an answer
            holds = ""
        return f"<p>{clean(repr(self))}</p>{holds}"

    @property
    def late(self) -> int:
        """How many facts came too late."""
        return self._late.facts

    def _set_aside(self, late: Late[Facts]) -> None:
        """Count facts that are too late, and hand them over, or warn once."""
        first = not self._late.facts
        self._late.add(late, len_of(late.facts))
        if self.on_late is not None:
            self.on_late(late)
        elif first:
            warn(self._late.warnings(_TO_SEE_LATE))

    def _nothing(self) -> Update:
        """The update of a push that evaluates nothing."""
        return Update(0 if self._core is None else self._core.time, KnownChanges([]), self._queries)

    def _shown(self, source: ChangeSource) -> dict[str, Any]:
        return shown_tables(source.tables(), self._queries)

    def _present(self, predicate: Any, frame: Any, gaps: Gaps, time: str | None = None) -> Any:
        table = frame_of(frame, predicate)
        return present(table, table.column_names, gaps, f"the table of {predicate}", time)

    def _without_gaps(self, facts: Facts) -> Facts | None:
        """The facts without those that lack a value; None if no fact lacks one."""
        gaps = Gaps(rule_of(SKIP, self.program.nulls))
        kept: Facts
        if isinstance(facts, Mapping):
            kept = {predicate: self._present(predicate, frame, gaps) for predicate, frame in facts.items()}
        else:
            kept = without_gaps(facts, gaps)  # type: ignore[arg-type]  # they have been checked
        self._note_gaps(gaps)
        filled = gaps.filled or (self.program.nulls and isinstance(facts, Mapping))
        return kept if gaps.left_out or filled else None

    def _as_declared(self, facts: list[tuple[object, ...]] | Mapping[str, Any]) -> Facts:
        """The facts without events that have too few or too many values; tables with the declared columns, in order."""
        if self.program.only_inputs:
            facts = self._taken(facts)
        if not self._events:
            return facts
        if isinstance(facts, Mapping):
            return declared_columns(facts, self._events)
        before = len(self._events.left_out)
        kept = without_misfits(facts, self._events)
        if len(self._events.left_out) > before:  # warn once for each number; `diagnostics` has how many there were
            warn(self._events.warnings())
        return kept

    def _taken(self, facts: Any) -> Any:
        """The facts of declared inputs. Warns once about each other predicate."""
        if type(facts) is list and all(type(fact[0]) is str and fact[0] in self._declared for fact in facts):
            return facts  # nearly always
        takes = self.program.takes
        named = facts if isinstance(facts, Mapping) else [fact[0] for fact in facts]
        others = {name for name in named if isinstance(name, str) and is_name(name) and not takes(name)}
        known = [signature.predicate for signature in self.program.inputs]
        warn([unused(name, known) for name in sorted(others - self._undeclared)])
        self._undeclared |= others
        if not others:
            return facts
        if isinstance(facts, Mapping):
            return {name: frame for name, frame in facts.items() if name not in others}
        return [fact for fact in facts if not isinstance(fact[0], str) or fact[0] not in others]

    def _note_gaps(self, gaps: Gaps) -> None:
        fresh = [key for key in gaps.left_out if key not in self._gaps.left_out]
        self._gaps.left_out.update(gaps.left_out)
        if fresh:  # warn once for each column; `diagnostics` has the numbers
            warn(gaps.warnings())

    def remembered(self) -> Any:
        """What derived streams remember, as far as windows still reach, as an Arrow table."""
        return table_of(self._remembered())

    def _remembered(self) -> Iterable[Run]:
        if self._core is None or not self.program.streams:
            return ()
        return still_reached(self.program, self._core.remembered(), self._core.time)

    def explain(self, goal: str | Atom, model: int | None = None) -> Explanation:
        """Why an atom holds now, such as `engine.explain("alarm(s3)")`: the shortest derivation from the raw window.

        Raises E335 if it does not hold: then ask `why_not`. If there are several models, `model` is the number of the
        one in question, in the order of `answer().models`, from 1 on; by default, the first one that has the atom.
        """
        return self.explain_all(goal, limit=1, model=model)[0]

    def explain_all(self, goal: str | Atom, limit: int = 10, model: int | None = None) -> list[Explanation]:
        """Several derivations, the shortest first; for a goal with variables, one for each atom that it matches."""
        return explain(self._evidence(), self._asked(goal), limit, worlds=worlds, model=model)

    def why_not(self, goal: str | Atom, model: int | None = None) -> WhyNot:
        """Why an atom does not hold now: for each rule, what came closest, and what was missing.

        If there are several models: why it is in none of them, or not in the model of a number.
        """
        return explain_absence(self._evidence(), self._asked(goal), worlds=worlds, model=model)

    def _asked(self, goal: str | Atom) -> Goal:
        asked = goal_of(goal, self.program)
        if self._core is not None and asked.time not in (None, self._core.time):
            now = self.program.time_text(self._core.time)
            raise fault("E333", f"an engine explains what holds now, which is {now}", note="leave out the time")
        return asked

    def _evidence(self) -> Evidence:
        """What the answer of now rests on."""
        self._check_whole()
        if self._core is None or self._start is None:
            raise fault("E306", "there is nothing to explain before the first fact")
        core, start, now = self._core, self._start, self._core.time
        if isinstance(core, LocalCore):
            facts = core.known_facts()
        else:
            facts = KnownFacts((time, atom.predicate, atom.values) for time, atom in core.window() if time <= now)
        return Evidence(self.program, start, now, facts, remembered_facts(self._remembered(), start, now))

    def holding(self) -> dict[str, Any]:
        """Everything that holds now as Arrow tables, in the form of `push_batch`, as if it had been added now."""
        self._check_whole()
        return self._shown((self._core or self._open(0)).holding())

    def _with_due(self, core: Core, batch: EncodedBatch, until: int) -> EncodedBatch:
        """The batch with the data facts of the program's own text up to a time point."""
        due = [fact for fact in self._own if fact[0] <= until]
        self._own = self._own[len(due) :]
        return core.with_own(batch, due) if due else batch

    def _first_time(self, frame: Any, predicate: str, time: str) -> int | None:
        """The time of the first row of a frame, which is its earliest time."""
        table = frame_of(frame, predicate, time)
        return time_of(table[time][0].as_py(), self.program.tick) if table.num_rows else None

    def _first(self, points: list[int], until: int | None) -> int | None:
        """Where the timeline begins, given the times of facts and how far time has got; None if there is no fact."""
        reached = max([*points, *([] if until is None else [until])], default=None)
        due = [time for time, _ in self._own[:1] if reached is not None and time <= reached]
        return min([*points, *due], default=None)

    def _begin(self, start: int, core: Core) -> None:
        """Begin the timeline. Earlier data in the program's own text is not part of it."""
        if self._core is None:
            self._start, self._core = start, core
            self._own = [fact for fact in self._own if fact[0] >= start]

    def answer(self) -> Answer:
        """The atoms that hold now; none before the timeline begins."""
        self._check_whole()
        answer = Answer.single(0, frozenset()) if self._core is None else self._core.answer()
        return replace(answer, tick=self.program.shown_tick())

    def diagnostics(self) -> list[Diagnostic]:
        """Warnings about what was left out so far: facts that lack a value (W206), came too late (W208) or are bad
        (W209), events with a wrong number of values (W207), heads before the start (W202) and instances that had no
        value (W203); and about inconsistent data of a query (W210)."""
        set_aside = self._late.warnings(_TO_SEE_LATE if self.on_late is None else "")
        others = left_out(self.program, *self.left_out(), self.examples())
        found = self._contradictions.findings()
        lost = [*self._gaps.warnings(), *self._bad.warnings()]
        return [*lost, *self._events.warnings(), *set_aside, *found, *others]

    def left_out(self) -> tuple[int, Mapping[tuple[int, str], int]]:
        """The same as numbers: heads before the start, and instances without a value by rule (from 0) and reason."""
        return (0, {}) if self._core is None else self._core.left_out()

    def examples(self) -> Examples:
        """For each rule and reason, one of the instances without a value."""
        return {} if self._core is None else self._core.examples()

    def contradiction(self) -> Contradiction | None:
        """The inconsistent data that a query has met since the last call."""
        return self._contradictions.taken()

    def _check_whole(self) -> None:
        if not self._whole:
            raise stopped()

    def _enter_evaluation(self) -> None:
        """Mark the engine as unusable until the evaluation ends: if it fails, it is half way through a time point."""
        self._whole = False
        self._watch.restart()

    def _leave_evaluation(self) -> None:
        """Mark the engine as usable again, and warn once if a query has met inconsistent data."""
        self._whole = True
        if self._contradictions.found is not None and not self._warned:
            self._warned = True
            warn(self._contradictions.findings())

    def _evaluate(self, core: Core, now: int, encoded: Any) -> Update:
        self._enter_evaluation()
        update = (
            self._push_with_own(core, now, encoded)
            if self._own
            else Update(now, core.push(now, encoded), self._queries)
        )
        self._leave_evaluation()
        return update

    def _push_with_own(self, core: Core, now: int, encoded: Any) -> Update:
        """Push the data facts of the program's own text at their times."""
        updates: list[ChangeSource] = []
        while self._own and self._own[0][0] <= now:
            time = self._own[0][0]
            mine = [atom for at, atom in self._own if at == time]
            self._own = self._own[len(mine) :]
            updates.append(core.push(time, core.encode(time, mine)))
        updates.append(core.push(now, encoded))
        return Update(now, Joined(updates), self._queries)


def _opener(choice: Choice, program: Program, contradictions: Contradictions) -> Opener:
    """A function that makes the core of an engine for a start of the timeline."""
    opener = _core_opener(choice, program)
    if not contradictions.predicates:
        return opener
    return lambda start: Watched(opener(start), contradictions)


def _core_opener(choice: Choice, program: Program) -> Opener:
    match choice:
        case OnLocal():
            return lambda start: LocalCore(program, choice.make(start))
        case OnReference():
            return lambda start: ReferenceCore(program, start, choice.make(start))
        case AnyAnswers():
            return lambda start: ModelsCore(program, start, choice)
        case _:
            assert_never(choice)
