"""`lasing pipeline --at`, `--diff` and `--explain`: what held at an earlier time point, why, and what another program
would change."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import typer

from lasing.cli.console import complain, note
from lasing.cli.explain import FORMATS as EXPLAINED
from lasing.cli.explain import show_absence, show_explanations
from lasing.cli.options import choose
from lasing.cli.output import write_output, write_whole
from lasing.connectors.sinks import Time, header, records
from lasing.errors import Diagnostic
from lasing.explain.goals import goal_of
from lasing.logic.answers import Changes
from lasing.logic.formulas import Atom
from lasing.pipeline.formats import LOCAL
from lasing.pipeline.kept import Kept, LocalStates, Moment, history_of, moment
from lasing.spark.task import Task

_FORMATS = ("text", "jsonl", "csv")


def show_past(described: Any, at: list[str], diff: bool, form: str) -> None:
    """Print what held at a time point, or what is different; nothing of the run is changed."""
    choose("--format", form, _FORMATS)
    _check(described, at, diff)
    _with_states(described, lambda kept: _show(kept, kept.now, described, at, diff, form))


def explain_past(described: Any, goal: str, at: list[str], why_not: bool, form: str) -> None:
    """Print why an atom holds at a time point that is kept, or why it does not: by default, at the last one."""
    choose("--format", form, EXPLAINED)
    _check(described, at, diff=False)

    def show(kept: Any) -> None:
        asked = goal_of(goal, kept.now.program).time
        if at and asked is not None:
            raise typer.BadParameter("the time is in the atom already", param_hint="--at")
        then = moment(kept, _time(at[0]) if at else asked)
        if why_not:
            show_absence(then.why_not(goal), form, "")
        else:
            show_explanations(then.explain(goal), False, None, form, "")

    _with_states(described, show)


def _check(described: Any, at: list[str], diff: bool) -> None:
    if len(at) > 2 or (len(at) == 2 and not diff):
        raise typer.BadParameter("give one time point, or two with --diff", param_hint="--at")
    if described.mode == "batch":
        raise typer.BadParameter(f"{described.path} describes a batch, which has no checkpoints", param_hint="--at")


def _with_states(described: Any, use: Callable[[Any], None]) -> None:
    """Read the checkpoints, of this process or of Spark."""
    if described.engine == LOCAL:
        use(LocalStates(described))
        return
    from lasing.pipeline.kept_on_spark import SparkStates
    from lasing.spark.session import stop

    try:
        use(SparkStates(described))
    finally:
        stop()


def _show(kept: Kept, now: Task, described: Any, at: list[str], diff: bool, form: str) -> None:
    moments = [moment(kept, _time(text)) for text in at] or [moment(kept)]
    if not diff:
        _print_answer(moments[0], described, form)
        return
    if len(moments) == 2:
        one, other = moments
        _print_difference(one.holding(one.task), other.holding(other.task), f"from {_at(one)} to {_at(other)}")
        return
    one = moments[0]
    history = history_of(one, now)
    if history is None:
        raise typer.BadParameter("there is nothing to compare: give --replace NEW, or --at twice", param_hint="--diff")
    lacks = [Diagnostic("W607", f"the new program lacks something: {lack}", lack.place) for lack in history.lacks]
    complain(lacks)
    _print_difference(one.holding(one.task), one.holding(now), f"at {_at(one)}")


def _print_answer(shown: Moment, described: Any, form: str) -> None:
    tick = described.program.tick if shown.task.unit is not None else None

    def show_time(time: int) -> Time:
        return time if tick is None else tick.iso(time)

    atoms = shown.holding(shown.task)
    batches = records([Changes(shown.time, atoms, frozenset())], "answers", show_time)
    width = max((len(atom.args) for atom in atoms), default=0)
    write_output(iter(batches), form, "", header("answers", False, width))  # type: ignore[arg-type]  # it was checked
    note(f"{len(atoms):,} atoms hold at {_at(shown)}")


def _print_difference(before: frozenset[Atom], after: frozenset[Atom], when: str) -> None:
    groups = (("+", after - before), ("-", before - after), ("=", after & before))
    lines = [f"{sign} {atom}\n" for sign, atoms in groups for atom in sorted(map(str, atoms))]
    write_whole("".join(lines), "")
    numbers = {sign: len(atoms) for sign, atoms in groups}
    note(f"{when}: {numbers['+']:,} come, {numbers['-']:,} go, {numbers['=']:,} stay")


def _at(shown: Moment) -> str:
    tick = shown.task.shown_tick
    return str(shown.time) if tick is None else tick.iso(shown.time)


def _time(text: str) -> Any:
    return int(text) if re.fullmatch(r"-?\d+", text) else text
