"""The entailment relation, case by case.

time points   0 1 2 3 4 5 6        now = 5
p                 |   | |          data
q                     | |          data
f                           |      derived for the future, at 6
b             ............         background
"""

from __future__ import annotations

import pytest

import lasing
from lasing.engines.reference.entailment import entails, instances
from lasing.engines.reference.stream import Derived, Facts, Stream
from lasing.engines.reference.structure import Structure, background_of
from lasing.logic.formulas import Atom, Formula
from lasing.logic.program import Fact
from lasing.logic.values import Value
from lasing.timeline.intervals import Interval

NOW = 5
DATA = [(2, "p"), (4, "p"), (4, "q"), (5, "p"), (5, "q")]


def structure(*values: tuple[int, Value, Value]) -> Structure:
    """The picture above; `values` are further facts v(K,V)."""
    facts = [Fact(time, Atom(name)) for time, name in DATA] + [Fact(t, Atom("v", (k, x))) for t, k, x in values]
    stream = Stream(Interval(0, None), Facts(sorted(facts, key=lambda f: f.time)), Derived())
    stream.derived.add(6, "f", ())
    return Structure(stream, background_of([Atom("b"), Atom("key", ("k1",)), Atom("key", ("k2",))]), NOW)


def body(text: str) -> tuple[Formula, ...]:
    return lasing.parse(f"h :- {text}.").rules[0].body


def found(text: str, m: Structure) -> set[str]:
    """The instances of a body, as text."""
    return {
        ",".join(f"{x}={value}" for x, value in sorted(binding.items(), key=lambda item: item[0].name))
        for binding in instances(m, m.stream, NOW, body(text), {})
    }


@pytest.mark.parametrize(
    ("formula", "true"),
    [
        ("p", True),
        ("f", False),
        ("b", True),
        ("not p", False),
        ("not f", True),
        ("p and not f", True),
        ("f or q", True),
        ("f -> r", True),
        ("p -> f", False),
        ("p at 4", True),
        ("p at 3", False),
        ("f at 6", True),
        ("p at -1", False),
        ("b at 0", True),
        ("b at -1", False),
        ("p in [0]", True),
        ("(p and q) in [2]", True),
        ("p always in [1]", True),
        ("p always in [2]", False),
        ("b always in [9]", True),
        ("b always in [+3]", True),
        ("f in [+1]", True),
        ("f in [+0]", False),
        ("p at 2 in [3]", True),
        ("p at 2 in [2]", False),
        ("p in [2..3]", True),
        ("p in [3..3]", False),
        ("p always in [3..2]", False),
        ("not p always in [3..2]", True),
        ("(p always in [1]) at 4", False),
        ("(not p) at 3", True),
        ("(p in [2]) at 6", True),
        ("(p in [+1]) at 1", True),
        # at 3, [3] reaches back to 0; inside of [2], it is cut to 3 … 3
        ("(p in [3]) at 3 in [2]", False),
        ("(p in [full 3]) at 3 in [2]", True),
        ("p in [#1]", False),
        ("q in [#1]", True),
        ("p in [#2]", True),
        ("p at 4 in [#2]", False),
        ("#count{1 : p at T in [5]} = 1", True),
        ("#count{T : p at T in [5]} = 3", True),
        ("#max{T : p at T in [5]} = 5", True),
        ("#min{T : r at T in [5]} < 9", False),
        ("not #min{T : r at T in [5]} < 9", True),
    ],
)
def test_what_holds_now(formula: str, true: bool) -> None:
    (read,) = body(formula)
    m = structure()
    assert entails(m, m.stream, NOW, read, {}) is true


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("v(K,X)", {"K=k1,X=7"}),
        ("v(K,X) in [2]", {"K=k1,X=7", "K=k2,X=a"}),
        ("v(k1,X) at T in [9]", {"T=1,X=3", "T=5,X=7"}),
        ("v(K,X) in [9], X < 7", {"K=k1,X=3"}),
        ("v(K,X), Y = X + 1", {"K=k1,X=7,Y=8"}),
        ("Y = X + 1, v(k1,X)", {"X=7,Y=8"}),
        ("v(K,X + 4) in [9], v(k1,X) in [9]", {"K=k1,X=3"}),
        ("key(K), not v(K,_)", {"K=k2"}),
        ("key(K), N = #count{X : v(K,X) in [9]}", {"K=k1,N=2", "K=k2,N=1"}),
        ("key(K), N = #sum{X : v(K,X)}", {"K=k1,N=7", "K=k2,N=0"}),
        ("v(K,_) in [#1 by K]", {"K=k1", "K=k2"}),
        ("key(K) at T in [1]", {"K=k1,T=4", "K=k1,T=5", "K=k2,T=4", "K=k2,T=5"}),
        ("p at T", {"T=2", "T=4", "T=5"}),
        ("b at T", {f"T={t}" for t in range(6)}),
        ("(q in [1]) at T", {"T=4", "T=5", "T=6"}),
        ("p at T in [9], not q at T", {"T=2"}),
        ("(v(K,3) or v(K,a)) in [9]", {"K=k1", "K=k2"}),
    ],
)
def test_the_instances_of_a_body(text: str, expected: set[str]) -> None:
    m = structure((1, "k1", 3), (3, "k2", "a"), (5, "k1", 7))
    plain = {",".join(part for part in line.split(",") if part[0] not in "_#") for line in found(text, m)}
    assert plain == expected
    assert not m.failures


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("v(K,X) in [9], Y = X + 1", "arithmetic on something that is not a number"),
        ("v(k1,X), 1 / (X - 7) > 0", "division by zero"),
        ("v(k1,X), not p at (X / 0)", "division by zero"),
    ],
)
def test_an_instance_without_a_value_fails_alone_and_is_counted(text: str, reason: str) -> None:
    m = structure((3, "k2", "a"), (5, "k1", 7))
    assert len(found(text, m)) == (1 if "Y" in text else 0)
    assert list(m.failures.values()) == [reason]
