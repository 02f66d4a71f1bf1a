"""The progress of a running pipeline, batch by batch: on a terminal, in a log, and as JSON lines."""

from __future__ import annotations

import json
import sys
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Protocol, Self

from lasing.connectors.bad_rows import BadRow
from lasing.connectors.missing import warnings_of
from lasing.entailment.contradictions import Contradiction
from lasing.errors import Diagnostic, fault, render
from lasing.logic.program import Program
from lasing.reports import left_out
from lasing.spark.bad_rows import check_share, warning
from lasing.spark.waiting import Waiting

MOST_SEEN = 20
"""How many of the newest rows of an output a watcher sees."""
_TO_SEE_BAD = 'bad_rows = "FOLDER" in the file writes them there, bad_rows = "stop" stops at them'
_MOST_DONE = 1000
"""The figures of at least so many batches are kept."""
_TO_CHOOSE = 'to stop there, missing = "error" in the file; to use a value instead, missing = VALUE'


class Watcher(Protocol):
    """Looks on while batches are finished, such as a page in a browser. It must return at once."""

    def batch(self, record: dict[str, Any]) -> None: ...
    def results(self, output: str, rows: list[dict[str, Any]]) -> None: ...


@dataclass(slots=True)
class BatchFigures:
    """The figures of one finished batch."""

    batch: int
    events: int = 0
    rows: dict[str, int] = field(default_factory=dict)
    late: int = 0
    evaluated_until: str = ""
    waiting_for: list[str] = field(default_factory=list)
    """The sources that brought nothing and without which time cannot go on."""
    missing: dict[str, dict[str, int]] = field(default_factory=dict)
    """How many rows were left out because they lack a value, by source and column."""
    bad: dict[str, int] = field(default_factory=dict)
    """How many bad rows were left out, by source."""
    first_bad: dict[str, BadRow] = field(default_factory=dict)
    """The first bad row of each source."""
    state_bytes: int = 0
    state_seconds: float = 0.0
    engine_seconds: float = 0.0
    rebuilt_shards: int = 0
    seconds: float = 0.0

    @property
    def events_per_second(self) -> float:
        return self.events / self.seconds if self.seconds else 0.0

    @property
    def left_out(self) -> int:
        """How many rows were left out because they lack a value."""
        return sum(sum(columns.values()) for columns in self.missing.values())

    def add_bad(self, source: str, number: int, first: BadRow | None = None) -> None:
        """Count bad rows of a source; with the first of them, `diagnostics` warns."""
        self.bad[source] = self.bad.get(source, 0) + number
        if first is not None:
            self.first_bad.setdefault(source, first)

    @property
    def bad_rows(self) -> int:
        """How many bad rows were left out."""
        return sum(self.bad.values())

    def line(self) -> str:
        """The batch as a line of a log."""
        written = ", ".join(f"{count:,} {name}" for name, count in self.rows.items()) or "nothing"
        parts = [
            f"batch {self.batch}: {self.events:,} events ({self.events_per_second:,.0f}/s)",
            f"evaluated until {self.until()}",
            f"state {size(self.state_bytes)}",
            f"late {self.late:,}",
            *([f"left out {self.left_out:,}"] if self.missing else []),
            *([f"bad {self.bad_rows:,}"] if self.bad else []),
            f"out {written}",
        ]
        return "; ".join(parts)

    def until(self) -> str:
        """Up to where everything is evaluated, and which sources the next time point waits for."""
        waiting = f", waiting for {', '.join(self.waiting_for)}" if self.waiting_for else ""
        return f"{self.evaluated_until or 'nothing yet'}{waiting}"

    def record(self) -> dict[str, Any]:
        """The batch as a JSON object."""
        return {**asdict(self), "events_per_second": round(self.events_per_second, 1)}


def size(number: float) -> str:
    """A number of bytes as text.

    >>> size(900), size(3_200_000)
    ('900 B', '3.2 MB')
    """
    for unit in ("B", "kB", "MB", "GB"):
        if number < 1000 or unit == "GB":
            return f"{number:.0f} {unit}" if unit == "B" else f"{number:.1f} {unit}"
        number /= 1000
    raise AssertionError


