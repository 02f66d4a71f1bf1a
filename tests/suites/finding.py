"""Where the test suites of others are: beside the checkout, or where LASING_SUITES says."""

from __future__ import annotations

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def suite(name: str) -> Path | None:
    """The folder of a suite, such as w3c/rdf-mt, or None if it is not here."""
    given = os.environ.get("LASING_SUITES")
    for folder in (Path(given),) if given else (ROOT.parent / "shared/suites", ROOT / "suites"):
        if (folder / name).is_dir():
            return folder / name
    return None
