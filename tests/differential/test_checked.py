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


OUT_OF_MEMORY = """
import gc
import lasing
from lasing.engines.local import checked, engine
from lasing.engines.local.pause import MOST_WORDS

engine._FIRST_BITS = 1
rules = "sum(S,X) :- X = #sum{V : p(S,V)}, s(S). least(S,X) :- X = #min{V,T : q(S,V) at T in [40]}, s(S)."
program = lasing.parse(rules)
stopped = 0
for words in range(5000, 9000, 97):
    one = engine.LocalEngine(program, 0)
    one._arena[MOST_WORDS] = words
    try:
        for t in range(60):
            facts = [lasing.Atom("p", (i, i + 0.5)) for i in range(t)]
            list(one.advance(t, [*facts, lasing.Atom("q", (1, t)), lasing.Atom("q", (2, t))]))
    except lasing.LasingError as why:
        stopped += "E315" in str(why)
    del one
    gc.collect()
    assert not checked._allocated, (words, len(checked._allocated))
print(stopped)
"""


def test_an_engine_that_stops_for_lack_of_memory_gives_all_of_it_back() -> None:
    """It has sums and leaders in blocks of their own, and stops at many different places."""
    env = {**os.environ, "LASING_KERNELS": "python"}
    done = subprocess.run(
        [sys.executable, "-c", OUT_OF_MEMORY], capture_output=True, text=True, timeout=300, check=False, env=env
    )
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 30
