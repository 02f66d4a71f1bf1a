"""`lasing.spark.reason`: a program as a function from DataFrames to DataFrames."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from lasing.background import with_background
from lasing.connectors.bad_rows import STOP, bad_rows_of
from lasing.connectors.missing import SKIP, Gaps, Missing, warnings_of
from lasing.connectors.sinks import VIEWS, View
from lasing.engine_choice import EngineName, plan_for
from lasing.entailment import Entail, with_entailment
from lasing.errors import LasingError, fault, in_order, warn
from lasing.limits import limits_of
from lasing.logic.checks import CAUTIONS, ONE_ANSWER, findings
from lasing.logic.own import Functions, check_functions, with_functions
from lasing.logic.program import Program
from lasing.logic.values import Value
from lasing.reading import ProgramLike, read
from lasing.spark.background import background_facts
from lasing.spark.inputs import Order, Terms
from lasing.spark.notices import TO_CHOOSE
from lasing.spark.options import Delay, Options
from lasing.spark.reasoning import Reasoning
from lasing.spark.session import require_pyspark
from lasing.spark.shipping import ship
from lasing.timeline.timing import no_tick


def reason(
    program: ProgramLike,
    input: str | None = None,  # noqa: A002 -- the word that users know
    output: str | Sequence[str] | None = None,
    time: str | Mapping[str, str] = "time",
    *,
    view: View = "answers",
    background: Any = None,
    start: Any = None,
    end: Any = None,
    delay: Delay | Mapping[str, Delay] = 0,
    idle: str | Mapping[str, str] | None = None,
    clock: bool | Path = False,
    order: Order | None = None,
    shards: int | None = None,
    slices: int | None = None,
    replicate: Sequence[str] = (),
    engine: EngineName = "auto",
    constants: Mapping[str, Value] | None = None,
    functions: Functions | None = None,
    missing: Missing | Mapping[str, Missing] = SKIP,
    bad_rows: str | Mapping[str, str] = STOP,
    max_bad_rows: float | None = None,
    terms: Terms | Mapping[str, Terms] = False,
    language: str | None = None,
    entail: Entail = None,
    replaces: ProgramLike | None = None,
    partial: bool = False,
    max_atoms: int | None = None,
    max_memory: int | str | None = None,
    max_time: float | str | None = None,
) -> Reasoning:
    """A program as a function from DataFrames to DataFrames: streams to streams, tables to tables.

    `alarms = readings.transform(reason(program, input="temp", output="alarm", time="ts"))`

    `input` says what the DataFrame is about: "temp(sensor, celsius)", or "temp", whose arguments are then all columns
    but the time, in order. For several DataFrames, apply the function to a dictionary. `output` is a predicate, for one
    DataFrame, or several predicates, or None for all that the program shows, for a dictionary. `time` is the time
    column, for all inputs or by predicate: whole numbers, or timestamps, which a #tick turns into time points.

    `view` is answers (a row for each atom and time point), changes (+1 and -1 at a time) or intervals (from, until).
    `background` has facts that always hold: data frames by predicate, or files and graphs as in the `data` of
    `lasing.run`. `start` and `end` bound the timeline; by default, it goes from the first fact to the last.

    A stream's time point is evaluated once every input has brought a fact that is later by more than `delay`: a number
    of time points, or a duration such as "10 sec", for all inputs or by predicate. A fact that comes after its own
    input has brought such a fact is late. The stream waits for an input that brings nothing, unless it is silent for
    longer than `idle`, such as "5 min", by the clock; facts for time points evaluated meanwhile are late as well.
    With `clock=True`, time also passes when no fact comes: in each batch, the clock, less the delay, closes time points
    for the inputs that brought nothing, and there is a batch for each time point. It has no effect on a query that
    reads what is there and stops. For tests, `clock` may be the path of a file that has the time, in microseconds.
    `order` names the columns that give the order of arrival, for all inputs or by predicate. By default, the rows of
    a file arrive together, after those of older files; rows from other sources arrive together with their batch.

    A row that lacks a value is not a fact: it does not move time, and a warning says how many there were. With
    `missing="error"` it is an error. Any other value, such as 0, replaces the missing one; for all inputs or by
    predicate.

    A row that Spark's reader could not parse is bad, if the DataFrame has Spark's column of corrupt records
    (`_corrupt_record string` in the schema). By default, the query stops there. With `bad_rows="skip"`, for all inputs
    or by predicate, such rows are left out and counted, and `bad` of the result has them, with their file, line, column
    and reason. A query stops anyway if a batch of at least 100 rows has a larger share of them than `max_bad_rows`.

    `terms` names the columns of text that hold terms, for all inputs or by predicate; True stands for all columns of
    text: `<http://ex.org/a>` is then an IRI, `21.5` a number and `"21.5"` a text. Columns with the metadata
    `lasing: terms` hold terms anyway; outputs have them where values are not all of one type.

    A program is LARS, or a query if its file ends in .rq or another ending of queries; for text, `language="sparql"`
    says so. The result of SELECT has the columns of the query, with null for a value that is not bound.

    `entail` adds what the triples entail, as in `lasing.run`: "rdfs", "owl-rl", a file of rules, or a list of these.

    `functions` has the Python functions that the program calls: `{"f": f}` for `@f(X)`. The workers get them too.

    `shards` and `slices` say into how many parts to divide the work, and `replicate` which inputs every shard gets.

    With `replaces`, the program continues from the checkpoint of a query with that other program, and takes effect at
    the first time point that has not been evaluated. Everything else must be as it was. If it looks back on more than
    the checkpoint has, that is an error (E608), unless you accept it with `partial=True`.

    `max_atoms`, `max_memory` and `max_time` are limits as in `lasing.run`, for each batch of a shard, or each slice. By
    default, all workers of a machine together may use half of its memory.
    """
    require_pyspark()
    checked = _checked(program, constants, language, functions)
    before = None if replaces is None else _checked(replaces, constants, language, functions)
    if view not in VIEWS:
        raise fault("E305", f"there is no view {view}", note=f"views are {', '.join(VIEWS)}")
    for name, number in (("shards", shards), ("slices", slices)):
        if number is not None and number < 1:
            raise fault("E305", f"{name} is {number!r}", note="give a whole number of at least 1")
    for bad_rule in set(bad_rows.values()) if isinstance(bad_rows, Mapping) else (bad_rows,):
        limited = bad_rule != STOP or not isinstance(bad_rows, Mapping)
        bad_rows_of(bad_rule, max_bad_rows if limited else None)  # checks them
    if clock and checked.tick is None:
        raise no_tick()
    if refused := findings(checked, ONE_ANSWER):
        raise LasingError(in_order(refused))
    plan_for(checked, engine)
    for rule in missing.values() if isinstance(missing, Mapping) else (missing,):
        Gaps(rule)  # checks it
    gaps: Counter[tuple[str, str]] = Counter()
    of_frames = isinstance(background, Mapping)
    facts = tuple(background_facts(background, missing, gaps)) if of_frames else ()
    warn(warnings_of(gaps, TO_CHOOSE))
    more = facts if of_frames else background
    given = with_background(checked, more)
    known = with_entailment(given, entail)
    if entail is not None:
        plan_for(known, engine)
    if not isinstance(program, Program):  # a program that is already parsed has had its warnings
        warn(findings(known, CAUTIONS))
    options = Options(
        input,
        output,
        time,
        view,
        start,
        end,
        delay,
        idle,
        order,
        shards,
        slices,
        tuple(replicate),
        engine,
        limits_of(max_atoms, max_memory, max_time),
        missing,
        tuple(dict.fromkeys([*(a.predicate for a in facts), *(t.predicate for t in given.tables)])),
        terms,
        clock,
        bad_rows,
        max_bad_rows,
        None if before is None else with_entailment(with_background(before, more), entail),
        partial,
    )
    return Reasoning(known, options)


def _checked(
    program: ProgramLike, constants: Mapping[str, Value] | None, language: str | None, functions: Functions | None
) -> Program:
    """A program with its functions, ready to be sent to workers."""
    found = with_functions(program if isinstance(program, Program) else read(program, constants, language), functions)
    check_functions(found)
    return ship(found)
