"""Random SPARQL queries, and small random graphs to ask them about.

A query is made so that the standard says what it answers, up to what `Example` has fields for. Graphs are of four
kinds: `plain` ones have IRIs and whole numbers only, which the standard orders totally; `numeric` ones have numbers of
all datatypes; `tagged` and `typed` ones have everything else, too. Where an answer depends on the order
of terms (LIMIT in a subquery, MIN, ORDER BY), the graph is plain.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial

import pyoxigraph as ox

from tests.queries import Data, Term, Triple

DEVIATIONS = (
    "literals that are not in canonical form: pyoxigraph's store forgets the form, so `01` becomes `1`",
    "datatypes derived from xsd:integer: pyoxigraph's store forgets them",
    "order comparisons of a term that has no order, such as an IRI, with itself: pyoxigraph takes them as equal",
    "COUNT(DISTINCT *) beside blank nodes: pyoxigraph counts what they match, although solutions do not have it",
    "GRAPH ?x { ... ?x ... }: pyoxigraph puts the name into the pattern, the standard joins it afterwards",
    "GROUP BY (?x AS ?y): pyoxigraph does not read it",
    "STR and CONCAT of doubles and floats: pyoxigraph's store forgets their form",
    "casts of texts in a language to xsd:string: pyoxigraph drops the language, the standard has no such cast",
    "the truth value of texts in a language and of malformed literals: pyoxigraph gives an error",
    "texts in a language and malformed literals in `=`: pyoxigraph gives false, the standard an error",
    "order comparisons of texts in a language: pyoxigraph orders them, the standard does not",
    "order comparisons of booleans: pyoxigraph gives an error, although false is less than true",
    "0 divided by a decimal: pyoxigraph gives an error",
    "MINUS in EXISTS whose sides share only variables of the outer row: the standard puts values in their place first",
    "aggregates in GRAPH ?x: pyoxigraph makes one group for all graphs",
    "`x IN ()`: pyoxigraph gives an error if x has no value, the standard gives false",
    "alternatives of paths outside of repetitions: pyoxigraph drops duplicates; it gets a UNION instead",
    "zero-length paths from a term that the graph does not have: pyoxigraph finds none",
    "COUNT of an expression with an error: pyoxigraph gives an error, the standard leaves out the row",
    "GROUP_CONCAT of other things than texts: lasing concatenates their lexical forms, pyoxigraph gives an error",
    "`!!x`, which is not SPARQL 1.1, although pyoxigraph reads it",
    "DESCRIBE of blank nodes, for which the standard leaves the choice: lasing goes on, pyoxigraph stops",
)
"""What is not in the queries and graphs, because pyoxigraph deviates from SPARQL 1.1 or RDF 1.1 there."""

NODES = ("a", "b", "c")
HELD = ("a", "c")
"""Nodes that every graph has."""
PREDICATES = ("p", "q")
GRAPHS = ("g", "h")
VARIABLES = ("a", "b", "c", "d")
PROLOGUE = "BASE <http://e/> PREFIX : <http://e/> PREFIX xsd: <http://www.w3.org/2001/XMLSchema#> "

WHOLE = ("0", "1", "2", "3", "-1", "10")
NUMBERS = (*WHOLE, "1.0", "2.5", "-0.5", "1.0E0", "2.5E0", "'2.5'^^xsd:float", "'1'^^xsd:float")
TEXTS = ("''", "'a'", "'b'", "'abc'", "'a b'", "'B'", "'1'", "'true'", "'http://e/a'")
TAGGED = ("'a'@en", "'a'@fr", "'abc'@en-gb", "''@en")
MOMENTS = (
    "'2020-01-01T00:00:00Z'^^xsd:dateTime",
    "'2020-01-01T12:30:01.5Z'^^xsd:dateTime",
    "'2020-01-01T01:00:00+01:00'^^xsd:dateTime",
    "'2021-06-01T00:00:00-05:00'^^xsd:dateTime",
)
TRUTHS = ("true", "false")
MALFORMED = ("'x'^^xsd:integer", "'maybe'^^xsd:boolean", "'soon'^^xsd:dateTime", "'1,5'^^xsd:decimal")
OTHERS = ("'z'^^:own", "'y'^^:own")
ORDERED = (*NUMBERS, *TEXTS, *MOMENTS)
LITERALS = {
    "plain": WHOLE,
    "numeric": NUMBERS,
    "tagged": (*ORDERED, *TRUTHS, *TAGGED),
    "typed": (*ORDERED, *TRUTHS, *MALFORMED, *OTHERS),
}

ONE = (
    "LANG", "DATATYPE", "ABS", "CEIL", "FLOOR", "ROUND", "STRLEN", "UCASE", "LCASE", "ENCODE_FOR_URI", "YEAR",
    "MONTH", "DAY", "HOURS", "MINUTES", "SECONDS", "TIMEZONE", "TZ", "isIRI", "isBLANK", "isLITERAL", "isNUMERIC",
    "IRI", "MD5", "SHA1", "SHA256", "SHA384", "SHA512",
    "xsd:integer", "xsd:decimal", "xsd:float", "xsd:double", "xsd:boolean", "xsd:dateTime",
)  # fmt: skip
TWO = ("LANGMATCHES", "CONTAINS", "STRSTARTS", "STRENDS", "STRBEFORE", "STRAFTER", "sameTerm")
REGEXES = ("'a'", "'a|b'", "'A.', 'i'")
COMPARISONS = ("=", "!=", "<", ">", "<=", ">=")


WITHOUT_FORM = ("1.0", "1.0E0", "2.5E0", "'2.5'^^xsd:float", "'1'^^xsd:float")
"""Numbers whose form pyoxigraph's store forgets."""
TERMS = (*ORDERED, *TRUTHS, *TAGGED, *MALFORMED, *OTHERS, ":a", ":b", "UNDEF")
_PLAIN = tuple(term for term in TERMS if term not in (*TAGGED, *MALFORMED))
_UNTAGGED = tuple(term for term in TERMS if term not in TAGGED)
_FORMED = tuple(term for term in TERMS if term not in WITHOUT_FORM)

