"""LARS for Pygments, which finds this lexer by its name, `lars`, and by the endings of files."""

from __future__ import annotations

import re
from typing import ClassVar

from pygments.lexer import RegexLexer, bygroups, words
from pygments.token import Comment, Keyword, Name, Number, Operator, Punctuation, String, Text

from lasing.languages.lars.highlighting import OPERATORS, UNITS, WINDOW_WORDS, WORDS, builtins, statements
from lasing.logic.values import IRI, NAME, NUMBER, STRING
from lasing.logic.values.blanks import BLANK, LABEL
from lasing.logic.values.literals import LANGUAGE


class LarsLexer(RegexLexer):  # type: ignore[misc]  # Pygments has no types
    """Programs (.lars) and streams (.facts)."""

    name = "LARS"
    aliases: ClassVar[list[str]] = ["lars"]
    filenames: ClassVar[list[str]] = ["*.lars", "*.facts"]
    flags = re.UNICODE

    _terms: ClassVar[list[tuple[object, ...]]] = [
        (r"\s+", Text),
        (r"%\*(?s:.*?)\*%", Comment.Multiline),
        (r"%![^\n]*", Comment.Special),
        (r"%[^\n]*", Comment.Single),
        (rf"({STRING})({LANGUAGE})", bygroups(String, String.Affix)),
        (rf"({STRING})(\^\^)", bygroups(String, Operator)),
        (STRING, String),
        (IRI, String.Other),
        (BLANK, Name.Label),
        (words(statements(), suffix=r"\b"), Keyword.Declaration),
        (words(builtins(), suffix=r"\b"), Name.Builtin),
        (r"@[a-z]\w*", Name.Builtin),
        (words(WORDS, prefix=r"\b", suffix=r"\b(?!:\w)"), Keyword),
        (rf"({NUMBER})(\s*)({'|'.join(UNITS)})\b", bygroups(Number, Text, Keyword.Type)),
        (NUMBER, Number),
        (r"[A-Z_]\w*", Name.Variable),
        (rf"{NAME}:(?=\w){LABEL}", Name.Namespace),
        (rf"{NAME}(?=\()", Name.Function),
        (NAME, Name),
        (words(OPERATORS), Operator),
        (r"[(),.;:{}@#]", Punctuation),
        (r".", Text),
    ]
    tokens: ClassVar[dict[str, list[object]]] = {
        "root": [(r"\[", Punctuation, "window"), *_terms],
        "window": [
            (r"\]", Punctuation, "#pop"),
            (words(WINDOW_WORDS, prefix=r"\b", suffix=r"\b"), Keyword),
            *_terms,
        ],
    }