class Progress:
    """Shows each batch when it is done. As a context manager, it opens and closes its output files."""

    def __init__(
        self, program: Program, metrics: Path | None = None, quiet: bool = False, starts_spark: bool = True
    ) -> None:
        self.done: list[BatchFigures] = []
        """The last batches, in order. Not all of them: a pipeline may run for ever."""
        self.batches = 0
        """How many batches there were."""
        self.total = BatchFigures(0)
        self._program = program
        self._metrics_path = metrics
        self._metrics: IO[str] | None = None
        self._quiet = quiet
        self._starts_spark = starts_spark
        self.watcher: Watcher | None = None
        self.warned: list[Diagnostic] = []
        """Warnings about what is known only at the end, such as bad rows."""
        self._left_out: Counter[str] = Counter()
        self._examples: dict[str, str] = {}
        self._inconsistent: Contradiction | None = None
        self._missing: Counter[tuple[str, str]] = Counter()
        self._waits = Waiting("source", 'if it may be silent, say so: [sources.{name}] idle = "5 min"')
        self._waiting: dict[int, BatchFigures] = {}
        self._live: Any = None
        self._begun = time.monotonic()

    def __enter__(self) -> Self:
        if self._metrics_path is not None:
            try:
                self._metrics = self._metrics_path.open("a", encoding="utf-8")
            except OSError as error:
                raise fault("E403", f"{self._metrics_path} cannot be written: {error.strerror or error}") from None
        if sys.stderr.isatty() and not self._quiet and self._starts_spark:
            print("starting Spark", file=sys.stderr, flush=True)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._live is not None:
            self._live.stop()
        if self._metrics is not None:
            self._metrics.close()

    def evaluated(
        self,
        batch: BatchFigures,
        left: Counter[str],
        examples: Mapping[str, str] | None = None,
        inconsistent: Contradiction | None = None,
    ) -> None:
        """A batch has been evaluated and written. It is shown once Spark reports how long it took."""
        self._waiting[batch.batch] = batch
        self._left_out += left
        self._examples = {**(examples or {}), **self._examples}
        if inconsistent is not None:
            self._inconsistent = inconsistent.joined(self._inconsistent)

    def finished(self, number: int, seconds: float) -> None:
        """Spark has finished a batch."""
        batch = self._waiting.pop(number, None)
        if batch is None:
            return
        batch.seconds = seconds
        self.batches += 1
        self.done.append(batch)
        if len(self.done) > 2 * _MOST_DONE:
            del self.done[:_MOST_DONE]
        total = self.total
        total.events += batch.events
        total.late += batch.late
        for source, number in batch.bad.items():
            total.add_bad(source, number, batch.first_bad.get(source))
        for name, columns in batch.missing.items():
            self._missing.update({(f"source {name}", column): count for column, count in columns.items()})
        total.seconds += seconds
        total.rows = dict(Counter(total.rows) + Counter(batch.rows))
        if self._metrics is not None:
            print(json.dumps(batch.record()), file=self._metrics, flush=True)
        if self.watcher is not None:
            self.watcher.batch(batch.record())
        self._waits.batch(batch.events, batch.waiting_for, batch.evaluated_until)
        if not self._quiet:
            self._show(batch)

    def results(self, output: str, table: Any) -> None:
        """Rows of an output, as a table of Arrow, have been written."""
        if self.watcher is not None and table.num_rows:
            newest = table.slice(max(0, table.num_rows - MOST_SEEN))
            self.watcher.results(output, newest.to_pylist())

    def _show(self, batch: BatchFigures) -> None:
        """Show a table of the last batches on a terminal, and a line elsewhere. The table starts only with the first
        batch, because Spark also writes to the terminal while it starts."""
        if not sys.stderr.isatty():
            print(batch.line(), file=sys.stderr, flush=True)
        elif self._live is None:
            from rich.console import Console
            from rich.live import Live

            self._live = Live(console=Console(stderr=True), get_renderable=self._table, refresh_per_second=4)
            self._live.start()

    def say(self, found: Sequence[Diagnostic]) -> None:
        """Report findings at once."""
        if found:
            print(render(found), file=sys.stderr, flush=True)

    def remark(self, text: str) -> None:
        """Say something that is worth knowing, unless nobody wants to know."""
        if not self._quiet:
            print(text, file=sys.stderr, flush=True)

    def go_on_with(self, program: Program) -> None:
        """Another program runs from now on; what was left out before is about the rules of the old one."""
        self.warned += self._of_rules()
        self._program, self._left_out, self._examples = program, Counter(), {}

    def diagnostics(self) -> list[Diagnostic]:
        """Warnings about what was left out, and about inconsistent data of a query."""
        lacking, total = warnings_of(self._missing, _TO_CHOOSE), self.total
        bad = [warning(f"source {s}", total.bad[s], row, _TO_SEE_BAD) for s, row in total.first_bad.items()]
        inconsistent = [] if self._inconsistent is None else self._inconsistent.findings()
        return [*self.warned, *lacking, *bad, *inconsistent, *self._of_rules()]

    def _of_rules(self) -> list[Diagnostic]:
        failures, examples = {}, {}
        for name, count in self._left_out.items():
            if name != "W202":
                _, rule, reason = name.split(" ", 2)
                failures[int(rule), reason] = count
                if name in self._examples:
                    examples[int(rule), reason] = self._examples[name]
        return left_out(self._program, self._left_out["W202"], failures, examples)

    def summary(self) -> str:
        """All batches in one line."""
        seconds = time.monotonic() - self._begun
        rows = ", ".join(f"{count:,} {name}" for name, count in self.total.rows.items()) or "nothing"
        return (
            f"{self.batches} batches, {self.total.events:,} events in {seconds:.1f} s; wrote {rows}; "
            f"{self.total.late:,} late{self._said_of_gaps()}"
        )

    def check_bad(self, batch: BatchFigures, share: float | None) -> None:
        """Fail if too many rows are bad, with those of a batch that is not finished."""
        if share is not None and batch.bad:
            waiting = [batch, *self._waiting.values()]
            bad = self.total.bad_rows + sum(b.bad_rows for b in waiting)
            check_share(bad, bad + self.total.events + sum(b.events for b in waiting), share)

    def check_all_bad(self, share: float | None) -> None:
        """Fail if too many rows of the whole stream were bad, however few rows it had."""
        figures = [self.total, *self._waiting.values()]
        bad = sum(b.bad_rows for b in figures)
        check_share(bad, bad + sum(b.events for b in figures), 1.0 if share is None else share, least=1)

    def _said_of_gaps(self) -> str:
        said = ""
        if count := self._missing.total():
            said += f"; {count:,} row{'s'[: count != 1]} left out for lack of a value"
        if count := self.total.bad_rows:
            said += f"; {count:,} bad row{'s'[: count != 1]} left out"
        return said

    def _table(self) -> Any:
        from rich.table import Table

        table = Table(title="batches", title_justify="left")
        for name in ("batch", "events", "events/s", "evaluated until", "state", "late", "out"):
            table.add_column(name, justify="left" if name in ("evaluated until", "out") else "right")
        for batch in self.done[-8:]:
            table.add_row(
                str(batch.batch),
                f"{batch.events:,}",
                f"{batch.events_per_second:,.0f}",
                batch.until(),
                size(batch.state_bytes),
                f"{batch.late:,}",
                ", ".join(f"{count:,} {name}" for name, count in batch.rows.items()),
            )
        spent = time.monotonic() - self._begun
        table.caption = f"{self.total.events:,} events in {spent:.0f} s; {self.total.late:,} late{self._said_of_gaps()}"
        table.caption_justify = "left"
        return table


def listener(progress: Progress) -> Any:
    """A Spark listener that reports finished batches to a `Progress`."""
    from pyspark.sql.streaming.listener import StreamingQueryListener

    class Listener(StreamingQueryListener):
        def onQueryStarted(self, event: Any) -> None:  # noqa: N802 -- Spark's names
            pass

        def onQueryProgress(self, event: Any) -> None:  # noqa: N802
            progress.finished(event.progress.batchId, event.progress.batchDuration / 1000)

        def onQueryIdle(self, event: Any) -> None:  # noqa: N802
            pass

        def onQueryTerminated(self, event: Any) -> None:  # noqa: N802
            pass

    return Listener()
