"""Both notations of TESLA, read into one syntax tree; and every way to get them wrong."""

from __future__ import annotations

import pytest

import lasing
from lasing.errors import SourceText
from lasing.languages.tesla.lower import lower
from lasing.languages.tesla.reader import Text, read
from lasing.languages.tesla.resolve import resolved
from lasing.languages.tesla.syntax import (
    Aggregate,
    Assignment,
    Attribute,
    Between,
    Constant,
    Constraint,
    Description,
    EventType,
    Length,
    Negation,
    Operation,
    Parameter,
    Reference,
    Selection,
    TeslaRule,
    Within,
)
from lasing.logic.checks import CAUTIONS, findings
from lasing.logic.values import Truth

PAPER = """
event Smoke(area: string);  // a comment
event Temp(room: string, value: float);

define Fire(room: string, temp: float)
from Smoke(area = $a) as S
     and last Temp(room = $a, value > 45) within 5 min. from S
     and not Rain(area = $a) between Temp and S
with room = S.area, temp = Temp.value
consuming Temp
"""
REX = """
Assign 10 => Smoke, 11 => Temp, 12 => Rain, 13 => Fire
Define Fire(room: string, temp: float)
From Smoke([string] area => $a) as S
     and last Temp([string] room = $a, [float] value > 45) within 300000 from S
     and not Rain(area = $a) between Temp and S
Where room := S.area, temp := Temp.value
Consuming Temp;
"""


def rules(text: str) -> list[TeslaRule]:
    found = read(text)
    assert not found.mistakes
    return found.rules


def rule(pattern: str) -> TeslaRule:
    (made,) = rules(f"define R() from {pattern}")
    return made


def test_both_notations_are_the_same_rule_but_for_the_unit_of_lengths() -> None:
    (paper,), (rex,) = rules(PAPER), rules(REX)
    a = Parameter("a")
    expected = TeslaRule(
        EventType("Fire", (Attribute("room", "string"), Attribute("temp", "float"))),
        Description("Smoke", (Constraint("area", "=", a),)),
        "S",
        (
            Selection(
                "last",
                1,
                Description("Temp", (Constraint("room", "=", a), Constraint("value", ">", Constant(45)))),
                "Temp",
                Within(Length(5, 60_000), "S"),
            ),
            Negation(Description("Rain", (Constraint("area", "=", a),)), Between("Temp", "S")),
        ),
        (Assignment("room", Reference("S", "area")), Assignment("temp", Reference("Temp", "value"))),
        ("Temp",),
    )
    assert paper == expected
    last, none = rex.clauses
    assert isinstance(last, Selection)
    assert last.position == Within(Length(300_000, 1), "S")
    assert (rex.terminator, none, rex.assignments) == (expected.terminator, expected.clauses[1], expected.assignments)


def test_assigned_events_have_the_attributes_and_types_that_rules_mention() -> None:
    program, mistakes = resolved([read(REX)])
    assert not mistakes
    assert program.inputs == (
        EventType("Smoke", (Attribute("area", "string"),)),
        EventType("Temp", (Attribute("room", "string"), Attribute("value", "float"))),
        EventType("Rain", (Attribute("area"),)),
    )
    assert program.tick == 1


@pytest.mark.parametrize(
    ("lengths", "tick"),
    [("5 min", 1000), ("5 s", 1000), ("500 ms", 1), ("5", 0), ("2 h", 1000), ("1 d", 1000)],
)
def test_a_time_point_is_a_second_unless_lengths_are_shorter(lengths: str, tick: int) -> None:
    program, mistakes = resolved([read(f"event A(); define R() from A() and each A() as B within {lengths} from A")])
    assert (program.tick, mistakes) == (tick, [])


def test_a_tick_is_the_length_of_a_time_point() -> None:
    program, mistakes = resolved(
        [read("tick 30 s; event A(); define R() from A() and each A() as B within 2 min from A")]
    )
    assert (program.tick, mistakes) == (30_000, [])
    assert [program.points(length) for r in program.rules for length in r.lengths()] == [4]


