"""Property paths, by what they match: sequences and alternatives keep duplicates, repetitions do not."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.queries import Data, Solutions, answered

DATA = Data.of(
    """PREFIX : <http://e/>
    :a :p :b ; :q :b . :b :p :c . :c :p :a ; :r :d .
    :g { :x :p :y } :h { :x :q :x }"""
)


def matched(pattern: str) -> Counter[str]:
    found = answered(f"PREFIX : <http://e/> SELECT * {{ {pattern} }}", DATA)
    assert isinstance(found, Solutions)
    return Counter("".join(term.value[-1] for term in row if term is not None) for row in found.rows)


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        (":a :p ?x", "b"),
        ("?x ^:p :a", "b"),
        (":a :p/:p ?x", "c"),
        (":a (:p|:q)/:p ?x", "c c"),
        (":a :p+ ?x", "a b c"),
        (":a :p* ?x", "a b c"),
        (":a :p? ?x", "a b"),
        ("?x :p+ :a", "a b c"),
        ("?x :r* ?x", "a b c d"),
        ("?x :r? :d", "c d"),
        (":z :p* ?x", "z"),
        (":z :p? :z", ""),
        ("?x (:p/:p/:p) ?x", "a b c"),
        (":a !:p ?x", "b"),
        (":b !^:p ?x", "a"),
        ("?x !(:p|:q) ?y", "cd"),
        (":a !(:q|^:q) ?x", "b c"),
        ("?x (:p/:r)|:q ?y", "bd ab"),
        (":a (:p|:q)+ ?x", "a b c"),
        ("GRAPH ?g { ?x :p+ ?y }", "gxy"),
        ("GRAPH :h { ?x :q* ?y }", "xx"),
        ("GRAPH ?g { :x :p* :x }", "g h"),
    ],
)
def test_pairs(pattern: str, expected: str) -> None:
    assert matched(pattern) == Counter("".join(sorted(one)) if "g" in one else one for one in expected.split(" "))
