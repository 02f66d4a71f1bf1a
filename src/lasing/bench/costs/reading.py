"""Reading programs and streams: rules and facts per second, compared with the least that Python needs."""

from __future__ import annotations

import csv

import lasing
from lasing.bench.costs.medians import interleaved
from lasing.connectors.facts import parse_facts
from lasing.errors import SourceText
from lasing.languages.lars.lower import lower
from lasing.languages.lars.tokens import tokenize

RULES = """\
steam(V) at T :- temp(V) at T in [20], V >= 100.
liquid(V) at T :- temp(V) at T in [20], 1 <= V, V < 100.
isSteam at T :- steam(V) at T in [20].
isLiquid at T :- liquid(V) at T in [20].
alarm :- isSteam always in [20].
normal :- isLiquid always in [20].
freeze :- not alarm, not normal.
veryHot(T) :- steam(V) at T in [20], V >= 150.
exp(Id, Y) at T :- tram(Id, X) at U in [#1 by Id], line(Id, L), plan(L, X, Y, Z), not jam(X) in [20], T = U + Z.
q(X, Z) :- p(X, Y) in [20], p(Y, Z) in [20].
"""


def reading() -> list[tuple[str, str, str]]:
    """Rows of a table: the case, how many per second, and the ratio of its time to the baseline's."""
    copies = 500
    program = RULES * copies
    rules = program.count(".\n")
    source = SourceText("program", program)
    facts = 100_000
    stream = "".join(f"temp(s{i % 500},{i * 7 % 100}) at {i // 100}.\n" for i in range(facts))
    table = "".join(f"{i // 100},s{i % 500},{i * 7 % 100}\n" for i in range(facts)).splitlines()
    of_rules = interleaved(
        {
            "baseline: tokens only": lambda: tokenize(source),
            "rules read": lambda: lower([source], {}),
            "rules read and checked (lasing.parse)": lambda: lasing.parse(program),
        }
    )
    of_facts = interleaved(
        {
            "baseline: csv.reader on the same facts": lambda: list(csv.reader(table)),
            "facts read (.facts)": lambda: list(parse_facts(stream)),
        }
    )
    rows = []
    for count, results in ((rules, of_rules), (facts, of_facts)):
        for result in results:
            ratio = result.median / results[0].median
            rows.append((result.name, f"{count / result.median:,.0f}/s", f"{ratio:.1f}x"))
    return rows
