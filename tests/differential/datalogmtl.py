"""Random programs of DatalogMTL that look into the past, and the same in our language and in that of MeTeoR.

DatalogMTL's time is dense and ours is not. A time point u of ours is the interval [u, u+1) there: with whole numbers as
bounds, everything that MeTeoR derives is then a union of such intervals, and means the same. Nothing happens at the
first time point, because our windows are cut off at the start: with nothing there, it makes no difference.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Literal

Operator = Literal["", "Diamondminus", "Boxminus"]
CONSTANTS = ("k1", "k2", "k3")
INPUTS = {"p": 1, "s": 1, "r": 2}
DERIVED = {"a": 1, "b": 1, "c": 2, "d": 1}
ARITY = INPUTS | DERIVED
LAST = 18


@dataclass(frozen=True, slots=True)
class PastLiteral:
    """An atom now, sometime, or always in the time points from `most` to `least` before now."""

    operator: Operator
    least: int
    most: int
    predicate: str
    args: tuple[str, ...]

    def ours(self) -> str:
        atom = f"{self.predicate}({', '.join(self.args)})"
        window = f"[{self.most},-{self.least}]" if self.least else f"[{self.most}]"
        match self.operator:
            case "":
                return atom
            case "Diamondminus":
                return f"{atom} in {window}"
            case "Boxminus":
                return f"{atom} always in {window}"

    def theirs(self) -> str:
        operator = f"{self.operator}[{self.least},{self.most}]" if self.operator else ""
        return f"{operator}{self.predicate.upper()}({','.join(self.args)})"


@dataclass(frozen=True, slots=True)
class PastProgram:
    """Rules, each a head and its body, and facts at time points."""

    rules: tuple[tuple[PastLiteral, tuple[PastLiteral, ...]], ...]
    facts: tuple[tuple[int, str, tuple[str, ...]], ...]

    def ours(self) -> str:
        streams = ", ".join(f"{predicate}/{arity}" for predicate, arity in DERIVED.items())
        rules = [f"{head.ours()} :- {', '.join(literal.ours() for literal in body)}." for head, body in self.rules]
        return "\n".join([f"#stream {streams}.", *rules, ""])

    def our_facts(self) -> str:
        return "".join(f"{predicate}({', '.join(args)}) at {time}.\n" for time, predicate, args in self.facts)

    def their_rules(self) -> list[str]:
        """Every rule asks for `H(h)`, which ends after the last time point; else recursion might never end."""
        return [f"{head.theirs()}:-{','.join(lit.theirs() for lit in body)},H(h)" for head, body in self.rules]

    def their_facts(self) -> list[str]:
        facts = [f"{predicate.upper()}({','.join(args)})@[{time},{time + 1})" for time, predicate, args in self.facts]
        return [*facts, f"H(h)@[0,{LAST + 1})"]


def random_program(seed: int) -> PastProgram:
    draw = Random(seed)
    rules = tuple(_rule(draw, head) for head in DERIVED for _ in range(draw.randint(1, 2)))
    facts = {
        (draw.randint(1, LAST), predicate, tuple(draw.choice(CONSTANTS) for _ in range(arity)))
        for predicate, arity in (INPUTS if draw.random() < 0.8 else ARITY).items()
        for _ in range(draw.randint(2, 9))
    }
    return PastProgram(rules, tuple(sorted(facts)))


def _rule(draw: Random, predicate: str) -> tuple[PastLiteral, tuple[PastLiteral, ...]]:
    body = tuple(_literal(draw, draw.choice(list(ARITY))) for _ in range(draw.randint(1, 3)))
    variables = sorted({arg for literal in body for arg in literal.args if arg[0].isupper()})
    args = tuple(draw.choice(variables or CONSTANTS) for _ in range(ARITY[predicate]))
    return PastLiteral("", 0, 0, predicate, args), body


def _literal(draw: Random, predicate: str) -> PastLiteral:
    args = tuple(draw.choice(CONSTANTS) if draw.random() < 0.1 else draw.choice("XYZ") for _ in range(ARITY[predicate]))
    operator: Operator = draw.choice(("", "Diamondminus", "Diamondminus", "Boxminus"))
    least = draw.choice((0, 1, 1, 2)) if operator else 0
    return PastLiteral(operator, least, least + draw.randint(0, 2) if operator else 0, predicate, args)
