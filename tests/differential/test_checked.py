"""The kernels as plain Python, where every index is checked, equal the reference on random programs."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.differential.sizes import programs

RUN = """
import random
import sys
import lasing
from lasing.compiling import PLAIN_PYTHON
from lasing.engine_choice import unplanned
from lasing.engines.local import engine
from tests.differential.core_programs import core_example
from tests.differential.functions import with_functions
from tests.differential.harness import agree
from tests.differential.mixed_programs import mixed_example
from tests.differential.remembering import remembering
from tests.differential.sums import sums_example

assert PLAIN_PYTHON
engine._FIRST_BITS = 1  # two rows a relation: everything has to grow
first, end = map(int, sys.argv[1:])
examples = [core_example(seed) for seed in range(first, end)]
examples += [with_functions(core_example(seed), random.Random(seed)) for seed in range(first, end, 3)]
examples += [remembering(core_example(seed), seed) for seed in range(first, end, 2)]
examples += [sums_example(seed) for seed in range(first, end, 3)]
examples += [mixed_example(seed) for seed in range(first, end, 3)]
planned = [example for example in examples if not unplanned(lasing.parse(example.program))]
for example in planned:
    agree(example, "local")
print(len(planned))
"""

CHUNK = 30


@pytest.mark.parametrize("first", range(5000, 5000 + programs(60, 600), CHUNK))
def test_no_kernel_reads_or_writes_outside_its_memory(first: int) -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error::RuntimeWarning", "-c", RUN, str(first), str(first + CHUNK)],
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
        cwd=Path(__file__).parents[2],
        env={**os.environ, "LASING_KERNELS": "python"},
    )
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > CHUNK // 2


OUTSIDE = """
import numpy as np
from lasing.engines.local.checked import allocate, pointer, release

m = pointer(np.zeros(4, np.int64))
block = allocate(m, 8)
m[block + 7] = 5
assert m[block + 7] == 5
for index in (-1, 4, block + 8):
    try:
        m[index]
    except IndexError:
        continue
    raise AssertionError(index)
release(m, block)
try:
    m[block + 7]
except IndexError:
    print("checked")
"""


def test_an_index_outside_of_all_memory_is_an_error() -> None:
    env = {**os.environ, "LASING_KERNELS": "python"}
    done = subprocess.run(
        [sys.executable, "-c", OUTSIDE], capture_output=True, text=True, timeout=100, check=False, env=env
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "checked\n", "")
