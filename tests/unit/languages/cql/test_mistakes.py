"""Each mistake in SQL has a code, a place and a note."""

from __future__ import annotations

import pytest

import lasing
from lasing.errors import SourceText
from lasing.languages.cql.lower import lower

SETUP = "CREATE STREAM s (k VARCHAR, v DOUBLE, ts BIGINT, TIME ts);\nCREATE TABLE t (k VARCHAR NOT NULL, n BIGINT);\n"


@pytest.mark.parametrize(
    ("query", "code", "under", "says"),
    [
        ("SELECT k FRM s [NOW]", "E721", "s", "unexpected"),
        ("SELCT k FROM s [NOW]", "E721", "SELCT", "cannot begin with"),
        ("SELECT 'k FROM s [NOW]", "E721", "'", "not closed"),
        ("SELECT kk FROM s [NOW]", "E722", "kk", "no column kk"),
        ("SELECT k FROM ss [NOW]", "E722", "ss", "no stream, table or view ss"),
        ("SELECT x.k FROM s [NOW]", "E722", "x.k", "no table x"),
        ("SELECT k FROM s [NOW], t", "E722", "k", "k is in s and t"),
        ("SELECT LENGHT(k) FROM s [NOW]", "E722", "LENGHT", "no function LENGHT"),
        ("SELECT k + 1 FROM s [NOW]", "E723", "k + 1", "no arithmetic"),
        ("SELECT k FROM s [NOW] WHERE v = 'a'", "E723", "v = 'a'", "cannot be compared"),
        ("SELECT k FROM s [NOW] WHERE v", "E723", "v", "BOOLEAN is needed"),
        ("SELECT SUM(k) FROM s [NOW]", "E723", "k", "a number is needed"),
        ("SELECT k FROM s [NOW] UNION SELECT n FROM t", "E723", "k", "on one side"),
        ("SELECT (SELECT n FROM t) FROM s [NOW]", "E723", "n", "more than one row"),
        ("SELECT k FROM s", "E724", "s", "has no window"),
        ("SELECT k FROM t [NOW]", "E724", "[NOW]", "not a stream"),
        ("SELECT k FROM s [RNGE 5]", "E724", "RNGE", "cannot begin with"),
        ("SELECT k FROM s [RANGE 5 PARSECS]", "E724", "PARSECS", "no unit of time"),
        ("SELECT k FROM s [ROWS 0]", "E724", "0", "at least 1"),
        ("SELECT k, COUNT(*) FROM s [NOW]", "E725", "k", "not the same for all rows"),
        ("SELECT k FROM s [NOW] WHERE COUNT(*) > 1", "E725", "COUNT(*)", "cannot have aggregates"),
        ("SELECT SUM(v) OVER () FROM s [NOW]", "E726", "SUM(v", "window functions"),
        ("SELECT k FROM s [NOW] TABLESAMPLE 10%", "E726", "10", "SAMPLE is not supported"),
        ("SELECT k FROM s [NOW] LIMIT 10%", "E726", "10", "PERCENT is not supported"),
        ("SELECT MAX(v, 3) FROM s [NOW]", "E726", "3", "a second argument"),
        ("SELECT k FROM ONLY s [NOW]", "E726", "s", "ONLY is not supported"),
        ("SELECT COUNT(DISTINCT *) FROM s [NOW]", "E726", "COUNT", "DISTINCT * is not supported"),
        ("SELECT k FROM s [NOW] WHERE v > ALL (SELECT n FROM t)", "E726", "v", "ALL is not supported"),
        ("SELECT CAST(v AS DECIMAL(50, 2)) FROM s [NOW]", "E723", "50", "a DECIMAL has 1 to 38 digits"),
        ("SELECT FROM s [NOW]", "E721", "s", "SELECT names no columns"),
        ("SELECT k,, v FROM s [NOW]", "E721", ", v", "between two commas"),
        ("SELECT k FROM s [NOW] AS", "E721", "AS", "a name should follow AS"),
        ("SELECT k FROM s [NOW] WHERE", "E721", "WHERE", "something is missing after WHERE"),
        ("SELECT k FROM s [NOW] GROUP BY", "E721", "k", "GROUP BY names no columns"),
        ("SELECT NULLIF(k) FROM s [NOW]", "E721", ")", "NULLIF needs more arguments"),
        ("SELECT ABS(v, 2) FROM s [NOW]", "E721", ")", "takes 1 argument, not 2"),
        ("SELECT k FROM s [NOW] LIMIT 1 LIMIT 2", "E721", "LIMIT 2", "LIMIT is there twice"),
        ("SELECT s.k FROM s [NOW] JOIN t", "E721", "JOIN", "JOIN needs ON or USING"),
        ("SELECT s.k FROM s [NOW] JOIN t, t AS u WHERE u.n > 1", "E721", "JOIN", "JOIN needs ON or USING"),
        ("SELECT s.k FROM s [NOW] LEFT JOIN t WHERE t.n > 1", "E721", "JOIN", "LEFT JOIN needs ON or USING"),
        ("SELECT DATE_TRUNC('hour', v) FROM s [NOW]", "E722", "DATE", "no function DATE_TRUNC"),
        ("SELECT UPPER(CHR(65)) FROM s [NOW]", "E722", "CHR(65", "no function CHR"),
        ("SELECT EXTRACT(DOW FROM ts) FROM s [NOW]", "E722", "EXTRACT(DOW FROM ts", "EXTRACT has no DOW"),
        ("SELECT STDDEV(v) FROM s [NOW]", "E726", "STDDEV(v", "STDDEV is not supported"),
        ("SELECT BOOL_OR(v) FROM s [NOW]", "E723", "v", "BOOLEAN is needed"),
        ("SELECT CAST(v AS BLOB) FROM s [NOW]", "E723", "CAST(v", "no type BLOB"),
        ("SELECT * FROM s [NOW] GROUP BY ALL", "E725", "* FROM s", "* cannot be selected from groups"),
        ("SELECT v, ISTREAM(k) FROM s [NOW]", "E722", "ISTREAM(k", "no function ISTREAM"),
        ("SELECT ISTREAM(k), v FROM s [NOW]", "E721", "ISTREAM", "ISTREAM cannot be here"),
        ("SELECT x FROM (SELECT k AS x, v AS x FROM s [NOW]) AS q", "E722", "x", "q has several columns x"),
        ("SELECT v FROM s [NOW] NATURAL JOIN (SELECT n FROM t) q", "E722", "n", "a column that both sides have"),
        ("SELECT COUNT(*) FILTER (WHERE v) FROM s [NOW]", "E723", "v", "BOOLEAN is needed"),
        ("SELECT k FROM s [NOW] UNION SELECT k, n FROM t", "E723", "k", "1 column, the other 2"),
        ("SELECT n, (SELECT SUM(t.n) FROM s [NOW]) FROM t", "E725", "SUM(t.n)", "an aggregate of the query around"),
        ("SELECT k FROM s [NOW] ORDER BY 'v'", "E722", "'v'", "no column 'v' to order by"),
        ("SELECT SUM(v ORDER BY k) FROM s [NOW]", "E726", "v", "ORDER BY in an aggregate"),
        ("SELECT k FROM s [NOW] GROUP BY ROLLUP (k)", "E726", "k", "ROLLUP (k) is not supported"),
        ("SELECT k FROM s [NOW] FOR UPDATE", "E726", "k", "FOR UPDATE is not supported"),
        (
            "SELECT n FROM t WHERE EXISTS (SELECT 1 FROM s [NOW] LEFT JOIN t AS u ON t.n = 1)",
            "E726",
            "t.n",
            "LEFT JOIN",
        ),
        (
            "SELECT n FROM t WHERE EXISTS (SELECT 1 FROM s [NOW] JOIN t AS u ON u.n = (SELECT MAX(v) FROM s [NOW] AS w "
            "WHERE w.k = t.k))",
            "E726",
            "MAX(v",
            "a query in ON cannot name k",
        ),
        ("CREATE TABLE q (a BIGINT PRIMARY KEY)", "E726", "PRIMARY", "keys and constraints"),
        ("CREATE TABLE q (a BIGINT NOT NULL CHECK (a > 3))", "E726", "CHECK", "keys and constraints"),
        ("CREATE TABLE q (a BIGINT DEFAULT 3)", "E726", "DEFAULT", "DEFAULT is not supported"),
        ("CREATE STREAM q (a BIGINT, TIME b, TIME c)", "E722", "TIME c", "two columns of the time"),
        ("INSERT INTO t (n, n) VALUES (1, 2)", "E722", "t", "n is there twice"),
        ("INSERT INTO t VALUES ('a')", "E723", "'a'", "this row has 1 value instead of 2"),
        ("INSERT INTO t VALUES (k, 1)", "E723", "k", "a row has constants only"),
        ("INSERT INTO s VALUES ('a', 1)", "E722", "s", "s is a stream"),
        ("WITH RECURSIVE r AS (SELECT 1 AS x) SELECT x FROM r", "E726", "r", "RECURSIVE"),
    ],
)
def test_a_mistake_is_found_at_its_place(query: str, code: str, under: str, says: str) -> None:
    _, found = lower([SourceText("q.sql", SETUP + query)], {})
    assert found, query
    first = found[0]
    assert first.code == code
    assert says in first.message
    assert first.place is not None
    assert first.place.line == 3
    assert query[first.place.column - 1 :].startswith(under[: first.place.length])


