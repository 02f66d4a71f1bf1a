"""Which programs are found separable, and why others are not."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import lasing
from lasing.languages.etalis.reader import read
from lasing.languages.etalis.resolve import resolved
from lasing.languages.etalis.separability import overlaps

KEYED = "event p(id key, x), q(id key, x), r(id key), s(id). "


def reasons(rules: str) -> dict[str, str]:
    program, mistakes = resolved([read(KEYED + rules)])
    assert not mistakes
    return {name: mistake.message for name, mistake in overlaps(program).items()}


@pytest.mark.parametrize(
    "rules",
    [
        "e(I) <- p(I, X) SEQ q(I, Y).",
        "e(X, I) <- (p(I, X) SEQ r(I)).5 WHERE X > 3.",
        "e(I) <- p(I, J) SEQ q(J, _).",  # the key says which J
        "e(I) <- p(I, X) SEQ r(Y) WHERE Y = X + 1.",
        "e(I) <- s(_) DURING (p(I, _) SEQ r(I)).",  # the interval is that of the right side
        "e(I) <- (s(J) AND r(J)) EQUALS (p(I, _) SEQ r(I)).",
        "e(I) <- p(I, _) SEQ r(I). f(I) <- e(I) MEETS q(I, _).",
        "e <- p(1, _) SEQ r(2).",
        "e(I) <- r(I).2.",
    ],
)
def test_an_event_whose_head_says_where_it_comes_from_has_one_interval(rules: str) -> None:
    assert not reasons(rules)


@pytest.mark.parametrize(
    ("rules", "reason"),
    [
        ("e(I) <- s(I).", "s may come again with the same values"),
        ("e(X) <- p(I, X) SEQ r(I).", "another I gives e(X) another interval"),
        ("e <- p(1, _) SEQ r(_).", "another argument of r gives e another interval"),
        ("e(I + 1) <- r(I).", "another I gives e(…) another interval"),
        ("e(I) <- p(I, _) OR q(I, _).", "each side of OR gives intervals"),
        ("e(I) <- NOT(s(I)).[p(I, _), r(I)].", "the separable encoding has no NOT"),
        ("e(I) <- p(I, _). e(I) <- q(I, _).", "e has several rules"),
        ("e(I) <- p(I, X) SEQ e(X).", "e depends on itself"),
        ("e(I) <- s(I). f(I) <- r(I) SEQ e(I).", "e may have several intervals"),
        (
            "f(I) <- r(I). e(J) <- f(I) WHERE u(J). u(1).",
            "another I gives e(J) another interval",
        ),
    ],
)
def test_other_events_may_have_several(rules: str, reason: str) -> None:
    assert list(reasons(rules).values())[-1] == reason


def check(tmp_path: Path, text: str) -> str:
    (tmp_path / "orders.etalis").write_text(text)
    command = [sys.executable, "-m", "lasing", "check", "orders.etalis"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    return done.stdout + done.stderr


def test_check_says_whether_a_program_is_separable(tmp_path: Path) -> None:
    shown = check(tmp_path, f"{KEYED}\ne(I) <- (p(I, _) SEQ r(I)).5.")
    assert "intervals separable: no event has two that overlap or touch, if events come once for each key\n" in shown
    shown = check(tmp_path, f"{KEYED}\ne(I) <- (p(I, _) SEQ s(I)).5.")
    assert "intervals may not be separable: s may come again with the same values (orders.etalis:2:22)\n" in shown


def test_the_separable_encoding_warns_where_intervals_may_become_one() -> None:
    with pytest.warns(lasing.LasingWarning) as warned:
        lasing.run(lasing.parse(f"encoding separable. {KEYED} e(I) <- s(I).", language="etalis"), "s(1) at 3.")
    assert any("W218" in str(w.message) and "e may not be separable: s may come" in str(w.message) for w in warned)


def test_several_attributes_are_one_key() -> None:
    program, _ = resolved([read("event p(a key, b: int key, c). e(A, B) <- p(A, B, C). f(A) <- p(A, B, C).")])
    assert program.keys == {"p": (0, 1)}
    assert list(overlaps(program)) == ["f"]
