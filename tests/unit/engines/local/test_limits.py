"""Numbers at the edges of what fits: windows, counts, values and times."""

from __future__ import annotations

import pytest

import lasing
from tests.differential.harness import answers

HUGE = 2**63 - 1

PROGRAMS = {
    "a window of all time": f"q(X) :- p(X) in [{HUGE}].",
    "a window of all time for what is derived": f"d(X) at T :- p(X) at T in [{HUGE}]. q(X) :- d(X) in [{HUGE}].",
    "always over all time": f"q(X) :- p(X) always in [{HUGE}].",
    "all facts": f"q(X) :- p(X) in [#{HUGE}].",
    "sums at the edge": f"q(Y) :- p(X), Y = X + {HUGE}. r(Y) :- p(X), Y = X * {HUGE}. s(Y) :- p(X), Y = -{HUGE} - X.",
    "products near the edge": "q(Y) :- p(X), Y = X * X. r(Y) :- p(X), Y = X * X * X. s(Y) :- p(X), Y = X - X * 2.",
    "division": "q(Y) :- p(X), Y = 7 / X. r(Y) :- p(X), Y = -7 div X. s(Y) :- p(X), Y = -7 mod X.",
    "decimals": "q(Y) :- p(X), Y = X + 0.5. r(Y) :- p(X), Y = X * 0.1. s(Y) :- p(X), Y = abs(X - 2.5).",
    "order": "q(X,Y) :- p(X), p(Y), X < Y. r(X,Y) :- p(X), p(Y), not X <= Y. s(Z) :- p(X), p(Y), Z = min(X, Y).",
}
VALUES = [
    "0",
    "1",
    "-1",
    "2.5",
    "-0.75",
    "3037000500",
    "-3037000500",
    "4611686018427387904",
    str(HUGE),
    "a",
    "b",
    '"B b"',
]


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_local_equals_reference_at_the_edges(program: str) -> None:
    stream = "".join(f"p({value}) at {time}.\n" for time in (3, 4) for value in VALUES) + f"p({-HUGE}) at 6."
    assert answers(program, stream, 3, 7, "local") == answers(program, stream, 3, 7, "reference")


def test_times_beyond_the_engine_are_refused() -> None:
    with pytest.raises(lasing.LasingError, match="E506"):
        list(lasing.run("q :- p.", f"p at {2**60}.", engine="local"))
