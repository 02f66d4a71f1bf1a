"""Names and terms of a query as variables and values of the logic."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from rdflib.term import BNode, Literal, URIRef
from rdflib.term import Variable as QueryVariable

from lasing.errors import LasingError
from lasing.languages.rspql.clauses import ANY_WINDOW
from lasing.languages.rspql.mistakes import Mistake
from lasing.logic.terms import Variable
from lasing.logic.values import Iri, TaggedLiteral, Value, datatypes, literal

WORDS_OF_PATTERNS = {
    "removed": "MINUS: nothing matches",
    "matched": "OPTIONAL: nothing matches",
    "exists": "NOT EXISTS: nothing matches",
    "was": "not in the report before:",
}
"""What it means for a query that a pattern has no match."""

_NO_NAME = re.compile(r"[^A-Za-z0-9_]")


@dataclass(slots=True)
class Names:
    """Gives each variable of a query a variable of the logic that looks like it.

    >>> names = Names(set())
    >>> [str(names.column(name)) for name in ("room", "Room", "room", "été")]
    ['Room', 'Room2', 'Room', 'V_t_']
    """

    taken: set[str]
    columns: dict[str, Variable] = field(default_factory=dict)

    def column(self, name: str) -> Variable:
        """The variable of the logic for a variable of the query."""
        name = name.removesuffix(ANY_WINDOW)
        if name not in self.columns:
            plain = "Aggregate" if name.startswith("__agg_") else _NO_NAME.sub("_", str(name))  # rdflib's own name
            stem = plain[:1].upper() + plain[1:] if plain[:1].isalpha() else f"V{plain}"
            candidate, number = stem, 1
            while candidate in self.taken:
                number += 1
                candidate = f"{stem}{number}"
            self.taken.add(candidate)
            self.columns[name] = Variable(candidate)
        return self.columns[name]

    def name_of(self, column: Variable) -> str:
        """The name that a variable has in the query."""
        return next((name for name, known in self.columns.items() if known == column), column.name)


def value_of(term: URIRef | Literal) -> Value:
    """The value of a constant of a query."""
    try:
        if isinstance(term, URIRef):
            return Iri(str(term))
        if term.language:
            return TaggedLiteral(str(term), term.language)
        return literal(str(term), datatypes.STRING if term.datatype is None else str(term.datatype))
    except LasingError as error:
        raise Mistake(error.diagnostics[0].message) from None


Fresh = Callable[[str], Variable]


def is_blank(term: object) -> bool:
    """Whether a term of a pattern is a blank node: a variable that no result shows."""
    return isinstance(term, BNode)


def is_variable(term: object) -> bool:
    """Whether a term of a pattern is a variable."""
    return isinstance(term, QueryVariable)
