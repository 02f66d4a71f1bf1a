"""Another program on the state that a stream has: whether it can continue from it, and what is different then.

The answers up to the last time point that was evaluated have been written, so the new program takes effect at the next
one. For changes and intervals, what the old program said last has to be compared with what the new one says there:
that difference is kept until the next time point is evaluated.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa

from lasing.errors import LasingError, fault
from lasing.live.remembered import table_of
from lasing.logic.facts import facts_of
from lasing.logic.partition import NoKey, Partition
from lasing.logic.program import Program, Signature
from lasing.spark.evaluation import Evaluation, up_to
from lasing.spark.spans import netted, spans
from lasing.spark.state import ShardState
from lasing.spark.task import Task
from lasing.succession import Kept, Succession, succession

_NOTE = "keep the old program, or start with a new checkpoint"


def taken_over(task: Task, shard: int, state: ShardState) -> ShardState:
    """The state for a task: as it is, or taken over from the task that it replaces."""
    if state.work == task.work or (not state.work and task.replaces is None):
        return state if state.work else replace(state, work=task.work)
    old = task.replaces
    if old is None or state.work not in ("", old.work):
        message = "the checkpoint belongs to another program, or to one with other shards"
        raise fault("E608", message, note="to change the program, name the old one and the new one: --replace NEW.lars")
    remembered = state.remembered
    if task.program.streams and not remembered:  # nothing is remembered of what was no derived stream
        remembered = {"": table_of(())}
    new = replace(state, work=task.work, token="", remembered=remembered)
    if not state.has_begun:
        return replace(new, held={}, remembered={}, pending={})
    if task.view == "answers":
        return new
    assert state.start is not None
    assert state.until is not None
    before, after = evaluations(task, old, shard, new)
    held, pending = {}, {}
    for predicate, holds in after.holding().items():
        output = task.outputs[predicate]
        said = state.held.get(predicate)
        held[predicate] = spans(output.nothing(), None)[1] if said is None else said
        was = before.holding().get(predicate, output.nothing()) if predicate in old.outputs else output.nothing()
        different = difference(was, holds, state.until + 1)
        earlier = state.pending.get(predicate)
        pending[predicate] = different if earlier is None else netted(earlier, different)
    return replace(new, held=held if task.view == "intervals" else {}, pending=pending)


def evaluations(task: Task, old: Task, shard: int, state: ShardState) -> tuple[Evaluation, Evaluation]:
    """The engines of both programs, at the time point of a state."""
    assert state.start is not None
    assert state.until is not None
    window, _ = up_to(state.window, state.until)
    made = []
    for one in (old, task):
        evaluation = Evaluation(one, shard, state.start)
        evaluation.recall(window, state.until, None, state.remembered.get(""))
        made.append(evaluation)
    return made[0], made[1]


def difference(before: Any, after: Any, time: int) -> Any:
    """What is added and removed between two tables in which everything is added; all at one time point."""

    def at(table: Any, sign: int) -> Any:
        times = pa.array(np.full(table.num_rows, time, np.int64))
        signs = pa.array(np.asarray(table["change"]) * np.int8(sign), pa.int8())
        return table.set_column(0, "time", times).set_column(1, "change", signs)

    return netted(at(before, -1), at(after, 1))


# -- whether it can ----------------------------------------------------------------------------------------------------


def check_replacement(old: Task, new: Task, partial: bool) -> Succession:
    """Fail with E608 if a task cannot continue from the state of another one; otherwise, say what it lacks."""
    for what, one, other in _alike(old, new):
        if one != other:
            raise fault("E608", f"the new program cannot continue from the checkpoint: {what}", note=_NOTE)
    history = succession(_kept(old, new), _with_inputs(new))
    if history.lacks and not partial:
        after = history.complete_from
        outlook = "" if after is None else f"answers would be complete {after} time points later\n"
        note = f"{outlook}to accept that: --partial, or partial=True in Python"
        raise LasingError(history.diagnostics("E608", note))
    return history


def _alike(old: Task, new: Task) -> Iterator[tuple[str, object, object]]:
    """What must be the same for both: a reason, and the two values."""
    yield "its inputs are different", old.inputs, new.inputs
    yield "its tick is different", (old.program.tick, old.unit), (new.program.tick, new.unit)
    yield "its view is different", old.view, new.view
    yield "its start is different", old.start, new.start
    yield f"it has {new.shards} shards, and the checkpoint has {old.shards}", old.shards, new.shards
    arity = facts_of(old.program).arity, facts_of(new.program).arity
    for predicate in (*old.inputs, *(old.program.remembered() & new.program.remembered())):
        numbers = [known.get(predicate) for known in arity]
        if None not in numbers:
            yield f"{predicate} has {numbers[1]} arguments, not {numbers[0]}", *numbers  # type: ignore[misc]
    kept = [*old.inputs, *(old.program.remembered() & new.program.remembered())]
    for predicate in kept if old.shards > 1 else ():
        one, other = old.keys.get(predicate), new.keys.get(predicate)
        yield f"{predicate} is divided among shards {_by(other)}, and in the checkpoint {_by(one)}", one, other
    for predicate, table in old.outputs.items():
        now = new.outputs.get(predicate)
        if now is None:
            yield f"it has no output {predicate}, which may still hold", new.view, "answers"
        else:
            yield (
                f"its output {predicate} has other columns",
                (table.columns, table.types, table.output.form),
                (now.columns, now.types, now.output.form),
            )


def _by(key: int | None) -> str:
    return "as a copy for each" if key is None else f"by its argument {key + 1}"


def _kept(old: Task, new: Task) -> Kept:
    """What the shards have kept: facts of the inputs. The data in the text of a program is not part of a state."""
    return Kept(replace(_with_inputs(old), data=new.program.data), None, frozenset(old.inputs))


def _with_inputs(task: Task) -> Program:
    """The program of a task, with all inputs declared."""
    program, arity = task.program, facts_of(task.program).arity
    declared = {signature.predicate for signature in program.inputs}
    more = tuple(Signature(p, arity[p]) for p in task.inputs if p in arity and p not in declared)
    return replace(program, inputs=(*program.inputs, *more))


def shards_for(found: Partition | NoKey, old: int) -> int:
    """The number of shards of a program that takes over; E608 if it cannot have as many as the old one."""
    if isinstance(found, NoKey) and old > 1:
        message = f"the new program cannot be divided into {old} shards, as the checkpoint is: {found.why}"
        raise fault("E608", message, note=f"{found.helps}\n{_NOTE}" if found.helps else _NOTE)
    return old
