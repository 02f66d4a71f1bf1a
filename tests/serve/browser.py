"""A browser that is installed on this machine, for the tests of the page."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def executable() -> str | None:
    """The browser that is found first; None if there is none."""
    return next(filter(None, map(shutil.which, _NAMES)), None)


needs_browser = pytest.mark.skipif(
    executable() is None or sys.platform != "linux",
    reason="there is no Chromium on this machine: apt-get install chromium",
)


@contextmanager
def browser() -> Iterator[Any]:
    """A Chromium without a window."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        # Its own sandbox does not work for root or in many containers; it opens nothing but our page.
        started = playwright.chromium.launch(executable_path=executable(), args=["--no-sandbox"])
        try:
            yield started
        finally:
            started.close()
