"""Which keys split programs into shards, and why some programs have none."""

from __future__ import annotations

import random
from itertools import product

import pytest

import lasing
from lasing.logic import partition as module
from lasing.logic.facts import facts_of
from lasing.logic.formulas import Compare, atoms_of
from lasing.logic.keys import Steps
from lasing.logic.partition import NoKey, Partition, partition
from lasing.logic.terms import term_text


def split(program: str, *replicated: str, background: frozenset[str] = frozenset()) -> Partition:
    found = partition(lasing.parse(program), frozenset(replicated), background)
    assert isinstance(found, Partition), found
    return found


def refused(program: str, *replicated: str) -> NoKey:
    found = partition(lasing.parse(program), frozenset(replicated))
    assert isinstance(found, NoKey), found
    return found


def rules_of(found: Partition) -> list[str | None]:
    return [None if key is None else term_text(key) for key in found.by_rule]


# -- keys --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("program", "keys"),
    [
        ("hot(S) :- temp(S,V) in [2], V > 30.", {"temp": 0, "hot": 0}),
        ("hot(S) :- temp(V,S).", {"temp": 1, "hot": 0}),
        # of several, the smallest positions, streams first
        ("h(Y,X) :- p(X,Y).", {"p": 0, "h": 1}),
        ("h(Y,X) :- p(X,Y). g(Y) :- h(Y,_).", {"p": 1, "h": 0, "g": 0}),
        # wherever the atoms are
        ("h(S) :- p(S,_), not q(S).", {"p": 0, "q": 0, "h": 0}),
        ("h(S) at T :- p(S) at T in [5], q(S) always in [3].", {"p": 0, "q": 0, "h": 0}),
        ("h(S) :- p(S), (q(X,S) or not r(S,X)) in [5], u(X,S).", {"p": 0, "q": 1, "r": 0, "u": 1, "h": 0}),
        ("h(S) :- p(S), (q(S) -> r(S) and p(S)).", {"p": 0, "q": 0, "r": 0, "h": 0}),
        # constants, and the key twice in an atom
        ("h(a) :- p(a,X), not q(a).", {"p": 0, "q": 0, "h": 0}),
        ("h(X) :- p(X,X). g(X) :- p(_,X).", {"p": 1, "h": 0, "g": 0}),
        # recursion that keeps the key, on either side
        ("r(A,B) :- l(K,A,B), l(K,_,_). #input r/2.", None),
        ("r(K,A,B) :- l(K,A,B). r(K,A,C) :- r(K,A,B), l(K,B,C).", {"l": 0, "r": 0}),
        ("r(A,B) :- l(A,B). r(A,C) :- r(A,B), r(B,C).", None),
        # unconnected predicates have their own keys
        ("h(X) :- p(X,_). g(Y) :- q(_,Y).", {"p": 0, "h": 0, "q": 1, "g": 0}),
    ],
)
def test_the_keys_of_a_program(program: str, keys: dict[str, int] | None) -> None:
    found = partition(lasing.parse(program))
    assert (dict(found.keys) if isinstance(found, Partition) else None) == keys


def test_the_witness_is_the_term_that_the_atoms_of_a_rule_share() -> None:
    found = split("h(S) :- p(S,V), q(S). g(a) :- q(a). k(X) :- b(X). b(1).")
    assert rules_of(found) == ["S", "a", None]


@pytest.mark.parametrize("equality", ["X = Y", "Y = X", "X = Z, Z = Y"])
def test_equal_variables_are_one_key(equality: str) -> None:
    found = split(f"h(Y) :- p(X), q(Y,_), {equality}.")
    assert found.keys == {"p": 0, "q": 0, "h": 0}
    assert rules_of(found) == ["X"]


def test_a_variable_that_equals_a_constant_is_that_key() -> None:
    assert split("h(a) :- p(X), X = a.").keys == {"p": 0, "h": 0}


@pytest.mark.parametrize("equality", ["not X = Y", "X <= Y", "X = Y + 0"])
def test_other_comparisons_make_no_variables_equal(equality: str) -> None:
    assert refused(f"h(Y) :- p(X), q(Y), {equality}.").rule


def test_a_decimal_of_integral_value_is_the_same_constant() -> None:
    assert split("h(1) :- p(1.0), not q(1).").keys["q"] == 0


