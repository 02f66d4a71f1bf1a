"""Where it was measured: the machine and the versions. Nothing that names a person, a host or a folder."""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

PACKAGES = "lasing", "numpy", "numba", "pyarrow", "clingo", "pyspark"


def machine() -> dict[str, str]:
    """The machine, as far as it is known."""
    cores = os.cpu_count() or 1
    allowed = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else cores
    found = {
        "CPU": _processor(),
        "cores": str(cores) if allowed == cores else f"{allowed} of {cores}",
        "memory": _memory(),
        "system": f"{_system()}, {platform.machine()}",
    }
    if hasattr(os, "getloadavg"):
        found["load before"] = f"{os.getloadavg()[0]:.1f} processes that wanted a core, in the minute before"
    return found


def versions() -> dict[str, str]:
    """The versions of the measured packages, and of what they run on."""
    python = f"{platform.python_version()} ({platform.python_implementation()})"
    return {"Python": python, **{package: _version(package) for package in PACKAGES}, "g++": _compiler()}


def _processor() -> str:
    try:
        cpuinfo = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        cpuinfo = _printed("sysctl", "-n", "machdep.cpu.brand_string")
        return cpuinfo or platform.processor() or "unknown"
    model = re.search(r"^model name\s*: (.*)$", cpuinfo, re.MULTILINE)
    return model[1].strip() if model else platform.processor() or "unknown"


def _memory() -> str:
    try:
        size = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):
        return "unknown"
    return f"{size / 2**30:.1f} GiB"


def _system() -> str:
    try:
        return platform.freedesktop_os_release()["PRETTY_NAME"]
    except (OSError, KeyError):
        return platform.system()


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"


def _compiler() -> str:
    return _printed("g++", "-dumpfullversion") or "not installed"


def _printed(*command: str) -> str:
    """What a command prints; empty if there is no such command."""
    if shutil.which(command[0]) is None:
        return ""
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()