FUNCTIONS: tuple[tuple[str, tuple[str, ...], tuple[str, ...]], ...] = (
    *((f"{name}(?x)", TERMS, ()) for name in ONE),
    *((f"{name}(?x, ?y)", TERMS, TERMS) for name in (*TWO, "STRLANG", "STRDT", "CONCAT")),
    *((f"?x {operator} ?y", _UNTAGGED, _UNTAGGED) for operator in ("=", "!=")),
    *((f"?x {operator} ?y", TERMS, ORDERED) for operator in ("=", "!=", "<", ">", "<=", ">=")),
    *((f"?x {operator} ?y", TERMS, TERMS) for operator in ("+", "-", "*")),
    ("?x / ?y", tuple(term for term in TERMS if term != "0"), TERMS),
    *((f"?x {operator} ?y", _PLAIN, _PLAIN) for operator in ("||", "&&")),
    *((call, _UNTAGGED, _UNTAGGED) for call in ("?x IN (?y)", "?x IN (?y, 1)", "?x NOT IN (?y, 'a')")),
    *((call, _PLAIN, ()) for call in ("!?x", "IF(?x, 1, 2)", "?x || false", "?x && true")),
    *((call, TERMS, ()) for call in ("-?x", "+?x", "BOUND(?x)", "COALESCE(?x, 1)", "CONCAT(?x, 'b'@en)", "CONCAT()")),
    *((call, TERMS, ()) for call in ("SUBSTR(?x, 2)", "SUBSTR(?x, 0, 2)", "SUBSTR(?x, -1, 3)")),
    *((call, TERMS, ()) for call in ("REPLACE(?x, 'a', 'z')", "REPLACE(?x, '(a)', '$1$1')", "REGEX(?x, 'A', 'i')")),
    *((call, _FORMED, ()) for call in ("STR(?x)", "xsd:string(STR(?x))")),
)
"""Every function and operator, with the terms to which it is applied."""


