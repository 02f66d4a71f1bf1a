"""Derived streams with windows are DatalogMTL's operators of the past: MeTeoR, which materialises it, must agree."""

from __future__ import annotations

import contextlib
import io
import warnings

import pytest

from tests.differential.datalogmtl import LAST, PastProgram, random_program
from tests.differential.harness import answers
from tests.differential.sizes import programs

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # its regular expressions have escapes that Python warns about
    from meteor_reasoner.materialization.coalesce import coalescing_d
    from meteor_reasoner.materialization.materialize import materialize
    from meteor_reasoner.utils.loader import load_dataset, load_program

MOST_ROUNDS = 1_000
Atoms = set[tuple[int, str]]


def by_meteor(program: PastProgram) -> Atoms:
    """What MeTeoR derives, as atoms at our time points."""
    with contextlib.redirect_stdout(io.StringIO()):  # it prints its rounds
        found = load_dataset(program.their_facts())
        coalescing_d(found)
        complete = materialize(found, load_program(program.their_rules()), K=MOST_ROUNDS)
    assert complete
    atoms = set()
    heads = {head.predicate for head, _ in program.rules}
    for predicate, rows in found.items():
        for args, intervals in rows.items():
            text = f"{predicate.lower()}({','.join(term.name for term in args)})"
            for interval in intervals:
                assert not interval.left_open
                assert interval.right_open
                if predicate.lower() in heads:
                    atoms |= {(u, text) for u in range(int(interval.left_value), int(interval.right_value))}
    return atoms


def by_us(program: PastProgram, engine: str) -> Atoms:
    found = answers(program.ours(), program.our_facts(), 0, LAST, engine)
    return {(time, str(atom)) for time, atoms in found for atom in atoms}


@pytest.mark.parametrize("engine", ["reference", "auto"])
def test_derived_streams_are_datalogmtl(engine: str) -> None:
    derived = 0
    for seed in range(programs(60, 4_000)):
        program = random_program(seed)
        expected = by_meteor(program)
        derived += len(expected)
        assert by_us(program, engine) == expected, f"seed {seed}\n{program.ours()}{program.our_facts()}"
    assert derived > 100
