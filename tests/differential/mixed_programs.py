"""Random programs that mix everything: derived streams that rest on their own past, windows that end before now, first
and last, aggregates over aggregates, functions, and values of all kinds.

They are made from other random programs, by adding to them. What would make a program unsafe, or give it several
answers, is not added; what takes away its key, rarely.
"""

from __future__ import annotations

import random
from collections.abc import Iterable
from dataclasses import replace
from typing import Generic, TypeVar

import lasing
from lasing.logic.facts import facts_of
from lasing.logic.partition import Partition, partition
from lasing.logic.program import Program, Signature
from lasing.logic.splitting import has_several_answers
from tests.differential.braces_programs import braces_example
from tests.differential.core_programs import core_example
from tests.differential.functions import changed, condition, term
from tests.differential.keyed_programs import KeyedExample, keyed_example
from tests.differential.remembering import remembering
from tests.differential.strategies import Example
from tests.differential.terms import with_terms

AnyExample = TypeVar("AnyExample", bound=Example)
_LOSES_KEY = 0.03
"""How often something is added that takes away the program's key."""


def mixed_example(seed: int) -> Example:
    """The example of a seed."""
    chance = random.Random(seed)
    made = chance.choice([core_example, core_example, braces_example])(seed)
    return with_terms(mixed(made, seed), chance)


def mixed_keyed_example(seed: int) -> KeyedExample:
    """The example of a seed; most can be split by a key."""
    return mixed(keyed_example(seed), seed)


def mixed(example: AnyExample, seed: int) -> AnyExample:
    """The example with everything in it that it can have."""
    chance = random.Random(seed)
    grown = _Grown(_remembering(example, seed, chance), chance)
    program = grown.program
    known = _known(program)
    streams = [signature for signature in program.streams if signature.arity]
    for stream in streams:
        if chance.random() < 0.6:
            grown.add(_recalled(stream, known, chance))
    for number in range(chance.choice([1, 1, 2])):
        grown.add(_computed(f"x{number}", known, streams, chance))
    for place, line in enumerate(grown.lines):
        if ":-" in line and chance.random() < 0.5:
            grown.change(place, changed(line, chance))
    return grown.example()


def _remembering(example: AnyExample, seed: int, chance: random.Random) -> AnyExample:
    """The example with derived streams; one that keeps the key, if it has one and some tries find one."""
    if not isinstance(example, KeyedExample) or not _has_key(example) or chance.random() < _LOSES_KEY:
        return remembering(example, seed)
    tries = (remembering(example, other) for other in (seed, *(chance.randrange(2**32) for _ in range(9))))
    return next((made for made in tries if _has_key(made)), remembering(example, seed))


def _has_key(example: KeyedExample) -> bool:
    return isinstance(partition(lasing.parse(example.program), example.replicated), Partition)


class _Grown(Generic[AnyExample]):
    """A program to which lines are added, each only if the program stays what it was."""

    def __init__(self, example: AnyExample, chance: random.Random) -> None:
        self._example = example
        self._chance = chance
        self.lines = example.program.splitlines()
        self.program = lasing.parse(example.program)
        self._replicated = example.replicated if isinstance(example, KeyedExample) else frozenset()
        self._keyed = isinstance(example, KeyedExample) and self._has_key(self.program)
        self._several = has_several_answers(self.program)

    def add(self, lines: Iterable[str]) -> None:
        """Add one of the lines: the first that can be."""
        for line in lines:
            if self._take([*self.lines, line]):
                return

    def change(self, place: int, line: str) -> None:
        """Replace a line, if that can be."""
        self._take([*self.lines[:place], line, *self.lines[place + 1 :]])

    def example(self) -> AnyExample:
        return replace(self._example, program=_text_of(self.lines))

    def _take(self, lines: list[str]) -> bool:
        try:
            found = lasing.parse(_text_of(lines))
        except lasing.LasingError:  # unsafe, or a cycle through what is not monotone
            return False
        if has_several_answers(found) != self._several:
            return False
        if self._keyed and not self._has_key(found) and self._chance.random() > _LOSES_KEY:
            return False
        self.lines, self.program = lines, found
        return True

    def _has_key(self, program: Program) -> bool:
        return isinstance(partition(program, self._replicated), Partition)