@dataclass(frozen=True)
class Example:
    """A query about some data, and how far the standard decides its answer."""

    query: str
    data: Data
    unlimited: str | None = None
    """The query without LIMIT and OFFSET, if these take any rows."""
    other: str = ""
    """The query in other words, if pyoxigraph needs them."""
    reduced: bool = False
    """Whether duplicates may be dropped."""
    order: tuple[str, ...] = ()
    """The columns in whose order the rows are."""
    lists: frozenset[str] = frozenset()
    """Columns whose values are texts, joined in any order by SEPARATOR."""
    loose: frozenset[str] = frozenset()
    """Columns that hold any of several equal numbers."""


SEPARATOR = "|"
_EITHER = re.compile(r"⟨(.*?)⟩⟨(.*?)⟩")


def _either(ours: str, theirs: str) -> str:
    """A part of a query that pyoxigraph needs in other words."""
    return f"⟨{ours}⟩⟨{theirs}⟩"


def _in_our_words(text: str) -> str:
    return _EITHER.sub(r"\1", text)


def _in_other_words(text: str) -> str:
    return _EITHER.sub(r"\2", text)


def sparql_example(seed: int) -> Example:
    """The example of a seed."""
    chance = random.Random(seed)
    kind = chance.choice(("plain", "plain", "numeric", "tagged", "typed"))
    return _Queries(chance, kind).example()


def _term(text: str) -> Term:
    """A term from its text in Turtle."""
    prefixes = {"": "http://e/", "xsd": "http://www.w3.org/2001/XMLSchema#"}
    declared = "".join(f"@prefix {name}: <{iri}> ." for name, iri in prefixes.items())
    (quad,) = ox.parse(f"{declared} :s :p {text} .", format=ox.RdfFormat.TURTLE)
    value: Term = quad.object
    return value


def _without_distinct_rows(query: str) -> str:
    return query.replace("COUNT(DISTINCT *)", "COUNT(*)") if "_:" in query else query


