"""TESLA's definition on examples that a reader can work out, at both edges of each construct."""

from __future__ import annotations

import pytest

from lasing.languages.tesla.definition import Event, results
from lasing.languages.tesla.syntax import (
    Aggregate,
    AggregateName,
    Assignment,
    Attribute,
    Between,
    Clause,
    Constant,
    Constraint,
    Description,
    EventType,
    Expression,
    Length,
    Negation,
    Operation,
    Operator,
    Parameter,
    Policy,
    Position,
    Reference,
    Selection,
    TeslaProgram,
    TeslaRule,
    Type,
    Within,
)
from lasing.logic.functions import Comparison
from lasing.logic.values import Value

S, A, B, R = (EventType(name, (Attribute("x"), Attribute("y"))) for name in "SABR")
X, Y = "x", "y"
P = Parameter("p")
ONE = Constant(1)


def event(time: int, of: str, x: Value = 0, y: Value = 0) -> Event:
    return Event(time, of, (x, y))


def constraint(attribute: str, comparison: Comparison, expression: Expression | int | str) -> Constraint:
    given = Constant(expression) if isinstance(expression, int | str) else expression
    return Constraint(attribute, comparison, given)


def within(length: int, anchor: str = "S") -> Within:
    return Within(Length(length), anchor)


def select(
    policy: Policy, name: str, *constraints: Constraint, at: Position | None = None, count: int = 1, of: str = ""
) -> Selection:
    return Selection(policy, count, Description(of or name, constraints), name, at or within(5))


def no(of: str, *constraints: Constraint, at: Position | None = None) -> Negation:
    return Negation(Description(of, constraints), at or within(5))


def rule(
    *clauses: Clause,
    when: tuple[Constraint, ...] = (),
    x: Expression = ONE,
    y: Expression = ONE,
    consumed: tuple[str, ...] = (),
    on: str = "S",
    defines: EventType = R,
) -> TeslaRule:
    made = (Assignment(X, x), Assignment(Y, y))
    return TeslaRule(defines, Description(on, when), on, clauses, made, consumed)


def found(stream: list[Event], *rules: TeslaRule) -> set[tuple[Value, ...]]:
    """All results of some rules, without the type: time and values."""
    program = TeslaProgram((S, A, B), rules)
    return {(made.time, *made.values) for made in at_all_times(program, stream) if made.type == "R"}


def at_all_times(program: TeslaProgram, stream: list[Event]) -> list[Event]:
    return [made for time, some in results(program, stream).items() for made in some if made.time == time]


def times(stream: list[Event], *rules: TeslaRule) -> list[Value]:
    return sorted({time for time, *_ in found(stream, *rules)})  # type: ignore[type-var]


# -- terminators and results ------------------------------------------------------------------------------------------


def test_there_is_an_answer_for_each_time_point_from_the_first_fact_to_the_last() -> None:
    program = TeslaProgram((S, A), (rule(),))
    made = results(program, [event(5, "A"), event(3, "S")])
    assert made == {3: frozenset({Event(3, "R", (1, 1))}), 4: frozenset(), 5: frozenset()}
    assert results(program, []) == {}


def test_a_terminator_satisfies_its_constraints() -> None:
    fires = rule(when=(constraint(X, ">", 1),), x=Reference("S", X))
    assert found([event(0, "S", 1), event(0, "S", 2), event(1, "S", 3)], fires) == {(0, 2, 1), (1, 3, 1)}


def test_equal_results_are_one_event() -> None:
    program = TeslaProgram((S,), (rule(), rule()))
    assert results(program, [event(0, "S", 1), event(0, "S", 2)]) == {0: frozenset({Event(0, "R", (1, 1))})}


def test_results_are_terminators_at_once_and_earlier_events_later() -> None:
    q = EventType("Q", (Attribute(X), Attribute(Y)))
    above = rule(on="Q")
    beside = rule(select("each", "Q", at=within(2)), x=Constant(2))
    assert found([event(0, "S"), event(1, "S")], above, beside, rule(defines=q)) == {(0, 1, 1), (1, 1, 1), (1, 2, 1)}