def test_a_predicate_that_is_streamed_and_derived_has_one_position_for_both() -> None:
    program = "p(Y,X) :- q(X,Y), not u(X)."
    assert split(program).keys == {"q": 0, "u": 0, "p": 1}
    assert split(f"#input p/2. {program}").keys == {"p": 1, "q": 0, "u": 0}
    assert "v(X)" in refused(f"#input p/2. {program} v(X) :- p(X,Y).").why


def test_data_in_the_text_makes_a_stream_predicate() -> None:
    assert "p" in split("b(a). b(a) at 5. h(X) :- b(X), p(X).").keys
    assert split("b(a). b(a) at 5. h(X) :- b(X).").keys == {"b": 0, "h": 0}


# -- what is in every shard --------------------------------------------------------------------------------------------


def test_background_is_partitioned_where_every_rule_has_the_key_in_it() -> None:
    found = split("h(S) :- p(S), room(R,S). g(S,R) :- p(S), not room(R,S), floor(R). room(r,s). floor(r).")
    assert found.keys == {"p": 0, "h": 0, "g": 0, "room": 1, "floor": None}


@pytest.mark.parametrize("other", ["k(X) :- room(_,X).", "k(S) :- p(S), room(S,_).", "k(S) :- p(S), room(_,_)."])
def test_background_is_in_every_shard_where_some_rule_needs_it(other: str) -> None:
    assert split(f"h(S) :- p(S), room(_,S). {other} room(a,b).").keys["room"] is None


def test_background_is_partitioned_also_where_only_the_head_has_a_key() -> None:
    # d is partitioned because of p, so a shard needs only those d(S) that are its own
    found = split("d(S) :- room(S). d(S) :- p(S). room(a).")
    assert found.keys == {"p": 0, "d": 0, "room": 0}
    assert rules_of(found) == ["S", "S"]
    assert found.foreign == frozenset()


def test_what_depends_on_background_only_is_in_every_shard() -> None:
    found = split("near(X,Y) :- door(X,Y). near(X,Z) :- near(X,Y), door(Y,Z). h(S,Y) :- p(S), near(S,Y). door(a,b).")
    assert found.keys == {"p": 0, "h": 0, "near": None, "door": None}
    assert rules_of(found) == [None, None, "S"]


def test_background_that_comes_from_elsewhere_is_named() -> None:
    program = "h(S,D) :- p(S), door(D)."
    assert refused(program).helps == "replicate door"
    assert split(program, background=frozenset(["door"])).keys == {"p": 0, "h": 0, "door": None}


def test_replicated_streams_are_in_every_shard_with_what_depends_on_them_only() -> None:
    found = split("h(S,D) :- p(S), shut(D). shut(D) :- not open(D) in [5], door(D). door(d).", "open")
    assert found.keys == {"p": 0, "h": 0, "open": None, "shut": None, "door": None}


def test_a_stream_predicate_in_no_rule_does_not_matter() -> None:
    found = split("#input tick/0, other/2. h(S) :- p(S).")
    assert found.keys == {"p": 0, "h": 0, "tick": None, "other": 0}
    assert split("#input other/2. h(S) :- p(S).", "other").keys["other"] is None


# -- windows and aggregates --------------------------------------------------------------------------------------------


def test_a_tuple_window_counts_the_facts_of_the_whole_stream() -> None:
    found = refused("g(S) :- q(S). h(S) :- p(S) in [#3].")
    assert found.why == "p(S) in [#3] of rule 2 counts the facts of the whole stream"
    assert found.helps == "count the facts of each key instead, as in [#1 by S]"


@pytest.mark.parametrize(
    ("program", "keys"),
    [
        ("h(S,X) :- p(S,X) in [#1 by S].", {"p": 0, "h": 0}),
        ("h(S,X) :- p(S,X) in [#1 by X].", {"p": 1, "h": 1}),
        ("h(S,X) :- p(S,X) at T in [#1 by X, S], q(S).", {"p": 0, "q": 0, "h": 0}),
        ("h(S) :- p(S,X) in [#1 by X], q(S).", None),
        ("h(S) :- p(S,X) in [#1 by X], p(S,X) in [#1 by S].", None),
    ],
)
def test_a_partition_window_goes_by_the_key(program: str, keys: dict[str, int] | None) -> None:
    found = partition(lasing.parse(program))
    assert (dict(found.keys) if isinstance(found, Partition) else None) == keys


