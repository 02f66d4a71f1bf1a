"""A server for the tests of the page, without a browser."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from lasing.serve.app import application
from lasing.serve.settings import Address, Bounds, Given, Settings
from tests.serve.client import TestClient

ORIGIN = "http://127.0.0.1:8765"
PATIENT = Bounds(sessions=1_000, seconds=300, check_seconds=300)
"""For tests of anything else than time, on machines that do much beside."""
Open = Callable[..., TestClient]


@pytest.fixture
def open_page(tmp_path: Path) -> Iterator[Open]:
    """Serve a page; each client speaks as the page itself does, unless a test says otherwise."""
    with ExitStack() as stack:

        def start(bounds: Bounds | None = None, address: Address | None = None, **given: Any) -> TestClient:
            known = {"folder": str(tmp_path), **given}
            settings = Settings(bounds or PATIENT, Given(**known), address or Address())
            app: Any = application(settings)
            client = TestClient(app, base_url=ORIGIN, headers={"Origin": ORIGIN}, follow_redirects=False)
            return stack.enter_context(client)

        yield start


@pytest.fixture(scope="session")
def page() -> Iterator[TestClient]:
    """One server for all tests that need nothing special: a new one takes seconds to be ready."""
    app: Any = application(Settings(PATIENT))
    with TestClient(app, base_url=ORIGIN, headers={"Origin": ORIGIN}, follow_redirects=False) as client:
        yield client