def test_a_rule_uses_its_own_results_of_the_past() -> None:
    count = Aggregate("COUNT", "R", None, (), within(9))
    stream = [event(time, "S") for time in range(3)]
    assert found(stream, rule(x=count)) == {(0, 0, 1), (1, 1, 1), (2, 2, 1)}


# -- positions --------------------------------------------------------------------------------------------------------


def test_within_is_open_at_both_ends() -> None:
    near = rule(select("each", "A", at=within(3)), x=Reference("A", X))
    stream = [event(time, "A", time) for time in range(6)] + [event(5, "S")]
    assert found(stream, near) == {(5, 3, 1), (5, 4, 1)}


def test_within_counts_from_any_event_named_before() -> None:
    near = rule(select("each", "A"), select("each", "B", at=within(3, "A")), x=Reference("B", X))
    stream = [event(time, "B", time) for time in range(6)] + [event(4, "A"), event(5, "S")]
    assert found(stream, near) == {(5, 2, 1), (5, 3, 1)}


@pytest.mark.parametrize("ends", [Between("A", "S"), Between("S", "A")])
def test_between_is_open_whichever_event_is_earlier(ends: Between) -> None:
    middle = rule(select("each", "A", at=within(9)), select("each", "B", at=ends), x=Reference("B", X))
    stream = [event(time, "B", time) for time in range(6)] + [event(2, "A"), event(5, "S")]
    assert found(stream, middle) == {(5, 3, 1), (5, 4, 1)}


def test_nothing_is_between_two_events_of_one_time_point() -> None:
    empty = rule(select("each", "A"), select("each", "B"), no("A", at=Between("A", "B")))
    assert times([event(1, "A"), event(1, "B"), event(2, "S")], empty) == [2]


# -- selections -------------------------------------------------------------------------------------------------------

TIES = [
    event(1, "A", 3),
    event(1, "A", 1, 9),
    event(1, "A", 1, 10),
    event(2, "A", "a"),
    event(2, "A", 2),
    event(3, "S"),
]


@pytest.mark.parametrize(
    ("policy", "count", "expected"),
    [
        ("each", 1, {(1, 9), (1, 10), (3, 0), (2, 0), ("a", 0)}),
        ("last", 1, {("a", 0)}),
        ("last", 2, {("a", 0), (2, 0)}),
        ("last", 3, {("a", 0), (2, 0), (3, 0)}),
        ("first", 1, {(1, 9)}),
        ("first", 2, {(1, 9), (1, 10)}),
        ("first", 9, {(1, 9), (1, 10), (3, 0), (2, 0), ("a", 0)}),
    ],
)
def test_events_are_ordered_by_time_then_numbers_then_texts(
    policy: Policy, count: int, expected: set[tuple[Value, Value]]
) -> None:
    chosen = rule(select(policy, "A", count=count), x=Reference("A", X), y=Reference("A", Y))
    assert found(TIES, chosen) == {(3, x, y) for x, y in expected}


def test_each_gives_all_combinations() -> None:
    pairs = rule(select("each", "A"), select("each", "B"), x=Reference("A", X), y=Reference("B", X))
    stream = [event(0, "A", 1), event(0, "A", 2), event(1, "B", 3), event(1, "B", 4), event(2, "S")]
    assert found(stream, pairs) == {(2, a, b) for a in (1, 2) for b in (3, 4)}


def test_the_last_is_chosen_for_each_match() -> None:
    later = rule(select("each", "A"), select("last", "B", at=within(3, "A")), x=Reference("A", X), y=Reference("B", X))
    stream = [event(0, "B", 0), event(1, "A", 1), event(1, "B", 1), event(2, "A", 2), event(3, "S")]
    assert found(stream, later) == {(3, 1, 0), (3, 2, 1)}