def test_a_partition_window_on_what_is_in_every_shard_may_go_by_anything() -> None:
    assert split("h(S) :- p(S,X) in [#1 by X], q(S).", "p").keys == {"q": 0, "h": 0, "p": None}


@pytest.mark.parametrize(
    ("body", "key"),
    [
        ("room(S), N = #count{V : temp(S,V) in [5]}", "S"),
        ("room(S), N = #count{V : temp(S,V) in [5], not off(S,V)}", "S"),
        ("room(S), N = #count{V,R : temp(S,V) in [5], room(R)}", "S"),
        ("room(S), N = #count{R : temp(R,S)}, off(S,_)", "S"),
        ("room(S), N = #count{R : temp(R,_)}", None),
        ("room(S), N = #count{R : temp(R,S)}, off(_,S), #max{V : off(V,_)} > 3", None),
    ],
)
def test_an_aggregate_has_the_key_outside_its_braces(body: str, key: str | None) -> None:
    found = partition(lasing.parse(f"h(S,N) :- {body}. room(a)."))
    assert (rules_of(found)[0] if isinstance(found, Partition) else None) == key


# -- atoms with keys of other shards -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("program", "foreign"),
    [
        # room is in every shard, and not temp(S) is true of the rooms of others
        ("quiet(S) :- room(_,S), not temp(S) in [5]. k(X) :- room(X,_). room(a,b).", {"quiet"}),
        ("quiet(S) :- room(_,S), not temp(S) in [5]. room(a,b).", set()),
        ("quiet(S) :- room(S), not temp(S) in [5], temp(S) in [9]. k :- room(_). room(b).", set()),
        ("q(S) :- room(S), #count{V : temp(S,V)} = 0. k :- room(_). room(b).", {"q"}),
        # through other atoms
        ("q(S) :- room(S), not p(S). r(S) :- q(S) in [5]. u(S) :- q(S), p(S). k :- room(_). room(b).", {"q", "r"}),
        ("d(S) :- p(S). d(S+1) :- room(S). room(1).", {"d"}),
        ("d(S) :- p(S). e(S) :- d(S). e(S) :- e(S), d(S).", set()),
        ("h(a) :- not p(a).", {"h"}),
        ("h(S) :- room(S), (p(S) or q(S)). k :- room(_). room(b).", {"h"}),
    ],
)
def test_what_a_shard_may_derive_of_others(program: str, foreign: set[str]) -> None:
    assert split(program).foreign == foreign


COUNTING = "c(S,0) :- room(S). c(S,N+1) :- c(S,N), {}. room(a). "


@pytest.mark.parametrize("stops", ["not limit(S,N) in [*]", "#count{X : limit(S,X)} < N, N < 5", "on(S), N < 3"])
def test_a_recursion_that_makes_values_needs_what_stops_it(stops: str) -> None:
    # where rooms are in every shard, c(S,0) holds in shards that do not have the limits of S
    program = COUNTING.format(stops) + "on(S) :- room(S), not limit(S,0) in [*]. k(X) :- room(X)."
    found = refused(program)
    assert found.why == "the recursion of rule 2 makes new values, and may never end for the keys of other shards"
    assert found.rule == lasing.parse(program).rules[1]


@pytest.mark.parametrize("stops", ["not limit(S,N) in [*]", "limit(S,N)", "N < 5, room(S)"])
def test_a_recursion_that_makes_values_for_its_own_keys_is_fine(stops: str) -> None:
    assert split(COUNTING.format(stops) + "c(S,1) :- limit(S,_).").keys["room"] == 0
    more = "" if "not" in stops else " k(X) :- room(X)."
    assert isinstance(split(COUNTING.format(stops) + "c(S,1) :- limit(S,_)." + more), Partition)


