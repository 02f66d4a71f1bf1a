"""Run `lasing` commands in processes of their own that start fast.

A new Python spends most of a second on imports and kernels before a command begins. Here, one process loads them once
and is forked for each command. Each command still has its own memory, files, folder and exit code. Tests of how a
process starts, is interrupted or closes its output begin a new Python instead: `COMMAND`.
"""

from __future__ import annotations

import multiprocessing
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

COMMAND = [sys.executable, "-m", "lasing"]

_FORKS = multiprocessing.get_context("forkserver")
_FORKS.set_forkserver_preload(["tests.loaded"])


@dataclass(frozen=True, slots=True)
class Done:
    """What a command left behind."""

    returncode: int
    stdout: str
    stderr: str


def lasing(*arguments: str, folder: Path, data: str | bytes = b"", seconds: float = 900) -> Done:
    """Run a command in a folder, with `data` as its standard input."""
    with TemporaryDirectory() as place:
        standard = tuple(Path(place) / name for name in ("in", "out", "err"))
        standard[0].write_bytes(data.encode("utf-8") if isinstance(data, str) else data)
        process = _FORKS.Process(target=_command, args=(arguments, folder, standard))
        process.start()
        process.join(seconds)
        if process.exitcode is None:
            process.kill()
            raise TimeoutError(f"lasing {' '.join(arguments)} took more than {seconds} s")
        return Done(process.exitcode, *(path.read_bytes().decode("utf-8") for path in standard[1:]))


def _command(arguments: tuple[str, ...], folder: Path, standard: tuple[Path, ...]) -> None:
    """Become the command, in a process that was just forked."""
    write = os.O_WRONLY | os.O_CREAT | os.O_APPEND
    for descriptor, (path, flags) in enumerate(zip(standard, (os.O_RDONLY, write, write), strict=True)):
        os.dup2(os.open(path, flags), descriptor)
    sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115 -- they stay open, as in any process
    sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", encoding="utf-8", errors="backslashreplace", buffering=1, closefd=False)  # noqa: SIM115
    os.chdir(folder)
    sys.argv = ["lasing", *arguments]
    sys.path.insert(0, str(folder))  # as `python -m` does
    from lasing.cli import main

    main()
