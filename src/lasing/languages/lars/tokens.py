"""Text to tokens.

Punctuation and keywords, such as `#now`, are their own kind; the others are NAME, VARIABLE, NUMBER, STRING, LITERAL
(`"chat"@en`, `"05"^^xsd:integer`), IRI, PREFIXED (`ex:kitchen`), BLANK (`_:b1`) and DIRECTIVE (`#show`, `#count`), and
BAD where no token begins. Unicode aliases have the kind of the word they replace. The last token is END.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from lasing.errors import Diagnostic, SourceText
from lasing.logic.values import IRI, NAME, NUMBER, RESERVED, STRING
from lasing.logic.values.blanks import BLANK, LABEL
from lasing.logic.values.literals import LANGUAGE

ALIASES = {
    "¬": "not",
    "∧": "and",
    "∨": "or",
    "→": "->",
    "←": ":-",
    "≤": "<=",
    "≥": ">=",
    "≠": "!=",
}

_PREFIXED = rf"[^\W\d_A-Z]\w*+:{LABEL}"
_TOKEN_OR_PREFIXED, _TOKEN = (
    rf"""\s*(?:{prefixed}
      (?P<NAME>{NAME})
    | (?P<BLANK>{BLANK})
    | (?P<VARIABLE>[A-Z_]\w*)
    | (?P<IRI>{IRI})
    | (?P<PUNCTUATION>:-|:~|->|\.\.|<=|>=|!=|[(),.;:=<>+\-*/\[\]{{}}@◇□⊞¬∧∨→←≤≥≠])
    | (?P<NUMBER>{NUMBER})
    | (?P<LITERAL>{STRING}(?:{LANGUAGE}|\^\^(?:{IRI}|{_PREFIXED})))
    | (?P<STRING>{STRING})
    | (?P<DIRECTIVE>\#[a-z]\w*)
    | (?P<HASH>\#)
    | (?P<COMMENT>%\*(?s:.*?)\*%|%(?!\*)[^\n]*)
    | (?P<END>\Z)
    | (?P<BAD>.)
    )"""
    for prefixed in (rf"(?P<PREFIXED>{_PREFIXED})|", "")
)
_PATTERNS = {prefixes: re.compile(p, re.VERBOSE) for prefixes, p in ((True, _TOKEN_OR_PREFIXED), (False, _TOKEN))}

KNOWN_PREFIXES = frozenset(("rdf", "rdfs", "xsd"))
_DECLARED = re.compile(rf"#prefix\s+({NAME})\s*:")

_SINGLE_QUOTED = re.compile(r"'[^'\n]*'")


@dataclass(slots=True)
class Tokens:
    """The tokens of a text as parallel lists: what kind each is, its text, and where it begins."""

    source: SourceText
    kinds: list[str]
    texts: list[str]
    offsets: list[int]


def after_statement(kinds: list[str], start: int) -> int:
    """The index after a statement: after its full stop or, if it begins with `:~`, after the bracket there."""
    try:
        end = kinds.index(".", start) + 1
        if kinds[start] != ":~":
            return end
        bracket = end
        while kinds[bracket] == "COMMENT":
            bracket += 1
        if kinds[bracket] != "[":
            return end
        stop = after_statement(kinds, bracket)  # in case the bracket is never closed
        return kinds.index("]", bracket, stop) + 1 if "]" in kinds[bracket:stop] else stop
    except ValueError:
        return kinds.index("END", start)


def directives_in(kinds: list[str]) -> list[int]:
    """The index of the first token of each directive."""
    found: list[int] = []
    if "DIRECTIVE" in kinds:
        i = 0
        while kinds[i] != "END":
            if kinds[i] == "DIRECTIVE":
                found.append(i)
            i = after_statement(kinds, i)
    return found


def declared_prefixes(text: str) -> frozenset[str]:
    """The prefixes that a text declares, wherever it does."""
    return frozenset(_DECLARED.findall(text)) if "#prefix" in text else frozenset()


def tokenize(
    source: SourceText, comments: bool = False, prefixes: frozenset[str] | None = frozenset()
) -> tuple[Tokens, list[Diagnostic]]:
    """All tokens of a text, and a finding for each place that is not a token. Comments are left out by default.

    `a:b` is an IRI if `a` is a prefix: one that the text declares, or one of `prefixes`; with None, it always is.
    Otherwise these are three tokens, as in `{a:b}`.
    """
    if prefixes is not None:
        known = KNOWN_PREFIXES | prefixes | declared_prefixes(source.text)
        prefixes = frozenset(prefix for prefix in known if f"{prefix}:" in source.text)
    kinds: list[str] = []
    texts: list[str] = []
    offsets: list[int] = []
    found: list[Diagnostic] = []
    text = source.text
    position: int | None = 0
    while position is not None:
        position = _tokenize_from(source, position, comments, prefixes, (kinds, texts, offsets), found)
    # Twice, so that one token of look-ahead needs no check.
    kinds += ["END", "END"]
    texts += ["", ""]
    offsets += [len(text.rstrip())] * 2
    return Tokens(source, kinds, texts, offsets), found


def _tokenize_from(
    source: SourceText,
    position: int,
    comments: bool,
    prefixes: frozenset[str] | None,
    tokens: tuple[list[str], list[str], list[int]],
    found: list[Diagnostic],
) -> int | None:
    """Read tokens up to the end (None) or past the next place that is not a token (where to continue)."""
    kinds, texts, offsets = tokens
    pattern = _PATTERNS[prefixes is None or bool(prefixes)]
    for match in pattern.finditer(source.text, position):
        index, kind = match.lastindex, match.lastgroup
        assert index is not None
        assert kind is not None
        offset, word = match.start(index), match[index]
        if kind == "NAME":
            if word in RESERVED:
                kind = word
            elif word[0] > "\x7f" and word[0].isupper():
                kind = "VARIABLE"
        elif kind == "PREFIXED" and prefixes is not None and (name := word.partition(":")[0]) not in prefixes:
            kinds += [name if name in RESERVED else "NAME", ":"]
            texts += [name, ":"]
            offsets += [offset, offset + len(name)]
            return offset + len(name) + 1
        elif kind == "PUNCTUATION":
            kind = ALIASES.get(word, word)
        elif kind == "HASH":
            kind = "#"
        elif word == "#now" and kind == "DIRECTIVE":
            kind = word
        elif kind == "COMMENT":
            if not comments:
                continue
        elif kind == "BAD":
            finding, resume = _bad(source, offset)
            found.append(finding)
            kinds.append(kind)
            texts.append(word)
            offsets.append(offset)
            return resume
        elif kind == "END":
            return None
        kinds.append(kind)
        texts.append(word)
        offsets.append(offset)
    return None


def _bad(source: SourceText, offset: int) -> tuple[Diagnostic, int]:
    """The finding for a character that begins no token, and the offset at which reading continues."""
    text = source.text
    if text.startswith("%*", offset):
        message, note = "this block comment is never closed", "close it with *%"
        return Diagnostic("E101", message, source.place(offset, 2), note), len(text)
    if text[offset] == '"':
        end = text.find("\n", offset)
        end = len(text) if end < 0 else end
        message, note = (
            "this string is never closed",
            'close it with " in the same line; \\" \\\\ \\n are its escapes',
        )
        body = re.compile(r'"[^"\\\n]*+(?:\\.[^"\\\n]*+)*+').match(text, offset)
        assert body is not None
        if text.startswith('"', body.end()):
            message, end = "this string has an unknown escape", body.end() + 1
        return Diagnostic("E102", message, source.place(offset, end - offset), note), end
    if (quoted := _SINGLE_QUOTED.match(text, offset)) is not None:
        shown = quoted[0] if len(quoted[0]) <= 40 else f"{quoted[0][:40]}…"
        hint = 'write: "' + shown.strip("'") + '"'
        return Diagnostic("E103", "text needs double quotes", source.place(offset, len(quoted[0])), hint), quoted.end()
    character = text[offset]
    length = 2 if text.startswith(("&&", "||", "\\+", "\\=", "^^"), offset) else 1
    hint = {
        "&": "write: and, or a comma",
        "|": "write: or; in a head, separate alternatives by ;",
        "!": "write: not; for unequal, !=",
        "'": 'quote text with ": "any text"',
        "~": "write: not; a weak constraint begins with :~",
        "?": "variables start with an upper-case letter, such as X",
        "^": 'a datatype is an IRI, such as "5"^^xsd:integer'
        if text.startswith("^^", offset)
        else "there is no power operator: write X * X",
        "\\": "write: not; for unequal, !=",
        "$": "variables start with an upper-case letter, such as X",
    }.get(character, 'no token begins with it; quote text with "')
    shown = text[offset : offset + length] if character.isprintable() else f"U+{ord(character):04X}"
    what = "character" if length == 1 else "characters"
    return Diagnostic("E103", f"unexpected {what} {shown}", source.place(offset, length), hint), offset + length
