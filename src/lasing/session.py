"""From a program and a stream to answers: read, check, choose the engine, and go through the timeline."""

from __future__ import annotations

import re
import warnings
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import chain
from pathlib import Path
from typing import Any

from lasing.connectors.files import Progress, read_text
from lasing.connectors.rows import Row, by_time, merged, time_of, value_of
from lasing.connectors.sources import stream_rows
from lasing.engine_choice import (
    AnyAnswers,
    Engine,
    EngineName,
    ModelsEngine,
    OneAnswer,
    choose,
    load_kernels,
    most_models,
)
from lasing.errors import Diagnostic, LasingWarning, Source, fault, render, similar
from lasing.languages.lars.reader import read_program
from lasing.limits import Limits, Watch, limits_of
from lasing.logic.answers import Answer, Changes, changes, filled, repeated
from lasing.logic.formulas import Atom, TupleWindow, Window, atoms_of, walk
from lasing.logic.program import Program
from lasing.logic.splitting import has_several_answers
from lasing.logic.terms import Value

Arrivals = Iterator[tuple[int, list[Atom]]]
ProgramLike = str | Path | Program


def parse(program: str | Path, constants: Mapping[str, Value] | None = None) -> Program:
    """Read and check a program: text, or a Path to a file. `constants` override its #const values.

    Raises `LasingError` with every mistake that is found.

    >>> parse("q(X) :- p(X) in [5].").rules[0].heads
    (Atom(predicate='q', args=(Variable(name='X'),)),)
    """
    given = {name: value_of(value, what=f"the constant {name}") for name, value in (constants or {}).items()}
    return read_program([source_of(program)], given)


def run(
    program: ProgramLike,
    stream: Any = None,
    start: int | str | datetime | None = None,
    end: int | str | datetime | None = None,
    engine: EngineName = "auto",
    *,
    sort: bool = False,
    models: int | None = None,
    constants: Mapping[str, Value] | None = None,
    max_atoms: int | None = None,
    max_memory: int | str | None = None,
    max_time: float | str | None = None,
) -> Run:
    """The answers of a program on a stream: one for every time point from `start` to `end`.

    The program is text, a Path or a `Program`. The stream is text, a Path, rows such as `(36, "temp", "s1", 70)`, a
    data frame, a `Table`, or a dictionary from predicates to data frames. The timeline begins with the first fact and
    ends with the last, unless said otherwise: by a number, or, with a #tick, by a date. `sort` accepts a stream that is
    not in the order of time. A program with any number of answer streams has them in `Answer.models`, at most `models`
    of them.

    Three limits end a run that gets out of hand, with an error that names the rule: `max_atoms`, derived at one time
    point (5,000,000 by default, 200,000 for engines other than the local one); `max_memory`, in bytes or as '2 GB'
    (half of the machine's); `max_time` for the whole run, in seconds or as '5 min' (none).

    >>> for answer in run("q(X) :- p(X) in [1].", "p(a) at 5.", end=7):
    ...     print(answer)
    5: q(a)
    6: q(a)
    7:
    """
    checked = program if isinstance(program, Program) else parse(program, constants)
    limits = limits_of(max_atoms, max_memory, max_time)
    return Run(checked, stream, start, end, engine, sort, models=models, limits=limits)


@dataclass(slots=True)
class Report:
    """What a run did, and what it had to leave out; answers and atoms are counted at each time point."""

    time_points: int = 0
    facts: int = 0
    answers: int = 0
    atoms: int = 0
    early_facts: int = 0
    dropped_heads: int = 0
    failures: dict[tuple[int, str], int] = field(default_factory=dict)


