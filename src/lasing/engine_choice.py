"""Which engine runs a program, and how to make it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol, get_args

from lasing.errors import fault
from lasing.limits import Watch
from lasing.logic.answers import Answer, Changes
from lasing.logic.examples import Examples
from lasing.logic.formulas import Atom
from lasing.logic.idle import Settling, settling
from lasing.logic.own import check_functions
from lasing.logic.program import Fact, Program
from lasing.logic.runs import Run
from lasing.logic.splitting import Split, has_several_answers, split, unsplit
from lasing.plan.compile import Unplanned, compile_plan
from lasing.plan.nodes import Plan
from lasing.plan.optimize import optimized

if TYPE_CHECKING:
    from lasing.engines.local.engine import LocalEngine
    from lasing.engines.reference.engine import ReferenceEngine

EngineName = Literal["auto", "local", "reference", "clingo"]
_MOST_MODELS = 2**31 - 1  # clingo counts no further
ENGINES: tuple[str, ...] = tuple(name for name in get_args(EngineName) if name != "auto")


class _Reports(Protocol):
    @property
    def dropped_heads(self) -> int: ...

    @property
    def failures(self) -> Counter[tuple[int, str]]: ...

    @property
    def examples(self) -> Examples: ...


class ChangesEngine(_Reports, Protocol):
    """For programs with one answer: takes the facts of a time point, and returns the changes up to it."""

    def advance(self, time: int, atoms: Iterable[Atom]) -> Iterator[Changes]: ...


class ModelsEngine(_Reports, Protocol):
    """For programs with any number of answers: takes the facts of a time point, and returns the answers up to it.

    It may skip time points at which the answers are those of the previous time point.
    """

    def advance(self, time: int, atoms: Iterable[Atom]) -> Iterator[Answer]: ...
    def recall(self, time: int, facts: Iterable[Fact], runs: Iterable[Run] = ()) -> Answer: ...
    def remembered(self) -> Iterable[Run]: ...


@dataclass(frozen=True, slots=True)
class OnLocal:
    """The local engine, for programs with one answer at each time point. Its kernels take a second to load."""

    program: Program
    plan: Plan
    watch: Watch | None = None
    name = "local"

    def make(self, start: int) -> LocalEngine:
        from lasing.engines.local.engine import LocalEngine  # here, because loading the kernels takes a second

        return LocalEngine(self.program, start, self.plan, watch=self.watch)


@dataclass(frozen=True, slots=True)
class OnReference:
    """The reference engine, for programs with one answer at each time point.

    Given how the program settles, it skips idle time in which nothing can change.
    """

    program: Program
    settling: Settling | None = None
    watch: Watch | None = None
    name = "reference"
    plan = None

    def make(self, start: int) -> ReferenceEngine:
        from lasing.engines.reference.engine import ReferenceEngine

        return ReferenceEngine(self.program, start, self.watch, self.settling)


@dataclass(frozen=True, slots=True)
class AnyAnswers:
    """An engine for programs with any number of answers; `make` takes the start of the timeline.

    `plan` is the plan of the part of the program that runs on the local engine, if any does.
    """

    name: str
    make: Callable[[int], ModelsEngine]
    plan: Plan | None


OneAnswer = OnLocal | OnReference
Choice = OneAnswer | AnyAnswers
"""`plan` is the plan whose kernels must be loaded, and compiled the first time; None if there is none."""


def choose(program: Program, engine: str, limit: int = 0, watch: Watch | None = None) -> Choice:
    """The engine of that name for a program, or the best one for `auto`; with at most `limit` answers, unless it is 0.

    All engines made by the choice share the `watch`.
    """
    check_functions(program)
    several = has_several_answers(program)
    if engine == "clingo" or (several and engine == "auto"):
        # What derived streams remember must not depend on whether there is an answer: so they are derived below.
        whole = engine == "clingo" and not (several and program.streams)
        parts = unsplit(program) if whole else split(program)
        below = None if parts.below is None else choose(parts.below, "auto", watch=watch)
        assert not isinstance(below, AnyAnswers), "the decided part has one answer"
        load_clingo("programs that may have several answers need it")
        plan = None if below is None else below.plan
        return AnyAnswers("clingo", lambda start: _clingo(parts, start, below, limit, watch), plan)
    if several and engine == "reference":
        from lasing.engines.reference.several import DefinitionEngine

        return AnyAnswers("reference", lambda start: DefinitionEngine(program, start, limit, watch), None)
    return chosen_by_plan(program, plan_for(program, engine), engine, watch)


def chosen_by_plan(program: Program, plan: Plan | None, engine: str, watch: Watch | None = None) -> OneAnswer:
    """The engine for a program with one answer, with the plan given; without a plan, the reference engine.

    If it is chosen by name, the reference engine evaluates every time point; with `auto`, it skips idle time.
    """
    if plan is not None:
        return OnLocal(program, plan, watch)
    return OnReference(program, settling(program) if engine == "auto" else None, watch)


def most_models(models: int | None) -> int:
    """How many answers to look for at most; 0 means all."""
    if models is not None and not (type(models) is int and models >= 1):
        note = "give a whole number of at least 1, or None for all answers"
        raise fault("E306", f"models is {models!r}", note=note)
    return min(models or 0, _MOST_MODELS)


def plan_for(program: Program, engine: str) -> Plan | None:
    """The plan for the local engine; None for the reference engine, which `auto` uses if there is no plan."""
    if engine != "auto" and engine not in ENGINES:
        raise fault("E305", f"there is no engine {engine}", note=f"engines are auto, {', '.join(ENGINES)}")
    if engine == "reference":
        return None
    try:
        return optimized(compile_plan(program))
    except Unplanned as reason:
        if engine == "auto":
            return None
        note = "leave the choice of the engine to auto, or name another engine"
        raise fault("E307", f"the local engine cannot run this program: {reason}", note=note) from None


def unplanned(program: Program) -> str:
    """Why the local engine cannot run a program; empty if it can."""
    try:
        compile_plan(program)
    except Unplanned as reason:
        return str(reason)
    return ""


def load_kernels(plan: Plan | None = None, compiling: Callable[[], None] | None = None) -> None:
    """Load the local engine's kernels: those that a plan uses, or all of them. The first time after an installation,
    this compiles them, which takes seconds to a minute; `compiling` is called before that."""
    from lasing.compiling import before_compiling
    from lasing.engines.local.layout import lay_out
    from lasing.engines.local.operators.table import load_all

    with before_compiling(compiling or (lambda: None)):
        if plan is None:
            load_all()
        else:
            lay_out(plan)
        list(OnLocal(Program(()), compile_plan(Program(()))).make(0).advance(0, ()))


def load_clingo(why: str) -> None:
    """Load clingo, which is an optional dependency; if it is missing, the error says why it is needed."""
    try:
        import clingo  # noqa: F401 -- fails here, before anything runs
    except ModuleNotFoundError as missing:
        if missing.name != "clingo":
            raise
        raise fault("E312", "clingo is not installed", note=f"{why}: pip install 'lasing[asp]'") from None


def _clingo(parts: Split, start: int, below: OneAnswer | None, limit: int, watch: Watch | None) -> ModelsEngine:
    from lasing.engines.asp.engine import AspEngine

    return AspEngine(parts, start, None if below is None else below.make(start), limit, watch)
