"""What stands between the brackets of a window: `[RANGE 10s STEP 5s]`."""

from __future__ import annotations

from lasing.languages.rspql.mistakes import Mistake
from lasing.languages.rspql.syntax import Dialect, Everything, Range, TimeRange, TripleRange
from lasing.languages.rspql.tokens import Token
from lasing.timeline.durations import duration

_KEYWORDS = ("RANGE", "STEP", "SLIDE", "TRIPLES", "ELEMENTS", "NOW", "ALL", "TUMBLING")
_SIZES = ("RANGE", "TRIPLES", "ELEMENTS", "NOW", "ALL")
_MOVES = ("STEP", "SLIDE", "TUMBLING")
_ALONE = ("NOW", "ALL", "TUMBLING")


def range_of(text: str, words: list[Token], opening: Token, dialect: Dialect) -> Range:
    """The range that some words say."""
    parts = _parts(words, opening)
    sizes = [name for name in _SIZES if name in parts]
    if "RANGE" in parts and "TRIPLES" in parts and not parts["RANGE"]:
        sizes.remove("RANGE")  # C-SPARQL's [RANGE TRIPLES 10]
    moves = [name for name in _MOVES if name in parts]
    if len(sizes) != 1 or len(moves) > 1 or (moves and sizes[0] in ("NOW", "ALL")):
        names = " and ".join(sizes if len(sizes) > 1 else (*sizes, *moves))
        message = f"a window cannot have {names}" if sizes else "this window has no size"
        note = "such as [RANGE 10s STEP 5s], [RANGE 10s TUMBLING], [ELEMENTS 10 STEP 5], [NOW] or [ALL]"
        raise Mistake(message, note, at=opening.offset, code="E703")
    (size,) = sizes
    step = next((parts[name] for name in ("STEP", "SLIDE") if name in parts), None)
    match size:
        case "NOW":
            return TimeRange(0)
        case "ALL":
            return Everything()
        case "RANGE":
            found = length(text, parts["RANGE"], opening)
            if "TUMBLING" in parts:
                return TimeRange(found, found)
            return TimeRange(found, None if step is None else length(text, step, opening))
    count = _number(parts[size], opening)
    if step is not None:
        moved = _number(step, opening)
        return TripleRange(count, None if moved == 1 else moved)
    return TripleRange(count, count if dialect == "C-SPARQL" or "TUMBLING" in parts else None)


def _parts(words: list[Token], opening: Token) -> dict[str, list[Token]]:
    """The words after each keyword."""
    parts: dict[str, list[Token]] = {}
    keyword = ""
    for token in words:
        if token.is_word(*_KEYWORDS):
            keyword = token.text.upper()
            if keyword in parts:
                raise Mistake(f"this window has {keyword} twice", near=token.text, at=token.offset, code="E703")
            parts[keyword] = []
        elif not keyword:
            raise expected("RANGE, ELEMENTS, TRIPLES, NOW or ALL", token)
        elif keyword in _ALONE:
            raise expected(f"nothing after {keyword}", token)
        else:
            parts[keyword].append(token)
    if not parts:
        raise Mistake("expected RANGE, ELEMENTS, TRIPLES, NOW or ALL, found ]", at=opening.offset, code="E703")
    return parts


def length(text: str, words: list[Token], opening: Token) -> int:
    """The milliseconds of a duration: `PT10S`, `10s`, `10 s`, `"PT10S"^^xsd:duration`."""
    plain = words[: next((i for i, token in enumerate(words) if token.text == "^^"), len(words))]
    said = text[plain[0].offset : plain[-1].end] if plain else ""
    found = duration(said.strip("\"'"))
    if found is None:
        note = "write PT10S, 10s, 5 min, or a whole number of milliseconds"
        place = (words or [opening])[0].offset
        raise Mistake(f"{said or 'nothing'} is not a duration", note, said, place, code="E703")
    return found


def _number(words: list[Token], opening: Token) -> int:
    if len(words) != 1 or not words[0].text.isdigit() or words[0].text.strip("0") == "":
        raise expected("a number of triples", (words or [opening])[0])
    return int(words[0].text)


def expected(what: str, found: Token) -> Mistake:
    return Mistake(f"expected {what}, found {found.text}", near=found.text, at=found.offset, code="E703")