def test_all_mistakes_are_found_at_once() -> None:
    text = f"{SETUP}SELECT kk, vv + 1 FROM s [NOW] WHERE k = 5;\nSELECT n FROM tt;"
    _, found = lower([SourceText("q.sql", text)], {})
    assert [d.code for d in found] == ["E723", "E722", "E722", "E722"]


def test_a_slip_gets_a_hint() -> None:
    with pytest.raises(lasing.LasingError, match="did you mean sensor"):
        lasing.parse("CREATE STREAM s (sensor VARCHAR); SELECT sensr FROM s [NOW]", language="cql")


def test_a_correlated_query_in_the_on_of_an_outer_join_is_refused() -> None:
    text = f"{SETUP}SELECT s.k FROM s [NOW] LEFT JOIN t ON t.n > (SELECT MAX(v) FROM s [RANGE 5] AS x);"
    _, found = lower([SourceText("q.sql", text)], {})
    assert [d.code for d in found] == ["E726"]


def test_a_window_that_keeps_all_rows_is_a_warning_at_its_place() -> None:
    program, found = lower([SourceText("q.sql", f"{SETUP}SELECT COUNT(*) FROM s [UNBOUNDED];")], {})
    assert not found
    (caution,) = program.cautions
    assert (caution.code, caution.message) == ("W217", "unbounded state: this window keeps all rows")
    assert caution.place is not None
    assert (caution.place.line, caution.place.column) == (3, 24)
