"""Renaming keeps the program's meaning, or is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from lasing.errors import LasingError
from lasing.lsp.rename import rename
from tests.unit.lsp.texts import marked


def _renamed(text: str, name: str) -> str:
    reading, source, offset = marked(text)
    (places,) = rename([reading], source, offset, name)
    result = reading.root.text
    for _, span in sorted(places, key=lambda place: -place[1].begin):
        result = result[: span.begin] + name + result[span.end :]
    return result


@pytest.mark.parametrize(
    ("text", "name", "expected"),
    [
        (
            '%! hot(S): "{S}"\n#stream hot/1.\nhot(X) :- t(X, "🔥hot"), hot‸(X) in [3,-1].\nhot(a). hot(a). % hot',
            "warm",
            '%! warm(S): "{S}"\n#stream warm/1.\nwarm(X) :- t(X, "🔥hot"), warm(X) in [3,-1].\nwarm(a). warm(a). % hot',
        ),
        ("p(été) :- é‸té(été).", "hiver", "p(été) :- hiver(été)."),
        (
            "p(X) :- q(X), #count{Y : r(X‸, Y)} > X.\ns(X) :- q(X).",
            "Größe",
            "p(Größe) :- q(Größe), #count{Y : r(Größe, Y)} > Größe.\ns(X) :- q(X).",
        ),
        ("p(X) :- q(‸X), r(.", "Y", "p(Y) :- q(Y), r(."),
        (":~ p(X‸). [X@1, X]", "W", ":~ p(W). [W@1, W]"),
    ],
)
def test_rename(text: str, name: str, expected: str) -> None:
    assert _renamed(text, name) == expected


@pytest.mark.parametrize(
    ("text", "name", "code"),
    [
        ("p :- ‸q, r.", "r", "E792"),
        ("p :- ‸q.", "Q", "E792"),
        ("p :- ‸q.", "not", "E792"),
        ("p :- ‸q.", "a b", "E792"),
        ("p(X) :- ‸q(X).", "abs", "E792"),
        ("#const n = 1. p(n) :- ‸q.", "n", "E792"),
        ("#prefix ex: <http://e.org/>. p :- ex:b(X), X = 1, ‸triple(X, Y, Y).", "t", "E792"),
        ("p(X) :- q(‸X, Y).", "Y", "E792"),
        ("p(X) :- q(‸X).", "x", "E792"),
        ("p(X) :- q(‸X).", "_", "E792"),
        ("p(X) :- ‸q(X), r(.", "s", "E791"),
        ("p(X) :- q(X), X ‸> 1.", "s", "E790"),
        ("#const n‸ = 1.", "m", "E790"),
        ("p(X) :- q(X, ‸_).", "Y", "E790"),
        ("p :- q. % ‸q", "r", "E790"),
    ],
)
def test_refused(text: str, name: str, code: str) -> None:
    with pytest.raises(LasingError) as refused:
        _renamed(text, name)
    assert refused.value.diagnostics[0].code == code


def test_in_a_program_of_several_files(tmp_path: Path) -> None:
    (tmp_path / "lib.lars").write_text("hot(X) :- t(X).\n")
    reading, source, offset = marked('#include "lib.lars".\nalarm :- ho‸t(X), X > 1.', tmp_path / "main.lars")
    (places,) = rename([reading], source, offset, "warm")
    assert [(reading.program.sources[n].name[-9:], span.begin) for n, span in places] == [
        ("/lib.lars", 0),
        ("main.lars", 30),
    ]
