"""Numbers and durations: `18.5`, `5 min`."""

from __future__ import annotations

from lasing.languages.lars.cursor import Cursor
from lasing.logic.values import Undefined, normal
from lasing.timeline.ticks import DATE, LOOSE_DATE, LOOSE_MONTH, MILLISECONDS, iso_date


def read_number(c: Cursor, negative: bool = False) -> int | float:
    """A number, or a duration: a number and a unit."""
    i = c.i
    text = c.texts[i]
    if c.kinds[i + 1] in ("-", "/") and (date := _bare_date(c, i)):
        form = f'write it in quotes: at "{iso}"' if (iso := iso_date(date)) else 'write it year first: at "2026-01-31"'
        note = f"{form}; to calculate with numbers, put spaces around the operator"
        c.fail("E105", f"the date {date} is not quoted", note, c.offsets[i], len(date))
    c.i = i + 1
    number: int | float
    try:
        number = int(text) if text.isdigit() else float(text)
        number = normal(-number if negative else number)
    except (Undefined, ValueError):
        note = f"integers have 64 bits: {-(2**63)} to {2**63 - 1}; decimals are doubles, up to about 1.8e308"
        c.fail(
            "E104",
            f"the number {text if len(text) < 40 else text[:40] + '…'} is too large",
            note,
            c.offsets[i],
            len(text),
        )
    if c.kinds[c.i] == "NAME" and c.texts[c.i] in MILLISECONDS:
        return _duration(c, i, number)
    return number


def _bare_date(c: Cursor, i: int) -> str:
    """The text here, if it looks like a date rather than a calculation; otherwise empty."""
    found = DATE.match(c.source.text, c.offsets[i]) or LOOSE_DATE.match(c.source.text, c.offsets[i])
    if found is None and i and c.texts[i - 1] == "at":
        found = LOOSE_MONTH.match(c.source.text, c.offsets[i])
    return found[0] if found else ""


def _duration(c: Cursor, i: int, amount: int | float) -> int:
    unit = c.text
    length = c.offset + len(unit) - c.offsets[i]
    c.i += 1
    tick = c.environment.tick
    if not isinstance(amount, int):
        c.fail(
            "E108",
            "a duration needs a whole number",
            f"such as 1500 ms for 1.5 s, not {amount} {unit}",
            c.offsets[i],
            length,
        )
    if tick is None:
        note = "say how long a time point is, such as: #tick 1 sec."
        c.fail("E108", "a duration needs a tick", note, c.offsets[i], length)
    try:
        return tick.count(amount, unit)
    except ValueError as error:
        c.fail("E108", str(error), "change the duration or the #tick", c.offsets[i], length)