def test_all_is_one_match_and_none_without_events() -> None:
    everything = rule(select("all", "A", constraint(X, ">", 1)), consumed=("A",))
    assert times([event(0, "A", 1), event(1, "S")], everything) == []
    assert times([event(0, "A", 2), event(0, "A", 3), event(1, "S"), event(2, "S")], everything) == [1]


def test_filters_come_before_the_choice() -> None:
    survivor = rule(select("last", "A", constraint(X, "<", 5)), no("B", at=Between("A", "S")), x=Reference("A", Y))
    stream = [event(1, "A", 1, 1), event(2, "A", 1, 2), event(3, "A", 7, 3), event(4, "S"), event(6, "A", 1, 6)]
    assert found(stream, survivor) == {(4, 2, 1)}
    earliest = rule(select("first", "A"), no("B", at=Between("A", "S")), x=Reference("A", Y))
    assert found([*stream, event(2, "B")], earliest) == {(4, 2, 1)}, "B is between S and the A at 1 only"


# -- parameters and constraints ---------------------------------------------------------------------------------------


def test_a_parameter_has_one_value_in_a_match() -> None:
    same = rule(select("each", "A", constraint(X, "=", P)), when=(constraint(X, "=", P),), x=P)
    stream = [event(0, "A", 1), event(0, "A", "1"), event(0, "A", 2), event(1, "S", 1.0), event(2, "S", 3)]
    assert found(stream, same) == {(1, 1, 1)}


def test_constraints_of_an_event_are_taken_in_order() -> None:
    twice = rule(when=(constraint(X, "=", P), constraint(Y, "=", P)))
    assert times([event(0, "S", 1, 1), event(1, "S", 1, 2)], twice) == [0]
    early = rule(when=(constraint(Y, ">", P), constraint(X, "=", P)))
    assert times([event(0, "S", 1, 2)], early) == [], "the parameter has no value yet"


@pytest.mark.parametrize(
    ("comparison", "expected"), [("=", [2]), ("!=", [1, 3, 4]), ("<", [1]), ("<=", [1, 2]), (">", [3]), (">=", [2, 3])]
)
def test_a_number_and_a_text_are_only_unequal(comparison: Comparison, expected: list[int]) -> None:
    stream = [event(1, "S", 4), event(2, "S", 5), event(3, "S", 5.5), event(4, "S", "5")]
    assert times(stream, rule(when=(constraint(X, comparison, 5),))) == expected


def test_attributes_of_the_event_itself_and_of_earlier_ones() -> None:
    own = rule(when=(constraint(X, "<", Reference(None, Y)), constraint(X, "<", Reference("S", Y))))
    assert times([event(0, "S", 1, 2), event(1, "S", 2, 2)], own) == [0]
    other = rule(select("each", "A", constraint(X, ">", Reference("S", Y))))
    assert times([event(0, "A", 3), event(1, "S", 0, 2), event(2, "S", 0, 3)], other) == [1]


@pytest.mark.parametrize(
    ("operator", "left", "right", "expected"),
    [
        ("+", 1, 2.5, 3.5),
        ("-", 1, 2, -1),
        ("*", 2**40, 3, 3 * 2**40),
        ("*", 2, 0.5, 1),
        ("/", 6, 3, 2),
        ("/", 2**62, 2, 2**61),
        ("/", 1, 4, 0.25),
        ("/", 1, 0, None),
        ("/", 1.5, 0, None),
        ("+", "a", 1, None),
        ("*", 2**62, 2, None),
    ],
)
def test_arithmetic(operator: Operator, left: Value, right: Value, expected: Value | None) -> None:
    computed = Operation(operator, Constant(left), Constant(right))
    assert found([event(0, "S")], rule(x=computed)) == (set() if expected is None else {(0, expected, 1)})
    assert times([event(0, "S", -9)], rule(when=(constraint(X, "!=", computed),))) == ([] if expected is None else [0])


# -- negations --------------------------------------------------------------------------------------------------------


