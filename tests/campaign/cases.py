"""What a campaign consists of: cases, each of which can be repeated from its name and its seed."""

from __future__ import annotations

import tempfile
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Literal

LOCAL, SPARK = ENGINES = ("local", "spark")

Verdict = Literal["passed", "failed", "skipped"]


class SkippedError(Exception):
    """This machine does not permit a case; the message says why."""


@dataclass(frozen=True, slots=True)
class Fault:
    """Something that goes wrong around a pipeline.

    `run` gets a folder of its own, the engine and the seed. It raises an AssertionError if the pipeline does not bear
    the fault, and otherwise says what it did in a few words.
    """

    name: str
    run: Callable[[Path, str, int], str]
    engines: tuple[str, ...] = ENGINES


@dataclass(slots=True)
class Outcome:
    """What came of a case."""

    name: str
    engine: str
    seed: int
    verdict: Verdict
    said: str
    seconds: float = 0.0
    kills: int = 0
    figures: dict[str, float] = field(default_factory=dict)


def judge(name: str, engine: str, seed: int, run: Callable[[Path], str]) -> Outcome:
    """Run a case in a folder of its own. The folder of one that fails stays."""
    begun = time.monotonic()
    folder = Path(tempfile.mkdtemp(prefix=f"campaign-{name.replace(' ', '-')}-{engine}-{seed}-"))
    verdict: Verdict = "passed"
    try:
        said = run(folder)
    except SkippedError as reason:
        verdict, said = "skipped", str(reason)
    except Exception:
        verdict, said = "failed", f"{traceback.format_exc()}its files are in {folder}"
    if verdict != "failed":
        _remove(folder)
    return Outcome(name, engine, seed, verdict, said, time.monotonic() - begun)


def chance_of(name: str, engine: str, seed: int) -> Random:
    """The random choices of a case."""
    return Random(f"{name} {engine} {seed}")


def _remove(folder: Path) -> None:
    import shutil

    shutil.rmtree(folder)