class Run:
    """The answers, as an iterator; `report` tells what was left out, complete once the answers are exhausted.

    `changes()` tells the same as differences, and passes over the time points at which nothing happens. `several` tells
    whether the program may have any number of answer streams; changes are then defined where there is exactly one.
    """

    def __init__(
        self,
        program: Program,
        stream: Any,
        start: int | str | datetime | None,
        end: int | str | datetime | None,
        engine: str = "auto",
        sort: bool = False,
        progress: Progress | None = None,
        warn: bool = True,
        models: int | None = None,
        limits: Limits | None = None,
    ) -> None:
        self._watch = Watch(limits)
        self._engine = choose(program, engine, most_models(models), self._watch)
        self.several = has_several_answers(program)
        first = None if start is None else time_of(start, program.tick)
        last = None if end is None else time_of(end, program.tick)
        if first is not None and last is not None and last < first:
            raise fault("E306", f"the timeline ends at {last}, before it starts at {first}")
        self.program = program
        self.report = Report()
        known = arity_of(program)
        own = by_time((fact.time, fact.atom) for fact in program.data)
        self._unused = None if counts_all_facts(program) else Counter[str]()
        self._known = known
        rows = merged([own, stream_rows(stream, program.tick, sort, progress, known)])
        self._size, self._streams, self._counted_until = 0, 0, 0
        arrivals = self._arrivals(rows, first, last)
        self._moments: Iterator[Changes]
        self._answers: Iterator[Answer]
        match self._engine:
            case OneAnswer():
                self._moments = self._changes_of(self._engine, arrivals, warn)
                self._answers = filled(self._moments)
            case AnyAnswers():
                told = self._answers_of(self._engine, arrivals, warn)
                self._moments = changes(told)
                self._answers = repeated(told)

    def __iter__(self) -> Iterator[Answer]:
        return self

    def __repr__(self) -> str:
        rules, report = _count(len(self.program.rules), "rule"), self.report
        reached = f"{_count(report.time_points, 'time point')} and {_count(report.facts, 'fact')} so far"
        return f"Run({rules}, {reached if report.facts or report.time_points else 'not begun'})"

    def __next__(self) -> Answer:
        return next(self._answers)

    def changes(self) -> Iterator[Changes]:
        """What changes, at each time point at which anything does; from where the run has got to."""
        return filter(None, self._moments)

    def moments(self) -> Iterator[Changes]:
        """As `changes`, with the time points besides at which facts came, and the first and the last one."""
        return self._moments

    def prepare(self) -> None:
        """Load the engine's kernels. The first time after an installation they are compiled, which takes a minute."""
        if self._engine.compiled:
            load_kernels()

    def diagnostics(self) -> list[Diagnostic]:
        """Warnings about what was left out so far."""
        report, found = self.report, []
        if report.early_facts:
            message = f"{_count(report.early_facts, 'fact')} before the start of the timeline ignored"
            found.append(Diagnostic("W201", message, note="start the timeline earlier to include them"))
        for predicate, count in sorted((self._unused or {}).items()):
            message = f"{_count(count, 'fact')} of {predicate}, which the program does not use"
            note = similar(predicate, self._known) or "name the predicate that the program uses: temp=FILE"
            found.append(Diagnostic("W204", message, note=note))
        return found + left_out(self.program, report.dropped_heads, report.failures)

    def _arrivals(self, rows: Iterator[Row], start: int | None, end: int | None) -> Arrivals:
        """The time points at which facts come, with these, and the first and the last time point."""
        report = self.report
        self._watch.restart()
        following = next(rows, None)
        if start is None:
            if following is None:
                return
            start = following[0]
        if end is not None and end < start:
            return
        while following is not None and following[0] < start:
            report.early_facts += 1
            following = next(rows, None)
        time = start
        while True:
            arrived: list[Atom] = []
            while following is not None and following[0] == time:
                arrived.append(following[1])
                following = next(rows, None)
            if self._unused is not None:
                self._unused.update(atom.predicate for atom in arrived if atom.predicate not in self._known)
            report.facts += len(arrived)
            yield time, arrived
            report.time_points = time - start + 1
            last = end if following is None else following[0] if end is None else min(following[0], end)
            if last is None or last <= time:
                break
            time = last

    def _changes_of(self, choice: OneAnswer, arrivals: Arrivals, warn: bool) -> Iterator[Changes]:
        engine = None
        for time, arrived in arrivals:
            engine = engine or choice.make(time)
            told = Changes(time, frozenset(), frozenset())
            for change in engine.advance(time, arrived):
                if change.time == time:
                    told = change
                else:
                    yield self._counted(change)
            self._note(engine)
            yield self._counted(told)
        self._warn(warn)

    def _answers_of(self, choice: AnyAnswers, arrivals: Arrivals, warn: bool) -> Iterator[Answer]:
        engine, told = None, Answer(0, ())
        for time, arrived in arrivals:
            engine = engine or choice.make(time)
            for answer in engine.advance(time, arrived):
                if answer.time < time:
                    yield self._counted_models(answer)
                told = answer
            self._note(engine)
            told = replace(told, time=time)
            yield self._counted_models(told)
        self._warn(warn)

    def _note(self, engine: Engine | ModelsEngine) -> None:
        self.report.dropped_heads = engine.dropped_heads
        self.report.failures = dict(engine.failures)

    def _warn(self, warn: bool) -> None:
        if warn and (found := self.diagnostics()):
            warnings.warn(render(found), LasingWarning, stacklevel=4)

    def _counted(self, change: Changes) -> Changes:
        """Count the atoms of all answers up to these changes."""
        self._count_until(change.time, self._size + len(change.added) - len(change.removed), 1)
        return change

    def _counted_models(self, answer: Answer) -> Answer:
        self._count_until(answer.time, sum(map(len, answer.models)), len(answer.models))
        return answer

    def _count_until(self, time: int, size: int, streams: int) -> None:
        idle = time - self._counted_until - 1
        self.report.atoms += self._size * idle + size
        self.report.answers += self._streams * idle + streams
        self._size, self._streams, self._counted_until = size, streams, time