def test_a_negation_of_the_terminator_is_open_at_both_ends() -> None:
    stream = [event(2, "A"), *(event(time, "S") for time in range(7))]
    assert times(stream, rule(no("A", at=within(3)))) == [0, 1, 2, 5, 6]


def test_a_negation_between_two_events_is_open_at_both_ends() -> None:
    quiet = rule(select("each", "A"), no("B", at=Between("A", "S")))
    for time, expected in ((1, [4]), (2, []), (3, []), (4, [4])):
        assert times([event(1, "A"), event(4, "S"), event(time, "B")], quiet) == expected


def test_a_negation_follows_the_parameters_of_the_rule() -> None:
    quiet = rule(no("A", constraint(X, "=", P)), when=(constraint(X, "=", P),))
    assert times([event(0, "A", 1), event(1, "S", 1), event(2, "S", 2)], quiet) == [2]


def test_a_parameter_without_a_value_is_local_to_a_negation() -> None:
    pair = rule(no("A", constraint(X, "=", P), constraint(Y, "=", P)))
    assert times([event(0, "A", 1, 2), event(1, "S")], pair) == [1]
    assert times([event(0, "A", 2, 2), event(1, "S")], pair) == []


@pytest.mark.parametrize("first", [True, False])
def test_a_negation_filters_the_last_event_that_it_mentions(first: bool) -> None:
    """Its anchor is the terminator, but its parameter is that of A: so the last A that survives is chosen."""
    chosen = select("last", "A", constraint(X, "=", P))
    quiet = no("B", constraint(X, "=", P))
    clauses = (quiet, chosen) if first else (chosen, quiet)
    stream = [event(1, "A", 1), event(2, "A", 2), event(2, "B", 2), event(3, "S")]
    assert found(stream, rule(*clauses, x=P)) == {(3, 1, 1)}


def test_a_negation_filters_the_event_that_its_expressions_mention() -> None:
    """B is chosen after A: a negation that mentions A only filters A, one that mentions B filters B."""
    last = (select("last", "A", at=within(9)), select("last", "B", at=within(9)))
    stream = [event(1, "A", 1), event(2, "A", 2), event(3, "B", 1), event(4, "B", 2), event(5, "A", 7, 2)]
    stream.append(event(6, "S"))
    mentions_a = no("A", constraint(X, "=", 7), constraint(Y, "=", Reference("A", X)))
    mentions_b = no("A", constraint(X, "=", 7), constraint(Y, "=", Reference("B", X)))
    both = (Reference("A", X), Reference("B", X))
    assert found(stream, rule(*last, mentions_a, x=both[0], y=both[1])) == {(6, 7, 2)}
    assert found(stream, rule(*last, mentions_b, x=both[0], y=both[1])) == {(6, 7, 1)}
    counts = Operation("+", Aggregate("COUNT", "B", None, (), within(2, "B")), Constant(6))
    by_aggregate = no("A", constraint(X, "=", counts))
    assert found(stream, rule(*last, by_aggregate, x=both[0], y=both[1])) == {(6, 7, 1)}


# -- aggregates -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("function", "expected", "of_nothing"),
    [("COUNT", 3, 0), ("SUM", 5.5, None), ("AVG", 5.5 / 3, None), ("MIN", 1.5, None), ("MAX", 2, None)],
)
def test_aggregates_have_one_value_for_each_event(
    function: AggregateName, expected: Value, of_nothing: Value | None
) -> None:
    total = rule(x=Aggregate(function, "A", X, (constraint(Y, "<", 3),), within(3)))
    stream = [event(0, "A", 9), event(1, "A", 2, 1), event(2, "A", 2, 2), event(2, "A", 1.5), event(2, "A", 9, 3)]
    stream += [event(3, "A", 9), event(3, "S")]
    assert found(stream, total) == {(3, expected, 1)}
    nothing = set() if of_nothing is None else {(3, of_nothing, 1)}
    assert found([event(0, "A", 9), event(3, "S"), event(3, "A", 9)], total) == nothing


