"""The shell as a contender: `lasing check` and `lasing run` of a small program, each in its own process.

This measures what a person waits for: Python's start, the imports, and kernels loaded from their cache.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

from lasing.bench.measuring.turns import Contender
from lasing.bench.measuring.workloads import C

STREAM = "".join(f"temp({degrees}) at {t}.\n" for t, degrees in enumerate((20, 99, 100, 130, 170, 180, 120, 40)))


def commands(folder: Path) -> list[Contender]:
    """`check` and `run` as contenders; their files are written into the folder."""
    program, stream = folder / "cooling.lars", folder / "cooling.facts"
    program.write_text(C.program(3))
    stream.write_text(STREAM)
    return [
        Contender("lasing check", lambda: _process("check", program)),
        Contender("lasing run", lambda: _process("run", program, stream)),
    ]


def starts(folder: Path) -> tuple[Contender, Contender]:
    """`run` of one rule when none of its kernels is compiled, and when all are."""
    program, stream = folder / "hot.lars", folder / "hot.facts"
    program.write_text("hot(S) :- temp(S, V) in [5], V > 30.")
    stream.write_text("temp(s1, 70) at 1.\ntemp(s2, 10) at 2.\n")

    def first(_: int) -> None:
        with TemporaryDirectory() as empty:
            _process("run", program, stream, cache=empty)(0)

    return Contender("first run", lambda: first), Contender("later run", lambda: _process("run", program, stream))


def of_processes() -> float:
    """The processor time of all processes that were started and have ended."""
    import resource  # not on Windows

    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _process(*arguments: str | Path, cache: str = "") -> Callable[[int], object]:
    command = [sys.executable, "-m", "lasing", *map(str, arguments)]
    environment = {**os.environ, "NUMBA_CACHE_DIR": cache} if cache else None
    return lambda _: subprocess.run(command, check=True, capture_output=True, env=environment)
