"""Answers, also as changes and as intervals."""

from __future__ import annotations

from collections.abc import Iterator

from lasing.logic.answers import Answer, Holding, changes, intervals
from lasing.logic.formulas import Atom

P, Q, R = Atom("p"), Atom("q"), Atom("r")


def timeline(start: int, *answers: str) -> list[Answer]:
    """Answers from `start` on, each a word of one-letter predicates."""
    return [Answer.single(t, frozenset(map(Atom, word))) for t, word in enumerate(answers, start)]


def test_the_text_of_an_answer_is_sorted() -> None:
    assert str(Answer.single(5, frozenset((Q, Atom("p", ("x",)), P)))) == "5: p p(x) q"


def test_an_empty_answer_has_its_time() -> None:
    assert str(Answer.single(5, frozenset())) == "5:"


# time   1   2   3   4
# p      --------
# q          ----    --
def test_changes_are_what_comes_and_goes() -> None:
    found = [(c.time, set(c.added), set(c.removed)) for c in changes(timeline(1, "p", "pq", "", "q"))]
    assert found == [
        (1, {P}, set()),
        (2, {Q}, set()),
        (3, set(), {P, Q}),
        (4, {Q}, set()),
    ]


# time   3   4   5   6   7
# p      --      ----------
# q      ------
# r      ------------------
def test_intervals_are_maximal_and_sorted_by_start_and_text() -> None:
    found = list(intervals(changes(timeline(3, "pqr", "qr", "pr", "pr", "pr"))))
    assert found == [Holding(P, 3, 3), Holding(Q, 3, 4), Holding(R, 3, 7), Holding(P, 5, 7)]


def test_an_interval_comes_as_soon_as_order_allows() -> None:
    read: list[int] = []

    def live() -> Iterator[Answer]:
        for answer in timeline(1, "p", "q", "q", "q"):
            read.append(answer.time)
            yield answer

    assert next(intervals(changes(live()))) == Holding(P, 1, 1)
    assert read == [1, 2]


def test_no_answers_have_no_intervals() -> None:
    assert list(intervals([])) == []
