"""Where the W3C's test suites are: beside the checkout, or where LASING_SUITES says. They are not part of the project."""

from __future__ import annotations

import os
from pathlib import Path

_BESIDE = Path(__file__).resolve().parents[3] / "shared" / "suites"
SUITES = Path(os.environ.get("LASING_SUITES", _BESIDE))
QUERIES = sorted((SUITES / "w3c" / "sparql11").rglob("*.rq"))
"""The queries of SPARQL 1.1; empty if the suites are not there."""
