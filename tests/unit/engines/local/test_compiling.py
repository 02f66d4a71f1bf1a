"""Kernels are cached on disk; without a place for them the engine runs uncached, and says so once."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import lasing
from lasing import compiling
from lasing.compiling import before_compiling, njit
from lasing.engines.local import execute, pointers

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
        if re.search(r"from numba import .*njit|numba\.njit|CPUDispatcher", path.read_text("utf-8"))
    }
    assert own == {"compiling.py"}


def test_a_compilation_is_reported_before_it_starts_and_only_then() -> None:
    @njit(cache=False)
    def add(a: float, b: float) -> float:
        return a + b

    reported: list[str] = []
    with before_compiling(lambda: reported.append("compiling")):
        assert reported == []
        assert add(1, 2) == 3
        assert add(1.5, 2) == 3.5
    with before_compiling(lambda: reported.append("again")):
        assert add(3, 4) == 7
    assert reported == ["compiling"]


FROM_THE_CACHE = """
import sys
from lasing.engines.local.spans import enters, leaves

print(enters(7, 2, 1), "compiled" if "numba.typed.typedlist" in sys.modules else "loaded")
print(leaves(7, 2, 1) if len(sys.argv) > 1 else "")
"""


def test_a_kernel_from_the_cache_is_loaded_without_what_compiles(tmp_path: Path) -> None:
    def said(*arguments: str) -> str:
        command = [sys.executable, "-c", FROM_THE_CACHE, *arguments]
        where = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
        done = subprocess.run(command, env=where, capture_output=True, text=True, timeout=900, check=False)
        assert (done.returncode, done.stderr) == (0, "")
        return done.stdout

    assert said() == "5 compiled\n\n"
    assert said() == "5 loaded\n\n"
    assert said("another") == "5 loaded\n9\n", "what is compiled beside it may use all of Numba"


KERNELS = '''
import numpy as np
from lasing.compiling import njit

BIAS = 3
TABLE = np.array([1, 2])

@njit(cache=False)
def innermost(x):
    """Adds."""
    return x + BIAS

@njit(cache=False)
def inner(x):
    return innermost(x) + TABLE[0]

@njit(cache=False)
def outer(x):
    return inner(x)

@njit(cache=False)
def unrelated(x):
    return x
'''


@pytest.mark.parametrize(
    ("before", "after", "changes"),
    [
        ("return x + BIAS", "return x - BIAS", True),
        ("BIAS = 3", "BIAS = 4", True),
        ("TABLE = np.array([1, 2])", "TABLE = np.array([1, 3])", True),
        ("@njit(cache=False)\ndef inner(", "@njit(cache=False, fastmath=True)\ndef inner(", True),
        ("return inner(x)", "return innermost(x)", True),
        ('"""Adds."""', '"""Adds a constant."""', False),
        ("import numpy as np\n", "import numpy as np\n\n# more\n", False),
        ("def unrelated(x):\n    return x", "def unrelated(x):\n    return 2 * x", False),
    ],
)
def test_a_kernel_is_stamped_with_all_that_it_is_made_of_and_nothing_else(
    before: str, after: str, changes: bool
) -> None:
    def stamp(text: str) -> str:
        module: dict[str, Any] = {"__name__": "lasing.engines.local.made_up"}
        exec(text, module)
        return compiling._stamp(module["outer"])

    assert before in KERNELS
    assert stamp(KERNELS) == stamp(KERNELS)
    assert (stamp(KERNELS.replace(before, after)) != stamp(KERNELS)) == changes


def test_intrinsics_and_how_kernels_are_compiled_are_in_the_stamp(monkeypatch: pytest.MonkeyPatch) -> None:
    assert pointers._ask_for_large_pages in compiling._content(pointers.allocate._defn)[1]
    before = compiling._stamp(execute.run_batch)
    assert pointers.pointer in compiling._content(execute.run_batch.py_func)[1]  # type: ignore[attr-defined]
    monkeypatch.setattr(compiling, "_OWN", b"another compiler")
    assert compiling._stamp(execute.run_batch) != before


def test_the_stamp_of_every_kernel_is_the_same_in_every_process() -> None:
    said = {
        subprocess.run(
            [sys.executable, "-c", STAMPS], capture_output=True, text=True, timeout=900, check=True, env=environment
        ).stdout
        for environment in ({**os.environ, "PYTHONHASHSEED": "1"}, {**os.environ, "PYTHONHASHSEED": "2"})
    }
    assert len(said) == 1
    assert len(said.pop().split()) > 200


STAMPS = """
import gc
import lasing.engines.local.engine
from lasing import compiling

kernels = [thing for thing in gc.get_objects() if type(thing) is compiling._Kernel]
print(*sorted(f"{k.py_func.__module__}.{k.py_func.__qualname__}:{compiling._stamp(k)}" for k in kernels))
"""


def test_a_kernel_that_another_one_calls_is_a_part_of_it_and_can_be_called_too() -> None:
    @njit(cache=False)
    def double(x: int) -> int:
        return 2 * x

    @njit(cache=False)
    def quadruple(x: int) -> int:
        return double(double(x))

    assert quadruple(3) == 12
    assert not double.overloads, "it has no machine code of its own"  # type: ignore[attr-defined]
    assert double(3) == 6
    assert double.overloads  # type: ignore[attr-defined]
