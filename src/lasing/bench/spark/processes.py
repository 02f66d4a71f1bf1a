"""Find, measure and kill the processes that a process has started."""

from __future__ import annotations

import os
import signal
from contextlib import suppress
from pathlib import Path


def descendants(pid: int) -> dict[int, str]:
    """The processes that a process has started, directly or indirectly, with their command lines."""
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            except OSError:  # it has just ended
                continue
            children.setdefault(parent, []).append(int(entry.name))
    found, waiting = {}, [pid]
    while waiting:
        for child in children.get(waiting.pop(), []):
            try:
                found[child] = Path(f"/proc/{child}/cmdline").read_text().replace("\0", " ")
            except OSError:
                continue
            waiting.append(child)
    return found


def kill_all(pid: int) -> None:
    """Kill a process and all processes that it has started."""
    for each in [pid, *descendants(pid)]:
        with suppress(ProcessLookupError):
            os.kill(each, signal.SIGKILL)


def processor_seconds(pid: int) -> float:
    """The processor time of a process and all that it has started, with those that have ended and been waited for."""
    ticks = 0
    for each in (pid, *descendants(pid)):
        with suppress(OSError):  # it has just ended
            fields = Path(f"/proc/{each}/stat").read_text().rpartition(")")[2].split()
            ticks += sum(map(int, fields[11:15]))
    return ticks / os.sysconf("SC_CLK_TCK")
