"""How long a finished stream goes on: until its last triple has been reported.

A triple is first reported when the first window that has it closes, at the report after that. If another query reads
what is made there, the same begins again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from lasing.languages.rspql.syntax import StreamQuery, TimeRange
from lasing.languages.rspql.windows import is_batch, period_of
from lasing.logic.program import Closing

Makers = Mapping[str, StreamQuery]
"""The queries that make streams, by the IRIs by which others read them."""


def closing_of(queries: list[StreamQuery], makers: Makers, tick: int) -> tuple[Closing, ...]:
    """The ways of a triple through the windows of some queries, each once."""
    ways = (way for query in queries for way in _ways(query, makers, tick, ()))
    return tuple(dict.fromkeys(way for way in ways if way))


def _ways(query: StreamQuery, makers: Makers, tick: int, on_the_way: tuple[StreamQuery, ...]) -> Iterator[Closing]:
    """The ways to a report of a query. Queries that read each other's streams are gone through once."""
    period = period_of(query, tick) or 1
    for window in query.windows:
        found = window.range
        step = max(found.step // tick, 1) if isinstance(found, TimeRange) and found.step else 1
        delay = int(query.dialect == "RSP-QL" and not is_batch(found))  # [c - range, c) ends before c
        own = tuple(dict.fromkeys(moved for moved in ((step, delay), (period, 0)) if moved != (1, 0)))
        maker = makers.get(window.stream)
        if maker is None or maker in (*on_the_way, query):
            yield own
        else:
            yield from ((*before, *own) for before in _ways(maker, makers, tick, (*on_the_way, query)))
