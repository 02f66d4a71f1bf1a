"""The rows of a result as a table for people: IRIs are shortened by the query's prefixes."""

from __future__ import annotations

import io
import re
import shutil
import sys
from collections.abc import Mapping

from lasing.logic.results import Row
from lasing.logic.values import Constructed, Iri, TypedLiteral, Value, datatypes, value_text
from lasing.querying import Result

_LOCAL = re.compile(r"\w(?:[\w.\-]*[\w\-])?|")
_KNOWN = {"rdf": datatypes.RDF, "rdfs": datatypes.RDFS, "xsd": datatypes.XSD}
_WIDEST = 1 << 20


def terminal_width() -> int | None:
    """The width of the terminal; None if standard output is something else."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None


def table_text(result: Result, width: int | None = None) -> str:
    """A table with a line of names; cells wider than a terminal of this width are folded."""
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False, header_style="bold")
    for place, name in enumerate(result.columns):
        table.add_column(Text(name), overflow="fold", justify="right" if _numbers(result, place) else "left")
    for row in result:
        table.add_row(*(Text(text) for text in _texts(row, result.prefixes)))
    out = io.StringIO()
    Console(file=out, width=width or _WIDEST, force_terminal=width is not None, highlight=False).print(table)
    return "".join(f"{line.rstrip()}\n" for line in out.getvalue().splitlines())


def _numbers(result: Result, place: int) -> bool:
    cells = [row[place] for row in result if row[place] is not None]
    return bool(cells) and all(isinstance(cell, int | float) for cell in cells)


def _texts(row: Row, prefixes: Mapping[str, str]) -> list[str]:
    return ["" if value is None else shown(value, prefixes) for value in row]


def shown(value: Value, prefixes: Mapping[str, str]) -> str:
    """A value as a person reads it: texts without quotes, IRIs with prefixes.

    >>> shown(Iri("http://ex.org/room"), {"ex": "http://ex.org/"}), shown("two words", {})
    ('ex:room', 'two words')
    """
    if isinstance(value, str):
        return value
    if isinstance(value, Iri):
        return shortened(value.iri, prefixes)
    if isinstance(value, TypedLiteral):
        return f'"{value.lexical}"^^{shortened(value.datatype, _KNOWN | dict(prefixes))}'
    if isinstance(value, Constructed):
        from lasing.connectors.rdf.terms import term_of_value  # here, because it loads pyoxigraph

        return str(term_of_value(value))
    return value_text(value)


def shortened(iri: str, prefixes: Mapping[str, str]) -> str:
    """An IRI with the prefix that leaves least of it, or in angle brackets."""
    fits = [
        (len(beginning), name)
        for name, beginning in prefixes.items()
        if beginning and iri.startswith(beginning) and _LOCAL.fullmatch(iri, len(beginning))
    ]
    if not fits:
        return f"<{iri}>"
    length, name = max(fits)
    return f"{name}:{iri[length:]}"
