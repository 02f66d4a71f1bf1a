"""Kernels are kept on disk; where there is no place, the engine runs without, and says so once."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import lasing
from lasing.compiling import before_compiling, njit

WITHOUT_A_PLACE = """
import warnings
from numba.core.caching import CacheImpl

CacheImpl._locator_classes = []
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    from lasing.engines.local.spans import enters, leaves
    assert (enters(7, 2, 1), leaves(7, 2, 1)) == (5, 9)
assert type(enters._cache).__name__ == "NullCache", enters._cache
for warning in caught:
    print(warning.category.__name__, warning.message)
"""


def test_without_a_place_for_the_cache_the_engine_loads_and_says_so_once() -> None:
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_A_PLACE], capture_output=True, text=True, timeout=900, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.count("LasingWarning warning[W205]") == 1
    assert "NUMBA_CACHE_DIR" in done.stdout


def test_every_kernel_is_compiled_by_the_decorator_that_needs_no_cache() -> None:
    folder = Path(next(iter(lasing.__path__)))
    own = {
        path.name
        for path in folder.rglob("*.py")
        if re.search(r"from numba import .*njit|numba\.njit", path.read_text("utf-8"))
    }
    assert own == {"compiling.py"}


def test_a_compilation_is_told_before_it_starts_and_only_then() -> None:
    @njit(cache=False)
    def add(a: float, b: float) -> float:
        return a + b

    told: list[str] = []
    with before_compiling(lambda: told.append("compiling")):
        assert told == []
        assert add(1, 2) == 3
        assert add(1.5, 2) == 3.5
    with before_compiling(lambda: told.append("again")):
        assert add(3, 4) == 7
    assert told == ["compiling"]
