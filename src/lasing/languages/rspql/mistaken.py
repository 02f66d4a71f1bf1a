"""What is wrong with a text that is not a query of SPARQL 1.1, in words that help.

pyoxigraph knows whether something is wrong, and rdflib often knows better where. What neither says is found here: which
bracket stays open, which function does not exist, which variable cannot be used.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

import pyoxigraph
from pyparsing import ParseException
from rdflib.plugins.sparql.parser import parseQuery

from lasing.errors import similar
from lasing.languages.rspql.keywords import CALLED, WORDS
from lasing.languages.rspql.mistakes import Mistake
from lasing.languages.rspql.repairs import checkable
from lasing.languages.rspql.tokens import Token, tokens

_UPDATES = ("INSERT", "DELETE", "LOAD", "CLEAR", "CREATE", "DROP", "COPY", "MOVE", "ADD", "WITH")
_AGGREGATES = ("COUNT", "SUM", "AVG", "MIN", "MAX", "SAMPLE", "GROUP_CONCAT")
_PLACE = re.compile(r"error at (\d+):(\d+)(?:-\d+:\d+)?:?\s*(.*)", re.DOTALL)
_SENTENCE = re.compile(r"(?:(?<=, )|(?<=one of )|(?<=expected ))[A-Z][a-z]*(?: [\w?'-]+){3,}(?=, |$)")
_CLOSING = {"(": ")", "{": "}", "[": "]"}
_FRESH = "__unused"


def check_syntax(text: str, base: str) -> None:
    """Raise a mistake if a text is not a query of SPARQL 1.1."""
    message = _message(text, base)
    if message is not None:
        raise _mistake(message, text, base)


def _message(text: str, base: str = "") -> str | None:
    """What pyoxigraph says about a text; None if it is a query."""
    try:
        pyoxigraph.Store().query(checkable(text), base_iri=base or None)
    except SyntaxError as error:
        return str(error)
    except (OSError, RuntimeError, ValueError):
        return None  # the text is a query; what pyoxigraph cannot do is evaluate it
    return None


def _mistake(message: str, text: str, base: str) -> Mistake:
    read = list(tokens(text))
    if not read:
        return Mistake("the query is empty", "queries begin with SELECT, CONSTRUCT, ASK or DESCRIBE", code="E701")
    found = _update(read) or _unknown_prefix(read) or _unclosed(read) or _unknown_function(read)
    if found is not None:
        return found
    placed = _PLACE.match(message)
    if placed is None:
        return Mistake(f"syntax error: {message}", code="E701")
    line, column, what = int(placed[1]), int(placed[2]), placed[3].strip()
    offset = sum(len(before) for before in text.splitlines(keepends=True)[: line - 1]) + column - 1
    if "IRI parsing failed" in what:
        start = max((token.offset for token in read if token.text == "<" and token.offset < offset), default=offset)
        return Mistake("this is not an IRI", near=text[start : offset + 1].strip(), at=start, code="E701")
    try:
        parseQuery(text)
    except ParseException as error:
        if offset >= read[-1].end:
            return near(read, error.loc)
        last = [token for token in read if token.offset <= offset][-1]
        return near(read, last.offset)
    sentence = _SENTENCE.search(what)
    reason = "" if sentence is None else f": {sentence[0][0].lower()}{sentence[0][1:]}"
    own = _misused(text, read, base)
    return own or Mistake(f"syntax error{reason or _near(read, offset)}", line_column=(line, column), code="E701")


def near(read: list[Token], offset: int) -> Mistake:
    """The mistake that a text cannot be read any further than this."""
    at = next((token for token in read if token.end > offset), None)
    if at is None:
        return Mistake("syntax error at the end of the query", at=read[-1].end if read else 0, code="E701")
    if any(token.text == "<" and token.offset == at.end for token in read) and at.text == "<":
        return Mistake("triple terms of RDF 1.2 are not supported", near="<<", at=at.offset)
    return Mistake(f"syntax error near {at.text}", near=at.text, at=at.offset, code="E701")


def _near(read: list[Token], offset: int) -> str:
    before = [token for token in read if token.offset <= offset]
    return f" near {before[-1].text}" if before and offset < read[-1].end else " at the end of the query"


def _after_prologue(read: list[Token]) -> tuple[set[str], list[Token]]:
    """The prefixes that a query declares, each with its colon, and the tokens after their declarations."""
    declared, place = set(), 0
    while place + 1 < len(read) and read[place].is_word("PREFIX", "BASE"):
        if read[place].is_word("PREFIX"):
            declared.add(read[place + 1].text)
        place += 3 if read[place].is_word("PREFIX") else 2
    return declared, read[place:]


def _update(read: list[Token]) -> Mistake | None:
    """The mistake if a text is one of SPARQL's updates, which change data."""
    _, rest = _after_prologue(read)
    if not rest or not rest[0].is_word(*_UPDATES):
        return None
    message = f"{rest[0].text.upper()} is not supported: it begins an update, which changes data"
    return Mistake(message, "queries begin with SELECT, CONSTRUCT, ASK or DESCRIBE", rest[0].text, rest[0].offset)


