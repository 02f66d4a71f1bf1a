"""The words of SPARQL and of the streaming clauses around it, as they are written in a laid-out query."""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


PROLOGUE = _words("BASE PREFIX")

CLAUSES = PROLOGUE | _words(
    """ASK CONSTRUCT DESCRIBE FROM GROUP HAVING LIMIT OFFSET ORDER REGISTER REPORT SELECT TICK VALUES
    WHERE"""
)
"""The words that begin a line, outside of parentheses."""

PATTERNS = _words("BIND FILTER GRAPH MINUS OPTIONAL SERVICE STREAM WINDOW")
"""The words that begin a line inside a graph pattern."""

_FUNCTIONS = _words(
    """ABS ASC AVG BNODE BOUND CEIL COALESCE CONCAT CONTAINS COUNT DATATYPE DAY DESC ENCODE_FOR_URI FLOOR GROUP_CONCAT
    HOURS IF IRI LANG LCASE MAX MD5 MIN MINUTES MONTH RAND REGEX REPLACE ROUND SAMPLE SECONDS SHA1 SHA256 SHA384 SHA512
    STR STRAFTER STRBEFORE STRDT STRENDS STRLANG STRLEN STRSTARTS STRUUID SUBSTR SUM TIMEZONE TZ UCASE URI UUID YEAR
    isBlank isIRI isLiteral isNumeric isURI langMatches sameTerm"""
)
_OTHERS = _words(
    """ALL AND AS BY COMPUTE COMPUTED DISTINCT DSTREAM ELEMENTS EVERY EXISTS IN ISTREAM NAMED NON_EMPTY_CONTENT NOT NOW
    ON ON_CONTENT_CHANGE ON_WINDOW_CLOSE PERIODIC QUERY RANGE REDUCED RSTREAM SEPARATOR SILENT SLIDE STEP TIME_DRIVEN TO
    TRIPLES TUMBLING UNDEF UNION true false"""
)

_SPELLING = {word.upper(): word for word in CLAUSES | PATTERNS | _FUNCTIONS | _OTHERS}

WORDS = frozenset(_SPELLING)
"""All of these words, in upper case."""

CALLED = frozenset(word.upper() for word in _FUNCTIONS)
"""The functions: no space goes between them and their arguments."""


def spelling(word: str) -> str:
    """A word as it is written: keywords in upper case, functions as in the standard, anything else as it is.

    >>> [spelling(word) for word in ("select", "ISIRI", "True", "a", "ex:select")]
    ['SELECT', 'isIRI', 'true', 'a', 'ex:select']
    """
    return _SPELLING.get(word.upper(), word)