@pytest.mark.parametrize(
    ("written", "policy", "count"),
    [("each", "each", 1), ("FIRST", "first", 1), ("Last", "last", 1), ("all", "all", 1), ("3-last", "last", 3),
     ("2 - first", "first", 2)],
)  # fmt: skip
def test_policies(written: str, policy: str, count: int) -> None:
    (clause,) = rule(f"A() and {written} B() within 5 from A").clauses
    assert isinstance(clause, Selection)
    assert (clause.policy, clause.count) == (policy, count)


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("1", Constant(1)),
        ("-2.5", Constant(-2.5)),
        ("1e3", Constant(1000)),
        ("'it''s'", None),
        (r'"a \"b\" \\ c"', Constant('a "b" \\ c')),
        ("'x'", Constant("x")),
        ("true", Constant(Truth(True))),
        ("FALSE", Constant(Truth(False))),
        ("$p", Parameter("p")),
        ("B.y", Reference("B", "y")),
        ("y", Reference(None, "y")),
        ("1 + 2 * 3", Operation("+", Constant(1), Operation("*", Constant(2), Constant(3)))),
        ("(1 - 2) / -y", Operation("/", Operation("-", Constant(1), Constant(2)),
                                   Operation("-", Constant(0), Reference(None, "y")))),
        ("1 - 2 - 3", Operation("-", Operation("-", Constant(1), Constant(2)), Constant(3))),
        ("COUNT(B) within 5 from A", Aggregate("COUNT", "B", None, (), Within(Length(5), "A"))),
        ("avg(B.y(z < 2)) between A and C",
         Aggregate("AVG", "B", "y", (Constraint("z", "<", Constant(2)),), Between("A", "C"))),
    ],
)  # fmt: skip
def test_expressions(written: str, expected: object) -> None:
    found = read(f"define R() from A(x = {written})")
    if expected is None:
        assert found.mistakes
        return
    assert not found.mistakes
    assert found.rules[0].terminator.constraints[0].expression == expected


@pytest.mark.parametrize(
    ("written", "meant"),
    [("=", "="), ("==", "="), ("=>", "="), (":=", "="), ("<>", "!="), ("!=", "!="), ("<=", "<="), (">=", ">=")],
)
def test_comparisons(written: str, meant: str) -> None:
    assert rule(f"A(x {written} 1)").terminator.constraints[0].comparison == meant


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("defin R() from A()", "expected define, event, tick or Assign, but found defin"),
        ("define R( from A()", "expected ), but found A"),
        ("define R() of A()", "expected from, but found of"),
        ("define R() from A", "expected (, but the text ends"),
        ("define R() from A() and B() within 5 from A", "expected each, first, last, all or not, but found B"),
        ("define R() from A() and 2-each B() within 5 from A", "expected first or last, but found each"),
        ("define R() from A() and 0-last B() within 5 from A", "0 is not a number of events"),
        ("define R() from A() and each B() near A", "expected within 5 min from …, or between … and …, but found near"),
        ("define R() from A() and each B() within five from A", "expected a length such as 5 min, but found five"),
        ("define R() from A() and each B() within 5 weeks from A", "there is no unit weeks"),
        ("define R() from A() and each B() within 0 from A", "a length is longer than nothing"),
        ("define R() from A() and not B()", "expected within 5 min from …, or between … and …, but the text ends"),
        ("define R() from A() and each B() within", "expected a length such as 5 min, but the text ends"),
        ("define R() from A() and", "expected each, first, last, all or not, but the text ends"),
        ("define R() from A(x", "expected a comparison: = != < <= > >=, but the text ends"),
        ("define R() from A(x =", "expected a value, but the text ends"),
        ("define R() from A(x = MEDIAN(B.x) within 5 from A)", "there is no aggregate MEDIAN"),
        ("define R() from A(x ~ 5)", "unexpected character ~"),
        ("define R() from A(x like 5)", "expected a comparison: = != < <= > >=, but found like"),
        ("define R() from A(x = )", "expected a value, but found )"),
        ("define R() from A(x = 'a)", "this text is never closed, or has an unknown escape"),
        ("define R() from A(x = $)", "a parameter needs a name"),
        ("define R() from A(x = 5min)", "5min is neither a number nor a name"),
        ("define R() from A(x = 99999999999999999999)", "99999999999999999999 does not fit into 64 bits"),
        ("define R() from A(x = SUM(B) within 5 from A)", "SUM needs an attribute"),
        ("event A(x: text, y: flot)", "there is no type flot"),
        ("Assign Temp => 3", "expected a number, as in Assign 10 => Temp, but found Temp"),
        ("define R() from A() with x 3", "expected =, but found 3"),
        ("define R() from A() consuming 3", "expected the name of an event, but found 3"),
        ("define R() from A() 3", "expected ; or another statement, but found 3"),
        (f"define R() from A(x = {'(' * 60}1{')' * 60})", "nested more than 50 levels deep"),
        (f"define R() from A(x = {'1 + ' * 101}1)", "more than 100 operators in one expression"),
        (f"define R() from A(x = {'- ' * 5000}1)", "more than 100 operators in one expression"),
    ],
)
def test_mistakes(text: str, message: str) -> None:
    assert [mistake.message for mistake in read(text).mistakes] == [message]