def _unknown_prefix(read: list[Token]) -> Mistake | None:
    """The mistake if a name has a prefix that is not declared."""
    declared, rest = _after_prologue(read)
    for token in rest:
        prefix = token.text.split(":")[0] + ":"
        if token.kind == "word" and ":" in token.text and prefix not in declared:
            note = f"declare it at the beginning: PREFIX {prefix} <http://…>"
            return Mistake(f"the prefix {prefix} is not declared", note, token.text, token.offset, code="E701")
    return None


def _unclosed(read: list[Token]) -> Mistake | None:
    """The mistake if brackets do not belong together."""
    opened: list[Token] = []
    for token in read:
        if token.text in _CLOSING:
            opened.append(token)
        elif token.text in _CLOSING.values():
            if not opened or _CLOSING[opened[-1].text] != token.text:
                return Mistake(f"this {token.text} closes nothing", near=token.text, at=token.offset, code="E701")
            opened.pop()
    if not opened:
        return None
    first = opened[0].text
    return Mistake(f"this {first} has no {_CLOSING[first]}", near=first, at=opened[0].offset, code="E701")


def _unknown_function(read: list[Token]) -> Mistake | None:
    """The mistake if a function is called that SPARQL does not have."""
    for token, following in pairwise(read):
        name = token.text.upper()
        called = token.kind == "word" and following.text == "(" and ":" not in name and name[0] != "@"
        if called and name not in (*CALLED, *WORDS, "A"):
            return Mistake(f"there is no function {token.text}", similar(name, CALLED), token.text, token.offset)
    return None


def _misused(text: str, read: list[Token], base: str) -> Mistake | None:
    """The mistake if variables or aggregates are where they cannot be: the text is a query without them."""
    for start, end in _filters(read):
        for token in read[start:end]:
            if token.is_word(*_AGGREGATES):
                note = "HAVING can test them: GROUP BY … HAVING(COUNT(?x) > 1)"
                return Mistake(f"{token.text} cannot stand in FILTER", note, token.text, token.offset, code="E701")
    for token, following in pairwise(read):
        if token.is_word("AS") and following.kind == "variable" and _is_query(text, following, f"?{_FRESH}", base):
            note = "choose another name after AS"
            return Mistake(
                f"{following.text} already has a value here", note, following.text, following.offset, code="E701"
            )
    for token in _selected(read):
        if token.text == "*" and _is_query(text, token, f"(1 AS ?{_FRESH})", base):
            note = "name the columns: keys of GROUP BY, and aggregates"
            return Mistake("SELECT * cannot stand with GROUP BY", note, "*", token.offset, code="E701")
        if token.kind == "variable" and _is_query(text, token, f"(1 AS ?{_FRESH})", base):
            note = f"group by it, or take one of its values: (SAMPLE({token.text}) AS ?one)"
            message = f"{token.text} is neither a key of GROUP BY nor in an aggregate"
            return Mistake(message, note, token.text, token.offset, code="E701")
    return None


def _filters(read: list[Token]) -> Iterator[tuple[int, int]]:
    """Where the conditions of FILTER begin and end, without the patterns in them."""
    for i, token in enumerate(read):
        if not token.is_word("FILTER"):
            continue
        depth = 0
        for j in range(i + 1, len(read)):
            depth += (read[j].text == "(") - (read[j].text == ")")
            if read[j].text == "{" or (depth == 0 and read[j].text == ")"):
                yield i, j
                break


def _selected(read: list[Token]) -> Iterator[Token]:
    """The variables and stars of each SELECT, outside of its expressions."""
    for i, token in enumerate(read):
        if not token.is_word("SELECT"):
            continue
        depth = 0
        for part in read[i + 1 :]:
            if part.text == "{" or part.is_word("WHERE", "FROM"):
                break
            depth += (part.text == "(") - (part.text == ")")
            if depth == 0 and (part.kind == "variable" or part.text == "*"):
                yield part


def _is_query(text: str, token: Token, other: str, base: str) -> bool:
    """Whether a text is a query with something else in place of a token."""
    return _message(text[: token.offset] + other + text[token.end :], base) is None
