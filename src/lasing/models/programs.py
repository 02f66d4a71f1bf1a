"""Programs: whether a stream is an answer stream (LARS, Definition 9), and whether an answer stream exists."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lasing.connectors.missing import SKIP, Gaps, Missing
from lasing.connectors.rows import time_of
from lasing.connectors.sources import stream_rows
from lasing.engine_choice import load_clingo
from lasing.errors import SourceText, warn
from lasing.languages import read_question
from lasing.logic.facts import facts_of
from lasing.logic.formulas import Atom
from lasing.logic.own import Functions, check_functions, with_functions
from lasing.logic.program import Fact, Program
from lasing.logic.terms import NOW
from lasing.logic.values import Value, value_text
from lasing.models.given import Time, all_facts, check_timeline, facts_at, time_or, unknowns, values_of
from lasing.models.witness import Witness, fact_text, time_text
from lasing.reading import ProgramLike, parse, source_of
from lasing.timeline.intervals import Interval
from lasing.timeline.ticks import Tick

if TYPE_CHECKING:
    from lasing.engines.asp.checking import Broken
    from lasing.engines.asp.conditions import TimedAtom

MOST_REASONS = 20
"""How many reasons a verdict lists at most."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a stream is an answer stream, and if not, why."""

    holds: bool
    reasons: tuple[str, ...] = ()

    @classmethod
    def of(cls, reasons: list[str]) -> Verdict:
        """The stream is an answer stream unless there are reasons; only the first ones are listed."""
        more = [f"and {len(reasons) - MOST_REASONS:,} more"] if len(reasons) > MOST_REASONS else []
        return cls(not reasons, (*reasons[:MOST_REASONS], *more))

    def __bool__(self) -> bool:
        return self.holds

    def __str__(self) -> str:
        return "\n".join(("yes" if self.holds else "no", *self.reasons))


def check(
    program: ProgramLike,
    interpretation: Any,
    stream: Any = None,
    *,
    time: Time,
    start: Time | None = None,
    sort: bool = False,
    constants: Mapping[str, Value] | None = None,
    functions: Functions | None = None,
    missing: Missing = SKIP,
) -> Verdict:
    """Whether an interpretation stream is an answer stream of a program for a data stream at a time point.

    The interpretation has the data up to that time point and the derived atoms, each with its time. An answer stream
    need not have the least cost: weak constraints do not matter here. `functions` has the Python functions that the
    program calls, and `missing` says what to do with a row of either stream that lacks a value, see `lasing.run`.
    """
    gaps = Gaps(missing)
    given = program if isinstance(program, Program) else parse(program, constants)
    checked = with_functions(given, functions).watching_dates()
    check_functions(checked)
    load_clingo("checking that a model is minimal needs it")
    facts = list(
        dict.fromkeys(stream_rows(interpretation, checked.tick, True, arity=facts_of(checked).arity, gaps=gaps))
    )
    data = _Data.of(checked, stream, time, start, sort, gaps, facts)
    warn(gaps.warnings())
    reasons = [*_missing(data, facts), *_foreign(data, facts, facts_of(checked).derived)]
    return Verdict.of(reasons or _no_model(checked, data, facts))


def answer_stream(
    program: ProgramLike,
    stream: Any = None,
    atoms: str | Iterable[Atom] | None = None,
    *,
    time: Time,
    start: Time | None = None,
    sort: bool = False,
    constants: Mapping[str, Value] | None = None,
    functions: Functions | None = None,
    missing: Missing = SKIP,
) -> Witness | None:
    """An answer stream of a program at a time point, with the data and all derived atoms; None if there is none.

    With `atoms`, no other atoms may be derived. The answer stream need not have the least cost. `functions` has the
    Python functions that the program calls, and `missing` says what to do with a row that lacks a value, see
    `lasing.run`.
    """
    gaps = Gaps(missing)
    given = program if isinstance(program, Program) else parse(program, constants)
    checked = with_functions(given, functions).watching_dates()
    check_functions(checked)
    if isinstance(atoms, str):
        texts = checked.sources if isinstance(program, Program) else (source_of(program),)
        atoms = read_question(texts, values_of(constants), atoms=SourceText("atoms", atoms)).atoms
    allowed = None if atoms is None else {Atom(atom.predicate, atom.args) for atom in atoms}
    load_clingo("looking for an answer stream needs it")
    from lasing.engines.asp import satisfiability

    def may_hold(atom: TimedAtom) -> bool:
        return allowed is None or Atom(atom.predicate, atom.args) in allowed

    data = _Data.of(checked, stream, time, start, sort, gaps)
    warn(gaps.warnings())
    m = unknowns(checked, data.timeline, data.now, data.facts)
    found = satisfiability.answer_stream(m, checked, may_hold)
    return None if found is None else Witness.of((*data.facts, *facts_at(found, data.now)), data.tick)