def test_aggregates_in_constraints_may_count_from_the_event_itself() -> None:
    lonely = select("each", "A", constraint(Y, "=", Aggregate("COUNT", "B", None, (), within(2, "A"))))
    stream = [event(0, "B"), event(1, "A", 1, 1), event(2, "A", 2, 1), event(2, "A", 3, 0), event(3, "S")]
    assert found(stream, rule(lonely, x=Reference("A", X))) == {(3, 1, 1), (3, 3, 1)}


def test_aggregates_follow_parameters_with_a_value_only() -> None:
    equal = (constraint(X, "=", P), constraint(Y, "=", P))
    stream = [event(0, "A", 1, 1), event(0, "A", 2, 2), event(0, "A", 1, 2), event(1, "S", 1)]
    count = Aggregate("COUNT", "A", None, equal, within(5))
    assert found(stream, rule(x=count)) == {(1, 2, 1)}
    assert found(stream, rule(x=count, when=(constraint(X, "=", P),))) == {(1, 1, 1)}


def test_a_constraint_on_an_aggregate_of_nothing_fails() -> None:
    high = rule(when=(constraint(X, "!=", Aggregate("MAX", "A", X, (), within(5))),))
    assert times([event(0, "S", 1), event(1, "A", 5), event(2, "S", 1), event(3, "S", 5)], high) == [2]


# -- consumption ------------------------------------------------------------------------------------------------------


def test_consumed_events_are_no_candidates_after_the_rule_fires() -> None:
    once = rule(select("each", "A", at=within(9)), consumed=("A",), x=Reference("S", X), y=Reference("A", X))
    stream = [event(0, "A", 1), event(1, "S", 1), event(1, "S", 2), event(1, "A", 2), event(2, "S", 1)]
    assert found(stream, once) == {(1, 1, 1), (1, 2, 1), (2, 1, 2)}, "both terminators at 1 use the A at 0"


def test_consumed_events_are_seen_by_other_rules_and_by_negations_and_aggregates() -> None:
    once = rule(select("each", "A", at=within(9)), consumed=("A",))
    free = rule(select("each", "A", at=within(9)), x=Constant(2))
    count = rule(
        select("each", "A", at=within(9)),
        x=Constant(3),
        y=Aggregate("COUNT", "A", None, (), within(9)),
        consumed=("A",),
    )
    quiet = rule(
        select("each", "A", at=within(9)), no("A", at=Between("A", "S")), x=Constant(4), y=Reference("A", X),
        consumed=("A",),
    )  # fmt: skip
    stream = [event(0, "A", 0), event(1, "A", 1), event(2, "S"), event(3, "A", 3), event(4, "S")]
    made = found(stream, once, free, count, quiet)
    assert made == {(2, 1, 1), (4, 1, 1), (2, 2, 1), (4, 2, 1), (2, 3, 2), (4, 3, 3), (2, 4, 1), (4, 4, 3)}
    hidden = [event(0, "A", 0), event(1, "A", 1), event(2, "S"), event(4, "S")]
    assert found(hidden, quiet) == {(2, 4, 1)}, "at 4, the consumed A at 1 is still between the A at 0 and S"


def test_a_terminator_can_be_consumed_and_still_fires_first() -> None:
    pairs = rule(select("each", "S2", at=within(9), of="S"), consumed=("S",), y=Reference("S2", X))
    stream = [event(time, "S", time) for time in range(4)]
    assert found(stream, pairs) == {(1, 1, 0), (2, 1, 0), (3, 1, 0)}, "S at 1 is consumed before 2, S at 0 never"


def test_all_consumes_all_of_its_events() -> None:
    every = rule(select("all", "A", at=within(9)), consumed=("A",))
    stream = [event(0, "A", 1), event(0, "A", 2), event(1, "S"), event(2, "S"), event(2, "A"), event(3, "S")]
    assert times(stream, every) == [1, 3]


