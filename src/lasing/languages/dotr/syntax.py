"""The syntax tree of DOTR: rules of TESLA, with queries for their events and a graph for their result."""

from __future__ import annotations

from dataclasses import dataclass, field

from lasing.languages.tesla.syntax import Length, TeslaRule


@dataclass(frozen=True, slots=True)
class EventQuery:
    """`Smoke = [SELECT ?room WHERE { … }]`: each row is an event, and each variable an attribute.

    The SPARQL has no comparisons with other events: those are constraints of the pattern.
    """

    type: str
    sparql: str
    variables: tuple[str, ...]
    prologue: str
    """The prefixes, as they are written before the query."""
    hidden: tuple[str, ...] = ()
    """Variables that the query does not select. Events that differ only in these are one event."""
    checked: str = field(default="", compare=False, repr=False)
    """The query with places as in the text, to check its syntax."""
    offset: int = field(default=-1, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class DotrRule:
    """A pattern and the graph that it defines: its triples as SPARQL. The pattern gives the variables in it values.

    `open_pattern` is the same pattern with comparisons with constants as constraints, not in the queries of its events.
    So rules that differ only in such constants have the same queries, and can share one pattern.
    """

    pattern: TeslaRule
    open_pattern: TeslaRule
    template: str
    prologue: str
    offset: int = field(default=-1, compare=False, repr=False)
    template_offset: int = field(default=-1, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class DotrText:
    """What a text says: the queries of all events, the rules, and perhaps a tick."""

    queries: tuple[EventQuery, ...]
    rules: tuple[DotrRule, ...]
    tick: Length | None = None
