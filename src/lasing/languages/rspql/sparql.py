"""SPARQL 1.1 as text: two libraries read it.

pyoxigraph checks the syntax, strictly and with good messages; rdflib gives the algebra. rdflib alone accepts texts that
the standard forbids, such as a variable that BIND assigns twice.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import rdflib
from pyparsing import ParseException
from rdflib.plugins.sparql import parser
from rdflib.plugins.sparql.algebra import translateQuery
from rdflib.plugins.sparql.parser import parseQuery
from rdflib.plugins.sparql.sparql import Query

from lasing.languages.rspql.held import held_back
from lasing.languages.rspql.mistaken import check_syntax, near
from lasing.languages.rspql.mistakes import Mistake
from lasing.languages.rspql.repairs import repaired
from lasing.languages.rspql.tokens import tokens


def parse(text: str, base: str = "") -> tuple[Query, bool]:
    """The algebra of a query, and whether it selects all variables."""
    check_syntax(text, base)
    with _literals_as_written():
        try:
            read = parseQuery(repaired(text, base))
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
            raise near(list(tokens(text)), error.loc) from None
        except Exception as error:
            raise Mistake(f"cannot read this query: {error}", code="E701") from None


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
