"""What rdflib's algebra leaves out, and how it gets in.

- EXISTS in SELECT, HAVING, GROUP BY and ORDER BY: rdflib does not translate its pattern, and takes its variables for
  variables of the groups. So the pattern is held back while rdflib translates the query, and translated on its own.
- `SELECT * { … } VALUES ?z { … }`: rdflib does not show the ?z. So `{ … } VALUES ?z { … }` becomes the pattern.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from pyparsing import ParseResults
from rdflib.plugins.sparql.algebra import translateQuery
from rdflib.plugins.sparql.parserutils import CompValue

_SELECTS = ("SelectQuery", "SubSelect")
_AROUND_PATTERNS = ("projection", "having", "groupby", "orderby")


@dataclass(eq=False, slots=True)
class Held:
    """The pattern of an EXISTS: as it was read, and, in the end, its algebra."""

    pattern: CompValue

    def translate(self, prologue: Any, base: str | None) -> None:
        """Translate the pattern as that of a query."""
        query: Any = [prologue, CompValue("AskQuery", where=self.pattern)]
        inner = held_back(query[1])
        self.pattern = translateQuery(query, base=base).algebra.p.p
        for other in inner:
            other.translate(prologue, base)


def held_back(query: CompValue) -> list[Held]:
    """Hold back the patterns that rdflib does not translate, and put the VALUES after `SELECT *` into the pattern."""
    found: list[Held] = []
    for part in _parts(query):
        if part.name in _SELECTS and part.valuesClause and not part.projection:
            _with_values(part)
        for clause in _AROUND_PATTERNS:
            for exists in _parts(part.get(clause)):
                if exists.name in ("Builtin_EXISTS", "Builtin_NOTEXISTS"):
                    found.append(Held(exists.graph))
                    exists["graph"] = found[-1]
    return found


def _parts(part: Any) -> Iterator[CompValue]:
    """A part of a query and the parts in it, except for what is held back already."""
    if isinstance(part, CompValue):
        yield part
        part = list(part.values())
    if isinstance(part, list | tuple | ParseResults):
        for inner in part:
            yield from _parts(inner)


def _with_values(part: CompValue) -> None:
    """Make the VALUES after a query part of its pattern."""
    values = CompValue("InlineData", **{key: part.valuesClause[key] for key in part.valuesClause})
    group = CompValue("GroupOrUnionGraphPattern", graph=[part.where])
    part["where"] = CompValue("GroupGraphPatternSub", part=[group, values])
    part["valuesClause"] = None
