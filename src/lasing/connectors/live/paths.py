"""A live stream in the place of a path. No connector is imported here, so everything that reads files can use it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path


class LivePath(type(Path())):  # type: ignore[misc]  # which class paths have depends on the system
    """The address of a live stream, and how to get its lines. `follow` is the file, if it is a file that grows.

    >>> str(LivePath("mqtt://127.0.0.1/rooms/#", lambda: iter(())))
    'mqtt://127.0.0.1/rooms/#'
    """

    url: str
    lines: Callable[[], Iterator[bytes]]
    follow: Path | None

    def __new__(cls, url: str, lines: Callable[[], Iterator[bytes]], follow: Path | None = None) -> LivePath:  # noqa: ARG004
        found: LivePath = super().__new__(cls, url)
        return found

    def __init__(self, url: str, lines: Callable[[], Iterator[bytes]], follow: Path | None = None) -> None:
        try:
            super().__init__(url)  # paths take arguments here from Python 3.12 on
        except TypeError:
            super().__init__()
        self.url, self.lines, self.follow = url, lines, follow

    def __str__(self) -> str:
        return self.url
