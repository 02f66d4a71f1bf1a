"""The shell as a contender: `lasing check` and `lasing run` of a small program, each in its own process.

This measures what a person waits for: Python's start, the imports, and kernels loaded from their cache.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

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


def _process(*arguments: str | Path) -> Callable[[int], object]:
    command = [sys.executable, "-m", "lasing", *map(str, arguments)]
    return lambda _: subprocess.run(command, check=True, capture_output=True)
