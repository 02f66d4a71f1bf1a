"""What editors and highlighters need to know of the language: its words, from the tables that its reader uses.

The TextMate grammar and the definition for highlight.js, in editors/, are printed from here. `pygments_lexer.py` has
the lexer for Pygments.
"""

from __future__ import annotations

import json
from typing import Any

from lasing.languages.lars.slips import SELECTIONS
from lasing.languages.lars.statements import DIRECTIVES
from lasing.logic.functions import AGGREGATES
from lasing.logic.values import RESERVED
from lasing.timeline.ticks import MILLISECONDS

WORDS = tuple(sorted(RESERVED))
"""Keywords, which no constant and no predicate can be called."""
WINDOW_WORDS = ("by", "full", "step")
"""Keywords inside the brackets of a window."""
UNITS = tuple(sorted(MILLISECONDS, key=lambda unit: (-len(unit), unit)))
"""Units of durations, the longest first."""
OPERATORS = (
    ":-",
    ":~",
    "->",
    "..",
    "<=",
    ">=",
    "!=",
    "<",
    ">",
    "=",
    "+",
    "-",
    "*",
    "/",
    "¬",
    "∧",
    "∨",
    "→",
    "←",
    "≤",
    "≥",
    "≠",
    "◇",
    "□",
    "⊞",
)


def statements() -> tuple[str, ...]:
    """The words with # that begin a statement."""
    return tuple(sorted(DIRECTIVES))


def builtins() -> tuple[str, ...]:
    """The other words with #: aggregates, selections and the current time."""
    return tuple(sorted({*(f"#{name}" for name in AGGREGATES), *SELECTIONS, "#now"}))


# Patterns that mean the same in the regular expressions of Oniguruma (TextMate) and JavaScript.
_STRING = r'"(?:[^"\\\n]|\\["\\n])*"'
_IRI = r'<[A-Za-z][A-Za-z0-9+.\-]*:[^\s<>"{}|\\^`]*>'
_NUMBER = r"\b[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?"


def _any(words: tuple[str, ...]) -> str:
    return "(?:" + "|".join(words) + ")"


def textmate() -> str:
    """The TextMate grammar, as JSON."""

    def one(name: str, match: str) -> dict[str, Any]:
        return {"name": f"{name}.lars", "match": match}

    repository: dict[str, Any] = {
        "comments": {
            "patterns": [
                {"name": "comment.block.lars", "begin": r"%\*", "end": r"\*%"},
                one("comment.line.documentation", r"%![^\n]*"),
                one("comment.line.percentage", r"%[^\n]*"),
            ]
        },
        "windows": {
            "name": "meta.window.lars",
            "begin": r"\[",
            "end": r"\]|(?=\.\s*$)",
            "patterns": [one("keyword.other.window", rf"\b{_any(WINDOW_WORDS)}\b"), {"include": "#terms"}],
        },
        "terms": {
            "patterns": [
                {"include": "#comments"},
                {
                    "name": "string.quoted.double.lars",
                    "begin": '"',
                    "end": r'"|$',
                    "patterns": [one("constant.character.escape", r'\\["\\n]')],
                },
                one("string.other.iri", _IRI),
                one("storage.modifier.language", r'(?<=")(?:@[A-Za-z]{1,8}(?:-[A-Za-z0-9]{1,8})*|\^\^)'),
                one("keyword.control.directive", rf"{_any(statements())}\b"),
                one("support.function.builtin", rf"{_any(builtins())}\b"),
                one("support.function.own", r"@[a-z]\w*"),
                one("keyword.operator.word", rf"\b{_any(WORDS)}\b"),
                {
                    "match": rf"({_NUMBER})\s*({_any(UNITS)})?\b",
                    "captures": {"1": {"name": "constant.numeric.lars"}, "2": {"name": "keyword.other.unit.lars"}},
                },
                one("constant.other.blank", r"_:[\w.\-]*\w"),
                one("variable.other", r"\b[A-Z_]\w*"),
                one("constant.other.prefixed", r"\b[a-z]\w*:\w[\w\-]*"),
                one("entity.name.function.predicate", r"\b[a-z]\w*(?=\()"),
                one("constant.other.name", r"\b[a-z]\w*"),
                one("keyword.operator", "|".join(_escaped(sign) for sign in OPERATORS)),
            ]
        },
    }
    grammar = {
        "name": "LARS",
        "scopeName": "source.lars",
        "fileTypes": ["lars", "facts"],
        "patterns": [{"include": "#windows"}, {"include": "#terms"}],
        "repository": repository,
    }
    return json.dumps(grammar, indent=2, ensure_ascii=False) + "\n"


def highlight_js() -> str:
    """The definition for highlight.js, as a module."""

    def mode(kind: str, pattern: str) -> dict[str, Any]:
        return {"className": kind, "begin": pattern}

    contains: list[dict[str, Any]] = [
        {"className": "comment", "begin": r"%\*", "end": r"\*%"},
        mode("comment", r"%[^\n]*"),
        mode("string", _STRING),
        mode("link", _IRI),
        mode("meta", rf"{_any(statements())}\b"),
        mode("built_in", rf"(?:{_any(builtins())}\b|@[a-z]\w*)"),
        mode("keyword", rf"\b{_any(WORDS)}\b"),
        mode("number", rf"{_NUMBER}(?:\s*{_any(UNITS)}\b)?"),
        mode("symbol", r"_:[\w.\-]*\w"),
        mode("variable", r"\b[A-Z_]\w*"),
        mode("title", r"\b[a-z]\w*(?=\()"),
        mode("operator", "|".join(_escaped(sign) for sign in OPERATORS)),
    ]
    inside = json.dumps(contains, indent=2, ensure_ascii=False)
    words = json.dumps({"className": "keyword", "begin": rf"\b{_any(WINDOW_WORDS)}\b"})
    return f"""// LARS for highlight.js: hljs.registerLanguage("lars", lars)
const tokens = {inside};
export default function lars() {{
  const window = {{ begin: "\\\\[", end: "\\\\]", contains: [{words}, ...tokens] }};
  return {{ name: "LARS", aliases: ["lars"], contains: [window, ...tokens] }};
}}
"""


def _escaped(sign: str) -> str:
    return "".join(f"\\{letter}" if letter in "-.+*/" else letter for letter in sign)
