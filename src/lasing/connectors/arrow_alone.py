"""Arrow without pandas.

The first time that Arrow makes an array of a list, it imports pandas to find out whether the list is a Series, which
takes about a second. It asks once, and pandas is imported later if someone wants a frame of it.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType

_PANDAS = "pandas"


class _Hidden:
    """Says that pandas is not there."""

    def find_spec(
        self,
        name: str,
        path: Sequence[str] | None = None,  # noqa: ARG002 -- the protocol of importlib
        target: ModuleType | None = None,  # noqa: ARG002
    ) -> ModuleSpec | None:
        if name == _PANDAS:
            raise ModuleNotFoundError(f"No module named {_PANDAS!r}", name=_PANDAS)
        return None


def leave_pandas_out() -> None:
    """Let Arrow ask for pandas now, without an answer, unless someone has imported it already."""
    if _PANDAS in sys.modules:
        return
    import pyarrow as pa

    hidden = _Hidden()
    sys.meta_path.insert(0, hidden)
    try:
        pa.array([0])
    finally:
        sys.meta_path.remove(hidden)
