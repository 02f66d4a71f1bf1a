"""Random queries in SQL over small random streams, in two texts: with windows, and with a table for each of them."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field

DEVIATIONS = (
    "x / 0 and x % 0 are NULL; DuckDB gives infinity for doubles unless ieee_floating_point_ops is off",
    "a CAST that fails, and a result beyond 64 bits, are NULL; DuckDB stops with an error",
    "sums of doubles are exact and rounded once, and a number with a point is a DECIMAL only beside one: numbers are "
    "compared to nine digits, and texts of fractions not at all",
    "equal rows of a stream at the same time point are one row, because a stream is a set of facts",
    "the rows that LIMIT takes, where ORDER BY leaves a choice: the queries order by everything that they select",
    "a scalar query that can have more than one row is refused; DuckDB finds out when it runs",
    "INTERVAL as a result: DuckDB has months in it",
)
"""What is not in the queries, or differs on purpose."""

LAST = 9
"""The last time point."""

TYPES = {"i": "BIGINT", "d": "DECIMAL(5,2)", "x": "DOUBLE", "t": "VARCHAR", "b": "BOOLEAN"}
"""The types of columns, by the first letter of their names."""

STREAMS = {"s": ("i1", "x1", "t1", "b1", "d1"), "u": ("i2", "i3", "t2")}
TABLES = {"r": ("i4", "t3", "x2", "d2")}
NOT_NULL = {"i2"}
TEXTS = ("a", "b", "ab", "Ba", "", "a%b", "c_d")

Value = int | float | str | bool | None
Row = tuple[Value, ...]


@dataclass(slots=True)
class Window:
    """A window of a query: the table that has its content, its stream, and what it says."""

    table: str
    stream: str
    kind: str
    length: int = 0
    slide: int = 1
    keys: tuple[int, ...] = ()


@dataclass(slots=True)
class Case:
    """A query, what the streams hold, in the order of arrival, and the rows of the tables."""

    setup: str
    query: str
    judged: str
    operator: str
    windows: list[Window]
    streamed: list[tuple[int, str, Row]]
    tables: dict[str, list[Row]]
    ordered: bool


def cql_example(seed: int) -> Case:
    """The random case of a number."""
    return _Maker(random.Random(seed)).case()


@dataclass(slots=True)
class Columns:
    """Columns that an expression can name: their text and type."""

    known: list[tuple[str, str]] = field(default_factory=list)

    def of(self, kind: str) -> list[str]:
        return [text for text, own in self.known if own == kind or (kind == "x" and own in "id")]


@dataclass(slots=True)
class _Maker:
    rng: random.Random
    windows: list[Window] = field(default_factory=list)
    aliases: int = 0
    views: dict[str, list[tuple[str, str]]] = field(default_factory=dict)

    def case(self) -> Case:
        rng = self.rng
        facts = [
            (rng.randrange(LAST), name, self.row(c)) for name, c in STREAMS.items() for _ in range(rng.randrange(14))
        ]
        rng.shuffle(facts)
        streamed = sorted(dict.fromkeys(facts), key=lambda fact: fact[0])
        tables = {name: [self.row(columns) for _ in range(rng.randrange(6))] for name, columns in TABLES.items()}
        setup, judged_setup = self.declarations(tables), ""
        if rng.random() < 0.25:
            text, judged, shown = self.query(2)
            setup += f"CREATE VIEW v AS {text};\n"
            judged_setup = f"WITH v AS ({judged}) "
            self.views["v"] = shown
        text, judged, shown = self.query(3)
        ordered = False
        if rng.random() < 0.2 and "LIMIT" not in text:
            keys = [
                (n, rng.choice(("", " DESC", " NULLS FIRST", " DESC NULLS LAST"))) for n in range(1, len(shown) + 1)
            ]
            rng.shuffle(keys)
            order = " ORDER BY " + ", ".join(f"{n}{way}" for n, way in keys)
            order += rng.choice(("", f" LIMIT {rng.randrange(1, 4)}", f" LIMIT {rng.randrange(3)} OFFSET 1"))
            text, judged = f"SELECT * FROM ({text}) q" + order, f"SELECT * FROM ({judged}) q" + order
            ordered = True
        operator = rng.choice(("", "", "", "ISTREAM", "DSTREAM", "RSTREAM"))
        query = f"{operator}({text})" if operator else text
        return Case(setup, query, judged_setup + judged, operator, self.windows, streamed, tables, ordered)

    def declarations(self, tables: dict[str, list[Row]]) -> str:
        lines = []
        for name, columns in {**STREAMS, **TABLES}.items():
            defined = ", ".join(f"{c} {TYPES[c[0]]}{' NOT NULL' if c in NOT_NULL else ''}" for c in columns)
            lines.append(f"CREATE {'STREAM' if name in STREAMS else 'TABLE'} {name} ({defined});")
        for name, rows in tables.items():
            if rows:
                shown = ", ".join(f"({', '.join(map(literal, row))})" for row in rows)
                lines.append(f"INSERT INTO {name} VALUES {shown};")
        return "\n".join(lines) + "\n"

    def row(self, columns: tuple[str, ...]) -> Row:
        return tuple(self.value(c) for c in columns)

    def value(self, column: str) -> Value:
        rng = self.rng
        if column not in NOT_NULL and rng.random() < 0.2:
            return None
        match column[0]:
            case "i":
                return rng.randrange(-2, 4)
            case "x":
                return rng.randrange(-6, 10) / 4
            case "d":
                return rng.randrange(-6, 10) / 10
            case "t":
                return rng.choice(TEXTS)
        return rng.random() < 0.5

    # -- FROM ---------------------------------------------------------------------------------------------------------

    def alias(self) -> str:
        self.aliases += 1
        return f"a{self.aliases}"

    def window(self, stream: str) -> tuple[str, str]:
        """A stream with a window, and the table of its content."""
        rng, columns = self.rng, STREAMS[stream]
        window = Window(
            f"w{len(self.windows) + 1}", stream, rng.choice(("range", "range", "slide", "now", "rows", "by", "all"))
        )
        match window.kind:
            case "range":
                window.length = rng.randrange(5)
                said = f"RANGE {window.length}"
            case "slide":
                window.length, window.slide = rng.randrange(5), rng.randrange(1, 4)
                said = f"RANGE {window.length} SLIDE {window.slide}"
            case "now":
                said = "NOW"
            case "rows":
                window.length = rng.randrange(1, 4)
                said = f"ROWS {window.length}"
            case "by":
                window.length, window.keys = rng.randrange(1, 3), (rng.randrange(len(columns)),)
                said = f"PARTITION BY {columns[window.keys[0]]} ROWS {window.length}"
            case _:
                said = rng.choice(("RANGE UNBOUNDED", "UNBOUNDED"))
        self.windows.append(window)
        return f"{stream} [{said}]", window.table

    def item(self, depth: int) -> tuple[str, str, Columns]:
        """One item of FROM."""
        rng, alias = self.rng, self.alias()
        kind = rng.random()
        if kind < 0.15 and depth > 1:
            text, judged, shown = self.query(depth - 1)
            return f"({text}) AS {alias}", f"({judged}) AS {alias}", _named(alias, shown)
        if kind < 0.3 and self.views:
            return f"v AS {alias}", f"v AS {alias}", _named(alias, self.views["v"])
        if kind < 0.45:
            table = rng.choice(list(TABLES))
            return f"{table} {alias}", f"{table} {alias}", _named(alias, [(c, c[0]) for c in TABLES[table]])
        stream = rng.choice(list(STREAMS))
        text, judged = self.window(stream)
        return f"{text} AS {alias}", f"{judged} AS {alias}", _named(alias, [(c, c[0]) for c in STREAMS[stream]])

    def source(self, depth: int) -> tuple[str, str, Columns]:
        rng = self.rng
        text, judged, columns = self.item(depth)
        near = columns  # a comma binds less than JOIN, so ON sees what follows the last comma
        for _ in range(rng.choice((0, 0, 1, 1, 2))):
            more, more_judged, others = self.item(depth)
            kind = rng.choice((",", "JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN", "CROSS JOIN"))
            both = Columns([*near.known, *others.known])
            on = f" ON {self.on(near, others, both)}" if kind not in (",", "CROSS JOIN") else ""
            near = others if kind == "," else both
            glue = ", " if kind == "," else f" {kind} "
            text, judged = f"{text}{glue}{more}{on}", f"{judged}{glue}{more_judged}{on}"
            columns = Columns([*columns.known, *others.known])
        return text, judged, columns

    def on(self, left: Columns, right: Columns, both: Columns) -> str:
        rng = self.rng
        kind = rng.choice("ixt")
        ours, theirs = left.of(kind), right.of(kind)
        test = f"{rng.choice(ours)} = {rng.choice(theirs)}" if ours and theirs else self.condition(both, 1)
        return test if rng.random() < 0.7 else f"{test} {rng.choice(('AND', 'OR'))} {self.condition(both, 1)}"

    # -- queries ------------------------------------------------------------------------------------------------------

    def query(self, depth: int) -> tuple[str, str, list[tuple[str, str]]]:
        """A query, what the judge gets, and its columns."""
        rng = self.rng
        if depth > 1 and rng.random() < 0.2:
            return self.combined(depth)
        kinds = [rng.choice("iixtb") for _ in range(rng.randrange(1, 4))]
        return self.select(depth, kinds)

    def combined(self, depth: int) -> tuple[str, str, list[tuple[str, str]]]:
        rng = self.rng
        kinds = [rng.choice("iixt") for _ in range(rng.randrange(1, 3))]
        left, left_judged, shown = self.select(depth - 1, kinds)
        right, right_judged, _ = self.select(depth - 1, kinds)
        word = rng.choice(("UNION", "EXCEPT", "INTERSECT")) + rng.choice(("", " ALL"))
        return f"({left}) {word} ({right})", f"({left_judged}) {word} ({right_judged})", shown

    def select(
        self, depth: int, kinds: list[str], outer: Columns | None = None
    ) -> tuple[str, str, list[tuple[str, str]]]:
        rng = self.rng
        source, judged, columns = self.source(depth)
        where = where_judged = ""
        if rng.random() < 0.6 or outer is not None:
            where, where_judged = self.where(columns, depth, outer)
            where, where_judged = f" WHERE {where}", f" WHERE {where_judged}"
        shown = [(f"{kind}{n + 7}", kind) for n, kind in enumerate(kinds)]
        if outer is None and rng.random() < 0.4:
            return self.groups(kinds, shown, source, judged, columns, where, where_judged)
        items = ", ".join(f"{self.expression(columns, kind, 2)} AS {name}" for name, kind in shown)
        distinct = "DISTINCT " if rng.random() < 0.2 else ""
        begin = f"SELECT {distinct}{items} FROM "
        return f"{begin}{source}{where}", f"{begin}{judged}{where_judged}", shown

    def groups(
        self,
        kinds: list[str],
        shown: list[tuple[str, str]],
        source: str,
        judged: str,
        columns: Columns,
        where: str,
        where_judged: str,
    ) -> tuple[str, str, list[tuple[str, str]]]:
        rng = self.rng
        keys = [
            self.expression(columns, rng.choice("it"), rng.choice((0, 0, 1))) for _ in range(rng.choice((0, 1, 1, 2)))
        ]
        keys = [key for key in dict.fromkeys(keys) if not key[0].isdigit() and key[0] not in "'-(N"]
        typed = {key: next((kind for text, kind in columns.known if text == key), None) for key in keys}
        items = []
        for kind in kinds:
            fitting = [key for key, own in typed.items() if own == kind]
            items.append(rng.choice(fitting) if fitting and rng.random() < 0.6 else self.aggregate(columns, kind))
        having = ""
        if rng.random() < 0.3:
            having = f" HAVING {self.aggregate(columns, 'i')} {rng.choice(('>', '<=', '<>'))} {rng.randrange(3)}"
        by = f" GROUP BY {', '.join(keys)}" if keys else ""
        begin = (
            "SELECT " + ", ".join(f"{item} AS {name}" for item, (name, _) in zip(items, shown, strict=True)) + " FROM "
        )
        return f"{begin}{source}{where}{by}{having}", f"{begin}{judged}{where_judged}{by}{having}", shown

    def aggregate(self, columns: Columns, kind: str) -> str:
        rng = self.rng
        keep = f" FILTER (WHERE {self.condition(columns, 1)})" if rng.random() < 0.2 else ""
        distinct = "DISTINCT " if rng.random() < 0.25 else ""
        match kind:
            case "i":
                name = rng.choice(("COUNT(*)", "COUNT", "SUM", "MIN", "MAX"))
                if name == "COUNT(*)":
                    return name + keep
                inner = self.expression(columns, rng.choice("ixt") if name == "COUNT" else "i", 1)
                return f"{name}({distinct}{inner}){keep}"
            case "x":
                return f"{rng.choice(('SUM', 'AVG', 'MIN', 'MAX'))}({distinct}{self.expression(columns, 'x', 1)}){keep}"
            case "t":
                return f"{rng.choice(('MIN', 'MAX'))}({self.expression(columns, 't', 1)}){keep}"
        return f"{self.aggregate(columns, 'i')} > 1"

    # -- conditions ---------------------------------------------------------------------------------------------------

    def where(self, columns: Columns, depth: int, outer: Columns | None) -> tuple[str, str]:
        rng = self.rng
        parts = [(test, test) for test in [self.condition(columns, 2)]]
        if outer is not None and rng.random() < 0.8:
            kind = rng.choice("it")
            ours, theirs = columns.of(kind), outer.of(kind)
            if ours and theirs:
                test = f"{rng.choice(ours)} {rng.choice(('=', '=', '<', '<>'))} {rng.choice(theirs)}"
                parts = [(test, test)] if rng.random() < 0.6 else [*parts, (test, test)]
        if depth > 1 and rng.random() < 0.4:
            parts.append(self.with_query(columns, depth - 1))
        text, judged = parts[0]
        for more, more_judged in parts[1:]:
            word = rng.choice(("AND", "AND", "OR"))
            text, judged = f"({text}) {word} ({more})", f"({judged}) {word} ({more_judged})"
        return text, judged

    def with_query(self, columns: Columns, depth: int) -> tuple[str, str]:
        """A condition with a query inside, which may depend on the row."""
        rng = self.rng
        outer = columns if rng.random() < 0.6 else None
        match rng.choice(("exists", "in", "scalar")):
            case "exists":
                text, judged, _ = self.select(depth, ["i"], outer)
                word = rng.choice(("EXISTS", "NOT EXISTS"))
                return f"{word} ({text})", f"{word} ({judged})"
            case "in":
                kind = rng.choice("ixt")
                text, judged, _ = self.select(depth, [kind], outer)
                test = f"{self.expression(columns, kind, 1)} {rng.choice(('IN', 'NOT IN'))}"
                return f"{test} ({text})", f"{test} ({judged})"
        source, judged_source, inner = self.source(1)
        where, where_judged = self.where(inner, 1, outer)
        begin = f"SELECT {self.aggregate(inner, 'x')} FROM "
        test = f"{self.expression(columns, 'x', 1)} {rng.choice(('<', '>=', '='))}"
        return f"{test} ({begin}{source} WHERE {where})", f"{test} ({begin}{judged_source} WHERE {where_judged})"

    def condition(self, columns: Columns, depth: int) -> str:
        rng = self.rng
        kind = rng.choice("ixt")
        value = self.expression(columns, kind, 1)
        if depth > 0 and rng.random() < 0.4:
            one, other = self.condition(columns, depth - 1), self.condition(columns, depth - 1)
            return rng.choice((f"({one} AND {other})", f"({one} OR {other})", f"NOT ({one})", f"(({one}) IS NOT TRUE)"))
        match rng.randrange(8):
            case 0:
                return f"{value} IS {rng.choice(('NULL', 'NOT NULL'))}"
            case 1:
                some = ", ".join((self.expression(columns, kind, 0), self.constant(kind), self.constant(kind)))
                return f"{value} {rng.choice(('IN', 'NOT IN'))} ({some})"
            case 2:
                ends = f"{self.constant(kind)} AND {self.expression(columns, kind, 0)}"
                return f"{value} {rng.choice(('BETWEEN', 'NOT BETWEEN'))} {ends}"
            case 3:
                return f"{value} IS {rng.choice(('DISTINCT', 'NOT DISTINCT'))} FROM {self.expression(columns, kind, 1)}"
            case 4:
                pattern = rng.choice(("'a%'", "'%b'", "'_'", "'a!%b'", "'%'"))
                text = self.expression(columns, "t", 1)
                return f"{text} {rng.choice(('LIKE', 'NOT LIKE', 'ILIKE'))} {pattern}" + (
                    " ESCAPE '!'" if "!" in pattern else ""
                )
            case 5 if columns.of("b"):
                return rng.choice((rng.choice(columns.of("b")), f"{rng.choice(columns.of('b'))} IS TRUE"))
        return f"{value} {rng.choice(('=', '<>', '<', '<=', '>', '>='))} {self.expression(columns, kind, 1)}"

    # -- expressions --------------------------------------------------------------------------------------------------

    def constant(self, kind: str) -> str:
        rng = self.rng
        match kind:
            case "i":
                return str(rng.randrange(-2, 4))
            case "x":
                return str(rng.randrange(-6, 10) / 4)
            case "t":
                return literal(rng.choice(TEXTS))
        return rng.choice(("TRUE", "FALSE"))

    def expression(self, columns: Columns, kind: str, depth: int) -> str:
        rng = self.rng
        own = columns.of(kind)
        if depth <= 0 or rng.random() < 0.5:
            return rng.choice(own) if own and rng.random() < 0.85 else self.constant(kind)

        def part(what: str = kind) -> str:
            return self.expression(columns, what, depth - 1)

        common: tuple[Callable[[], str], ...] = (
            lambda: f"COALESCE({part()}, {part()})",
            lambda: f"CASE WHEN {self.condition(columns, 0)} THEN {part()} ELSE {part()} END",
            lambda: f"CASE WHEN {self.condition(columns, 0)} THEN {part()} END",
            lambda: f"NULLIF({part()}, {part()})",
        )
        special: dict[str, tuple[Callable[[], str], ...]] = {
            "i": (
                lambda: f"({part()} {rng.choice(('+', '-', '*', '//', '%'))} {part()})",
                lambda: f"ABS({part()})",
                lambda: f"-({part()})",
                lambda: f"LENGTH({part('t')})",
                lambda: f"CASE {part('t')} WHEN {self.constant('t')} THEN {part()} ELSE 1 END",
                lambda: f"LEAST({part()}, {part()})",
                lambda: f"CAST(CAST({part('x')} AS DOUBLE) AS BIGINT)",
                lambda: f"STRPOS({part('t')}, 'a')",
            ),
            "x": (
                lambda: f"({part()} {rng.choice(('+', '-', '*', '/'))} {part()})",
                lambda: f"ROUND(CAST({part()} AS DOUBLE))",
                lambda: f"ROUND(CAST({part()} AS DOUBLE), 1)",
                lambda: f"FLOOR({part()})",
                lambda: f"CEIL({part()})",
                lambda: f"GREATEST({part()}, {part()})",
                lambda: f"CAST({part('i')} AS DOUBLE)",
            ),
            "t": (
                lambda: f"({part()} || {part()})",
                lambda: f"UPPER({part()})",
                lambda: f"LOWER({part()})",
                lambda: f"SUBSTRING({part()}, {rng.randrange(-2, 4)}, {rng.randrange(3)})",
                lambda: f"REPLACE({part()}, 'a', 'bb')",
                lambda: f"CAST({part('i')} AS VARCHAR)",
                lambda: f"CONCAT({part()}, {part()})",
                lambda: f"LEFT({part()}, 1)",
                lambda: f"TRIM({part()})",
            ),
            "b": (lambda: f"({self.condition(columns, 1)})",),
        }
        return rng.choice((*common, *special[kind], *special[kind]))()


def _named(alias: str, columns: list[tuple[str, str]]) -> Columns:
    return Columns([(f"{alias}.{name}", kind) for name, kind in columns])


def literal(value: Value) -> str:
    """A value in SQL."""
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    return f"'{value}'" if isinstance(value, str) else str(value)
