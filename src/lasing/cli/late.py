"""`--late FILE`: facts that came too late, as JSON lines."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from lasing.connectors.arriving import OnLateAtom
from lasing.connectors.files import unwritable
from lasing.logic.formulas import Atom
from lasing.logic.program import Fact, Program
from lasing.timeline.reorder import Late


@contextmanager
def late_file(path: str, program: Program) -> Iterator[OnLateAtom | None]:
    """A function that writes a late fact to the file at once; None if there is no file.

    The columns are those of a pipeline's late facts, and the source.
    """
    if not path:
        yield None
        return
    from lasing.models.witness import fact_text  # most runs have no file of late facts

    try:
        with Path(path).open("w", encoding="utf-8") as file:

            def write(late: Late[Atom]) -> None:
                tick = program.shown_tick()
                record = {
                    "source": late.source,
                    "predicate": late.facts.predicate,
                    "time": late.time if tick is None else tick.iso(late.time),
                    "closed_until": late.closed_until if tick is None else tick.iso(late.closed_until),
                    "late_by": late.late_by,
                    "fact": f"{fact_text(Fact(late.time, late.facts), tick)}.",
                }
                print(json.dumps(record, ensure_ascii=False), file=file, flush=True)

            yield write
    except OSError as error:
        raise unwritable(Path(path), error) from None
