"""The layout of DOTR: a clause a line, queries in brackets; nothing but white space and keywords changes."""

from __future__ import annotations

import pytest

from lasing.errors import SourceText
from lasing.events.mistakes import Mistake
from lasing.languages.dotr.formatter import format_dotr
from lasing.languages.dotr.reader import read
from tests.differential.dotr_programs import dotr_example

WILD = """prefix : <http://ex.org/> base <http://b/>
tick 1 s;
# a fire
DEFINE Fire=[dotr_id1 a :Fire.
   dotr_id1 :at ?room ] FROM Smoke=[SELECT ?room WHERE {?s :smoke ?room}] and last Temp = [SELECT ?r WHERE
  { ?s :in ?r. # hot
    FILTER (?v > 60 && ?r = Smoke.?room). }
] within 5 min from Smoke # soon
and not Temp as X between Temp and Smoke with Fire.?room=Smoke.?room consuming Temp;
Assign 1=>A, 2 => B
Define B:={ dotr_id1 :p ?a . } From A:=[select ?x where{?s :p ?x}](?x>5,?x!=3) as Q and 2-last A within 3000 from Q
With A.?x:=Q.?x Where (int)?a := AVG(A.?x(?x > -2)) within 3000 from Q + 2 - 1;
# the end
"""
LAID_OUT = """PREFIX : <http://ex.org/>
BASE <http://b/>

tick 1 s;

# a fire
define Fire = [dotr_id1 a :Fire. dotr_id1 :at ?room]
from Smoke = [
  SELECT ?room
  WHERE {
    ?s :smoke ?room
  }
]
and last Temp = [
  SELECT ?r
  WHERE {
    ?s :in ?r .  # hot
    FILTER (?v > 60 && ?r = Smoke.?room) .
  }
] within 5 min from Smoke  # soon
and not Temp as X between Temp and Smoke
with Fire.?room = Smoke.?room
consuming Temp;

Assign 1 => A, 2 => B
Define B := { dotr_id1 :p ?a . }
From A := [
  SELECT ?x
  WHERE {
    ?s :p ?x
  }
](?x > 5, ?x != 3) as Q
and 2-last A within 3000 from Q
With A.?x := Q.?x
Where (int)?a := AVG(A.?x(?x > -2)) within 3000 from Q + 2 - 1;
# the end
"""


def formatted(text: str) -> str:
    return format_dotr(SourceText("p.dotr", text))


def test_a_clause_a_line_and_queries_in_brackets() -> None:
    assert formatted(WILD) == LAID_OUT


def test_formatting_again_changes_nothing() -> None:
    assert formatted(LAID_OUT) == LAID_OUT


@pytest.mark.parametrize("seed", range(40))
def test_the_meaning_of_random_programs_stays(seed: int) -> None:
    text = dotr_example(seed).text
    laid_out = formatted(text)
    assert formatted(laid_out) == laid_out
    mistakes: list[Mistake] = []
    before, after = read(text, mistakes, {}), read(laid_out, mistakes, {})
    assert not mistakes
    assert [rule.pattern for rule in before.rules] == [rule.pattern for rule in after.rules]


@pytest.mark.parametrize("text", ["", "# nothing\n", "define = [", "define Fire = [:a :b 'x  y'] from"])
def test_any_text_can_be_formatted(text: str) -> None:
    laid_out = formatted(text)
    assert formatted(laid_out) == laid_out
