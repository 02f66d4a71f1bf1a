"""What editors and highlighters know of the language is what its reader knows."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from pygments.lexers import get_lexer_by_name, get_lexer_for_filename
from pygments.token import Comment, Keyword, Name, Number, Operator, Punctuation, String, Text, _TokenType

from lasing.errors import SourceText
from lasing.languages.lars.highlighting import UNITS, WINDOW_WORDS, WORDS, builtins, highlight_js, statements, textmate
from lasing.languages.lars.pygments_lexer import LarsLexer
from lasing.languages.lars.tokens import ALIASES, tokenize
from lasing.logic.functions import AGGREGATES
from lasing.logic.values import RESERVED
from lasing.timeline.ticks import MILLISECONDS
from tests.golden.golden import check_golden

ROOT = Path(__file__).parents[2]
EDITORS = ROOT / "editors"
PROGRAMS = sorted([*ROOT.glob("examples/**/*.lars"), *ROOT.glob("examples/**/*.facts")])

SAMPLE = """\
#tick 1 min.   #prefix ex: <http://ex.org/>.
%! hot(S): "{S} is hot"
%* a block
comment *%
hot(S) at T :- temp(S, V) at T in [5 min step 1 min], V >= 18.5e1, not cold(_) always in [#1 by S].
q(N, #now) :- N = #count{X : p(X, "a \\"b\\"", "chat"@en, ex:kitchen, _:b1)}, @own(N) ≠ 3.
"""

# What each kind of token may be for Pygments.
SAME: dict[str, tuple[_TokenType, ...]] = {
    "NAME": (Name, Name.Function, Keyword, Keyword.Type),  # by, step, full and units are names to the reader
    "VARIABLE": (Name.Variable, Name, Name.Function),  # É is a variable
    "NUMBER": (Number,),
    "STRING": (String,),
    "LITERAL": (String,),
    "IRI": (String.Other,),
    "BLANK": (Name.Label,),
    "PREFIXED": (Name.Namespace,),
    "DIRECTIVE": (Keyword.Declaration, Name.Builtin),
    "#now": (Name.Builtin,),
    "COMMENT": (Comment.Single, Comment.Multiline, Comment.Special),
    "#": (Punctuation,),
}


def pieces(text: str) -> list[tuple[int, _TokenType, str]]:
    """The tokens of Pygments, with their offsets."""
    return list(LarsLexer(stripnl=False, ensurenl=False).get_tokens_unprocessed(text))


def test_pygments_knows_the_lexer() -> None:
    assert isinstance(get_lexer_by_name("lars"), LarsLexer)
    assert isinstance(get_lexer_for_filename("hot.lars"), LarsLexer)


@pytest.mark.parametrize("text", [SAMPLE, *(path.read_text(encoding="utf-8") for path in PROGRAMS)])
def test_pygments_sees_the_tokens_of_the_reader(text: str) -> None:
    found = {offset: kind for offset, kind, _ in pieces(text)}
    tokens, mistakes = tokenize(SourceText("program", text), comments=True)
    assert not mistakes
    assert "".join(value for _, _, value in pieces(text)) == text
    for kind, word, offset in zip(tokens.kinds, tokens.texts, tokens.offsets, strict=True):
        if kind == "END" or text[offset - 1 : offset] == "@":  # a function and its sign are one token to Pygments
            continue
        if word in RESERVED:
            assert found[offset] is Keyword, word
        elif kind in SAME:
            assert found[offset] in SAME[kind], word
        else:
            assert offset in found or word == "@", word  # signs
            assert word == "@" or found[offset] in (Operator, Punctuation), word


def test_the_words_of_the_reader_have_their_kinds() -> None:
    kinds = {value: kind for _, kind, value in pieces(" ".join([*WORDS, *statements(), *builtins()]))}
    assert {value for value, kind in kinds.items() if kind is Keyword} == set(RESERVED)
    assert {f"#{name}" for name in AGGREGATES} <= {value for value, kind in kinds.items() if kind is Name.Builtin}
    for unit in MILLISECONDS:
        assert [kind for _, kind, _ in pieces(f"[5 {unit}]")] == [Punctuation, Number, Text, Keyword.Type, Punctuation]
    for word in WINDOW_WORDS:
        assert (1, Keyword, word) in pieces(f"[{word} ]")
        assert (0, Name, word) in pieces(f"{word} ")
    for alias in ALIASES:
        assert pieces(alias) == [(0, Operator, alias)]


def test_the_grammar_is_printed_from_the_words(rewrite: bool) -> None:
    check_golden(EDITORS / "vscode" / "syntaxes" / "lars.tmLanguage.json", textmate(), rewrite)


def test_the_definition_for_highlight_js_is_printed_from_the_words(rewrite: bool) -> None:
    check_golden(EDITORS / "highlightjs" / "lars.js", highlight_js(), rewrite)


def _matches(patterns: list[dict[str, Any]]) -> list[tuple[str, str]]:
    found = []
    for one in patterns:
        if "match" in one:
            found.append((one.get("name", "number"), one["match"]))
        elif "begin" in one and "name" in one:
            found.append((one["name"], one["begin"]))
    return found


@pytest.mark.parametrize(
    ("text", "name"),
    [
        *((word, "keyword.operator.word.lars") for word in WORDS),
        *((word, "keyword.control.directive.lars") for word in statements()),
        *((word, "support.function.builtin.lars") for word in builtins()),
        *((f"5 {unit}", "number") for unit in UNITS),
        ("Sensor", "variable.other.lars"),
        ("_", "variable.other.lars"),
        ("temp(", "entity.name.function.predicate.lars"),
        ("kitchen", "constant.other.name.lars"),
        ("ex:kitchen", "constant.other.prefixed.lars"),
        ("_:b1", "constant.other.blank.lars"),
        ("<http://ex.org/a>", "string.other.iri.lars"),
        ('"text"', "string.quoted.double.lars"),
        ("18.5e-3", "number"),
        (":-", "keyword.operator.lars"),
        ("@own", "support.function.own.lars"),
    ],
)
def test_the_grammar_names_each_token(text: str, name: str) -> None:
    grammar = json.loads(textmate())
    terms = _matches(grammar["repository"]["terms"]["patterns"])
    assert next(kind for kind, pattern in terms if re.match(pattern, text)) == name


def test_the_grammar_knows_comments_and_windows() -> None:
    repository = json.loads(textmate())["repository"]
    comments = _matches(repository["comments"]["patterns"])
    for text, name in (("%* a *%", "block"), ("%! hot: x", "line.documentation"), ("% a", "line.percentage")):
        assert next(kind for kind, pattern in comments if re.match(pattern, text)) == f"comment.{name}.lars"
    (words, *_) = repository["windows"]["patterns"]
    assert all(re.fullmatch(words["match"], word) for word in WINDOW_WORDS)


def test_the_folder_for_vs_code_is_whole() -> None:
    folder = EDITORS / "vscode"
    package = json.loads((folder / "package.json").read_text(encoding="utf-8"))
    json.loads((folder / "language-configuration.json").read_text(encoding="utf-8"))
    (language,), (grammar,) = package["contributes"]["languages"], package["contributes"]["grammars"]
    assert {".lars", ".facts"} == set(language["extensions"])
    assert grammar["scopeName"] == json.loads(textmate())["scopeName"]
    for name in (language["configuration"], grammar["path"], *package["files"]):
        assert (folder / name).exists()
    assert (folder / "LICENSE").read_text(encoding="utf-8") == (ROOT / "LICENSE").read_text(encoding="utf-8")


@pytest.mark.skipif(shutil.which("node") is None, reason="node runs the definition for highlight.js")
def test_the_definition_for_highlight_js_is_a_module_with_valid_patterns(tmp_path: Path) -> None:
    (tmp_path / "lars.mjs").write_text(highlight_js(), encoding="utf-8")
    script = """
        import lars from "./lars.mjs";
        const modes = lars().contains.flatMap((mode) => [mode, ...(mode.contains ?? [])]);
        const first = (text) => modes.find((mode) => new RegExp("^(?:" + mode.begin + ")").test(text))?.className;
        console.log(JSON.stringify(["always", "#count", "#tick", "Sensor", "5 min", "<http://a>", "% x"].map(first)));
    """
    (tmp_path / "run.mjs").write_text(script, encoding="utf-8")
    done = subprocess.run(["node", "run.mjs"], cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False)
    assert done.stderr == ""
    assert json.loads(done.stdout) == ["keyword", "built_in", "meta", "variable", "number", "link", "comment"]
