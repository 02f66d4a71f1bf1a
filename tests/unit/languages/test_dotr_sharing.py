"""Rules of DOTR that differ only in the constants of their FILTERs share one pattern, and have the same results."""

from __future__ import annotations

import pytest

pytest.importorskip("pyoxigraph")
pytest.importorskip("rdflib")

import lasing
from lasing.languages.tesla.sharing import LEAST
from lasing.logic.values import Iri

EX = "http://ex.org/"


def rules(sensors: range) -> str:
    return f"PREFIX : <{EX}>\n" + "".join(
        f"define Hot = [dotr_id1 :val ?v ; :sensor ?s]\n"
        f"from A = [SELECT ?a ?s WHERE {{ ?s :now ?a FILTER(?s = :s{i} && ?a > {10 * i}) }}]\n"
        f"and last B = [SELECT ?b ?t WHERE {{ ?t :before ?b FILTER(<{EX}s{i}> = ?t && ?b > {i}) }}] within 5s from A\n"
        f"with Hot.?v = A.?a, Hot.?s = A.?s\n"
        for i in sensors
    )


def results(program: lasing.Program) -> list[set[tuple[object, ...]]]:
    stream = [
        (t, "triple", Iri(f"{EX}s{sensor}"), Iri(f"{EX}{name}"), value)
        for t in range(40)
        for sensor, name, value in [(t // 4 % 6, "before" if t % 3 else "now", (t * 17) % 60 + 5)]
    ]
    return [{atom.values[1:] for atom in answer.atoms} for answer in lasing.run(program, stream, start=0, end=40)]


def test_rules_that_differ_in_iris_and_numbers_are_one_pattern() -> None:
    apart = [lasing.parse(rules(range(i, i + 1)), language="dotr") for i in range(6)]
    shared = lasing.parse(rules(range(6)), language="dotr")
    assert LEAST <= 6
    assert len(shared.rules) == len(apart[0].rules)
    wanted = [set[tuple[object, ...]]().union(*found) for found in zip(*map(results, apart), strict=True)]
    assert results(shared) == wanted
    assert any(wanted)
