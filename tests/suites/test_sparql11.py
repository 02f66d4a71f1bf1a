"""The W3C's tests of SPARQL 1.1 queries.

The suite is not part of the project: see `manifests.suites` for where it is looked for. The tests in `entailment` are
run if they ask for RDF or RDFS entailment; those for OWL and RIF alone are left out.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from lasing.languages.rspql.mistakes import Mistake
from lasing.languages.rspql.sparql import parse
from tests.queries import Answer, Solutions, answered, canonical, comparable
from tests.suites.manifests import Case, as_csv, cases_in, suites

KNOWN: dict[str, str] = {}
"""The tests that do not pass, and why."""

FOLDER = suites() / "w3c" / "sparql11"
_ORDER = re.compile(r"ORDER\s+BY\s+(?P<keys>[^{}]*)$", re.IGNORECASE)
"""The ORDER BY of the query itself, which is after its last brace; those of subqueries are inside of braces."""


def _cases() -> list[Case]:
    cases = [case for manifest in sorted(FOLDER.glob("*/manifest.ttl")) for case in cases_in(manifest)]
    return [case for case in cases if not case.regimes or case.regimes & {"RDF", "RDFS"}]


CASES = _cases()
QUERIES = [case for case in CASES if "Syntax" not in case.kind]
GOOD = [case for case in CASES if case.kind.startswith("PositiveSyntax")]
BAD = [case for case in CASES if case.kind.startswith("NegativeSyntax")]

pytestmark = pytest.mark.skipif(not CASES, reason=f"there is no SPARQL suite in {FOLDER}; set LASING_SUITES")


def _marked(cases: list[Case]) -> list[object]:
    def marks(case: Case) -> list[pytest.MarkDecorator]:
        return [pytest.mark.xfail(reason=KNOWN[case.name], strict=True)] if case.name in KNOWN else []

    return [pytest.param(case, id=case.name, marks=marks(case)) for case in cases]


@pytest.mark.parametrize("case", _marked(QUERIES))
def test_query(case: Case) -> None:
    entail = "rdfs" if "RDFS" in case.regimes else "rdf" if "RDF" in case.regimes else None
    expected, found = case.expected(), answered(case.text, case.dataset(), path=case.query, entail=entail)
    if case.kind == "CSVResultFormatTest":
        assert isinstance(found, Solutions)
        found = as_csv(found)
    assert canonical(found) == canonical(expected)
    assert _order(case.text, found) == _order(case.text, expected)


def _order(text: str, answer: Answer) -> list[tuple[str, ...]]:
    """The values of the order keys in each row, as far as they are shown; blank nodes are all alike."""
    found = _ORDER.search(re.sub(r"#[^\n>]*$", "", text, flags=re.MULTILINE))
    if found is None or not isinstance(answer, Solutions):
        return []
    keys = [name for name in re.findall(r"[?$](\w+)", found["keys"]) if name in answer.columns]
    places = [answer.columns.index(name) for name in keys]
    return [tuple(re.sub("^_:.*", "_:", str(comparable(row[place]))) for place in places) for row in answer.rows]


@pytest.mark.parametrize("case", _marked(GOOD))
def test_good_syntax(case: Case) -> None:
    query, _ = parse(case.text, _base(case.query))
    assert query.algebra.name in ("SelectQuery", "AskQuery", "ConstructQuery", "DescribeQuery")


@pytest.mark.parametrize("case", _marked(BAD))
def test_bad_syntax(case: Case) -> None:
    with pytest.raises(Mistake) as raised:
        parse(case.text, _base(case.query))
    assert raised.value.code == "E701"


def _base(query: Path) -> str:
    return f"{query.parent.as_uri()}/"


@pytest.mark.skipif(not CASES, reason="there is no suite")
def test_known_failures_are_few_and_exist() -> None:
    assert len(KNOWN) <= 5
    assert set(KNOWN) <= {case.name for case in CASES}