@dataclass(frozen=True, slots=True)
class _Data:
    """The data from the start of the timeline up to now; `early` facts are before the start, `late` ones after now.
    `tick` is set if times came in as dates."""

    now: int
    timeline: Interval
    facts: list[Fact]
    early: frozenset[Fact]
    late: frozenset[Fact]
    tick: Tick | None

    def at(self, fact: Fact) -> str:
        return fact_text(fact, self.tick)

    def time(self, time: int) -> str:
        return time_text(time, self.tick)

    @classmethod
    def of(
        cls,
        program: Program,
        stream: Any,
        time: Time,
        start: Time | None,
        sort: bool,
        gaps: Gaps,
        claimed: Iterable[Fact] = (),
    ) -> _Data:
        """The timeline starts with the first fact; without any data, with the first claimed one."""
        now = time_of(time, program.tick)
        facts = all_facts(program, stream, sort, facts_of(program).arity, gaps)
        lo = time_or(start, min([now, *(fact.time for fact in facts or claimed)]), program)
        check_timeline(Interval(lo, None), now, program)
        early, late = (fact for fact in facts if fact.time < lo), (fact for fact in facts if fact.time > now)
        known = [fact for fact in facts if lo <= fact.time <= now]
        return cls(now, Interval(lo, None), known, frozenset(early), frozenset(late), program.shown_tick())


# -- reasons -----------------------------------------------------------------------------------------------------------


def _missing(data: _Data, facts: list[Fact]) -> Iterator[str]:
    """D ⊆ I"""
    there = set(facts)
    return (f"{data.at(fact)} is missing, but is in the data" for fact in data.facts if fact not in there)


def _foreign(data: _Data, facts: list[Fact], derived: frozenset[str]) -> Iterator[str]:
    """Atoms that an interpretation stream cannot have: before the start, or neither in the data nor derivable."""
    known = {*data.facts, *data.early}
    for fact in (fact for fact in facts if fact not in known):
        predicate = fact.atom.predicate
        if fact.time < data.timeline.lo:
            yield f"{data.at(fact)} is before the start of the timeline, {data.time(data.timeline.lo)}"
        elif predicate not in derived:
            where = f"in the data up to {data.time(data.now)}" if fact in data.late else "in the data"
            yield f"{data.at(fact)} is not {where}, and no rule derives {predicate}"


def _no_model(program: Program, data: _Data, facts: list[Fact]) -> list[str]:
    """The rules that do not hold; if all hold, the atoms that they do not require."""
    from lasing.engines.asp.checking import broken, superfluous
    from lasing.engines.asp.conditions import TimedAtom

    known = set(data.facts)
    beyond = [fact for fact in facts if fact not in known and fact.time >= data.timeline.lo]
    atoms = frozenset(TimedAtom(time - data.now, atom.predicate, atom.values) for time, atom in beyond)
    m = unknowns(program, data.timeline, data.now, data.facts, beyond)
    reasons = dict.fromkeys(_broken(program, data, found) for found in broken(m, program, atoms))
    if reasons:
        return list(reasons)
    extra = list(Witness.of(facts_at(superfluous(m, program, atoms), data.now)))
    return [f"without {_list(map(data.at, extra))} it is still a model of the rules whose bodies hold"] if extra else []


def _broken(program: Program, data: _Data, found: Broken) -> str:
    rule = program.rules[found.rule]
    place = "" if (at := rule.place()) is None else f" ({at})"
    values = ", ".join(f"{v} = {value_text(x)}" for v, x in found.binding.items() if not v.anonymous and v != NOW)
    what = f"rule {found.rule + 1}{place}{', for ' if values else ''}{values}"
    heads = list(map(data.at, Witness.of(facts_at(found.heads, data.now))))
    match heads:
        case []:
            return f"{what}: this constraint is violated"
        case [head]:
            return f"{what}: the body holds, but {head} is missing"
        case _:
            return f"{what}: the body holds, but none of {', '.join(heads)} is there"


def _list(facts: Iterable[str]) -> str:
    *most, last = facts
    return f"{', '.join(most)} and {last}" if most else last
