"""Values of all kinds, for tests that hold for each of them."""

from __future__ import annotations

from decimal import Decimal

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from lasing.logic.values import (
    LARGEST,
    SMALLEST,
    BlankNode,
    Constructed,
    Duration,
    ExactDecimal,
    Instant,
    Iri,
    TaggedLiteral,
    Truth,
    Value,
    literal,
    normal,
)
from lasing.logic.values import datatypes as xsd
from lasing.logic.values.moments import FIRST, LAST

ONE_OF_EACH: tuple[Value, ...] = (
    5,
    18.5,
    "x1",
    ExactDecimal(Decimal("5")),
    Truth(True),
    Instant(1_500_000),
    Duration(90_061_500_000),
    Iri("http://ex.org/a"),
    BlankNode("b1"),
    TaggedLiteral("chat", "en"),
    literal("05", xsd.INTEGER),
    Constructed("room", ("s1", 3)),
)
"""One value of each kind, in the order of the table."""

ALIKE: tuple[Value, ...] = (
    *(1, "1", "true", "5", "<http://ex.org/a>", "_:b1", '"chat"@en', "new(room,s1,3)", "", '"', "two\nlines"),
    *(ExactDecimal(Decimal(1)), ExactDecimal(Decimal("1.5")), 1.5, Truth(False), Instant(0), Duration(0)),
    *(literal("1.0", xsd.DECIMAL), literal("1", xsd.BOOLEAN), literal("1", xsd.DOUBLE), literal("1.5", xsd.DOUBLE)),
    *(Iri("http://ex.org/b"), TaggedLiteral("1", "en"), literal("1", "http://ex.org/t"), Constructed("1", (1,))),
    *(Constructed("1", ("1",)), Constructed("a b", (Iri("http://ex.org/a"), Constructed("c")))),
)
"""Values that are easily mistaken for one another."""

_text = st.text(st.characters(codec="utf-8"), max_size=8)
_simple: SearchStrategy[Value] = st.one_of(
    st.integers(SMALLEST, LARGEST),
    st.floats(allow_nan=False, allow_infinity=False).map(normal),
    _text,
    st.decimals(allow_nan=False, allow_infinity=False, places=5).map(ExactDecimal),
    st.booleans().map(Truth),
    st.integers(FIRST, LAST).map(Instant),
    st.integers(SMALLEST, LARGEST).map(Duration),
    st.from_regex(r"[a-z]{1,5}:[a-zA-Z0-9/#.,()é-]{0,8}", fullmatch=True).map(Iri),
    st.from_regex(r"[A-Za-z0-9_]{1,4}", fullmatch=True).map(BlankNode),
    st.tuples(_text, st.sampled_from(("en", "de-AT", "zh-hant"))).map(lambda pair: TaggedLiteral(*pair)),
    st.tuples(
        st.one_of(_text, st.from_regex(r"[+-]?[0-9]{1,3}(\.[0-9]{0,3})?([eE][0-9])?", fullmatch=True)),
        st.sampled_from((xsd.INTEGER, xsd.DECIMAL, xsd.DOUBLE, xsd.FLOAT, xsd.BOOLEAN, xsd.STRING, "http://ex.org/t")),
    ).map(lambda pair: literal(*pair)),
    st.sampled_from((*ONE_OF_EACH, *ALIKE)),
)


def any_value() -> SearchStrategy[Value]:
    """Values of all kinds, small and large."""
    deeper = st.tuples(_text, st.lists(_simple, max_size=2)).map(lambda pair: Constructed(pair[0], tuple(pair[1])))
    return st.one_of(_simple, deeper)
