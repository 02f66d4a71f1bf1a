"""Regular expressions: `matches(X, "^a.*z$")`, `replace(X, "[0-9]+", "n")`.

Matching takes time in proportion to the text, whatever the pattern: the engine, RE2, never goes back. So it has no
back-references and no looking around. Flags are those of XPath: `i` ignores case, `s` lets `.` match the end of a line,
`m` lets `^` and `$` match at every line, `x` ignores white space in the pattern, and `q` takes the pattern literally.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from itertools import islice
from typing import Any

from lasing.logic.functions import reasons
from lasing.logic.functions.entry import LONGEST_TEXT, TRUTH, Function, call
from lasing.logic.functions.texts import PLAIN, TEXT, as_given, letters, like
from lasing.logic.values import Truth, Undefined, Value

FLAGS = "ismxq"
SQL_FLAGS = "gisc"
"""`g` replaces all matches, and `c` does not ignore case, which is what happens anyway."""

_SPACE_OUTSIDE_CLASSES = re.compile(r"(\\.)|(\[\^?\]?(?:\\.|[^\]\\])*\])|\s+", re.DOTALL)
_GROUP = re.compile(r"\\(.)|\$([0-9]+)|([\\$])", re.DOTALL)
_MOST_MEMORY = 8 << 20  # of a compiled pattern: a larger one is refused


@lru_cache(maxsize=512)
def pattern(text: str, flags: str = "") -> Any:
    """A compiled pattern; raises `ValueError` with the reason if it is not one."""
    import re2  # here, because most programs have no patterns

    unknown = set(flags) - set(FLAGS)
    if unknown:
        raise ValueError(f"there is no flag {min(unknown)}: the flags are {' '.join(FLAGS)}")
    options = re2.Options()
    options.log_errors = False
    options.max_mem = _MOST_MEMORY
    options.case_sensitive = "i" not in flags
    options.dot_nl = "s" in flags
    options.literal = "q" in flags
    if "q" not in flags:
        text = _SPACE_OUTSIDE_CLASSES.sub(lambda m: m[1] or m[2] or "", text) if "x" in flags else text
        text = f"(?m){text}" if "m" in flags else text
    try:
        return re2.compile(text, options)
    except re2.error as error:
        reason = error.args[0] if error.args else ""
        raise ValueError(reason.decode(errors="replace") if isinstance(reason, bytes) else str(reason)) from None


def check_pattern(function: str, text: str, flags: str) -> None:
    """Raise `ValueError` with the reason if a function cannot use a pattern and flags."""
    if function == "sql_regexp_replace":
        unknown = set(flags) - set(SQL_FLAGS)
        if unknown:
            raise ValueError(f"there is no flag {min(unknown)}: the flags are {' '.join(SQL_FLAGS)}")
        flags = "".join(flag for flag in flags if flag in "is")
    pattern(text, flags)


def _compiled(text: Value, flags: Value) -> Any:
    try:
        return pattern(letters(text), letters(flags))
    except ValueError:
        raise Undefined(reasons.BAD_PATTERN) from None


def _matches(text: Value, wanted: Value, flags: Value = "") -> Value:
    return Truth(_compiled(wanted, flags).search(letters(text)) is not None)


def _replace(text: Value, wanted: Value, replacement: Value, flags: Value = "") -> Value:
    compiled = _compiled(wanted, flags)
    if compiled.search("") is not None:  # as XPath has it: what would be replaced is everywhere
        raise Undefined(reasons.BAD_PATTERN)
    write = _template(letters(replacement), compiled.groups, "q" in letters(flags))
    return like(text, _replaced(compiled, letters(text), write, None))


def _template(replacement: str, groups: int, literally: bool) -> Callable[[Any], str]:
    """What replaces a match. `$1` is its first group, and a backslash precedes a `$` or backslash that is meant."""
    if literally:
        return lambda _found: replacement
    parts: list[str | int] = []
    position = 0
    for found in _GROUP.finditer(replacement):
        parts.append(replacement[position : found.start()])
        position = found.end()
        escaped, number, _ = found.groups()
        if number is not None:
            parts += _group(number, groups)
        elif escaped in ("\\", "$"):
            parts.append(escaped)
        else:
            raise Undefined(reasons.BAD_PATTERN)
    parts.append(replacement[position:])
    return lambda found: "".join(part if isinstance(part, str) else found[part] or "" for part in parts)


def _group(digits: str, groups: int) -> list[str | int]:
    """The longest number that is one of a group, and the digits after it; a group that is not there is empty."""
    length = len(digits)
    while length > 1 and int(digits[:length]) > groups:
        length -= 1
    number = int(digits[:length])
    return [number if number <= groups else "", digits[length:]]


_SQL_GROUP = re.compile(r"\\(.?)", re.DOTALL)


def _sql_replace(text: Value, wanted: Value, replacement: Value, flags: Value = "") -> Value:
    """Replace as SQL does: the first match, or all of them with the flag `g`; `\\1` is the first group."""
    given = set(letters(flags))
    if given - set(SQL_FLAGS):
        raise Undefined(reasons.BAD_PATTERN)
    compiled = _compiled(wanted, "".join(given & set("is")))
    parts: list[str | int] = []
    template, position = letters(replacement), 0
    for found in _SQL_GROUP.finditer(template):
        parts.append(template[position : found.start()])
        position = found.end()
        if found[1] != "\\" and not ("0" <= found[1] <= "9" and int(found[1]) <= compiled.groups):
            raise Undefined(reasons.BAD_PATTERN)
        parts.append("\\" if found[1] == "\\" else int(found[1]))
    parts.append(template[position:])

    def write(found: Any) -> str:
        return "".join(part if isinstance(part, str) else found[part] or "" for part in parts)

    return like(text, _replaced(compiled, letters(text), write, None if "g" in given else 1))


def _replaced(compiled: Any, source: str, write: Callable[[Any], str], most: int | None) -> str:
    """A text with its first matches, or all of them, replaced."""
    parts, position, length = [], 0, 0
    for found in islice(compiled.finditer(source), most):
        begin, end = found.span()
        parts += [source[position:begin], write(found)]
        length += len(parts[-1]) + len(parts[-2])
        if length > LONGEST_TEXT:
            raise Undefined(reasons.TOO_LONG)
        position = end
    return "".join([*parts, source[position:]])


PATTERN_FUNCTIONS: tuple[Function, ...] = (
    call(
        "matches",
        (TEXT, PLAIN, PLAIN),
        TRUTH,
        "mixed",
        _matches,
        'whether a regular expression matches part of a text; flags may follow: `matches(X, "^ab+", "i")`',
        least=2,
    ),
    call(
        "replace",
        (TEXT, PLAIN, PLAIN, PLAIN),
        "a text",
        as_given,
        _replace,
        'all matches of a regular expression replaced: `replace("a1b22", "([0-9]+)", "<$1>")` is `"a<1>b<22>"`',
        least=3,
    ),
    call(
        "sql_regexp_replace",
        (TEXT, PLAIN, PLAIN, PLAIN),
        "a text",
        as_given,
        _sql_replace,
        "the first match of a regular expression replaced, as SQL has it, or all of them with the flag `g`; `\\1` is "
        "the first group",
        least=3,
    ),
)
