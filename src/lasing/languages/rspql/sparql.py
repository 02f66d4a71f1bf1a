"""SPARQL 1.1 as text: two libraries read it.

pyoxigraph checks the syntax, strictly and with good messages; rdflib gives the algebra. rdflib alone accepts texts that
the standard forbids, such as a variable that BIND assigns twice.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pyoxigraph
import rdflib
from pyparsing import ParseException
from rdflib.plugins.sparql import parser
from rdflib.plugins.sparql.algebra import translateQuery
from rdflib.plugins.sparql.parser import parseQuery
from rdflib.plugins.sparql.sparql import Query

from lasing.languages.rspql.held import held_back
from lasing.languages.rspql.mistakes import Mistake
from lasing.languages.rspql.repairs import checkable, repaired
from lasing.languages.rspql.tokens import Token, tokens

_SENTENCE = re.compile(r"(?<=, )[A-Z][a-z]*(?: [\w?'-]+){3,}(?=, |$)")
_UPDATES = ("INSERT", "DELETE", "LOAD", "CLEAR", "CREATE", "DROP", "COPY", "MOVE", "ADD", "WITH")
_PLACE = re.compile(r"error at (\d+):(\d+)(?:-\d+:\d+)?:?\s*(.*)", re.DOTALL)


def parse(text: str, base: str = "") -> tuple[Query, bool]:
    """The algebra of a query, and whether it selects all variables."""
    check_syntax(text, base)
    with _literals_as_written():
        try:
            read = parseQuery(repaired(text))
            star = read[1].name == "SelectQuery" and not read[1].projection
            if read[1].name == "DescribeQuery" and read[1].var is None:  # rdflib cannot translate `DESCRIBE *`
                read[1]["var"] = _variables(text)
            asked = [part for part in read[1].var or () if isinstance(part, rdflib.Variable)]
            held = held_back(read[1])
            query = translateQuery(read, base=base or None)
            for pattern in held:
                pattern.translate(read[0], base or None)
            if read[1].name == "DescribeQuery":  # rdflib adds what subqueries project
                shown = [part for part in query.algebra.PV if not isinstance(part, rdflib.Variable) or part in asked]
                query.algebra["PV"] = shown
            return query, star
        except ParseException as error:
            raise Mistake(f"cannot read this query: {error.msg}", at=error.loc, code="E701") from None
        except Exception as error:
            raise Mistake(f"cannot read this query: {error}", code="E701") from None


def check_syntax(text: str, base: str) -> None:
    """Raise a mistake if a text is not a query of SPARQL 1.1."""
    try:
        pyoxigraph.Store().query(checkable(text), base_iri=base or None)
    except SyntaxError as error:
        raise _mistake(str(error), text) from None
    except (OSError, RuntimeError, ValueError):
        return  # the text is a query; what pyoxigraph cannot do is evaluate it


def _mistake(message: str, text: str) -> Mistake:
    """What is wrong with a text that pyoxigraph does not read. Its words for two common mistakes are of no help."""
    read = list(tokens(text))
    found = _update(read) or _unknown_prefix(read)
    if found is not None:
        return found
    placed = _PLACE.match(message)
    if placed is None:
        return Mistake(f"syntax error: {message}", code="E701")
    line, column, what = int(placed[1]), int(placed[2]), placed[3].strip()
    offset = sum(len(before) for before in text.splitlines(keepends=True)[: line - 1]) + column - 1
    return Mistake(f"syntax error{_reason(what, read, offset)}", line_column=(line, column), code="E701")


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


def _reason(what: str, read: list[Token], offset: int) -> str:
    """What is wrong, if pyoxigraph has a sentence that says it, and otherwise where.

    What it would have expected instead are only some of the tokens that the standard allows: they mislead.
    """
    sentence = _SENTENCE.search(what)
    if sentence is not None:
        return ": " + sentence[0][0].lower() + sentence[0][1:]
    before = [token for token in read if token.offset <= offset]
    if not read or offset >= read[-1].end:
        return " at the end of the query"
    return f" near {before[-1].text}" if before else ""


def _variables(text: str) -> list[rdflib.Variable]:
    """All variables of a query."""
    return [rdflib.Variable(name) for name in dict.fromkeys(t.text[1:] for t in tokens(text) if t.kind == "variable")]


@contextmanager
def _literals_as_written() -> Iterator[None]:
    """Keep the form of literals while a query is read: `05` is another term than `5`, and `-05` than `-5`.

    A literal without a value, such as `"x"^^xsd:integer`, is nothing to complain about.
    """
    module: Any = parser
    log = logging.getLogger("rdflib.term")
    before = rdflib.NORMALIZE_LITERALS, module.neg, log.level
    rdflib.NORMALIZE_LITERALS, module.neg = False, _negative
    log.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        rdflib.NORMALIZE_LITERALS, module.neg = before[:2]
        log.setLevel(before[2])


def _negative(literal: rdflib.Literal) -> rdflib.Literal:
    return rdflib.Literal(f"-{literal}", datatype=literal.datatype)