def test_a_hundred_operators_can_be_computed() -> None:
    text = f"event A(x: int); define R(y: int, z: int) from A() with y = {'1 + ' * 100}A.x, z = {'- ' * 99}A.x + 1"
    (answer,) = lasing.run(lasing.parse(text, language="tesla"), [(0, "a", 5)])
    assert answer.atoms == {lasing.Atom("r", (105, -4))}


def test_a_policy_that_does_not_exist() -> None:
    (mistake,) = read("define R() from A() and lst B() within 5 from A").mistakes
    assert mistake.note == "did you mean last?"


def test_reading_goes_on_after_a_mistake() -> None:
    found = read("define R( from A(); event B(x); define S() from B(); event C(y: nonsense); define T() from B()")
    assert len(found.mistakes) == 2
    assert [made.defines.name for made in found.rules] == ["S", "T"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("event A(x); event A(y); define R() from A()", "the event A is declared twice, with other attributes: A(x)"),
        ("event A(x, x); define R() from A()", "A has two attributes x"),
        ("event A(); define R(x: int) from A() with x = 1; define R(x: float) from A() with x = 1",
         "R has other attributes elsewhere: R(x: int)"),
        ("event A(); event a(); define R() from A()", "the facts of a and of A both have the predicate a"),
        ("event A(x: float); define R() from A([string] x = 'b')", "A.x is of type float, not string"),
        ("tick 7 s; event A(); define R() from A() and each A() as B within 5 s from A",
         "this is not a whole number of time points of 7000 ms"),
        ("tick 7 s; define R() from Timer(second = 3)",
         "a timer needs time points that divide its period: 7000 ms does not"),
        ("event A(); define R() from A() and each A() as B within 5 from A and each A() as C within 5 s from A",
         "this length has no unit, but others have one"),
    ],
)  # fmt: skip
def test_texts_that_do_not_fit_together(text: str, message: str) -> None:
    _, found = lower([SourceText("p.tesla", text)], {})
    assert message in [diagnostic.message for diagnostic in found]


@pytest.mark.parametrize(
    "clause",
    [
        "and each Timer(minute = 5) within 1 h from A",
        "and not Timer(minute = 5) within 1 h from A",
        "and not A(x > COUNT(Timer) within 1 h from A) within 1 h from A",
        "with y = COUNT(Timer(minute = 5)) within 1 h from A",
    ],
)
def test_a_timer_is_no_event_of_the_past(clause: str) -> None:
    result = "R(y)" if "with y" in clause else "R()"
    _, found = lower([SourceText("p.tesla", f"event A(x: int); define {result} from A() {clause}")], {})
    assert [diagnostic.message for diagnostic in found] == ["a timer can only be the first event of a pattern"]


def test_an_event_that_is_not_declared_is_one_mistake() -> None:
    """Nothing else that the rule says about it is another one, and the note has what the rule says."""
    text = """
        event A(x: int);
        define R(y) from B(u = $p, v > 3) as T and last C() within 5 from T and not A(x > T.w) within 5 from T
        with y = T.z + C.x + MAX(D.x(y = $p)) within 5 from T
    """
    _, found = lower([SourceText("p.tesla", text)], {})
    assert [(diagnostic.message, diagnostic.note) for diagnostic in found] == [
        ("the event B is not declared", "declare it: event B(u, v, w, z);"),
        ("the event C is not declared", "declare it: event C(x);"),
        ("the event D is not declared", "declare it: event D(y, x);"),
    ]


@pytest.mark.parametrize(
    ("pattern", "place"),
    [
        ("last B() within 1 from A", "within"),
        ("each B() between A and A", "between"),
        ("all B() within 1 from A", "within"),
    ],
)
def test_a_pattern_without_time_is_a_warning_at_its_place(pattern: str, place: str) -> None:
    text = f"event A(); event B(); define R() from A() and {pattern}"
    program, found = lower([SourceText("p.tesla", text)], {})
    assert not found
    (caution,) = program.cautions
    assert caution.code == "W102"
    assert caution.message == f"this rule never fires: no time lies in the interval of this {place}"
    assert caution.place is not None
    assert text[caution.place.column - 1 :].startswith(place)
    assert [f.code for f in findings(program, CAUTIONS)] == ["W102"]


def test_an_aggregate_over_no_time_is_a_warning() -> None:
    text = "event A(); event B(x); define R(y) from A() with y = MAX(B.x) within 1 from A"
    program, _ = lower([SourceText("p.tesla", text)], {})
    assert [caution.code for caution in program.cautions] == ["W102"]


def test_an_empty_text_says_nothing() -> None:
    assert read(" // nothing\n") == Text()
