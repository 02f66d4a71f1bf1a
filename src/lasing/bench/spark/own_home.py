"""A home of Spark that belongs to an experiment: executors work in its folder, not where Spark is installed."""

from __future__ import annotations

import os
from importlib.util import find_spec
from pathlib import Path

AT_MOST = 300
"""Seconds to wait before giving up."""


def link_spark(home: Path) -> None:
    """Make a home of links to Spark, without the folder in which executors work."""
    found = find_spec("pyspark")
    assert found is not None
    assert found.origin is not None
    home.mkdir()
    for part in Path(found.origin).parent.iterdir():
        if part.name != "work":
            (home / part.name).symlink_to(part)


def environment(home: Path, scratch: Path) -> dict[str, str]:
    """The environment of a process that uses this home, and writes into a folder of its own."""
    places = {"SPARK_HOME": home, "SPARK_LOCAL_DIRS": scratch, "TMPDIR": scratch}
    return {
        **os.environ,
        **{name: str(path) for name, path in places.items()},
        "JDK_JAVA_OPTIONS": f"-Djava.io.tmpdir={scratch}",
    }
