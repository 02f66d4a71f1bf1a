"""Definitions and references of predicates, variables, constants, prefixes and files."""

from __future__ import annotations

from pathlib import Path

import pytest

from lasing.lsp.navigation import definition, references
from tests.unit.lsp.texts import marked, parts


def _defined(text: str) -> list[str]:
    reading, source, offset = marked(text)
    found = definition(reading.program, source, offset)
    assert not isinstance(found, Path)
    return parts(reading, found)


def _used(text: str, with_definition: bool = True) -> list[str]:
    reading, source, offset = marked(text)
    return parts(reading, references(reading.program, source, offset, with_definition))


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ("p(X) :- q(X).\nr(X) :- ‸p(X).", ["[p]"]),
        ("#input q/1.\np(X) :- q‸(X).", ["#input [q]"]),
        ("#stream p/1.\np(X) :- q(X).\nr :- not p‸(1) in [5].", ["#stream [p]", "[p]"]),
        ('room("🔥"). room(b).\np(X) :- ‸room(X).', ["[room]", 'room("🔥"). [room]']),
        ("p(Wert) :- q(Wert, _), ‸Wert > 1.", ["p([Wert]"]),
        ("#const größe = 5.\np :- q in [grö‸ße].", ["#const [größe]"]),
        ("#const n = 5.\np :- q(X) in [#‸n by X], X = 1.", ["#const [n]"]),
        ("#prefix ex: <http://ex.org/>.\np :- triple(X, ex‸:a, 1).", ["#prefix [ex]"]),
        ("p :- ‸not q.", []),
        ("p :- q. % ‸q", []),
    ],
)
def test_definition(text: str, places: list[str]) -> None:
    assert _defined(text) == places


@pytest.mark.parametrize(
    ("text", "places"),
    [
        (
            '%! hot(S): "{S} is hot"\n#show hot/1.\n‸hot(X) :- t(X).\nb(hot) :- hot(hot), #count{Y : hot(Y)} > 2.',
            ["%! [hot]", "#show [hot]", "[hot]", "b(hot) :- [hot]", "b(hot) :- hot(hot), #count{Y : [hot]"],
        ),
        ("p(X) :- q(X), ‸X > 1.\nr(X) :- q(X).", ["p([X]", "p(X) :- q([X]", "p(X) :- q(X), [X]"]),
        (
            "‸p(a). p(a). p(a) at 5. q :- p(a).",
            ["[p]", "p(a). [p]", "p(a). p(a). [p]", "p(a). p(a). p(a) at 5. q :- [p]"],
        ),
        ("{‸on(X) : room(X)} 2 :- on(X) in [5,-1].", ["{[on]", "{on(X) : room(X)} 2 :- [on]"]),
        ("#const n = 5.\np(n) :- q(X), X > ‸n, n.", ["#const [n]", "p([n]", "p(n) :- q(X), X > [n]"]),
        ("p(X) :- ‸q(X), r(.\ns :- q(1).", ["p(X) :- [q]", "s :- [q]"]),
    ],
)
def test_references(text: str, places: list[str]) -> None:
    assert _used(text) == places


def test_references_without_the_definition() -> None:
    assert _used("p :- q.\nr :- ‸p.", with_definition=False) == ["r :- [p]"]


def test_definition_in_an_included_file_that_is_not_saved(tmp_path: Path) -> None:
    lib = tmp_path / "lib.lars"
    lib.write_text("saved :- q.")
    main = '#include "lib.lars".\nr :- ‸typed.'
    reading, source, offset = marked(main, tmp_path / "main.lars", {lib.resolve(): "% 🔥\ntyped :- q."})
    found = definition(reading.program, source, offset)
    assert isinstance(found, list)
    assert parts(reading, found) == ["[typed]"]
    assert reading.program.sources[found[0][0]].path == lib


def test_definition_of_an_include_is_the_file(tmp_path: Path) -> None:
    (tmp_path / "lib.lars").write_text("p.")
    reading, source, offset = marked('#include "lib‸.lars". q :- p.', tmp_path / "main.lars")
    assert definition(reading.program, source, offset) == tmp_path / "lib.lars"
