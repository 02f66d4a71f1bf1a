"""The layout of TESLA: a clause a line; formatting changes nothing but white space and the case of keywords."""

from __future__ import annotations

import pytest

from lasing.errors import LasingError, SourceText
from lasing.languages.tesla.formatter import format_patterns
from lasing.languages.tesla.reader import read

WILD = """event Temp(room:string,value:float);event Smoke(area:string); // both sensors
DEFINE Fire(room:string) FROM Smoke(area=$a) as S and 2-last Temp(room=$a,value>-45+3*2) within 5 min from S
and not Smoke( area != $a )between Temp and S and each Temp(value<3-2-(1-2)) as T between S and Temp /* the rest */
with room=S.area consuming Temp;
define Quiet() when Timer(hour=8) and not Temp() within 1 h from Timer
"""
LAID_OUT = """event Temp(room: string, value: float);
event Smoke(area: string);  // both sensors

define Fire(room: string)
from Smoke(area = $a) as S
     and 2-last Temp(room = $a, value > -45 + 3 * 2) within 5 min from S
     and not Smoke(area != $a) between Temp and S
     and each Temp(value < 3 - 2 - (1 - 2)) as T between S and Temp  /* the rest */
with room = S.area
consuming Temp;

define Quiet()
when Timer(hour = 8)
     and not Temp() within 1 h from Timer
"""


def formatted(text: str) -> str:
    return format_patterns(SourceText("p.tesla", text))


def test_a_clause_a_line() -> None:
    assert formatted(WILD) == LAID_OUT


def test_formatting_again_changes_nothing() -> None:
    assert formatted(LAID_OUT) == LAID_OUT


def test_the_meaning_stays() -> None:
    assert read(LAID_OUT).rules == read(WILD).rules


def test_capitals_of_t_rex_stay() -> None:
    text = "Assign 1 => A\nDefine R() From A() Where x := 1 Consuming A;"
    assert formatted(text) == "Assign 1 => A\n\nDefine R()\nFrom A()\nWhere x := 1\nConsuming A;\n"


@pytest.mark.parametrize("text", ["define R() from A(x = 'a)", "define R() from A(x ~ 1)"])
def test_what_cannot_be_read_is_not_formatted(text: str) -> None:
    with pytest.raises(LasingError) as found:
        formatted(text)
    assert [d.code for d in found.value.diagnostics] == ["E711"]
