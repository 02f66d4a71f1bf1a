"""What happened, in order, for pages that come and go."""

from __future__ import annotations

import threading
from collections import deque
from typing import Any

Json = dict[str, Any]

_MOST_KEPT = 400
"""How many items a page that is opened later still sees."""


class Feed:
    """What happened, for any number of pages: each of them reads on from where it is. Any thread may add."""

    def __init__(self) -> None:
        self._items: deque[Json] = deque(maxlen=_MOST_KEPT)
        self._added = 0
        self._lock = threading.Lock()

    def add(self, item: Json) -> None:
        with self._lock:
            self._items.append(item)
            self._added += 1

    def after(self, number: int) -> tuple[list[Json], int]:
        """The items after the first `number`, as far as they are kept, and the number to go on with."""
        with self._lock:
            fresh = min(self._added - number, len(self._items))
            return list(self._items)[len(self._items) - fresh :] if fresh else [], self._added
