"""Both notations of DOTR, read into patterns and queries; and every way to get them wrong."""

from __future__ import annotations

import pytest

from lasing.errors import SourceText
from lasing.events.mistakes import Mistake
from lasing.languages.dotr.lower import lower
from lasing.languages.dotr.reader import read
from lasing.languages.dotr.syntax import DotrText
from lasing.languages.tesla.syntax import (
    Aggregate,
    Between,
    Constant,
    Constraint,
    Description,
    Length,
    Negation,
    Operation,
    Reference,
    Selection,
    Within,
)
from lasing.logic.values import Iri

PREFIX = "PREFIX : <http://ex.org/>\n"
SMOKE = "Smoke = [SELECT ?room WHERE { ?s :smoke ?room }]"
TEMP = "Temp = [SELECT ?r ?v WHERE { ?s :in ?r ; :value ?v }]"
PAPER = f"""{PREFIX}
define Fire = [dotr_id1 a :Fire ; :in ?room]
from {SMOKE}
and last Temp = [SELECT ?r ?v WHERE {{ ?s :in ?r ; :value ?v FILTER(?v > 60 && ?r = Smoke.?room) }}]
    within 5 min. from Smoke
with Fire.?room = Smoke.?room
consuming Temp
"""
SYSTEM = f"""{PREFIX}
Assign 1 => Smoke, 2 => Temp, 3 => Fire
Define Fire:={{ dotr_id1 a :Fire . dotr_id1 :in ?room . }}
From Smoke:=[select ?room where{{?s :smoke ?room}}]
and last Temp := [select ?r ?v where{{?s :in ?r ; :value ?v}}](?v > 60) within 300000 from Smoke
With Temp.?r := Smoke.?room
Where (string)?room := Smoke.?room
Consuming Temp;
"""


def text(written: str) -> DotrText:
    mistakes: list[Mistake] = []
    found = read(written, mistakes, {})
    assert [mistake.message for mistake in mistakes] == []
    return found


def messages(written: str) -> list[str]:
    _, found = lower([SourceText("p.dotr", written)], {})
    return [diagnostic.message for diagnostic in found]


def test_the_notation_of_the_paper() -> None:
    found = text(PAPER)
    (rule,) = found.rules
    (temp,) = rule.pattern.clauses
    assert temp == Selection(
        "last",
        1,
        Description("Temp", (Constraint("r", "=", Reference("Smoke", "room")),)),
        "Temp",
        Within(Length(300, 1000), "Smoke"),
    )
    assert rule.pattern.consumed == ("Temp",)
    assert [(value.attribute, value.expression) for value in rule.pattern.assignments] == [
        ("room", Reference("Smoke", "room"))
    ]
    assert [query.type for query in found.queries] == ["Smoke", "Temp", "Temp_2"]
    assert "?v > 60" in found.queries[1].sparql
    assert "?v > 60" not in found.queries[2].sparql, "rules that differ in this number can share the query"


def test_the_notation_of_the_system() -> None:
    (rule,) = text(SYSTEM).rules
    (temp,) = rule.pattern.clauses
    above = Constraint("v", ">", Constant(60))
    same = Constraint("r", "=", Reference("Smoke", "room"))
    assert temp == Selection("last", 1, Description("Temp", (above, same)), "Temp", Within(Length(300_000, 1), "Smoke"))
    assert rule.pattern.assignments == text(PAPER).rules[0].pattern.assignments


def test_equal_queries_are_one_type_of_events() -> None:
    again = PAPER.replace(PREFIX, "").replace("Fire", "Alarm")
    assert len(text(PAPER + ";" + again).queries) == 3
    other = again.replace("?s :smoke ?room", "?s :fog ?room")
    assert [query.type for query in text(PAPER + ";" + other).queries] == ["Smoke", "Temp", "Temp_2", "Smoke_2"]


@pytest.mark.parametrize("sides", ["Temp.?r := Smoke.?room", "Smoke.?room := Temp.?r"])
def test_with_demands_equality_of_the_later_event(sides: str) -> None:
    (rule,) = text(
        f"{PREFIX}define F = [:a :b :c] from {SMOKE} and each {TEMP} within 5 s from Smoke with {sides}"
    ).rules
    (temp,) = rule.pattern.clauses
    assert temp.event.constraints == (Constraint("r", "=", Reference("Smoke", "room")),)
    assert rule.pattern.terminator.constraints == ()


