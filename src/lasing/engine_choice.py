"""Which engine runs a program, and how to make it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol, get_args

from lasing.engines.reference.engine import ReferenceEngine
from lasing.engines.reference.several import DefinitionEngine
from lasing.errors import fault
from lasing.limits import Watch
from lasing.logic.answers import Answer, Changes
from lasing.logic.examples import Examples
from lasing.logic.formulas import Atom
from lasing.logic.idle import Settling, settling
from lasing.logic.program import Program
from lasing.logic.splitting import Split, has_several_answers, split, unsplit
from lasing.plan.compile import Unplanned, compile_plan
from lasing.plan.nodes import Plan
from lasing.plan.optimize import optimized

if TYPE_CHECKING:
    from lasing.engines.local.engine import LocalEngine

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


class Engine(_Reports, Protocol):
    """For programs with one answer: takes the facts of a time point, and tells what changes up to it."""

    def advance(self, time: int, atoms: Iterable[Atom]) -> Iterator[Changes]: ...


class ModelsEngine(_Reports, Protocol):
    """For programs with any number of answers: takes the facts of a time point, and tells the answers up to it.

    Time points may be left out at which they are those of the time point before.
    """

    def advance(self, time: int, atoms: Iterable[Atom]) -> Iterator[Answer]: ...
    def recall(self, time: int, rows: Iterable[tuple[int, Atom]]) -> Answer: ...


@dataclass(frozen=True, slots=True)
class OnLocal:
    """The local engine, for programs with one answer at each time point. Its kernels take a second to load."""

    program: Program
    plan: Plan
    watch: Watch | None = None
    name = "local"

    def make(self, start: int) -> LocalEngine:
        from lasing.engines.local.engine import LocalEngine  # here, because to load the kernels takes a second

        return LocalEngine(self.program, start, self.plan, watch=self.watch)


@dataclass(frozen=True, slots=True)
class OnReference:
    """The reference engine, for programs with one answer at each time point.

    Given how the program settles, it passes over idle time in which nothing can change.
    """

    program: Program
    settling: Settling | None = None
    watch: Watch | None = None
    name = "reference"
    plan = None

    def make(self, start: int) -> ReferenceEngine:
        return ReferenceEngine(self.program, start, self.watch, self.settling)


@dataclass(frozen=True, slots=True)
class AnyAnswers:
    """An engine for programs with any number of answers, by the start of the timeline.

    The plan is of the part of the program that runs on the local engine, if any does.
    """

    name: str
    make: Callable[[int], ModelsEngine]
    plan: Plan | None


OneAnswer = OnLocal | OnReference
Choice = OneAnswer | AnyAnswers
"""`plan` is the one whose kernels have to be loaded, and compiled the first time; None where there is none."""


def choose(program: Program, engine: str, limit: int = 0, watch: Watch | None = None) -> Choice:
    """The engine of that name for a program, or the best one for `auto`; at most `limit` answers, unless 0.

    All engines that it makes share the `watch`.
    """
    several = has_several_answers(program)
    if engine == "clingo" or (several and engine == "auto"):
        parts = unsplit(program) if engine == "clingo" else split(program)
        below = None if parts.below is None else choose(parts.below, "auto", watch=watch)
        assert not isinstance(below, AnyAnswers), "what is decided has one answer"
        load_clingo("programs that may have several answers need it")
        plan = None if below is None else below.plan
        return AnyAnswers("clingo", lambda start: _clingo(parts, start, below, limit, watch), plan)
    if several and engine == "reference":
        return AnyAnswers("reference", lambda start: DefinitionEngine(program, start, limit, watch), None)
    return chosen_by_plan(program, plan_for(program, engine), engine, watch)


def chosen_by_plan(program: Program, plan: Plan | None, engine: str, watch: Watch | None = None) -> OneAnswer:
    """The engine for a program with one answer whose plan was made before: without a plan, the reference.

    Asked for by name, the reference evaluates every time point; `auto` lets it pass over idle time.
    """
    if plan is not None:
        return OnLocal(program, plan, watch)
    return OnReference(program, settling(program) if engine == "auto" else None, watch)


def most_models(models: int | None) -> int:
    """How many answers to look for at most; 0 stands for all."""
    if models is not None and not (type(models) is int and models >= 1):
        note = "ask for one or more, or for all: None"
        raise fault("E306", f"there are no {models!r} answers to ask for", note=note)
    return min(models or 0, _MOST_MODELS)


def plan_for(program: Program, engine: str) -> Plan | None:
    """The plan for the local engine; None for the reference engine, which `auto` takes where there is no plan."""
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
    """Why the local engine cannot run a program; empty where it can."""
    try:
        compile_plan(program)
    except Unplanned as reason:
        return str(reason)
    return ""


def load_kernels(plan: Plan | None = None, compiling: Callable[[], None] | None = None) -> None:
    """Load the local engine's kernels: those that a plan uses, or all of them. The first time after an installation
    they are compiled, in some seconds or up to a minute; `compiling` is called before."""
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
    """Load clingo, which does not come along by itself; an error where it is missing says why it is needed."""
    try:
        import clingo  # noqa: F401 -- told before anything runs
    except ModuleNotFoundError as missing:
        if missing.name != "clingo":
            raise
        raise fault("E312", "clingo is not installed", note=f"{why}: pip install 'lasing[asp]'") from None


def _clingo(parts: Split, start: int, below: OneAnswer | None, limit: int, watch: Watch | None) -> ModelsEngine:
    from lasing.engines.asp.engine import AspEngine

    return AspEngine(parts, start, None if below is None else below.make(start), limit, watch)
