"""What a pipeline in one process evaluates: the task of the only shard, and the rows of sources as its facts.

Facts take the way that they take on Spark, without Spark: the same packer, the same shard, the same state.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from lasing.connectors.arrow import values_of_terms
from lasing.connectors.bad_rows import BadRows
from lasing.connectors.rdf.mapped_spark import TRIPLE_COLUMNS, triple_maker
from lasing.connectors.rows import time_of
from lasing.connectors.sinks import View
from lasing.connectors.spark_rows import ARRIVAL
from lasing.connectors.spark_terms import MARK
from lasing.connectors.tables import TIME
from lasing.errors import LasingError, Place
from lasing.logic.types import argument_types
from lasing.pipeline.described import Pipeline, SourceConfig
from lasing.pipeline.local.parts import Part
from lasing.spark.inputs import Input, inputs_of, specification
from lasing.spark.outputs import output_tables
from lasing.spark.packing import Packer, instants_of
from lasing.spark.shard import Arrived
from lasing.spark.streaming import arrived_of
from lasing.spark.task import Task
from lasing.timeline.delay import delay_of, silence_of
from lasing.timeline.reorder import closed_by

_SAME = {"integer": "int", "long": "bigint"}
"""Names of types that Spark spells in another way."""


@dataclass(frozen=True)
class _Field:
    name: str
    metadata: Mapping[str, str]


@dataclass(frozen=True)
class _Frame:
    """The columns of a source, in the form in which a DataFrame shows them."""

    dtypes: list[tuple[str, str]]
    schema: list[_Field]
    isStreaming: bool = True  # noqa: N815 -- Spark's name
    sparkSession: None = None  # noqa: N815


def _frame(source: SourceConfig, columns: Mapping[str, str]) -> _Frame:
    if source.mapping is not None:
        kinds = {TIME: columns[source.time], **dict.fromkeys(TRIPLE_COLUMNS, "string")}
        marks = [_Field(name, MARK) for name in TRIPLE_COLUMNS]
        return _Frame([(name, _SAME.get(kind, kind)) for name, kind in kinds.items()], marks)
    return _Frame([(name, _SAME.get(kind, kind)) for name, kind in columns.items()], [])


class Work:
    """The task of a pipeline, and for each source what makes facts of its rows."""

    def __init__(
        self, pipeline: Pipeline, columns: Mapping[str, Mapping[str, str]], bad: Mapping[str, BadRows]
    ) -> None:
        frames = {s.fact: _frame(s, columns[s.name]) for s in pipeline.sources}
        predicates = {s.name: specification(s.fact)[0] for s in pipeline.sources}
        inputs = inputs_of(
            pipeline.program,
            frames,
            {predicates[s.name]: s.time if s.mapping is None else TIME for s in pipeline.sources},
            None,
            {predicates[s.name]: pipeline.missing_in(s) for s in pipeline.sources},
            {predicates[s.name]: s.terms for s in pipeline.sources if s.mapping is None},
        )
        self.task = _task(pipeline, inputs)
        self.sources = {given.predicate: s.name for s, given in zip(pipeline.sources, inputs, strict=True)}
        self._facts = {
            s.name: _Facts(self.task, number, given, s, columns[s.name], bad[s.name])
            for number, (s, given) in enumerate(zip(pipeline.sources, inputs, strict=True))
        }

    def arrived(self, source: str, part: Part) -> list[Arrived]:
        """The facts of some rows."""
        return self._facts[source].of(part)


def _task(pipeline: Pipeline, inputs: list[Input]) -> Task:
    program, named = pipeline.program, dict(zip((i.predicate for i in inputs), pipeline.sources, strict=True))
    unit = program.tick.microseconds if inputs[0].dated and program.tick else None
    view: View = pipeline.view  # type: ignore[assignment]  # checked when the file was read
    idle = {predicate: longest for predicate, s in named.items() if (longest := s.idle or pipeline.idle)}
    return Task(
        program=program,
        inputs=tuple(named),
        outputs=output_tables(
            program,
            argument_types(program, {i.predicate: i.packed_types for i in inputs}),
            sorted({sink.output for sink in pipeline.sinks}),
        ),
        view=view,
        keys={},
        foreign=frozenset(),
        unit=unit,
        delays={p: delay_of(pipeline.delay if s.delay is None else s.delay, unit) for p, s in named.items()},
        idle={predicate: silence_of(longest) for predicate, longest in idle.items()},
        start=None if pipeline.start is None else time_of(pipeline.start, program.tick),
        limits=pipeline.limits,
        terms={i.predicate: i.packed_terms for i in inputs},
    )


class _Facts:
    """Makes facts of the rows of one source."""

    def __init__(
        self, task: Task, number: int, given: Input, source: SourceConfig, columns: Mapping[str, str], bad: BadRows
    ) -> None:
        self._task = task
        self._number = number
        self._source = source
        self._bad = bad
        self._columns = list(columns)
        self._taken = (given.time, *given.columns)
        self._doubles = {name for name, kind in zip(given.columns, given.types, strict=True) if kind == "double"}
        self._doubles -= {given.columns[i - 1] for i in given.texts}
        delay = task.delays[given.predicate]
        self._packer = Packer(
            given.predicate,
            number,
            self._taken,
            None,
            task.unit,
            1,
            (0,),
            None,
            delay,
            given.missing,
            given.packed_terms,
            None,
            given.nulls,
            given.texts,
        )
        self._delay = delay
        self._terms = [given.columns[i - 1] for i in sorted(given.terms)] if source.mapping is None else []
        self._triples: Callable[[Iterable[Any]], Iterator[Any]] | None = None
        if source.mapping is not None:
            cells = source.mapping.columns
            marked = self._marked(columns)
            terms = frozenset(i for i, cell in enumerate(cells) if cell in marked)
            self._triples = triple_maker(source.mapping, 2, terms, f"sources.{source.name}")

    def _marked(self, columns: Mapping[str, str]) -> set[str]:
        """The columns with terms of a source that has a mapping."""
        texts = {name for name, kind in columns.items() if kind == "string"}
        given = self._source.terms
        if isinstance(given, bool):
            return texts if given else set()
        return texts & ({given} if isinstance(given, str) else set(given))

    def of(self, part: Part) -> list[Arrived]:
        """The facts of rows, with the order in which they arrived."""
        if not part.table.num_rows:
            return []
        table = self._good(part)
        names = (*self._taken, ARRIVAL)
        if self._triples is None:
            chosen = table.select(names)
            for name in self._doubles:
                place = names.index(name)
                chosen = chosen.set_column(place, name, chosen.column(place).cast(pa.float64()))
            batches = chosen.to_batches()
        else:
            batches = self._mapped(table)
        packed = [row for batch in self._packer(batches) for row in batch.to_pylist()]
        return [
            arrived_of(self._task, self._number, row["number"], row["marks"], row["facts"], row["missing"])
            for row in packed
        ]

    def _good(self, part: Part) -> Any:
        """The rows with an arrival, without those that have no terms in columns of terms."""
        time = self._source.time
        arrivals = self._arrivals(part.table[time], part.together)
        table = part.table.append_column(ARRIVAL, arrivals)
        for name in self._terms:
            table = self._with_terms(table, name)
        return table

    def _arrivals(self, times: Any, together: Any | None) -> Any:
        """Texts that sort in the order of arrival, each stored once.

        If each row arrives by itself, rows need a new text only after a row that closes more time points than all
        before it.
        """
        if together is None:
            known = times.combine_chunks().drop_null() if times.null_count else times
            closed = closed_by(instants_of(known), self._delay, self._task.unit)
            groups = np.zeros(len(closed), np.int64)
            if len(closed) > 1:
                most = np.maximum.accumulate(closed)
                more = np.append(True, most[1:] > most[:-1])
                groups[1:] = np.cumsum(more)[:-1]
            if times.null_count:  # rows without a time are no facts, so it does not matter when they came
                all_groups = np.zeros(len(times), np.int64)
                all_groups[np.asarray(times.is_valid())] = groups
                groups = all_groups
        else:
            groups = together
        count = int(groups.max()) + 1 if len(groups) else 0
        words = pa.array([f"{number:010}" for number in range(count)], pa.string())
        return pa.DictionaryArray.from_arrays(pa.array(groups.astype(np.int32)), words)

    def _with_terms(self, table: Any, name: str) -> Any:
        """The rows whose text in a column is a term; the others are bad."""
        distinct = table[name].unique()
        bad = {}
        for text in distinct.to_pylist():
            try:
                values_of_terms([text], name)
            except LasingError as error:
                bad[text] = error
        if not bad:
            return table
        texts = table[name].to_pylist()
        for row, text in enumerate(texts):
            if text in bad:
                cells = table.select(self._columns).slice(row, 1).to_pylist()[0].values()
                shown = ",".join("" if cell is None else str(cell) for cell in cells)
                place = Place(f"sources.{self._source.name}", 0, 1, shown)
                self._bad.take(bad[text], place)
        self._bad.stop()
        self._bad.rows -= sum(text in bad for text in texts)
        return table.filter(pa.array([text not in bad for text in texts]))

    def _mapped(self, table: Any) -> list[Any]:
        assert self._triples is not None
        assert self._source.mapping is not None
        cells = [table[name] for name in self._source.mapping.columns]
        names = [str(i) for i in range(2 + len(cells))]
        rows = pa.table([table[self._source.time], table[ARRIVAL], *cells], names=names)
        made = self._triples(rows.combine_chunks().to_batches())
        named = [pa.RecordBatch.from_arrays(b.columns, names=[TIME, ARRIVAL, *TRIPLE_COLUMNS]) for b in made]
        order = [TIME, *TRIPLE_COLUMNS, ARRIVAL]
        return [batch.select(order) for batch in named]
