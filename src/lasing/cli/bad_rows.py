"""`--bad-rows stop|skip|FILE`: what to do about rows that cannot be read."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path

import typer

from lasing.connectors.bad_rows import SKIP, STOP, BadRow, BadRows, bad_rows_of
from lasing.connectors.files import unwritable


@contextmanager
def bad_rows_file(rule: str, share: float | None) -> Iterator[BadRows]:
    """What bad rows mean; if the rule is a file, each of them is written there at once, as a JSON object."""
    if rule == STOP and share is not None:
        raise typer.BadParameter("it is for --bad-rows skip or --bad-rows FILE", param_hint="--max-bad-rows")
    if rule in (STOP, SKIP):
        yield bad_rows_of(rule, share)
        return
    try:
        with Path(rule).open("w", encoding="utf-8") as file:

            def write(row: BadRow) -> None:
                print(json.dumps(asdict(row), ensure_ascii=False), file=file, flush=True)

            yield bad_rows_of(write, share)
    except OSError as error:
        raise unwritable(Path(rule), error) from None
