"""The examples in docstrings."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

import lasing

ELSEWHERE = "lasing.bench.peers.scripts."
"""These modules run in other environments, each with a package that this one does not have."""
MODULES = ["lasing"] + [
    m.name
    for m in pkgutil.walk_packages(lasing.__path__, "lasing.")
    if m.name.rpartition(".")[2] != "__main__" and not m.name.startswith(ELSEWHERE)
]


@pytest.mark.parametrize("module", MODULES)
def test_the_examples_of_a_module_are_true(module: str) -> None:
    assert doctest.testmod(importlib.import_module(module)).failed == 0


def test_there_are_examples() -> None:
    finder = doctest.DocTestFinder(exclude_empty=True)
    tests = [test for module in MODULES for test in finder.find(importlib.import_module(module))]
    assert sum(len(test.examples) for test in tests) > 20
