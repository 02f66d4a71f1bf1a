"""The security page lists what each extra installs, as it is declared."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
FOR_DEVELOPERS = {"bench", "dev"}


def _names(requirements: list[str]) -> set[str]:
    return {re.split(r"[<>=\[; ]", requirement)[0].lower() for requirement in requirements}


def test_the_page_lists_the_packages_of_each_extra() -> None:
    page = (ROOT / "docs" / "security.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (?:`(\w+)`|\(none\)) \| ([^|]+) \|", page, re.MULTILINE)
    listed = {extra: set(packages.strip().split(", ")) for extra, packages in rows}
    declared = {"": _names(PROJECT["dependencies"])}
    extras = PROJECT["optional-dependencies"]
    declared |= {extra: _names(needs) for extra, needs in extras.items() if extra not in FOR_DEVELOPERS}
    assert listed == declared