# -- no key ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("program", "why", "helps"),
    [
        ("h(S,D) :- p(S), q(D).", "rule 1 joins p(S) and q(D), which have no argument in common", "replicate q"),
        ("a :- h(S). h(S) :- p(S,V).", "the head a of rule 1 does not carry the key S", "add S to the head a"),
        ("r(A,B) :- l(A,B). r(A,C) :- r(A,B), l(B,C).", "the head r(A,C) of rule 2 does not carry the key B", ""),
        (
            "h(A,C) :- l(A,B), l(B,C).",
            "rule 1 joins l(A,B) and l(B,C) on B, which is a different argument in each",
            "",
        ),
        ("h(S) :- p(S), go.", "go in rule 1 comes from the stream and has no argument to be its key", "replicate go"),
        ("h(N) :- N = #count{S : p(S,V)}.", "the #count of rule 1 ranges over all S of p(S,V)", ""),
        ("h(X) :- b(X), not p(_). b(1).", "rule 1 asks for p(_) with any value of its key, argument 1", ""),
        ("h(X) :- b(X), p(X+1). b(1).", "rule 1 computes the key of p(X + 1)", ""),
        (
            "h(S) :- p(S,X) in [#1 by X], q(S).",
            "rule 1 takes p(S,X) in [#1 by X], not by S, which it joins q(S) on",
            "replicate p",
        ),
        (
            "h(S) :- p(S,_). g(X,Y) :- p(Y,X) in [#1 by X].",
            "rule 2 takes p(Y,X) in [#1 by X], not by the key of p, Y",
            "",
        ),
        (
            "g(S) :- p(S,_). h(S,V) :- p(S,V), q(V).",
            "rule 2 joins p(S,V) and q(V) on V, not on the key of p, S",
            "replicate q",
        ),
        (
            "d(X,Y) :- p(X,Y), q(X). d(Y,X) :- p(X,Y), q(X).",
            "the head d(Y,X) of rule 2 has the key X as argument 2, but other rules have it elsewhere",
            "",
        ),
        (
            "p(Y,X) :- p(X,Y), q(X). #input p/2.",
            "the head p(Y,X) of rule 1 has the key X as argument 2, but the body of the rule has it elsewhere",
            "",
        ),
        (
            "h(X) :- p(X,Y), q(Y,Z), r(X,Z).",
            "rule 1 joins p(X,Y), q(Y,Z) and r(X,Z), but no argument is common to all of them",
            "replicate q",
        ),
        (
            "d(X,Y) :- p(X,Y). h(A) :- d(A,B), p(B,A).",
            "the key A of rule 2 does not fit the keys of other rules for d, p and h",
            "",
        ),
        ("h(X) :- b(X). b(1).", "no rule uses a stream predicate", ""),
        (
            "s(X,R) :- t(X,from,S), t(S,inside,R). h(X) :- s(X,R), s(_,R) in [5].",
            "rule 1 joins t(X,from,S) and t(S,inside,R) on S, which is a different argument in each",
            "derive s in a program of its own: what looks back on it has a key",
        ),
        (
            "s(X,R) :- t(X,from,S), t(S,inside,R). h(X) :- s(X,R), s(_,_) in [5].",
            "rule 1 joins t(X,from,S) and t(S,inside,R) on S, which is a different argument in each",
            "",
        ),
    ],
)
def test_why_there_is_no_key(program: str, why: str, helps: str) -> None:
    found = refused(program)
    assert (found.why, found.helps) == (why, helps)


@pytest.mark.parametrize(
    ("program", "why"),
    [
        ("a(X) ; b(X) :- p(X).", "its head is a disjunction"),
        (":- p(X), q(X).", "it is a constraint"),
        ("1 {a(X) : p(X)} 2 :- q(Y).", "its head is a choice"),
        (":~ p(X), q(X). [1, X]", "it is a weak constraint"),
        ("a(X) :- p(X), not b(X). b(X) :- p(X), not a(X).", "it is part of a cycle through negation"),
    ],
)
def test_a_program_with_several_answers_is_evaluated_as_a_whole(program: str, why: str) -> None:
    found = refused(program)
    expected = "a program with several answers is evaluated as a whole, and rule 1 makes it one: "
    assert (found.why, found.rule) == (expected + why, lasing.parse(program).rules[0])


def test_the_rule_that_is_named_is_a_cause_and_not_a_consequence() -> None:
    program = "top :- mid. mid :- low(S). low(S) :- p(S)."
    assert refused(program).rule == lasing.parse(program).rules[1]