def test_only_chosen_events_are_consumed() -> None:
    last = rule(select("last", "A", at=within(9)), consumed=("A",), x=Reference("A", X))
    stream = [event(0, "A", 0), event(1, "A", 1), event(2, "S"), event(3, "S"), event(4, "S")]
    assert found(stream, last) == {(2, 1, 1), (3, 0, 1)}


def test_a_match_without_a_result_consumes_nothing() -> None:
    ratio = Operation("/", ONE, Reference("S", X))
    once = rule(select("each", "A", at=within(9)), consumed=("A",), x=ratio)
    assert times([event(0, "A"), event(1, "S", 0), event(2, "S", 1), event(3, "S", 1)], once) == [2]


# -- types ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("declared", "accepted"),
    [
        ("string", {"a", "true"}),
        ("int", {1, 2}),
        ("float", {1, 2, 2.5}),
        ("bool", {"true"}),
        (None, {"a", 1, 2, 2.5, "true"}),
    ],
)
def test_a_fact_whose_value_has_another_type_is_no_event(declared: Type | None, accepted: set[Value]) -> None:
    typed = EventType("S", (Attribute(X, declared),))
    copy = TeslaRule(EventType("R", (Attribute(X),)), Description("S"), "S", (), (Assignment(X, Reference("S", X)),))
    values: tuple[Value, ...] = ("a", 1, 2.0, 2.5, "true")
    stream = [Event(0, "S", (value,)) for value in values] + [Event(0, "S", ()), Event(0, "Unknown", (1,))]
    made = results(TeslaProgram((typed,), (copy,)), stream)
    assert made == {0: frozenset(Event(0, "R", (value,)) for value in accepted)}


def test_a_result_whose_value_has_another_type_is_not_made() -> None:
    whole = EventType("R", (Attribute(X, "int"), Attribute(Y)))
    half = rule(x=Operation("/", Reference("S", X), Constant(2)), defines=whole)
    assert found([event(0, "S", 4), event(1, "S", 5)], half) == {(0, 2, 1)}


def test_lengths_in_units_of_time_are_time_points_of_the_tick() -> None:
    near = rule(select("each", "A", at=Within(Length(2, 60_000), "S")), x=Reference("A", X))
    stream = [event(time, "A", time) for time in range(5)] + [event(4, "S")]
    program = TeslaProgram((S, A), (near,), tick=30_000)
    assert results(program, stream)[4] == {Event(4, "R", (time, 1)) for time in (1, 2, 3)}


@pytest.mark.parametrize(
    ("tick", "expected", "given"),
    [
        (1000, [30, 90], {"second": 30}),
        (500, [60, 180], {"second": 30}),
        (20_000, [1, 4, 7], {"second": 30}),
        (60_000, [90], {"minute": 30, "hour": 1}),
        (60_000, [30, 90, 150], {"minute": 30}),
        (60_000, [60], {"hour": 1}),
        (1000, [3630], {"hour": 1, "second": 30}),
    ],
)
def test_a_timer_fires_where_its_moment_is(tick: int, expected: list[int], given: dict[str, int]) -> None:
    constraints = tuple(constraint(unit, "=", number) for unit, number in given.items())
    clock = TeslaRule(R, Description("Timer", constraints), "Timer", (), (Assignment(X, ONE), Assignment(Y, ONE)))
    last = max(expected) + min(expected)
    made = results(TeslaProgram((S,), (clock,), tick), [event(0, "S"), event(last, "S")])
    assert [time for time, events in made.items() if events] == [time for time in expected if time <= last]


def test_a_timer_looks_back_like_any_terminator() -> None:
    count = Aggregate("COUNT", "S", None, (), Within(Length(2), "Timer"))
    minute = TeslaRule(
        R, Description("Timer", (constraint("second", "=", 0),)), "Timer", (),
        (Assignment(X, count), Assignment(Y, ONE)),
    )  # fmt: skip
    stream = [event(time, "S") for time in (4, 5, 6, 7)]
    made = results(TeslaProgram((S,), (minute,), 10_000), stream)
    assert {time: events for time, events in made.items() if events} == {6: {Event(6, "R", (1, 1))}}
