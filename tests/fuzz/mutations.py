"""Damage inputs: flip, cut, repeat or move bytes, and swap words of a text for others."""

from __future__ import annotations

import re
from collections.abc import Sequence
from random import Random

EDGES = [
    *("0", "-1", "1", "2", "9223372036854775807", "9223372036854775808", "-9223372036854775808", "1e308", "1e400"),
    *("576460752303423488", "576460752303423487", "-576460752303423488", "4294967296", "0.1", "1.0", "NaN", "inf"),
]
TEXTS = [
    *('""', '"1"', "a", "null", "true", "\ud800".encode("utf-8", "surrogatepass").decode("latin-1"), "\x00", "ü", "😀"),
    *("2026-01-01", '"2026-01-01T00:00:00Z"', "x" * 300, '"' + "y" * 3000 + '"', "<http://a>", "_", "X", "_x"),
]
SYMBOLS = [
    *(
        ":-",
        ".",
        ",",
        ";",
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        "#",
        "%",
        "%*",
        "*%",
        "@",
        "=",
        "<",
        "<=",
        "!=",
        "+",
        "*",
        "/",
    ),
    *("not ", " in [3]", " always in [2]", " at T", " at 3", " in [#2]", " in [#1 by X]", " in [*]", " or ", " and "),
    *(
        " -> ",
        " mod ",
        " div ",
        "#count{",
        "#sum{X : ",
        "#show ",
        "#const ",
        "#tick 1 sec.",
        "#input ",
        "#include ",
        "|",
    ),
    *(
        " in [+5]",
        " in [T..U]",
        " in [5 step 2]",
        " in [full 3]",
        "\n",
        "\r\n",
        "\t",
        '"',
        "'",
        "\\",
        "⊞",
        "◇",
        "□",
        "¬",
    ),
]
_WORD = re.compile(r"\w+|\s+|[^\w\s]")


def bytes_of(seed: bytes, chance: Random) -> bytes:
    """A text or file with a few bytes wrong."""
    data = bytearray(seed)
    for _ in range(chance.choice([1, 1, 2, 4, 16])):
        at = chance.randrange(len(data) + 1)
        match chance.randrange(6):
            case 0 if at < len(data):
                data[at] ^= 1 << chance.randrange(8)
            case 1 if at < len(data):
                data[at] = chance.randrange(256)
            case 2:
                data[at:at] = chance.randbytes(chance.choice([1, 2, 8]))
            case 3:
                del data[at : at + chance.choice([1, 2, 8, 64])]
            case 4:
                end = at + chance.choice([1, 8, 64])
                data[at:at] = data[at:end] * chance.choice([1, 2, 50])
            case _:
                del data[at:]
    return bytes(data)


def words_of(seed: bytes, chance: Random, others: Sequence[bytes]) -> bytes:
    """A text with a few words wrong: numbers at the edges, symbols of the language, parts of another text."""
    words = _WORD.findall(seed.decode("utf-8", "replace"))
    for _ in range(chance.choice([1, 2, 3, 8])):
        at = chance.randrange(len(words) + 1)
        match chance.randrange(7):
            case 0:
                words[at:at] = [chance.choice(SYMBOLS)]
            case 1:
                words[at : at + 1] = [chance.choice(EDGES)]
            case 2:
                words[at : at + 1] = [chance.choice(TEXTS)]
            case 3:
                del words[at : at + chance.choice([1, 2, 5])]
            case 4:
                words[at:at] = words[at : at + chance.choice([1, 4, 20])] * chance.choice([1, 2, 200])
            case 5 if words:
                other = chance.randrange(len(words))
                words[at : at + 1], words[other] = [words[other]], (words[at] if at < len(words) else "")
            case _:
                words[at:at] = _WORD.findall(chance.choice(others).decode("utf-8", "replace"))[: chance.choice([3, 30])]
    return "".join(words)[:200_000].encode("utf-8", "replace")
