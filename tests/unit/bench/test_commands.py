"""The shell as a contender."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from lasing.bench.bars.commands import of_processes, starts


def test_the_processor_time_of_processes_is_that_of_those_that_have_ended() -> None:
    before = of_processes()
    subprocess.run([sys.executable, "-c", "sum(range(10**6))"], check=True)
    assert of_processes() > before


def test_a_first_run_has_an_empty_cache_and_a_later_one_does_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    caches: list[str | None] = []

    def note(_command: list[str], *, env: dict[str, str] | None, **_options: object) -> None:
        caches.append(None if env is None else env["NUMBA_CACHE_DIR"])
        assert env is None or os.listdir(env["NUMBA_CACHE_DIR"]) == []

    monkeypatch.setattr(subprocess, "run", note)
    first, later = starts(tmp_path)
    for contender in (first, first, later):
        contender.start()(0)
    one, other, none = caches
    assert one is not None
    assert one != other
    assert none is None
