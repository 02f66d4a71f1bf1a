"""How far slices of a history look back."""

from __future__ import annotations

import pytest

import lasing
from lasing.logic.history import history
from lasing.logic.runs import reach_of_streams


@pytest.mark.parametrize(
    ("text", "points", "why"),
    [
        ("q :- p in [5].", 5, ""),
        ("#stream q/0. q :- p in [5]. r :- q in [3].", 8, ""),
        ("#stream q/0. q :- p in [5]. r :- q.", 5, ""),
        ("#stream q/0, r/0. q :- p in [5]. r :- q in [3,-1]. s :- not r always in [4].", 12, ""),
        ("#stream q/0. q :- p. q :- q in [1,-1], not s.", None, "q is derived from its own past"),
        ("#stream q/0, r/0. q :- r in [1,-1]. r :- q in [2], p.", None, "q is derived from its own past: q <- r <- q"),
        ("#stream q/0. q :- p. r :- q in [*].", None, "all of q is remembered"),
        (
            "#stream q/0. q :- p in [#2]. r :- q in [1].",
            None,
            "a derived stream is remembered, and windows count facts",
        ),
    ],
)
def test_lookbacks_add_up_along_streams(text: str, points: int | None, why: str) -> None:
    found = history(lasing.parse(text))
    assert (found.lookback.points, found.why) == (points, why)


def test_the_reach_of_a_stream_is_that_of_its_windows() -> None:
    program = lasing.parse("#stream q/0, r/0, s/0. q :- p. r :- q in [3 step 2]. s :- r in [2], q always in [5,-1].")
    assert reach_of_streams(program) == {"q": 5, "r": 2, "s": 0}
    assert reach_of_streams(lasing.parse("#stream q/0. q :- p. r :- q at T.")) == {"q": None}
