"""Kernels are compiled by Numba and kept on disk. Where there is no place to keep them, they are compiled each time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import numba
from numba.core import event

from lasing.errors import Diagnostic, warn

_NO_PLACE = Diagnostic(
    "W205",
    "there is no place to keep compiled kernels, so they are compiled in every run, which takes about a minute",
    note="set NUMBA_CACHE_DIR to a folder that can be written",
)

_told = False

Kernel = TypeVar("Kernel", bound=Callable[..., Any])


def njit(*, cache: bool, **options: Any) -> Callable[[Kernel], Kernel]:
    """Numba's decorator of this name; where there is no place for its cache, it does without one."""

    def compiled(function: Kernel) -> Kernel:
        try:
            kernel: Kernel = numba.njit(cache=cache, **options)(function)
        except RuntimeError:  # the cache has no place
            kernel = numba.njit(**options)(function)
            _tell_once()
        return kernel

    return compiled


def _tell_once() -> None:
    global _told
    if not _told:
        _told = True
        warn([_NO_PLACE])


class _First(event.Listener):
    """Calls a function when the first compilation starts; what is taken from the cache is not compiled."""

    def __init__(self, call: Callable[[], None]) -> None:
        self._call: Callable[[], None] | None = call

    def on_start(self, _event: Any) -> None:
        call, self._call = self._call, None
        if call is not None:
            call()

    def on_end(self, _event: Any) -> None:
        pass


@contextmanager
def before_compiling(call: Callable[[], None]) -> Iterator[None]:
    """Call a function once, as soon as something is compiled within."""
    with event.install_listener("numba:compile", _First(call)):
        yield
