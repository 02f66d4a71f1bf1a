"""Starlette's client for tests. It prefers another library than httpx, which works as well."""

from __future__ import annotations

import warnings

with warnings.catch_warnings():
    warnings.filterwarnings("ignore", message="Using `httpx`")
    from starlette.testclient import TestClient

__all__ = ["TestClient"]
