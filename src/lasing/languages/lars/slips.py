"""What people who know another language may write, and how to write it here."""

from __future__ import annotations

import re

from lasing.languages.lars.tokens import Tokens
from lasing.logic import functions
from lasing.logic.values import RESERVED

AGGREGATES = tuple(f"#{name}" for name in functions.AGGREGATES)
SELECTIONS = ("#first", "#last")

_COMMENT = "a comment begins with %, or goes between %* and *%"
_POWER = "there is no power operator: write X * X"
ARROW = "write :- between a head and its body: q(X) :- p(X)."

_PAIRS = {
    ("/", "/"): _COMMENT,
    ("/", "*"): _COMMENT,
    ("*", "*"): _POWER,
    ("<", "-"): ARROW,
    ("=", ">"): ARROW,
    (":", "="): ARROW,
    ("-", "-"): _COMMENT,
    ("<", ">"): "for unequal, write !=",
    ("=", "<"): "write <=",
    ("=", "="): "for equal, write a single =",
}

_WORDS = {
    "within": "write in and a window: p(X) in [5]",
    "over": "write in and a window: p(X) in [5]",
    "during": "write in and a window: p(X) in [5]",
    "since": "write in and a window: p(X) in [5]",
    "if": ARROW,
    "when": ARROW,
    "where": ARROW,
    "is": "write =: Y = X + 1",
    "xor": "write: (p and not q) or (q and not p)",
}


def slip(tokens: Tokens, i: int) -> str:
    """How to write what the unexpected token `i` was probably meant to say; or nothing."""
    kinds, texts = tokens.kinds, tokens.texts
    kind, text, following = kinds[i], texts[i], kinds[i + 1] if i + 1 < len(kinds) else "END"
    if i and (remainder := _percent(tokens, i)):
        return remainder
    for at in (i, i - 1):
        if at >= 0 and (pair := _PAIRS.get((kinds[at], kinds[at + 1]))) and _adjacent(tokens, at):
            return pair
    if kind == "#":
        return _COMMENT
    for at in (i, i - 1):
        if at >= 0 and kinds[at] == "VARIABLE" and (word := texts[at].lower()) in RESERVED:
            return f"{texts[at]} is a variable: write {word} in lower case"
    if kind == "NAME" and text in _WORDS and i:
        return _WORDS[text]
    if kind == "{" and i and f"#{texts[i - 1].lower()}" in (*AGGREGATES, *SELECTIONS):
        return f"write #{texts[i - 1].lower()}{{…}}"
    if kind == "VARIABLE" and following == "(":
        return capitalised(text)
    if kind == ";":
        return "in a body, write or between alternatives: p or q; literals are separated by commas"
    return _missing_stop(tokens, i)


def capitalised(name: str) -> str:
    """What to write for a predicate that begins with an upper-case letter."""
    lower = name.lower()
    if f"#{lower}" in AGGREGATES:
        return f"an aggregate has braces: #{lower}{{V : p(V) in [5]}}"
    if lower in RESERVED:
        return f"{name} is a variable: write {lower} in lower case"
    plain = name.lstrip("_")
    return f"predicates begin with a lower-case letter: {plain[:1].lower()}{plain[1:]}(…)" if plain else ""


def _percent(tokens: Tokens, i: int) -> str:
    """`X % 2`: the rest of the line was taken for a comment."""
    before = i - 1
    if tokens.kinds[before] not in ("VARIABLE", "NUMBER", ")"):
        return ""
    begin = tokens.offsets[before] + len(tokens.texts[before])
    between = tokens.source.text[begin : min(tokens.offsets[i], begin + 40)]
    if re.match(r"[ \t]*%[ \t]*[\dA-Z(]", between):
        return "% starts a comment; for a remainder, write mod: X mod 2"
    return ""


def _missing_stop(tokens: Tokens, i: int) -> str:
    """A statement that continues, or ends, where the next line begins another one."""
    if i == 0:
        return ""
    begin = tokens.offsets[i - 1] + len(tokens.texts[i - 1])
    if tokens.kinds[i] == "END":
        return "a statement ends with a full stop"
    starts_line = "\n" in tokens.source.text[begin : tokens.offsets[i]]
    if starts_line and tokens.kinds[i] in ("NAME", "VARIABLE", "DIRECTIVE", ":-", ":~", "{"):
        line = tokens.source.place(tokens.offsets[i - 1]).line
        return f"is a full stop missing at the end of line {line}?"
    return ""


def _adjacent(tokens: Tokens, i: int) -> bool:
    return tokens.offsets[i] + len(tokens.texts[i]) == tokens.offsets[i + 1]
