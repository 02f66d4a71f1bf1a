"""The law of partitions: the answers of all shards together are the answers of the whole program."""

from __future__ import annotations

import warnings
from dataclasses import replace
from hashlib import blake2b

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

import lasing
from lasing.logic.formulas import Braces, Compare, atoms_of, walk
from lasing.logic.partition import Partition, partition
from lasing.logic.program import Program, Rule
from lasing.logic.terms import Arithmetic, Term, Variable
from lasing.logic.values import is_number, normal, value_from_text, value_text
from tests.differential.core_programs import STREAMED, core_example
from tests.differential.harness import Answers, answers_of, difference
from tests.differential.keyed_programs import CONSTANTS, keyed_example
from tests.differential.sizes import programs
from tests.differential.strategies import PREDICATES, Example, examples

SEEDS = programs(200, 4000)
CHUNK = 20


@pytest.mark.parametrize("first", range(0, SEEDS, CHUNK))
def test_shards_of_programs_with_keys_answer_as_the_whole(first: int) -> None:
    for seed in range(first, first + CHUNK):
        example = keyed_example(seed)
        found = partition(lasing.parse(example.program), example.replicated)
        if isinstance(found, Partition):
            shards_agree(example, found)


def test_most_of_these_programs_have_a_key() -> None:
    examples = [keyed_example(seed) for seed in range(200)]
    found = [partition(lasing.parse(example.program), example.replicated) for example in examples]
    assert sum(isinstance(f, Partition) for f in found) > len(found) // 2
    assert any(isinstance(f, Partition) and f.foreign for f in found)


def test_the_values_of_these_programs_are_in_different_shards() -> None:
    values = [value_from_text(text) for text in CONSTANTS]
    assert {_shard_of(value, 2) for value in values} == {0, 1}
    assert {_shard_of(value, 3) for value in values} == {0, 1, 2}


@pytest.mark.parametrize("first", range(0, programs(20, 200), 10))
def test_shards_on_the_local_engine_answer_as_the_whole(first: int) -> None:
    for seed in range(first, first + 10):
        example = keyed_example(seed)
        found = partition(lasing.parse(example.program), example.replicated)
        if isinstance(found, Partition):
            shards_agree(example, found, "auto")


@settings(max_examples=programs(150, 5000))
@given(example=examples(nested=True), split=st.frozensets(st.sampled_from(["s1x", "s1y", "s2x", "s2y"]), max_size=2))
def test_shards_of_any_program_answer_as_the_whole(example: Example, split: frozenset[str]) -> None:
    streams = frozenset(p.name for p in PREDICATES if p.streamed)
    found = partition(lasing.parse(example.program), streams - split)
    event("split" if isinstance(found, Partition) else "not split")
    if isinstance(found, Partition):
        shards_agree(example, found)


@pytest.mark.parametrize("first", range(0, programs(200, 4000), 100))
def test_shards_of_programs_for_the_local_engine_answer_as_the_whole(first: int) -> None:
    for seed in range(first, first + 100):
        example = core_example(seed)
        for split in ("s1", "s2", "r1", "r2"):
            others = frozenset(name for name, _ in STREAMED if name != split)
            found = partition(lasing.parse(example.program), others)
            if isinstance(found, Partition):
                shards_agree(example, found)


def shards_agree(example: Example, found: Partition, engine: str = "reference") -> None:
    program = lasing.parse(example.program)
    case = f"{found}\n--- program\n{example.program}--- stream\n{example.stream_text}"
    assert set(found.keys) >= {a.predicate for a in _all_atoms(program)}, case
    for rule, key in zip(program.rules, found.by_rule, strict=True):
        _assert_witness(rule, key, found, case)
    whole = answers_of(example, engine)
    for count in (2, 3):
        shards = [_answers_of_shard(example, program, found, shard, count, engine) for shard in range(count)]
        together = [
            (time, frozenset().union(*(shard[i][1] for shard in shards))) for i, (time, _) in enumerate(shards[0])
        ]
        assert not difference(whole, together), f"{count} shards: {difference(whole, together)}\n{case}"
        sizes = [sum(len(shard[i][1]) for shard in shards) for i in range(len(together))]
        assert sizes == [len(atoms) for _, atoms in together], f"shards overlap\n{case}"


def _answers_of_shard(
    example: Example, program: Program, found: Partition, shard: int, count: int, engine: str
) -> Answers:
    def here(atom: lasing.Atom) -> bool:
        key = found.keys.get(atom.predicate)
        return key is None or _shard_of(atom.args[key], count) == shard

    def kept(atom: lasing.Atom) -> bool:
        if found.keys[atom.predicate] is None:
            return shard == 0
        assert here(atom) or atom.predicate in found.foreign, f"{atom} is not of shard {shard} of {count}"
        return here(atom)

    part = replace(
        program,
        background=tuple(atom for atom in program.background if here(atom)),
        data=tuple(fact for fact in program.data if here(fact.atom)),
    )
    facts = [(fact.time, fact.atom) for fact in lasing.parse(example.stream_text).data]
    stream = "".join(f"{atom} at {time}.\n" for time, atom in facts if here(atom))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lasing.LasingWarning)
        run = lasing.run(part, stream, example.start, example.end, engine)  # type: ignore[arg-type]  # any engine
        return [(answer.time, frozenset(filter(kept, answer.atoms))) for answer in run]


def _shard_of(value: Term, count: int) -> int:
    """Any function of the value will do; 1 and 1.0 are one value."""
    assert not isinstance(value, Variable | Arithmetic)
    text = value_text(normal(value) if is_number(value) else value)
    return blake2b(text.encode()).digest()[0] % count


def _assert_witness(rule: Rule, key: Term | None, found: Partition, case: str) -> None:
    """The partitioned atoms of a rule have its key at their key positions, or a term that the body equates with it."""
    body = [a for literal in rule.body for a in atoms_of(literal) if found.keys[a.predicate] is not None]
    (head,) = rule.head_atoms()
    assert (key is None) == (not body), case
    if key is None:
        return
    equal, before = {key}, 0
    while len(equal) > before:
        before = len(equal)
        for literal in rule.body:
            if isinstance(literal, Compare) and literal.operator == "=" and {literal.left, literal.right} & equal:
                equal |= {literal.left, literal.right}
    local = {v for lit in rule.body for node in walk(lit) if isinstance(node, Braces) for v in node.local}
    for atom in (*body, head):
        position = found.keys[atom.predicate]
        assert position is not None, case
        term = atom.args[position]
        assert term in equal, case
        assert term not in local, case
        assert not (isinstance(term, Variable) and term.anonymous), case


def _all_atoms(program: Program) -> list[lasing.Atom]:
    rules = [a for rule in program.rules for f in (*rule.heads, *rule.body) for a in atoms_of(f)]
    return [*rules, *program.background, *(fact.atom for fact in program.data)]
