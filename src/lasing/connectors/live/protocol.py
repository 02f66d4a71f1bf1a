"""What a live source and a live sink are, for whoever runs them.

A *position* says where a source or a sink is. It goes into a checkpoint as JSON and means something only to the source
or sink that gave it. A run that is killed starts again from the positions of its last checkpoint:

    source.start(position)        deliver what comes after it
    arrivals = source.take(…)     … evaluate, sink.write(…) …
    position = sink.flush()       what was written is durable, or was delivered
    save the checkpoint           with arrivals.position and the sink's position
    source.settled(position)      what came before can be forgotten

Files can be read again, and cut back. Other sources cannot be asked for the same message twice, so they write to a
journal what they acknowledge; other sinks send a message again after a restart, with the same id.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

Position = None | bool | int | float | str | Sequence["Position"] | Mapping[str, "Position"]
"""Where a source or a sink is: a JSON value, which only the source or sink itself understands."""


@dataclass(frozen=True, slots=True)
class Arrivals:
    """Messages or lines, in the order in which they came.

    `payloads` are undecoded and have no line ends; an empty line is an empty payload. Continue at `position` after
    them. `places` says for each where it came from, for messages: "readings.csv:17", "mqtt message 12". `arrived` says
    when, in microseconds from 1970; it is the same when a message is delivered again, and None if the source cannot
    know that, as with files. `header` is the first line of the file that all the payloads come from, if the source was
    asked for that. There may be a new position without payloads: where a stream began that is read from now on.
    """

    payloads: Sequence[bytes]
    position: Position
    places: Sequence[str]
    arrived: Sequence[int] | None = None
    header: bytes | None = None


class LiveSource(Protocol):
    """A stream that may go on for ever. One thread calls these methods."""

    def start(self, position: Position | None) -> None:
        """Connect, and deliver what comes after a position; None is the beginning."""

    def take(self, most: int, wait: float) -> Arrivals | None:
        """At most so many payloads; None if nothing came within `wait` seconds. Raises what ended the stream early."""

    def finished(self) -> bool:
        """Whether everything has been taken and nothing will ever come again, such as at the end of standard input."""

    def settled(self, position: Position) -> None:
        """A checkpoint covers everything up to a position, so that it can be forgotten."""

    def close(self) -> None:
        """Disconnect. What was acknowledged and not settled comes again after the next start."""


@runtime_checkable
class KnowsItsEnd(Protocol):
    """A live source that can be asked what there is: others end when nothing has come for a moment."""

    def until_now(self) -> None:
        """Before `start`: finish with what is there then."""


GAVE_UP = "nothing is lost: after a restart it is sent again from the last checkpoint"
"""What to say about lines that a sink has not delivered."""


class LiveSink(Protocol):
    """Takes lines. One thread calls these methods."""

    def start(self, position: Position | None) -> Position:
        """Connect. Files are cut back to the position: a killed run may have written after it. Returns the position to
        save before anything is written."""

    def write(self, batch: int, lines: Sequence[bytes]) -> None:
        """Deliver lines without line ends, or keep them in a bounded queue. Raises a LasingError if that fails. A
        batch that is written again after a restart has the same number."""

    def flush(self) -> Position:
        """Wait until everything that was written is durable or delivered. Returns the position to save."""

    def give_up(self) -> None:
        """Do not wait any longer: `write` and `flush` raise E525 if something is not delivered. Any thread may call
        this, also while another one is in them."""

    def close(self) -> None:
        """Disconnect, without flushing."""