def test_the_attempt_that_satisfies_most_rules_is_explained() -> None:
    # with the key at argument 2, only the first rule fails
    program = "a(X) :- p(X,Y). b(Y) :- p(X,Y). c(Y) :- p(X,Y). d(Y) :- p(X,Y)."
    assert refused(program).why == "the head a(X) of rule 1 does not carry the key Y"


def test_all_streams_in_every_shard_are_not_a_partition() -> None:
    assert refused("h(S,D) :- p(S), q(D).", "p", "q").why == "every stream predicate is in every shard"


def test_what_is_asked_to_be_in_every_shard_cannot_depend_on_what_is_not() -> None:
    found = refused("#input d/1. d(S) :- p(S). h(S) :- d(S), q(S).", "d")
    assert found.why == "rule 1 derives d(S), which is to be in every shard, from p(S), which is not"
    assert found.helps == "replicate p"


def test_two_streams_may_have_to_be_replicated() -> None:
    assert refused("h(S,D,E) :- p(S), q(D), r(E). g(S) :- p(S).").helps == "replicate q and r"


# -- the search --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("broken", ["", "z(W) :- d999(X,Y,Z), w(W)."])
def test_the_search_does_not_give_up_on_a_thousand_rules(broken: str) -> None:
    rules = [f"d{i}(X,Y,Z) :- d{i - 1}(X,Y,Z), s{i % 7}(X,Y), not t{i}(Y,X)." for i in range(1, 1000)]
    program = lasing.parse("\n".join(reversed(rules)) + broken)
    found = partition(program)
    assert isinstance(found, Partition) != bool(broken)
    assert isinstance(found, Partition) or "gave up" not in found.why


def test_a_search_that_takes_too_long_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "Steps", lambda: Steps(2))
    found = refused("h(X,Y) :- p(X,Y). g(X) :- h(X,Y), p(X,_).")
    assert found.why.startswith("the search for a key gave up after")


SIGNATURES = {"p": 1, "q": 2, "r": 2, "d": 1, "e": 2, "f": 2}


def random_program(chance: random.Random) -> str:
    def atom(predicates: str) -> str:
        name = chance.choice(predicates)
        return f"{name}({','.join(chance.choice('XXXYZ') for _ in range(SIGNATURES[name]))})"

    def rule() -> str:
        body = [atom("pqrdef") for _ in range(chance.choice([1, 1, 1, 2]))]
        equal = ["X = Y"] if chance.random() < 0.2 else []
        return f"{atom('def')} :- {', '.join([*body, 'b(X,Y,Z)', *equal])}."

    return "b(1,2,3). " + " ".join(rule() for _ in range(chance.randint(1, 5)))


def suits(keys: dict[str, int | None], program: lasing.Program) -> bool:
    """Whether keys are right by definition."""
    for rule in program.rules:
        equal = any(isinstance(literal, Compare) for literal in rule.body)  # it is X = Y
        (head,) = rule.head_atoms()
        atoms = [a for literal in rule.body for a in atoms_of(literal) if keys[a.predicate] is not None]
        if not atoms:
            continue
        if keys[head.predicate] is None:
            return False
        terms = {str(a.args[keys[a.predicate] or 0]) for a in (*atoms, head)}
        if len({"X" if equal and term == "Y" else term for term in terms}) > 1:
            return False
    return True


@pytest.mark.parametrize("seed", range(150))
def test_the_search_finds_the_smallest_keys_if_there_are_any(seed: int) -> None:
    program = lasing.parse(random_program(random.Random(seed)))
    used = dict.fromkeys(a.predicate for rule in program.rules for f in (*rule.heads, *rule.body) for a in atoms_of(f))
    streams = [p for p in used if p not in facts_of(program).derived and p != "b"]
    derived = [p for p in used if p in facts_of(program).derived]
    choices: list[list[int | None]] = [list(range(SIGNATURES[p])) for p in streams]
    choices += [[*range(SIGNATURES[p]), None] for p in derived]
    possible = [dict(zip([*streams, *derived], keys, strict=True)) for keys in product(*choices)]
    right = [keys for keys in possible if streams and suits({**keys, "b": None}, program)]
    found = partition(program)
    assert isinstance(found, Partition) == bool(right)
    if isinstance(found, Partition):
        assert {p: found.keys[p] for p in (*streams, *derived)} in right
        assert [found.keys[p] for p in streams] == [right[0][p] for p in streams]
