"""An event with a value of the wrong type matches nothing, also where a rule asks for just this value."""

from __future__ import annotations

import pytest

import lasing


def test_a_constant_that_is_no_value_of_the_attribute_never_fits() -> None:
    program = lasing.parse(
        "event Rain(room: int); event Wind(room: float);\n"
        "define Fire(room) from Rain(room = 1.5, room = $r) with room = $r;\n"
        "define Storm(room) from Wind(room = 1.5, room = $r) with room = $r;\n"
        "define Wet(room) from Rain(room = 1, room = $r) with room = $r;\n",
        language="tesla",
    )
    rows = [(0, "rain", 1.5), (0, "wind", 1.5), (1, "rain", 1)]
    with pytest.warns(lasing.LasingWarning, match="W207"):
        found = [{str(atom) for atom in answer.atoms} for answer in lasing.run(program, rows, start=0, end=1)]
    assert found == [{"rejected_rain(1.5)", "storm(1.5)"}, {"wet(1)"}]