def test_names_constraints_and_negations() -> None:
    (rule,) = text(
        f"{PREFIX}define F = [:a :b :c] from {SMOKE} as S and 2-first {TEMP}(?v >= 3 + S.?room, ?r != :hall) as T "
        "within PT5S from S and not Temp as T2 between T and S"
    ).rules
    first, none = rule.pattern.clauses
    assert isinstance(first, Selection)
    assert (first.policy, first.count, first.name) == ("first", 2, "T")
    assert first.event.constraints == (
        Constraint("v", ">=", Operation("+", Constant(3), Reference("S", "room"))),
        Constraint("r", "!=", Constant(Iri("http://ex.org/hall"))),
    )
    assert none == Negation(Description("Temp"), Between("T", "S"))


def test_aggregates_range_over_the_events_of_a_name_with_its_comparisons() -> None:
    (rule,) = text(
        f"{PREFIX}define F = [:a :b ?m] from {SMOKE} and each {TEMP}(?r = Smoke.?room) within 5 s from Smoke "
        "where ?m := AVG(Temp.?v(?v > 2)) between Temp and Smoke + 1"
    ).rules
    same = Constraint("r", "=", Reference("Smoke", "room"))
    assert rule.pattern.assignments[0].expression == Operation(
        "+",
        Aggregate("AVG", "Temp", "v", (same, Constraint("v", ">", Constant(2))), Between("Temp", "Smoke")),
        Constant(1),
    )


def test_a_timer() -> None:
    (rule,) = text(f"{PREFIX}define F = [:a :b 1] when Timer(hour = 8, minute = 30)").rules
    assert rule.pattern.terminator.constraints == (
        Constraint("hour", "=", Constant(8)),
        Constraint("minute", "=", Constant(30)),
    )


