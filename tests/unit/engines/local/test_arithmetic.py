"""Arithmetic, comparisons and aggregates at the edges: the local engine has the values that the reference has."""

from __future__ import annotations

import warnings

from hypothesis import given, settings
from hypothesis import strategies as st

import lasing
from lasing.connectors.rows import value_of
from lasing.logic.values import Value
from tests.differential.sizes import programs

BORDERS = (0, 1, 2, 3, 10, 2**31, 2**52, 2**53, 2**54, 2**59, 2**60, 2**61, 2**62, 2**63 - 512, 2**63 - 1)
WHOLE = sorted({sign * border + d for border in BORDERS for d in (-2, -1, 0, 1, 2) for sign in (1, -1)})
INTEGERS = [n for n in WHOLE if -(2**63) <= n < 2**63] + [-(2**63), 9007199254740993, 2**63 - 1024, 2**63 - 1536]
DOUBLES = [0.1, 0.5, 1.5, 2.0**51 + 0.5, 4503599627370495.5, 2.0**63, 1e19, 1e300, 1.7976931348623157e308, 5e-324]
NUMBERS = list(dict.fromkeys(value_of(x) for x in (*INTEGERS, *DOUBLES, *(-d for d in DOUBLES))))

BINARY = ("X + Y", "X - Y", "X * Y", "X / Y", "X div Y", "X mod Y", "min(X, Y)", "max(X, Y)", "abs(X)", "-X")
PROGRAM = "".join(f"r{i}(X, Y, Z) :- p(X, Y), Z = {term}.\n" for i, term in enumerate(BINARY))
PROGRAM += "".join(f"c{i}(X, Y) :- p(X, Y), X {c} Y.\n" for i, c in enumerate(("<", "<=", ">", ">=", "=", "!=")))
PROGRAM += "".join(f"a_{f}(N) :- N = #{f}{{X, Y : p(X, Y)}}.\n" for f in ("sum", "avg", "min", "max"))

Pairs = list[tuple[Value, Value]]


def outcome(pairs: Pairs, engine: str) -> tuple[frozenset[lasing.Atom], dict[tuple[int, str], int]]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lasing.LasingWarning)
        run = lasing.run(PROGRAM, [(1, "p", x, y) for x, y in pairs], engine=engine)  # type: ignore[arg-type]
        (answer,) = list(run)
    return answer.atoms, run.report.failures


def agree(pairs: Pairs) -> None:
    mine, theirs = outcome(pairs, "local"), outcome(pairs, "reference")
    assert mine[0] ^ theirs[0] == frozenset()
    assert mine[1] == theirs[1]


def test_every_pair_of_edge_values() -> None:
    for x in NUMBERS:  # one aggregate for each of them, over all the others
        agree([(x, y) for y in NUMBERS])


numbers = st.one_of(
    st.sampled_from(NUMBERS),
    st.integers(-(2**63), 2**63 - 1),
    st.builds(lambda border, d: border + d, st.sampled_from((2**53, 2**60, 2**62)), st.integers(-5, 5)),
    st.floats(allow_nan=False, allow_infinity=False).map(value_of),
)


@settings(max_examples=programs(60, 2000))
@given(st.lists(st.tuples(numbers, numbers), min_size=1, max_size=30))
def test_random_pairs(pairs: Pairs) -> None:
    agree(pairs)


def test_a_quotient_is_rounded_once() -> None:
    (answer,) = lasing.run("q(Z) :- p(X, Y), Z = X / Y.", [(1, "p", 10, 9007199254740993)], engine="local")
    assert answer.atoms == {lasing.Atom("q", (10 / 9007199254740993,))}