def left_out(program: Program, dropped: int, failures: Mapping[tuple[int, str], int]) -> list[Diagnostic]:
    """Warnings about heads before the start, and about instances that had no value."""
    found = []
    if dropped:
        message = f"{_count(dropped, 'derived atom')} before the start of the timeline dropped"
        found.append(Diagnostic("W202", message, note="a head with `at T` has no place before the start"))
    for (index, reason), count in sorted(failures.items()):
        message = f"{_count(count, 'instance')} of this rule had no value: {reason}"
        found.append(Diagnostic("W203", message, program.rules[index].place()))
    return found


def source_of(program: str | Path) -> Source:
    """The text of a program, with its name."""
    if not isinstance(program, str | Path):
        raise fault(
            "E510", f"a {type(program).__name__} is not a program", note="a program is text, a Path or a Program"
        )
    if isinstance(program, str) and re.fullmatch(r"\S+\.lars", program):
        raise fault("E510", f"{program!r} is text", note=f"for a file, pass a path: Path({program!r})")
    if isinstance(program, Path):
        return Source(str(program), read_text(program), program)
    return Source("program", program)


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'s'[: number != 1]}"


def arity_of(program: Program) -> dict[str, int]:
    """How many arguments each predicate of a program has."""
    literals = chain.from_iterable(chain(rule.heads, rule.body) for rule in program.rules)
    known = {a.predicate: len(a.args) for literal in literals for a in atoms_of(literal)}
    known.update({a.predicate: len(a.args) for a in program.background})
    known.update({s.predicate: s.arity for s in (*program.inputs, *(program.show or ()))})
    return known


def counts_all_facts(program: Program) -> bool:
    """Whether facts of any predicate matter, since some tuple window counts them."""
    return any(
        isinstance(node, Window) and isinstance(node.function, TupleWindow)
        for rule in program.rules
        for literal in rule.body
        for node in walk(literal)
    )