RULE = f"{PREFIX}define F = [:a :b ?x] from {SMOKE} "
PAIR = f"{RULE}and each {TEMP} within 5 s from Smoke "


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ("hello", "expected PREFIX, tick, Assign or define, but found hello"),
        ("PREFIX ex <http://ex.org/>", "expected a prefix such as ex:, but found ex"),
        ("PREFIX ex: ex", "expected an IRI, but found ex"),
        ("Assign Smoke => 1", "expected a number, as in Assign 1 => Smoke, but found Smoke"),
        ("define F [:a :b 1]", "expected =, but found ["),
        ("define F = :a", "expected [ or {, but found :a"),
        ("define F = [:a", "this [ is never closed"),
        (f"{PREFIX}define F = [] from {SMOKE}", "the graph of F has no triples"),
        (f"{PREFIX}define F = [:a :b 1] of X", "expected from, but found of"),
        (f"{PREFIX}define F = [:a :b 1] from ?x", "expected an event, such as Smoke = [SELECT …], but found ?x"),
        (f"{PREFIX}define F = [:a :b 1] from A = [ASK {{ ?s :p 1 }}]", "an event needs a SELECT"),
        (f"{RULE}and {TEMP} within 5 s from Smoke", "expected each, first, last, all or not, but found Temp"),
        (f"{RULE}and 2-each {TEMP} within 5 s from Smoke", "expected first or last, but found each"),
        (f"{RULE}and 0-last {TEMP} within 5 s from Smoke", "0 is not a number of events"),
        (f"{RULE}and each {TEMP}", "expected within 5 min from …, or between … and …, but the text ends"),
        (f"{RULE}and each {TEMP} within soon from Smoke", "soon is not a length of time"),
        (f"{RULE}and each {TEMP} within 5 s of Smoke", "expected from, but found of"),
        (f"{RULE}and each {TEMP} within 5 weeks from Smoke", "there is no unit weeks"),
        (f"{PREFIX}define F = [:a ex:b 1] from {SMOKE}", "the prefix ex: is not declared"),
        (f"{PREFIX}define F = [:a :b 1] from A = [SELECT ?x WHERE {{ ?x ex:b 1 }}]", "the prefix ex: is not declared"),
        (f"{RULE}and each {SMOKE} within 5 s from Smoke", "two events are named Smoke"),
        (f"{RULE}with x = 1", "expected a variable, such as F.?room, but found x"),
        (f"{RULE}with F.?x = :a extra", "expected and, with, consuming, or ; at the end of the rule, but found extra"),
        (f"{RULE}with F.?x = ex:a", "the prefix ex: is not declared"),
        (f"{RULE}with Smok.?room = 1, F.?x = 1", "there is no event Smok in this rule"),
        (f"{RULE}where (text)?x := 1", "there is no type text"),
        (f"{RULE}where x := 1", "expected a variable of the result, but found x"),
        (f"{RULE}where ?x := SUM(Smoke) within 5 s from Smoke", "SUM needs a variable"),
        (f"{RULE}where ?x := 1 + ", "expected a value, but the text ends"),
        (f"{RULE}where ?x := 99999999999999999999", "99999999999999999999 does not fit into 64 bits"),
        (f"{RULE}where ?x := <a>", "'a' is not an IRI"),
        (RULE, "F.?x has no value"),
        (f"{RULE}where ?x := Smoke.?rom", "Smoke has no variable ?rom"),
        (f"{RULE}where ?x := ?room", "?room is not a variable of one event here"),
        (f"{RULE}where ?x := 1, ?x := 2", "?x is given twice"),
        (f"{RULE}where ?x := 1, ?y := 2", "F has no variable ?y"),
        (f"{RULE}where ?x := 1 consuming Temp", "the pattern has no event Temp"),
        (f"{RULE}and each Tmp within 5 s from Smoke where ?x := 1",
         "Tmp is neither an event with a query nor a result"),
        (f"{PAIR}and each Temp within 5 s from Smoke where ?x := 1", "two events are named Temp"),
        (f"{PREFIX}define F = [:a :b] from {SMOKE}", "syntax error before the end"),
        (f"{PREFIX}define F = [:a :b 1] from F", "F defines itself at the same time point: F → F"),
        (f"{PREFIX}define Smoke = [:a :b 1] from {SMOKE}", "Smoke is a result, and also an event with a query"),
        (f"{PREFIX}define F = [:a :b 1] from Timer(hour = 25)", "the hour of a timer must be a number"),
        (f"{RULE}where ?x := {'1 + ' * 101}1", "more than 100 operators in one expression"),
        (f"{RULE}where ?x := {'- ' * 5000}1", "more than 100 operators in one expression"),
        (f"{PAIR}and not Timer within 5 s from Smoke where ?x := 1",
         "a timer can only be the first event of a pattern"),
        (f"tick 7 s; {PAIR} where ?x := 1", "this is not a whole number of time points of 7000 ms"),
        (f"{RULE}where ?x := 1; define F = [:a :b ?y] from {SMOKE} where ?y := 1; define G = [:a :b 1] from F",
         "F is an event of a rule, and has other variables elsewhere: ?x"),
    ],
)  # fmt: skip
def test_mistakes(written: str, message: str) -> None:
    found = messages(written)
    assert any(message in one for one in found), found
    assert len(found) == 1, found


def test_all_mistakes_at_once() -> None:
    found = messages(
        f"{PREFIX}define A = [:a :b ?x] from Smoke = [SELECT ?room WHERE {{ ?s :smoke }}] with A.?x = Smoke.?rom;"
        f"define B = [:a :b] from {TEMP};"
        "define C from nothing;"
        f"define D = [:a :b 1] from {TEMP}(?w > 1) and not Tmp within 1 s from Temp;"
    )
    assert len(found) == 6, found


def test_places_of_mistakes_in_queries_and_graphs() -> None:
    written = f"{PREFIX}define A = [:a :b]\nfrom Smoke = [SELECT ?room WHERE {{\n  ?s :smoke }}]"
    _, found = lower([SourceText("p.dotr", written)], {})
    assert sorted((d.place.line, d.place.column) for d in found if d.place is not None) == [(2, 18), (4, 13)]


def test_events_of_two_texts_can_have_the_same_name() -> None:
    one = f"{PREFIX}define A = [:a :b ?x] from {SMOKE} with A.?x = Smoke.?room"
    other = one.replace("define A", "define B").replace("A.?x", "B.?x").replace(":smoke", ":fog")
    program, found = lower([SourceText("a.dotr", one), SourceText("b.dotr", other)], {})
    assert not found
    heads = [str(rule) for rule in program.rules]
    assert sum(":- triple(" in head for head in heads) == 2
