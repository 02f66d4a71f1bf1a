"""Background facts for Spark: from a file, or from data frames."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from lasing.connectors.missing import SKIP, Gaps, Missing, present
from lasing.connectors.rows import value_of
from lasing.connectors.spark_terms import is_spark_frame, marked_columns
from lasing.errors import fault
from lasing.logic.formulas import Atom
from lasing.reading import read
from lasing.spark.inputs import for_input, specification
from lasing.spark.terms import with_marks


def background_facts(
    given: Any, missing: Missing | Mapping[str, Missing], left_out: Counter[tuple[str, str]]
) -> Iterator[Atom]:
    """Background facts from a file, or from data frames by predicate: those of Spark, or any others."""
    if given is None:
        return
    if isinstance(given, str | Path):
        found = read(Path(given))
        if found.rules or found.data:
            raise fault("E604", f"{given} has more than background facts", note="include it in the program")
        yield from found.background
        return
    if not isinstance(given, Mapping):
        raise fault("E604", f"a {type(given).__name__} is not background", note='such as: {"room": rooms}, or a path')
    from lasing.connectors.arrow import table_of
    from lasing.connectors.arrow_columns import column_with_terms

    for text, frame in given.items():
        predicate, columns = specification(text)
        if is_spark_frame(frame):
            table = with_marks(frame.toArrow(), marked_columns(frame))
        else:
            table = table_of(frame, predicate)
        table = table if columns is None else table.select(list(columns))
        gaps = Gaps(for_input(missing, predicate, SKIP), left_out)
        table = present(table, table.column_names, gaps, predicate)
        for row in zip(*(column_with_terms(table, name).to_pylist() for name in table.column_names), strict=True):
            yield Atom(predicate, tuple(value_of(value, what=f"a value of {predicate}") for value in row))