@dataclass
class _Queries:
    """Makes one query. `depth` says how much may be nested further."""

    chance: random.Random
    kind: str
    _names: int = 0
    _bound: list[str] = field(default_factory=list)
    _minus: bool = True

    @property
    def literals(self) -> tuple[str, ...]:
        return LITERALS[self.kind]

    def one(self, *parts: str) -> str:
        return self.chance.choice(parts)

    def often(self, share: float) -> bool:
        return self.chance.random() < share

    # -- data ---------------------------------------------------------------------------------------------------------

    def data(self) -> Data:
        return Data(
            self._graph(self.chance.randint(5, 14)),
            {f"http://e/{name}": self._graph(self.chance.randint(0, 6)) for name in GRAPHS},
        )

    def _graph(self, size: int) -> tuple[Triple, ...]:
        nodes = [_term(f":{name}") for name in NODES]
        if self.kind != "plain":
            nodes += [ox.BlankNode("x"), ox.BlankNode("y")]
        predicates = [_term(f":{name}") for name in PREDICATES]
        triples = {(_term(":a"), self.chance.choice(predicates), _term(":c")): None}
        for _ in range(size):
            value = self.chance.choice(nodes) if self.often(0.5) else _term(self.chance.choice(self.literals))
            triples[self.chance.choice(nodes), self.chance.choice(predicates), value] = None
        return tuple(triples)

    # -- terms --------------------------------------------------------------------------------------------------------

    def fresh(self) -> str:
        self._names += 1
        return f"n{self._names}"

    def variable(self) -> str:
        return "?" + self.one(*VARIABLES, *self._bound)

    def constant(self) -> str:
        if self.often(0.3):
            return ":" + self.one(*NODES, *PREDICATES)
        text = self.chance.choice(self.literals)
        return text if text[0] != "-" else f"({text})"

    def expression(self, depth: int = 2) -> str:
        """An expression of any kind."""
        if depth == 0 or self.often(0.2):
            return self.variable() if self.often(0.7) else self.constant()
        one = partial(self.expression, depth - 1)
        makers: tuple[Callable[[], str], ...] = (
            lambda: f"{self.one(*ONE)}({one()})",
            lambda: f"{self.one(*ONE)}({one()})",
            lambda: f"({one()} {self.one('+', '-', '*', '/')} {one()})",
            lambda: f"({one()} {self.one('+', '-', '*', '/')} {one()} {self.one('+', '-', '*', '/')} {one()})",
            lambda: f"(-{self.variable()})",
            lambda: f"(+{self.variable()})",
            lambda: self._text(one()),
            lambda: f"{self.one(*TWO)}({one()}, {self._second()})",
            lambda: f"STRLANG({one()}, 'en')" if self.kind == "tagged" else f"STRDT({one()}, :own)",
            lambda: f"IF({self.condition(depth - 1)}, {one()}, {one()})",
            lambda: f"COALESCE({one()}, {one()})",
            lambda: f"CONCAT({one()}, {one()})",
            lambda: f"SUBSTR({one()}, {self.chance.randint(0, 3)}{self.one('', ', 1', ', 2')})",
            lambda: f"REPLACE({one()}, {self.one(*TEXTS[1:3])}, 'z')",
            lambda: self.condition(depth),
        )
        return self.chance.choice(makers)()

    def _second(self) -> str:
        return self.one("'a'", "'b'", "'en'", "'*'", "xsd:integer", "''", self.variable())

    def _text(self, of: str) -> str:
        return f"STR({of})" if self.kind == "plain" else f"IF(isNUMERIC({of}), 'number', STR({of}))"

    def _ordered(self) -> str:
        """A constant that has an order."""
        text = self.chance.choice(WHOLE if self.kind == "plain" else ORDERED)
        return text if text[0] != "-" else f"({text})"

    def condition(self, depth: int = 2) -> str:
        """An expression that is often true or false."""
        one = partial(self.expression, max(depth - 1, 0))
        makers: list[Callable[[], str]] = [
            lambda: f"({one()} {self.one('=', '!=')} {one()})",
            lambda: f"({one()} {self.one(*COMPARISONS)} {self._ordered()})",
            lambda: f"({self._ordered()} {self.one(*COMPARISONS)} {one()})",
            lambda: f"({self.variable()} + 0 {self.one(*COMPARISONS)} {self.variable()} + 0)",
            lambda: f"({self._text(self.variable())} {self.one(*COMPARISONS)} {self._text(self.variable())})",
            lambda: f"(xsd:dateTime({one()}) {self.one(*COMPARISONS)} xsd:dateTime({one()}))",
            lambda: f"BOUND({self.variable()})",
            lambda: f"!BOUND({self.variable()})",
            lambda: f"({one()} {self.one('IN', 'NOT IN')} ({one()}, {one()}))",
            lambda: f"REGEX({one()}, {self.one(*REGEXES)})",
        ]
        if self.kind in ("plain", "numeric"):
            makers.append(one)
        if depth > 0:
            inner = partial(self.condition, depth - 1)
            makers += [
                lambda: f"({inner()} && {inner()})",
                lambda: f"({inner()} || {inner()})",
                lambda: f"(!({inner()}))",
            ]
        return self.chance.choice(makers)()

    # -- patterns -----------------------------------------------------------------------------------------------------

    def subject(self) -> str:
        if self.often(0.15):
            return self.one(*(f":{name}" for name in NODES), "_:x1", "_:x2")
        return self.variable() if self.often(0.2) else self.one("?a", "?b")

    def object(self) -> str:
        if self.often(0.2):
            return self.one(*(f":{name}" for name in NODES), "_:x1", "_:x2", self.constant().strip("()"))
        return self.variable() if self.often(0.3) else self.one("?b", "?c", "?d")

    def predicate(self) -> str:
        return self.variable() if self.often(0.1) else self.one(*(f":{name}" for name in PREDICATES), "?d")

    def triples(self) -> str:
        """A basic graph pattern. Its blank nodes are its own."""
        number = self.fresh()
        made = [f"{self.subject()} {self.predicate()} {self.object()}" for _ in range(self.chance.choice((1, 1, 2)))]
        return " . ".join(made).replace("_:x", f"_:{number}x")

    def path(self) -> str:
        """A path between two ends; both that the standard speaks about, and as pyoxigraph needs it."""
        start, end = (self.variable() if self.often(0.8) else ":" + self.one(*HELD) for _ in range(2))
        if self.often(0.25):
            one, other = self._path(1), self._path(1)
            return _either(
                f"{start} ({one}|{other}) {end}", f"{{ {start} {one} {end} }} UNION {{ {start} {other} {end} }}"
            )
        if self.often(0.1):
            one, other = self.one(*PREDICATES), self.one(*PREDICATES)
            union = f"{{ {start} !:{one} {end} }} UNION {{ {end} !:{other} {start} }}"
            return _either(f"{start} !(:{one}|^:{other}) {end}", union)
        return f"{start} {self._path(2)} {end}"

    def _path(self, depth: int, repeated: bool = False) -> str:
        if depth == 0 or self.often(0.2):
            return ":" + self.one(*PREDICATES)
        inner, again = partial(self._path, depth - 1, repeated), partial(self._path, depth - 1, True)
        makers: list[Callable[[], str]] = [
            lambda: f"({inner()}/{inner()})",
            lambda: f"^({inner()})",
            lambda: f"({again()})*",
            lambda: f"({again()})+",
            lambda: f"({again()})?",
            lambda: f"!:{self.one(*PREDICATES)}",
            lambda: f"!^:{self.one(*PREDICATES)}",
            lambda: "!(:p|:q)",
        ]
        if repeated:
            makers += [lambda: f"({inner()}|{inner()})", lambda: f"!(:p|^:{self.one(*PREDICATES)})"]
        return self.chance.choice(makers)()

    def group(self, depth: int) -> str:
        """A group graph pattern, without its braces."""
        before = list(self._bound)
        parts = [f"{self.triples()} ."] if self.often(0.6) else []
        parts += [self.part(depth) for _ in range(self.chance.choice((1, 1, 2)))]
        self._bound = before
        return " ".join(parts)

    def part(self, depth: int) -> str:
        flat: list[Callable[[], str]] = [
            lambda: f"{self.triples()} .",
            lambda: f"{self.triples()} .",
            lambda: f"{self.path()} .",
            self._filter,
            self._bind,
            self._values,
        ]
        if depth == 0:
            return self.chance.choice(flat)()
        inner = partial(self.group, depth - 1)
        nested: list[Callable[[], str]] = [
            lambda: f"{{ {inner()} }}",
            lambda: f"{{ {self.triples()} }} UNION {{ {inner()} }}",
            lambda: f"OPTIONAL {{ {inner()} }}",
            lambda: f"OPTIONAL {{ {self.triples()} FILTER {self._bracketed()} }}",
            lambda: f"OPTIONAL {{ {self.triples()} . OPTIONAL {{ {inner()} }} }}",
            lambda: f"{self.triples()} . FILTER {self._exists(depth)}",
            lambda: f"{self.triples()} . FILTER ({self.condition(1)} {self.one('&&', '||')} {self._exists(depth)})",
            lambda: f"GRAPH {self.one(':g', ':h')} {{ {inner()} }}",
            lambda: self._graph_pattern(inner()),
            lambda: f"{{ {self.subquery(depth - 1)} }}",
        ]
        if self._minus:
            nested.append(lambda: f"{self.triples()} . MINUS {{ {inner()} }}")
        return self.chance.choice([*flat, *nested])()

    def _graph_pattern(self, inside: str) -> str:
        if "SUM(" in inside or "COUNT(" in inside or "AVG(" in inside or "MIN(" in inside or "MAX(" in inside:
            return f"GRAPH :g {{ {inside} }}"
        unused = [name for name in VARIABLES if f"?{name}" not in inside]
        name = self.one(*unused) if unused and self.often(0.6) else self.fresh()
        self._bound.append(name)
        return f"GRAPH ?{name} {{ {inside} }}"

    def _bracketed(self) -> str:
        return f"({self.condition()})"

    def _filter(self) -> str:
        return f"{self.triples()} FILTER {self._bracketed()}"

    def _exists(self, depth: int) -> str:
        self._minus, before = False, self._minus
        inside = self.group(depth - 1)
        self._minus = before
        if self.often(0.2):
            removed = f"?e {self.predicate()} {self.one('?f', '?a', ':b')}"
            inside += f" ?e {self.predicate()} {self.variable()} . MINUS {{ {removed} }}"
        return f"{self.one('EXISTS', 'NOT EXISTS')} {{ {inside} }}"

    def _bind(self) -> str:
        name = self.fresh()
        text = f"BIND ({self.expression()} AS ?{name})"
        self._bound.append(name)
        return text

    def _values(self) -> str:
        names = self.chance.sample(VARIABLES, self.chance.choice((1, 2)))
        rows = [
            " ".join("UNDEF" if self.often(0.2) else self.constant().strip("()") for _ in names)
            for _ in range(self.chance.randint(0, 3))
        ]
        listed = " ".join(f"({row})" for row in rows)
        return f"VALUES ({' '.join(f'?{name}' for name in names)}) {{ {listed} }}"

    def subquery(self, depth: int) -> str:
        """A SELECT inside of a pattern, whose rows the standard decides."""
        shown = sorted(self.chance.sample(VARIABLES, self.chance.choice((1, 2, 3))))
        body = self.group(depth)
        names = " ".join(f"?{name}" for name in shown)
        if self.often(0.3):
            *keys, name = shown
            name = self.fresh() if f"?{name}" in body else name
            aggregates = f"({self.aggregate(frozenset(('min', 'max')))} AS ?{name})"
            by = f"GROUP BY {' '.join(f'?{key}' for key in keys)}" if keys else ""
            self._bound.append(name)
            return _without_distinct_rows(
                f"SELECT {' '.join(f'?{key}' for key in keys)} {aggregates} {{ {body} }} {by}"
            )
        cut = ""
        if self.kind == "plain" and self.often(0.5):
            cut = f"ORDER BY {' '.join(self._key(name) for name in shown)} {self._limit()}"
        return f"SELECT {self.one('', 'DISTINCT ')}{names} {{ {body} }} {cut}"

    def _key(self, name: str) -> str:
        return self.one(f"?{name}", f"DESC(?{name})", f"ASC(?{name})")

    def _limit(self) -> str:
        limit, offset = f"LIMIT {self.chance.randint(0, 4)}", f"OFFSET {self.chance.randint(0, 2)}"
        return self.one(limit, offset, f"{limit} {offset}")

    def aggregate(self, ordering: frozenset[str]) -> str:
        """An aggregate; those of `ordering` only if the graph is plain."""
        distinct = self.one("", "", "DISTINCT ")
        term = self.variable() if self.often(0.7) else self.expression(1)
        names = ["COUNT", "SUM", "AVG"]
        if self.kind == "plain":
            names += [name.upper() for name in sorted(ordering)]
        name = self.one(*names)
        if name == "COUNT":
            term = "*" if self.often(0.3) else term if term.startswith("?") else f"COALESCE({term}, 'none')"
        return f"{name}({distinct}{term})"

    # -- queries ------------------------------------------------------------------------------------------------------

    def example(self) -> Example:
        made = self.chance.choice([self._select] * 4 + [self._grouped, self._ask, self._construct, self._describe])
        example = made()
        data = self.data()
        query, unlimited = PROLOGUE + example.query, example.unlimited
        return replace(
            example,
            query=_in_our_words(query),
            other=_in_other_words(query),
            unlimited=None if unlimited is None else _in_other_words(PROLOGUE + unlimited),
            data=data,
        )

    def _select(self) -> Example:
        shown = sorted(self.chance.sample(VARIABLES, self.chance.choice((2, 3, 4))))
        body = self.group(2)
        selected = " ".join(f"?{name}" for name in shown)
        if self.often(0.2):
            selected += f" ({self.expression()} AS ?{self.fresh()})"
        head = f"SELECT {self.one('', '', 'DISTINCT ')}{self.one(selected, selected, '*')} {{ {body} }}"
        if self.often(0.1):
            head = head.replace("SELECT ", "SELECT REDUCED ", 1).replace("REDUCED DISTINCT", "DISTINCT")
        order = tuple(self.chance.sample(shown, self.chance.choice((1, 2)))) if self.often(0.4) else ()
        if "SELECT *" in head or "DISTINCT *" in head or "REDUCED *" in head or self.kind != "plain":
            order = ()
        keys = " ".join(map(self._key, order))
        if order and self.often(0.3):
            keys += f" {self._last_key(shown)}"
        sorted_ = f"{head} ORDER BY {keys}" if order else head
        cut = f" {self._limit()}" if self.often(0.2) else ""
        return Example(f"{sorted_}{cut}", Data(), sorted_ if cut else None, order=order, reduced="REDUCED" in head)

    def _last_key(self, shown: list[str]) -> str:
        """A key that only decides between rows that are equal in the others: whatever it is, the order is right."""
        hidden = [name for name in VARIABLES if name not in shown]
        return self.one(f"({self.expression(1)})", f"DESC({self.expression(1)})", *(f"?{name}" for name in hidden))

    def _grouped(self) -> Example:
        keys = sorted(self.chance.sample(VARIABLES, self.chance.choice((0, 1, 1, 2))))
        body, lists, loose, columns = self.group(2), set(), set(), [f"?{key}" for key in keys]
        for number in range(self.chance.choice((1, 1, 2))):
            name = f"x{number}"
            if self.often(0.2):
                lists.add(name)
                joined = f"{self.one('', 'DISTINCT ')}{self._text(self.expression(1))}"
                call = f"GROUP_CONCAT({joined}; SEPARATOR='{SEPARATOR}')"
            elif keys and self.often(0.1):
                call = f"SAMPLE(?{self.one(*keys)})"
            elif self.kind == "numeric" and self.often(0.2):
                loose.add(name)
                call = f"{self.one('MIN', 'MAX')}({self.variable()})"
            else:
                call = self.aggregate(frozenset(("min", "max")))
            columns.append(f"({call} AS ?{name})")
        by = f"GROUP BY {' '.join(f'?{key}' for key in keys)}" if keys else ""
        if self.often(0.3):
            name = self.fresh()
            by = f"{by or 'GROUP BY'} (COALESCE({self.expression(1)}) AS ?{name})"
            columns.append(f"?{name}")
        having = f"HAVING ({self.aggregate(frozenset())} {self.one(*COMPARISONS)} {self.one(*WHOLE[:4])})"
        tail = having if self.often(0.3) else ""
        query = _without_distinct_rows(f"SELECT {' '.join(columns)} {{ {body} }} {by} {tail}")
        return Example(query, Data(), lists=frozenset(lists), loose=frozenset(loose))

    def _ask(self) -> Example:
        return Example(f"ASK {{ {self.group(2)} }}", Data())

    def _construct(self) -> Example:
        template = " . ".join(
            f"{self.one(self.variable(), ':a', '_:t')} {self.one(self.variable(), ':p')} "
            f"{self.one(self.variable(), '1', '_:t', '[]')}"
            for _ in range(self.chance.choice((1, 2)))
        )
        return Example(f"CONSTRUCT {{ {template} }} {{ {self.group(1)} }}", Data())

    def _describe(self) -> Example:
        self.kind = "plain"
        what = self.one(":a", ":a :b", f"?a ?b {{ {self.group(1)} }}", f"* {{ {self.triples()} }}")
        return Example(f"DESCRIBE {what}", Data())
