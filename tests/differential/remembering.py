"""Random programs with derived streams, made from other random programs.

Some derived predicates become streams. Some rules then also ask what these streams remember: under `not`, with
`always`, with times and in aggregates, whatever the layers, since the past is no dependency. Some rules keep a state.
"""

from __future__ import annotations

import random
from dataclasses import replace
from typing import TypeVar

import lasing
from lasing.logic.facts import facts_of
from lasing.logic.formulas import At, head_atom
from lasing.logic.program import Program, Rule, Signature
from lasing.logic.splitting import has_several_answers, undecided
from lasing.logic.terms import variables_of
from tests.differential.strategies import Example

AnyExample = TypeVar("AnyExample", bound=Example)
_CONSTANTS = ("a", "1", "2")


def remembering(example: AnyExample, seed: int) -> AnyExample:
    """The example with derived streams, if it can have any."""
    chance = random.Random(seed)
    program = lasing.parse(example.program)
    streams = _streams(program, chance)
    if not streams:
        return example
    before = has_several_answers(program)
    lines = []
    for line in example.program.splitlines():
        more = _asked(line, streams, chance)
        lines.append(f"{line.rstrip()[:-1]}, {more}." if more else line)
    lines += [_state(stream, program, chance) for stream in streams if chance.random() < 0.5]
    lines.append(f"#stream {', '.join(map(str, streams))}.")
    try:
        found = lasing.parse("".join(f"{line}\n" for line in lines))
    except lasing.LasingError:  # what was added is unsafe, or an aggregate binds a variable of the rule
        return replace(example, program=f"{example.program}#stream {', '.join(map(str, streams))}.\n")
    if has_several_answers(found) != before:
        return replace(example, program=f"{example.program}#stream {', '.join(map(str, streams))}.\n")
    return replace(example, program="".join(f"{line}\n" for line in lines))


def _streams(program: Program, chance: random.Random) -> list[Signature]:
    heads = [head for rule in program.rules for head in rule.heads]
    timed = {head_atom(head).predicate for head in heads if isinstance(head, At)} | undecided(program)
    arity = facts_of(program).arity
    able = sorted({head_atom(head).predicate for head in heads} - timed)
    return [Signature(name, arity[name]) for name in able if chance.random() < 0.6]


def _asked(line: str, streams: list[Signature], chance: random.Random) -> str:
    """A literal about the past to add to the rule of a line; empty if there is none."""
    if ":-" not in line or line.startswith(":") or chance.random() < 0.6:
        return ""
    (rule, *others) = lasing.parse(line).rules
    if others or not isinstance(rule, Rule):
        return ""
    stream = chance.choice(streams)
    known = sorted({v.name for atom in rule.head_atoms() for term in atom.args for v in variables_of(term)})
    args = [chance.choice([*known, *known, "_", *_CONSTANTS]) for _ in range(stream.arity)]
    atom, size = _text(stream, args), chance.randint(1, 4)
    window = chance.choice([f"{size},-1", f"{size},-{size}", f"{size + 1},-2", f"{size},-1 step 2", "*,-1"])
    kind = chance.random()
    if kind < 0.45:
        return f"not {atom} {chance.choice(['in', 'in', 'always in'])} [{window}]"
    if kind < 0.6:
        return f"{atom} {chance.choice(['in', 'always in'])} [{window}]"
    if kind < 0.7:
        return f"{atom} at U9 in [{window}], U9 != {chance.randint(3, 9)}"
    if kind < 0.8:
        return f"not {atom} {chance.choice(['in', 'always in'])} [{chance.randint(0, 3)},-1]" if size > 3 else ""
    if kind < 0.9:
        every = [f"V{i}" for i in range(stream.arity)] or ["0"]
        inside = _text(stream, every if stream.arity else [])
        return f"#count{{{','.join(every)} : {inside} in [{window}]}} {chance.choice(['<', '>=', '!='])} 2"
    return f"({atom} or not {atom} in [{size},-1]) in [{size + 1},-1]" if "_" not in args else ""


def _state(stream: Signature, program: Program, chance: random.Random) -> str:
    """A rule by which a stream rests on its own past."""
    args = [f"S{i}" for i in range(stream.arity)]
    atom, size = _text(stream, args), chance.randint(1, 3)
    window = f"{size},-{chance.randint(1, size)}"
    arity = facts_of(program).arity
    others = sorted(facts_of(program).read - facts_of(program).derived) or [stream.predicate]
    other = Signature(chance.choice(others), 0)
    stop = _text(other, [chance.choice([*args, "a", "1", "_"]) for _ in range(arity[other.predicate])])
    past = " in [2,-1]" if other.predicate == stream.predicate else chance.choice(["", " in [1]"])
    form = chance.choice(["in", "in", "always in"])
    return f"{atom} :- {atom} {form} [{window}], not {stop}{past}."


def _text(stream: Signature, args: list[str]) -> str:
    return f"{stream.predicate}({','.join(args)})" if args else stream.predicate
