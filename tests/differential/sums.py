"""Random programs with `#sum` and `#avg` of numbers of all kinds, as they come and go."""

from __future__ import annotations

import random

from lasing.logic.values import datatypes as xsd
from lasing.logic.values import value_text
from lasing.logic.values.literals import literal
from tests.differential.strategies import Example

LENGTH = 8

_LITERALS = {
    xsd.DECIMAL: ["0.1", "-2.75", "5", "5.0", "-0.1", "0.000000000000000000012", f"{10**40}.5", "1" * 900, "2" * 1200],
    xsd.INTEGER: ["05", "-0", f"-0{2**63}", str(10**30)],
    xsd.FLOAT: ["0.1", "1.0E0", "-2.5", "3.0E38", "INF"],
    xsd.DOUBLE: ["1", "1.5", "-1e300", "5e-324", "-INF", "NaN"],
}
_ODD = [value_text(literal(lexical, datatype)) for datatype, forms in _LITERALS.items() for lexical in forms]
_PLAIN = ["1", "-3", "2.5", "0.1", "1e300", "-1e300", "9223372036854775807", "a", "<http://ex.org/a>"]

_SHAPES = [
    "sum(S,N) :- s(S), N = #sum{V,T : temp(S,V) at T in [2]}.",
    "mean(S,N) :- s(S), N = #avg{V,T : temp(S,V) at T in [3]}.",
    "total(N) :- N = #sum{V : temp(_,V) in [1]}.",
    "average(N) :- N = #avg{V,S : temp(S,V) in [2]}.",
    "large(S) :- s(S), #sum{V,T : temp(S,V) at T in [4]} > 2.",
]


def sums_example(seed: int) -> Example:
    """A few different numbers, most of them of few kinds, for two sensors."""
    chance = random.Random(seed)
    known = [*chance.sample(_ODD, chance.choice([1, 3, 5])), *chance.sample(_PLAIN, chance.choice([0, 1, 3]))]
    program = "\n".join(["s(a). s(b).", *chance.sample(_SHAPES, 3)]) + "\n"
    stream = sorted(
        (chance.randrange(LENGTH - 2), f"temp({chance.choice('ab')},{chance.choice(known)})")
        for _ in range(chance.randint(2, 14))
    )
    return Example(program, tuple(stream), 0, LENGTH)
