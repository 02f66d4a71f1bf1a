"""Functions of texts: `lower(X)`, `contains(X, "fire")`.

A text is plain or in a language, and a result has the language of the first argument. Where a function compares two
texts, the second must be plain or have the language of the first, as in SPARQL 1.1, §17.4.3.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from math import floor
from urllib.parse import quote

from lasing.logic.functions import reasons
from lasing.logic.functions.entry import LONGEST_TEXT, TRUTH, Function, Kinds, Types, call, kinds
from lasing.logic.functions.promotion import NUMERIC, ranked
from lasing.logic.values import TaggedLiteral, Truth, Type, Undefined, Value

TEXT = kinds("text", str, TaggedLiteral)
PLAIN = kinds("plain text", str)

_HASHES = ("md5", "sha1", "sha256", "sha384", "sha512")


def letters(value: Value) -> str:
    """The letters of a text, without its language."""
    if isinstance(value, TaggedLiteral):
        return value.lexical
    assert isinstance(value, str), "the entries say so"
    return value


def like(model: Value, text: str) -> Value:
    """A text in the language of another one."""
    if len(text) > LONGEST_TEXT:
        raise Undefined(reasons.TOO_LONG)
    return TaggedLiteral(text, model.language) if isinstance(model, TaggedLiteral) else text


def as_given(types: Types) -> Type:
    """Plain texts give plain text."""
    return "mixed" if types and types[0] == "mixed" else "text"


def _changed(change: Callable[[str], str]) -> Callable[[Value], Value]:
    return lambda text: like(text, change(letters(text)))


def _compared(a: Value, b: Value) -> tuple[str, str]:
    """The letters of two texts that can be compared."""
    if isinstance(b, TaggedLiteral) and not (isinstance(a, TaggedLiteral) and a.language == b.language):
        raise Undefined(reasons.WRONG_KIND)
    return letters(a), letters(b)


def _test(test: Callable[[str, str], bool]) -> Callable[[Value, Value], Value]:
    return lambda a, b: Truth(test(*_compared(a, b)))


def _concat(*texts: Value) -> Value:
    """In a language if all texts are in it."""
    joined = "".join(map(letters, texts))
    languages = {text.language if isinstance(text, TaggedLiteral) else "" for text in texts}
    return like(texts[0] if len(languages) == 1 else "", joined)


def _substring(text: Value, start: Value, length: Value | None = None) -> Value:
    """The letters from a place, counted from 1; numbers are rounded, as in XPath."""
    first = _rounded(start)
    stop = None if length is None else first + _rounded(length)
    found = letters(text)[max(first - 1, 0) : None if stop is None else max(stop - 1, 0)]
    return like(text, found)


def _rounded(value: Value) -> int:
    found = ranked(value)
    if found is None:
        raise Undefined(reasons.WRONG_KIND)
    return floor(float(found[1]) + 0.5) if not isinstance(found[1], int) else found[1]


def _before(text: Value, mark: Value) -> Value:
    head, found, _ = _parted(text, mark)
    return like(text, head) if found else ""


def _after(text: Value, mark: Value) -> Value:
    _, found, tail = _parted(text, mark)
    return like(text, tail) if found else ""


def _parted(text: Value, mark: Value) -> tuple[str, bool, str]:
    whole, part = _compared(text, mark)
    if not part:
        return "", True, whole
    head, found, tail = whole.partition(part)
    return head, bool(found), tail


def _language_matches(language: Value, pattern: Value) -> Value:
    tag, wanted = letters(language).lower(), letters(pattern).lower()
    return Truth(bool(tag) if wanted == "*" else tag == wanted or tag.startswith(f"{wanted}-"))


def _hash(name: Value, text: Value) -> Value:
    if name not in _HASHES:
        raise Undefined(reasons.WRONG_FORM)
    return hashlib.new(letters(name), letters(text).encode(), usedforsecurity=False).hexdigest()


def _pair(name: str, test: Callable[[str, str], bool], about: str) -> Function:
    return call(name, (TEXT, TEXT), TRUTH, "mixed", _test(test), about)


_COUNT: Kinds = Kinds("number", NUMERIC.classes)

TEXT_FUNCTIONS: tuple[Function, ...] = (
    call("lower", (TEXT,), "a text", as_given, _changed(str.lower), "in lower case"),
    call("upper", (TEXT,), "a text", as_given, _changed(str.upper), "in upper case"),
    call("length", (TEXT,), "a whole number", "integer", lambda text: len(letters(text)), "the number of characters"),
    call("concat", (TEXT,), "a text", as_given, _concat, "all its arguments, one after the other", most=None),
    call(
        "substring",
        (TEXT, _COUNT, _COUNT),
        "a text",
        as_given,
        _substring,
        'from a place, counted from 1, and of a length: `substring("metadata", 4, 3)` is `ada`',
        least=2,
    ),
    _pair("contains", lambda a, b: b in a, "whether the second text is part of the first"),
    _pair("starts_with", str.startswith, "whether the first text begins with the second"),
    _pair("ends_with", str.endswith, "whether the first text ends with the second"),
    call(
        "before",
        (TEXT, TEXT),
        "a text",
        as_given,
        _before,
        'the part before the second text, or `""`: `before("a-b", "-")` is `a`',
    ),
    call(
        "after",
        (TEXT, TEXT),
        "a text",
        as_given,
        _after,
        'the part after the second text, or `""`: `after("a-b", "-")` is `b`',
    ),
    call(
        "lang_matches",
        (PLAIN, PLAIN),
        TRUTH,
        "mixed",
        _language_matches,
        'whether a language is in a range: `lang_matches("de-at", "de")`; `"*"` is any language',
    ),
    call(
        "encode_for_uri",
        (TEXT,),
        "a text",
        "text",
        lambda text: quote(letters(text), safe="-_.~"),
        "with `%` and digits for the characters that an IRI reserves",
    ),
    call(
        "hash",
        (PLAIN, PLAIN),
        "a text",
        "text",
        _hash,
        f'the digest of a text, in hexadecimal, by {", ".join(_HASHES[:-1])} or {_HASHES[-1]}: `hash("sha1", X)`',
    ),
)
