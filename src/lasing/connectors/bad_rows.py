"""Bad rows, which cannot be read as facts: a run stops at them, with several errors at once, or leaves them out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from lasing.errors import Diagnostic, LasingError, Place, fault

_MOST_ERRORS = 10
LEAST_ROWS = 100
"""The share of bad rows means something once so many rows have come."""


OUT_OF_ORDER = "E504"
_ONE_AHEAD = (
    "a single row whose time is wrong and far ahead puts all rows after it out of order: remove it and run again,\n"
    "or, if the rows are only a little out of order, give a --delay (delay= in Python)"
)

_OF_THE_PROGRAM = frozenset({"E503"})
"""What is wrong with every row alike, because the program lacks a tick: that ends a run at once."""


@dataclass(frozen=True, slots=True)
class BadRow:
    """A row that is not a fact: where it is, why it is not, and the row itself.

    `column` is the name of the column of a table, if one value is wrong, and `character` where in the line the mistake
    is. `line` is 0 if it is not known; rows that are no lines are counted from 1.
    """

    file: str
    line: int
    column: str
    character: int
    code: str
    reason: str
    row: str


OnBadRow = Callable[[BadRow], None]


@dataclass(slots=True)
class BadRows:
    """What bad rows mean in a run: it stops, or goes on without them as long as they are at most a `share` of all rows.

    When it stops, the rest of the block is read too, so that its first errors are reported together.
    """

    skips: bool = False
    share: float = 1.0
    on_bad: OnBadRow | None = None
    rows: int = 0
    """How many rows were good."""
    first: dict[tuple[str, str], Diagnostic] = field(default_factory=dict)
    """The first of each kind, by file and code."""
    numbers: dict[tuple[str, str], int] = field(default_factory=dict)
    _errors: list[Diagnostic] = field(default_factory=list)

    @property
    def number(self) -> int:
        """How many rows were left out."""
        return sum(self.numbers.values())

    @property
    def stopping(self) -> bool:
        """Whether the run will stop, and only looks for more errors."""
        return bool(self._errors)

    def take(self, error: LasingError, place: Place | None = None) -> None:
        """Take note of a bad row."""
        found = error.diagnostics[0]
        if found.code in _OF_THE_PROGRAM:
            raise error
        where = found.place or place or Place("the stream", 0, 1)
        if not self.skips:
            self._errors.append(found)
            if len(self._errors) == _MOST_ERRORS:
                self.stop()
            return
        key = where.source, found.code
        self.first.setdefault(key, found)
        self.numbers[key] = self.numbers.get(key, 0) + 1
        if self.on_bad is not None:
            text = where.text or ("" if place is None else place.text)
            row = BadRow(where.source, where.line, where.cell, where.column, found.code, found.message, text)
            self.on_bad(row)
        if self.rows + self.number >= LEAST_ROWS:
            self.check()

    def stop(self) -> None:
        """Stop with the errors so far, if there are any."""
        if self._errors:
            raise LasingError(self._errors)

    def check(self) -> None:
        """Fail if there are too many bad rows."""
        bad, total = self.number, self.rows + self.number
        if bad > self.share * total:
            message = f"{bad:,} of {total:,} rows are bad, more than a share of {self.share:g}"
            limit = fault("E517", message, note="to accept more, --max-bad-rows SHARE (max_bad_rows= in Python)")
            raise LasingError([*list(self.first.values())[: _MOST_ERRORS - 1], *limit.diagnostics])

    def warnings(self) -> list[Diagnostic]:
        """What was left out, as warnings: for each file and kind of mistake, the number and the first of them."""
        found = []
        for (source, code), number in self.numbers.items():
            first = self.first[source, code]
            rows = f"{number:,} bad row{'s'[: number != 1]} of {source} left out"
            what = first.message if number == 1 else f"the first, {code}: {first.message}"
            note = "--bad-rows FILE writes them to a file, --bad-rows stop stops at them (bad_rows= in Python)"
            if code == OUT_OF_ORDER and number > 1:
                note += f"\n{_ONE_AHEAD}"
            found.append(Diagnostic("W209", f"{rows}: {what}", first.place, note))
        return found


def bad_rows_of(rule: str | OnBadRow, share: float | None) -> BadRows:
    """What bad rows mean: "stop", "skip", or a function that gets those that are left out."""
    limit = 1.0 if share is None else share
    if not 0 <= limit <= 1:
        raise fault("E510", f"{share!r} is not a share of bad rows", note="give a number from 0 to 1, such as 0.05")
    if callable(rule):
        return BadRows(True, limit, rule)
    if rule not in (STOP, SKIP):
        raise fault("E510", f"{rule!r} does not say what to do with bad rows", note="give stop, skip or a function")
    if rule == STOP and share is not None:
        raise fault("E510", "a run that stops at bad rows has no share of them", note="skip them: bad_rows='skip'")
    return BadRows(rule == SKIP, limit)


STOP, SKIP = "stop", "skip"
