"""Any text is read, or refused with findings: no other exception leaves the reader, the checks or the formatter."""

from __future__ import annotations

import random
from contextlib import suppress

import pytest

from lasing.engine_choice import plan_for
from lasing.errors import LasingError, SourceText
from lasing.languages import examine
from lasing.languages.lars.formatter import format_text
from lasing.logic.analysis import analyse
from lasing.logic.checks import CAUTIONS, findings
from lasing.logic.partition import partition

WORDS = r"""q(X) q(X,Y) X Y T _ 1 2.5 1e400 9223372036854775808 "text" "open 'a' <http://a/b> :- :~ . , ; : ( ) [ ] { }
at in always not and or -> div mod + - * / = < <= != .. # #count #sum{ #avg #first #last{ #const #tick #show #input
#include #minimize #1 @ ◇ □ ⊞ ¬ ∧ ← step by full 5 min sec % %* *% &
| ! ~ \\ ^ $ ` é 2026-01-01 T10:00 Hot( AND within ** // == <>"""
PIECES = [*WORDS.split(), "\n", "\x00", "\ud800"]
SEED_PROGRAM = """#tick 1 sec. #const n = 5. #input p/2. #show q/1.
q(X) at T :- p(X, V) at T in [n], not r(X) always in [3 step 2], V >= 2 * n, #count{Y : p(Y, _) in [#3 by Y]} > 1.
1 {a(X) : b(X) ; c at T} 2 :- d(X), (e -> f) in [T..9]. :~ a(X). [1@2, X] #minimize{W@1, X : g(X, W)}.
"""


def _examined(text: str) -> int:
    """Do all that `lasing check` and `lasing fmt` do; returns the number of findings."""
    program, found = examine([SourceText("program", text)])
    if found:
        str(LasingError(found))
    else:
        findings(program, CAUTIONS)
        analyse(program)
        partition(program)
        if all(rule.definite for rule in program.rules):
            plan_for(program, "auto")
        str(program)
    with suppress(LasingError):
        format_text(SourceText("program", text))
    return len(found)


@pytest.mark.parametrize("first", range(0, 3000, 500))
def test_pieces_in_any_order(first: int) -> None:
    for seed in range(first, first + 500):
        chance = random.Random(seed)
        text = chance.choice(["", " "]).join(chance.choice(PIECES) for _ in range(chance.randint(1, 40)))
        assert _examined(text) >= 0, repr(text)


@pytest.mark.parametrize("first", range(0, 1500, 500))
def test_a_program_with_letters_changed(first: int) -> None:
    for seed in range(first, first + 500):
        chance = random.Random(seed)
        letters = list(SEED_PROGRAM)
        for _ in range(chance.randint(1, 6)):
            at = chance.randrange(len(letters))
            letters[at : at + chance.choice([0, 1, 1, 3])] = chance.choice(
                [chance.choice(PIECES), "", chr(chance.randrange(256))]
            )
        assert _examined("".join(letters)) >= 0, repr("".join(letters))
