"""What a source of a pipeline in one process delivers: tables of rows, with the order in which they arrived."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

from lasing.pipeline.local.checkpoints import Position
from lasing.spark.tables import Numbers


@dataclass(frozen=True, slots=True)
class Part:
    """Rows, and where the source continues after them.

    `together` has a number for each row: rows with the same number arrived together, before those with a greater one.
    None if each row arrived by itself, in order.
    """

    table: Any
    position: Position
    together: Numbers | None = None


class RowSource(Protocol):
    """A source of rows. One thread calls these methods."""

    def columns(self) -> dict[str, str]:
        """The names and types of the columns, as a schema has them."""

    def start(self, position: Position | None, live: bool) -> None:
        """Deliver what comes after a position; None is the beginning. Unless `live`, only what is there now."""

    def take(self, most: int) -> Part | None:
        """About so many rows, at least one arrival; None if there is nothing at the moment."""

    def finished(self) -> bool:
        """Whether everything has been taken and nothing will ever come again."""

    def settled(self, position: Position) -> None:
        """A checkpoint covers everything up to a position."""

    def close(self) -> None:
        """Close files and connections."""
