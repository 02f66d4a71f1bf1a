"""Numbers at the edges of what fits: windows, counts, values and times."""

from __future__ import annotations

import pytest

import lasing
from lasing.engine_choice import unplanned
from tests.differential.harness import answers

HUGE = 2**63 - 1
LONGEST = 2**59 - 1

PROGRAMS = {
    "a window of all time": f"q(X) :- p(X) in [{LONGEST}].",
    "a window of all time for what is derived": f"d(X) at T :- p(X) at T in [{LONGEST}]. q(X) :- d(X) in [{LONGEST}].",
    "always over all time": f"q(X) :- p(X) always in [{LONGEST}].",
    "far ahead": f"d(1) at T :- p(1) at U, T = U + {LONGEST}. q(X) :- d(X) in [+{LONGEST}]."
    f"r(X) :- d(X) in [+{LONGEST - 1}].",
    "beyond what a window sees": f"d(1) at T :- p(1) at U, T = U + {HUGE - 9}. q(X) :- d(X) in [+{LONGEST}].",
    "windows that step over all time": f"q(X) :- p(X) in [{LONGEST},+{LONGEST} step {LONGEST}].",
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


def test_nested_windows_that_look_too_far_ahead_go_to_the_reference() -> None:
    far = f"d at T :- p at U, T = U + {2 * LONGEST}. e at T :- p at U, T = U + {LONGEST}."
    program = f"{far} q :- e at T in [+{LONGEST}], (d in [+{LONGEST}]) at T."
    assert "look ahead beyond 2^59" in unplanned(lasing.parse(program))
    assert answers(program, "p at 3.", 3, 4, "auto")[0] == (3, frozenset({lasing.Atom("q")}))


@pytest.mark.parametrize("size", ["{0}", "+{0}", "0,+{0}", "3 step {0}"])
def test_windows_beyond_the_limit_are_refused(size: str) -> None:
    lasing.parse(f"q :- p in [{size.format(2**59 - 1)}].")
    with pytest.raises(lasing.LasingError, match="E107"):
        lasing.parse(f"q :- p in [{size.format(2**59)}].")
