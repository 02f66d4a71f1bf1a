"""An environment for each peer, made on first use in the user's cache folder: none becomes a dependency of lasing."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import venv
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

Say = Callable[[str], None]
READY = ".ready"
"""The file that marks a finished environment, and holds the versions of what was asked for."""


class NotInstalledError(Exception):
    """An environment cannot be made; the message says why."""


@dataclass(frozen=True)
class Environment:
    """A finished environment: its Python, and the version of its first requirement."""

    python: Path
    version: str


def cache_folder() -> Path:
    """Where environments are kept."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "lasing" / "peers"


def on_stderr(line: str) -> None:
    """Show progress."""
    print(line, file=sys.stderr, flush=True)


def provide(requirements: Sequence[str], folder: Path | None = None, say: Say = on_stderr) -> Environment:
    """The environment with these requirements, made unless it is there. The first one is the peer itself.

    An environment that was not finished is made again. `NotInstalledError` says why one cannot be made.
    """
    peer = requirements[0]
    asked = f"{sys.version_info[:2]} {' '.join(requirements)}"
    home = (folder or cache_folder()) / f"{peer}-{sha256(asked.encode()).hexdigest()[:12]}"
    python = home / "bin" / "python"
    if not (home / READY).exists():
        say(f"installing {peer} into {home}")
        try:
            if home.exists():
                shutil.rmtree(home)
            venv.create(home, with_pip=True)
        except (OSError, subprocess.CalledProcessError) as error:
            raise NotInstalledError(f"not installed: no environment can be made: {error}") from None
        _install(python, requirements, say)
        unfinished = home / f"{READY}.{os.getpid()}"
        unfinished.write_text(_version(python, peer), encoding="utf-8")
        unfinished.replace(home / READY)
    return Environment(python, (home / READY).read_text(encoding="utf-8"))


def alone() -> dict[str, str]:
    """The variables of this process, without those that would let packages of other environments in."""
    hidden = "PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV"
    return {**{name: value for name, value in os.environ.items() if name not in hidden}, "PYTHONNOUSERSITE": "1"}


def _install(python: Path, requirements: Sequence[str], say: Say) -> None:
    command = [str(python), "-m", "pip", "install", "--disable-pip-version-check", "--progress-bar", "off"]
    with subprocess.Popen(
        [*command, *requirements], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=alone()
    ) as pip:
        assert pip.stdout is not None
        errors = []
        for line in map(str.strip, pip.stdout):
            if line.startswith("ERROR:"):
                errors.append(line.removeprefix("ERROR:").strip())
            if line.startswith(("Collecting", "Downloading", "Building", "Installing", "ERROR")):
                say(f"  {line[:150]}")
    if pip.returncode:
        why = errors[-1] if errors else f"pip ended with {pip.returncode}"
        raise NotInstalledError(f"not installed: {why}")


def _version(python: Path, package: str) -> str:
    asks = "import sys, importlib.metadata as m; print(m.version(sys.argv[1]))"
    done = subprocess.run([str(python), "-c", asks, package], capture_output=True, text=True, check=False, env=alone())
    if done.returncode:
        raise NotInstalledError(f"not installed: {package} is not there after pip has installed it")
    return done.stdout.strip()