def _text_of(lines: Iterable[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def _known(program: Program) -> list[Signature]:
    """The predicates that rules read and nothing derives: most are in the stream."""
    found = facts_of(program)
    return [Signature(name, found.arity[name]) for name in sorted(found.read - found.derived) if found.arity[name]]


def _recalled(stream: Signature, known: list[Signature], chance: random.Random) -> list[str]:
    """Rules by which a stream rests on the first or last of its own past, or on aggregates of it, with each of its
    arguments as the key."""
    size = chance.randint(1, 4)
    window = chance.choice([f"{size},-1", f"{size},-{chance.randint(1, size)}", f"{size},-1 step 2", "*,-1"])
    word = chance.choice(["#first", "#last", "#last", "#last 2 ", "#first 3 "])
    other = chance.choice(known) if known else stream
    kind, found = chance.randrange(5), []
    for key in chance.sample(range(stream.arity), stream.arity):
        head = [f"S{i}" for i in range(stream.arity)]
        inside = [f"W{i}" for i in range(stream.arity)]
        if stream.arity > 1:
            inside[key] = head[key]
        own = [f"W{i}" for i in range(stream.arity) if inside[i] == f"W{i}"]
        targets = [f"S{i}" for i in range(stream.arity) if inside[i] == f"W{i}"]
        past = f"{_atom(stream, inside)} in [{window}]"
        timed = f"{_atom(stream, inside)} at U in [{window}]"
        begin = _guard(other, head[key] if stream.arity > 1 else "_", chance)
        tuples = f"{', '.join(own)}"
        match kind:
            case 0:
                chosen = f"{_tuple(targets)} = {word}{{{tuples} : {past}}}"
                found.append(f"{_atom(stream, head)} :- {begin}, {chosen}.")
            case 1:
                chosen = f"{_tuple(['T', *targets])} = {word}{{U, {tuples} : {timed}, U > {chance.randint(0, 4)}}}"
                found.append(f"{_atom(stream, head)} :- {begin}, {chosen}, T != #now - 2.")
            case 2:
                counted = [*head]
                counted[stream.arity - 1 if key == 0 else 0] = "N"
                function = chance.choice(["count", "sum", "min", "max", "avg"])
                total = f"N = #{function}{{{tuples} : {past}}}"
                found.append(f"{_atom(stream, counted)} :- {begin}, {total}, N < {chance.randint(1, 5)}.")
            case 3:
                nested = f"M = #count{{V9 : {_atom(stream, ['V9', *inside[1:]])} in [{size},-1]}}"
                total = f"#max{{M, {tuples} : {past}, {nested}}} {chance.choice(['<', '>=', '!='])} 2"
                again = f"{_atom(stream, head)} {chance.choice(['in', 'always in'])} [{window}]"
                found.append(f"{_atom(stream, head)} :- {again}, {total}, not {begin}.")
            case _:
                negated = f"not {_tuple(head)} = {word}{{{', '.join(inside)} : {past}}}"
                again = f"{_atom(stream, head)} in [{size},-1]"
                found.append(f"{_atom(stream, head)} :- {again}, {negated if stream.arity == 1 else 'not ' + begin}.")
    return found


def _computed(name: str, known: list[Signature], streams: list[Signature], chance: random.Random) -> list[str]:
    """Rules that compute functions of what is read or remembered, and perhaps of its first, last or sum."""
    readable = [*known, *streams, *streams]
    if not readable:
        return []
    size = chance.randint(0, 3)
    window = chance.choice(
        ["", f" in [{size}]", f" always in [{min(size, 1)}]", f" at T in [{size}]", f" in [{size},-0]"]
    )
    window = chance.choice([window, f" in [{size + 1},-1]", f" in [{size} step 2]"])
    source = chance.choice(readable)

    def terms(x: str, y: str) -> str:
        return chance.choice([x, term(chance).format(x, y)])

    kind, found = chance.randrange(4), []
    for key in chance.sample(range(source.arity), source.arity):
        args = [f"Y{i}" for i in range(source.arity)]
        args[key] = "X"
        other = args[key - 1]
        body = f"{_atom(source, args)}{window}"
        match kind:
            case 0:
                found.append(f"{name}(X,{terms(other, 'X')}) :- {body}, {condition(chance).format(other, 'X')}.")
            case 1:
                found.append(f"{name}(X,Z) :- {body}, Z = {terms(other, chance.choice(['X', '1']))}.")
            case 2:
                function = chance.choice(["count", "max", "sum"])
                total = f"N = #{function}{{{terms('V', 'X')} : {_inner(source, key)}{window}}}"
                found.append(f"{name}(X,N) :- {body}, {total}.")
            case _:
                last = f"Z = {chance.choice(['#first', '#last'])}{{{terms('V', '1')} : {_inner(source, key)}{window}}}"
                found.append(f"{name}(X,{terms('Z', 'X')}) :- {body}, {last}.")
    return [line.replace(" at T in", " at T9 in", 1) for line in found]


def _inner(source: Signature, key: int) -> str:
    """The atom of a condition, with X as the key and V elsewhere; only V if there is but one argument."""
    return _atom(source, ["X" if i == key and source.arity > 1 else "V" for i in range(source.arity)])


def _guard(other: Signature, key: str, chance: random.Random) -> str:
    args = ["_"] * other.arity
    args[chance.randrange(other.arity)] = key
    return f"{_atom(other, args)}{chance.choice(['', '', ' in [1]', ' in [3,-1]'])}"


def _tuple(terms: list[str]) -> str:
    return terms[0] if len(terms) == 1 else f"({', '.join(terms)})"


def _atom(signature: Signature, args: list[str]) -> str:
    return f"{signature.predicate}({','.join(args)})" if args else signature.predicate
