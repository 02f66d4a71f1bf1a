"""A bounded history on Spark, cut into slices of time and into shards. Each is evaluated on its own, without state."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np
import pyarrow as pa

from lasing.connectors.missing import Gaps
from lasing.spark.evaluation import Evaluation, up_to
from lasing.spark.inputs import Input
from lasing.spark.noted import Notes, SliceNotes
from lasing.spark.slices import Slices, even_cuts
from lasing.spark.tables import by_time, from_bytes, times_of, to_bytes
from lasing.spark.task import Task

PARTS = "kind string, content binary"
_MOST_ROWS = 1 << 17
_ROWS_OF_A_SLICE = 1_000_000
"""The most facts for one slice, as far as the lookback allows: they are all in memory at once."""
_SHARE_OF_LOOKBACK = 8
"""A slice is at least this many times as long as its lookback; otherwise most of the work would be looking back."""


@dataclass(frozen=True, slots=True)
class Extent:
    """The first and last time point of a history, and its number of facts."""

    first: int
    last: int
    facts: int


def extent(inputs: Sequence[Input], unit: int | None, left_out: Counter[tuple[str, str]]) -> Extent | None:
    """Scan all inputs once; None if they have no fact. `left_out` counts the rows that are left out because they lack a
    value, by input and column."""
    from pyspark.sql import functions as f

    lasts, firsts, facts = [], [], 0
    for given in inputs:
        rows = given.all_rows()
        lacks, whole = [], f.lit(True)
        if Gaps(given.missing).skips:
            for part in given.needed:
                lacks.append(f.count_if(whole & f.col(part).isNull()))  # a row counts at its first gap
                whole = whole & f.col(part).isNotNull()
        time = f.when(whole, point_column(unit, given.dated))
        first, last, count, *lacking = rows.agg(f.min(time), f.max(time), f.count(time), *lacks).collect()[0]
        left_out.update({(given.predicate, n): k for n, k in zip(given.needed.values(), lacking, strict=False) if k})
        if count:
            firsts.append(first)
            lasts.append(last)
            facts += count
    return Extent(min(firsts), max(lasts), facts) if facts else None


def point_column(unit: int | None, dated: bool) -> Any:
    """The time points of the column `time`, as a Spark column."""
    from pyspark.sql import functions as f

    if not dated:
        return f.col("time").cast("bigint")
    instant = "unix_micros(CASE WHEN typeof(time) = 'timestamp_ntz' THEN cast(concat(cast(time AS string), 'Z') AS "
    return f.expr(f"cast(floor({instant}timestamp) ELSE cast(time AS timestamp) END) / {unit}) AS bigint)")


def number_of_slices(found: Extent, lookback: int | None, parallelism: int) -> int:
    """How many slices are worthwhile: a few for each core, but none that mostly looks back."""
    if lookback is None:
        return 1
    length = found.last - found.first + 1
    wanted = max(3 * parallelism, found.facts // _ROWS_OF_A_SLICE)
    return max(1, min(wanted, length // max(1, _SHARE_OF_LOOKBACK * (lookback + 1))))


def cut(task: Task, inputs: Sequence[Input], found: Extent, slices: int) -> Slices:
    """The slices of a history, each with the facts that it looks back on."""
    cuts = even_cuts(found.first, found.last, slices)
    back = task.history
    if back.points is None:
        return Slices(cuts, (found.first,) * (len(cuts) - 1))
    begins = [start - 1 - back.points for start in cuts[:-1]]
    if back.facts:
        points, counts = _facts_at(inputs, task.unit)
        total = np.cumsum(counts)
        for i, start in enumerate(cuts[:-1]):
            known = np.searchsorted(points, start - 1, side="right")  # facts of these time points are known by then
            wanted = np.searchsorted(total[:known], (total[known - 1] if known else 0) - back.facts, side="right")
            begins[i] = min(begins[i], int(points[wanted]) if wanted < known else start - 1)
    return Slices(cuts, tuple(begins))


def _facts_at(inputs: Sequence[Input], unit: int | None) -> tuple[Any, Any]:
    """The time points that have facts, in order, and the number of distinct facts at each."""
    from functools import reduce

    from pyspark.sql import functions as f

    counted = [
        given.comparable_rows()
        .withColumn("p", point_column(unit, given.dated))
        .groupBy("p")
        .agg(f.count_distinct(f.struct(f.lit(0), *[f"arg{i + 1}" for i in range(len(given.columns))])).alias("n"))
        for given in inputs
    ]
    table = reduce(lambda a, b: a.union(b), counted).groupBy("p").agg(f.sum("n").alias("n")).orderBy("p").toArrow()
    return np.asarray(table["p"]), np.asarray(table["n"])


def newest_of_each_key(task: Task, given: Input, slices: Slices) -> Any | None:
    """Facts older than a slice's lookback that are still among the last of their key, each with its slice in the last
    column. None if no window needs such facts."""
    from pyspark.sql import Window
    from pyspark.sql import functions as f

    windows = [w for w in task.raw_window.partitions if w.predicate == given.predicate]
    if not windows or len(slices) == 1:
        return None
    arguments = [f"arg{i + 1}" for i in range(len(given.columns))]
    points = given.comparable_rows().withColumn("p", point_column(task.unit, given.dated))
    rows = points.dropDuplicates(["p", *arguments])
    reach = f.lit(None).cast("bigint")
    for window in windows:
        keys = [f"arg{position + 1}" for key in window.keys for position in key]
        following = f.lead("p", window.back).over(Window.partitionBy(*keys).orderBy("p"))
        name = f"reach{window.back}_{'_'.join(keys)}"
        rows = rows.withColumn(name, f.coalesce(following, f.lit(2**62)))
        whole_time_point = f.max(name).over(Window.partitionBy(*keys, "p"))
        rows = rows.withColumn(name, whole_time_point)
        reach = f.greatest(reach, f.col(name))  # ignores null
    begins = f.array(
        *[f.struct(f.lit(b).alias("begin"), f.lit(i).alias("number")) for i, b in enumerate(slices.begins)]
    )
    rows = rows.withColumn("reach", reach).withColumn("slice", f.explode(begins))
    needed = (f.col("slice.begin") > f.col("p")) & (f.col("slice.begin") <= f.col("reach"))
    return rows.where(needed).select("time", *arguments, f.col("slice.number").cast("int").alias("slice"))


def slice_function(
    task: Callable[[], Task],
    places: Sequence[int],
    slices: Slices,
    start: int,
    note: Callable[[Notes], None],
    only: str | None = None,
) -> Callable[[Any], Any]:
    """The function that `applyInArrow` calls for each shard of each slice. It returns tables by kind, as bytes, or the
    rows of the `only` output. What it leaves out goes to `note`."""
    numbers = {place: i for i, place in enumerate(places)}

    def evaluate(table: Any) -> Any:
        work = task()
        place = table["place"][0].as_py()
        number, shard = divmod(numbers[place], work.shards)
        facts: dict[str, list[Any]] = {}
        for i, stored in zip(table["input"].to_pylist(), table["facts"], strict=True):
            if stored.is_valid:
                facts.setdefault(work.inputs[i], []).append(from_bytes(stored.as_buffer()))
        merged = {p: by_time(facts[p], work.exact) for p in work.inputs if p in facts}
        bounds = slices.bounds(number)
        tables, noted = evaluate_slice(work, shard, merged, start, bounds, number + 1 == len(slices))
        if noted:
            note({place: noted})
        if only is not None:
            output = work.outputs[only]
            return tables.get(only, output.finished(output.nothing(), work.view, work.unit))
        kinds, parts = [], []
        for kind, found in tables.items():
            for first in range(0, found.num_rows, _MOST_ROWS):
                kinds.append(kind)
                parts.append(to_bytes(found.slice(first, _MOST_ROWS)))
        return pa.table({"kind": pa.array(kinds, pa.string()), "content": pa.array(parts, pa.binary())})

    return evaluate


def evaluate_slice(
    task: Task, shard: int, facts: Mapping[str, Any], start: int, bounds: tuple[int, int], is_last: bool
) -> tuple[dict[str, Any], SliceNotes]:
    """The outputs of one slice, and what it leaves out. `facts` are sorted by time and include those that the slice
    looks back on.

    The columns `*begun` and `*goes_on` mark intervals that began before the slice or continue after it.
    """
    first, last = bounds
    evaluation = Evaluation(task, shard, start)
    within = {p: table.slice(int(np.searchsorted(times_of(table), start))) for p, table in facts.items()}
    before, after = up_to(within, first - 1)
    evaluation.recall(before, first - 1)
    own, _ = up_to(after, last)
    tables = evaluation.advance(own, last)
    left = evaluation.left_out()
    noted = SliceNotes(left, evaluation.examples(left) if left else {}, evaluation.contradiction())
    if task.view != "intervals":
        return {p: task.outputs[p].finished(table, task.view, task.unit) for p, table in tables.items()}, noted
    still = evaluation.close()
    return {p: _marked(task, p, ended, still[p], first, is_last) for p, ended in tables.items()}, noted


def _marked(task: Task, predicate: str, ended: Any, still: Any, first: int, is_last: bool) -> Any:
    """The intervals of a slice, marked where they are cut off at its ends."""
    together = pa.concat_tables([ended, still.select(ended.column_names)])
    begun = times_of(together, "from") < first
    goes_on = np.repeat([False, not is_last], [ended.num_rows, still.num_rows])
    since = pa.array(np.maximum(times_of(together, "from"), first))
    within = together.set_column(together.column_names.index("from"), "from", since)
    finished = task.outputs[predicate].finished(within, task.view, task.unit, whole=True)
    return finished.append_column("*begun", pa.array(begun)).append_column("*goes_on", pa.array(goes_on))


def stitched(parts: Any, arguments: Sequence[str]) -> Any:
    """Join the intervals that were cut at the ends of slices."""
    from pyspark.sql import Window
    from pyspark.sql import functions as f

    is_cut = f.col("*begun") | f.col("*goes_on")
    whole = parts.where(~is_cut).drop("*begun", "*goes_on")
    names = [f"`{name}`" for name in arguments]
    in_order = (Window.partitionBy(*names) if names else Window.partitionBy(f.lit(0))).orderBy("from")
    loose = parts.where(is_cut).withColumn("*piece", f.sum(f.when(f.col("*begun"), 0).otherwise(1)).over(in_order))
    joined = loose.groupBy(*names, "*piece").agg(f.min("from").alias("from"), f.max("until").alias("until"))
    return whole.unionByName(joined.drop("*piece").select(*whole.columns))


def early(inputs: Sequence[Input], task: Task, first: int) -> Any:
    """The facts of a history that are before the start, in the form of late facts."""
    from pyspark.sql import functions as f

    dated = task.unit is not None
    when = f.col("p").cast("string")
    if task.unit is not None:
        instant = f.to_utc_timestamp(f.timestamp_micros(f.col("p") * task.unit), f.current_timezone())
        fraction = ".SSSSSS" if task.unit % 1_000_000 else ""
        when = f.date_format(instant, f"\"yyyy-MM-dd'T'HH:mm:ss{fraction}'Z'\"")
    frames = []
    for given in inputs:
        rows = given.rows().withColumn("p", point_column(task.unit, dated)).where(f.col("p") < first)
        leading = [f.lit(given.predicate), f.col("p"), f.lit(first - 1).cast("bigint"), f.lit(first) - f.col("p")]
        args = [f.col(f"arg{i + 1}").cast("string") for i in range(len(given.columns))]
        text = (
            f.concat(f.lit(f"{given.predicate}("), f.concat_ws(",", *args), f.lit(")"))
            if args
            else f.lit(given.predicate)
        )
        frames.append(rows.select(*leading, f.concat(text, f.lit(" at "), when, f.lit("."))))
    names = ["predicate", "time", "closed_until", "late_by", "fact"]
    found = reduce(lambda a, b: a.union(b), frames).toDF(*names)
    if task.unit is None:
        return found
    as_time = {name: f.timestamp_micros(f.col(name) * task.unit) for name in ("time", "closed_until")}
    return found.withColumns(as_time)
