"""What an engine holds, as text: its plan, its relations and its calendar, with values instead of codes.

For debugging: `print(dump(engine))`.
"""

from __future__ import annotations

from collections.abc import Iterator

from lasing.engines.local import memory
from lasing.engines.local.engine import LocalEngine
from lasing.engines.local.inspect import ID, RECORD, entries_of, records_of
from lasing.logic.terms import term_text
from lasing.plan.relations import Relation
from lasing.plan.show import show

_KINDS = {
    memory.LIGHT: "guaranteed",
    memory.TRACKED: "guaranteed, tracked",
    memory.COUNTED: "counted",
    memory.LOG: "log",
    memory.PENDING: "pending",
    memory.PASSING: "passing",
    memory.RUNNING: "running",
}


def dump(engine: LocalEngine) -> str:
    """The plan, all rows that may be alive, and all entries of the calendar."""
    plan = (f"  {line}" for line in show(engine.plan).splitlines())
    lines = [f"at {engine.time}", "", "plan", *plan, "", "relations"]
    for number, relation in enumerate(engine.relations):
        lines += _relation(engine, relation, memory.HEADER + number * memory.DESCRIPTOR)
    return "\n".join([*lines, "", "calendar", *_calendar(engine), ""])


def _relation(engine: LocalEngine, relation: Relation, d: int) -> Iterator[str]:
    arena = engine.arena
    kind, arity = int(arena[d + memory.KIND]), relation.arity
    records = records_of(arena, d)
    yield f"  <{relation.name}>/{arity}  {_KINDS[kind]}, {len(records)} rows"
    for record in records.tolist():
        row = record[RECORD:]
        shown = ", ".join(_values(engine, relation, row[:arity]))
        yield f"    {record[ID]}: ({shown}){_fields(kind, row[arity:])}"


def _values(engine: LocalEngine, relation: Relation, codes: list[int]) -> list[str]:
    if relation == engine.relations[0]:  # wide values: their kind and bits, which are not codes
        return [str(code) for code in codes]
    return [term_text(engine.dictionary.value(code)) for code in codes]


def _fields(kind: int, fields: list[int]) -> str:
    """What a row has in addition to its arguments."""
    match kind:
        case memory.LOG:
            return ""
        case memory.COUNTED:
            state = "present" if fields[1] & 1 else "absent"
            return f"  count {fields[3]}, {state} since tick {fields[1] >> 1}"
        case memory.TRACKED:
            return f"  until {_time(fields[0])}, {'present' if fields[1] & 1 else 'absent'} since tick {fields[1] >> 1}"
        case _:
            return f"  until {_time(fields[0])}"


def _time(time: int) -> str:
    if time >= memory.FOREVER:
        return "forever"
    return "never" if time == memory.NEVER else str(time)


def _calendar(engine: LocalEngine) -> Iterator[str]:
    for time, d, row in sorted(entries_of(engine.arena).tolist()):
        if d < 0:
            yield f"  {time}: wake up"
        else:
            relation = engine.relations[(d - memory.HEADER) // memory.DESCRIPTOR]
            yield f"  {time}: <{relation.name}> row {row}"
