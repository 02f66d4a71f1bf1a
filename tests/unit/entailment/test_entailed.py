"""Programs with entailment: background, windows, several graphs, and a schema that is compiled."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lasing import Engine, LasingError, parse, run
from lasing.entailment import entailed
from lasing.logic.formulas import Atom
from lasing.logic.program import Fact, Output, Program
from lasing.logic.values import Iri, Value
from lasing.plan.compile import compile_plan
from lasing.plan.planes import planes
from tests.differential.sizes import programs
from tests.unit.entailment.owl_rl_rules import PREFIXES, RULES, facts

RDFS = "http://www.w3.org/2000/01/rdf-schema#"
TYPE = Iri("http://www.w3.org/1999/02/22-rdf-syntax-ns#type")


def ex(name: str) -> Iri:
    return Iri(f"http://ex.org/{name}")


def answers(text: str, stream: str = "", entail: str | list[str] = "rdfs", end: int = 0) -> list[set[str]]:
    found = run(PREFIXES + text, stream, start=0, end=end, entail=entail)
    return [{str(atom).replace("http://ex.org/", "") for atom in answer.atoms} for answer in found]


def test_background_is_closed() -> None:
    text = "rdfs:subClassOf(ex:Tram, ex:Vehicle). ex:Tram(ex:a). vehicle(X) :- ex:Vehicle(X)."
    assert answers(text) == [{"vehicle(<a>)"}]


def test_what_follows_from_a_window_goes_with_it() -> None:
    text = """
        rdfs:domain(ex:on, ex:Vehicle).
        triple(S, P, O) :- pos(S, P, O) in [1].
        vehicle(X) :- ex:Vehicle(X).  #show vehicle/1."""
    found = answers(text, "pos(<http://ex.org/a>,<http://ex.org/on>,1) at 1.", end=4)
    assert found == [set(), {"vehicle(<a>)"}, {"vehicle(<a>)"}, set(), set()]


def test_a_streamed_schema_counts_while_it_is_in_the_window() -> None:
    text = """
        triple(S, P, O) :- pos(S, P, O) in [1].  ex:Tram(ex:a).
        vehicle(X) :- ex:Vehicle(X).  #show vehicle/1."""
    stream = f"pos(<http://ex.org/Tram>,<{RDFS}subClassOf>,<http://ex.org/Vehicle>) at 1."
    assert answers(text, stream, end=3) == [set(), {"vehicle(<a>)"}, {"vehicle(<a>)"}, set()]


def test_several_graphs_share_a_schema() -> None:
    text = f"""{PREFIXES}
        rdfs:subClassOf(ex:Tram, ex:Vehicle).  ex:Tram(ex:static).
        one(ex:a, rdf:type, ex:Tram).  two(ex:b, rdf:type, ex:Tram).
        in_one(X) :- one(X, rdf:type, ex:Vehicle).  in_two(X) :- two(X, rdf:type, ex:Vehicle)."""
    program = parse(text)
    for graph in ("one", "two"):
        program = entailed(program, "rdfs", graph, "triple")
    (answer,) = run(program, start=0, end=0)
    assert set(map(str, answer.atoms)) == {"in_one(<http://ex.org/a>)", "in_two(<http://ex.org/b>)"}


def test_rules_of_a_file_over_prefixed_names(tmp_path: Path) -> None:
    rules = tmp_path / "uncle.lars"
    rules.write_text(f"{PREFIXES} ex:uncle(X,Y) :- ex:parent(X,Z), ex:brother(Z,Y).")
    text = "ex:parent(ex:a, ex:b). ex:brother(ex:b, ex:c). uncle(X, Y) :- ex:uncle(X, Y)."
    assert answers(text, entail=str(rules)) == [{"uncle(<a>,<c>)"}]
    assert answers(text + "q :- rdf:Property(ex:uncle).", entail=[str(rules), "rdfs"]) == [{"uncle(<a>,<c>)", "q"}]


def test_an_engine_takes_a_regime() -> None:
    text = f"{PREFIXES} rdfs:range(ex:on, ex:Line). line(X) :- ex:Line(X)."
    engine = Engine(text, start=0, entail="rdfs")
    assert engine.push(1, [("triple", ex("a"), ex("on"), ex("l"))]).added == {Atom("line", (ex("l"),))}
    assert engine.advance_to(2).removed == {Atom("line", (ex("l"),))}


def test_helpers_keep_clear_of_the_names_of_a_program() -> None:
    text = "ex:p(ex:a, 5). triple_literal(none). q(X) :- triple_literal(X)."
    assert answers(text) == [{"q(none)"}]


def test_an_unknown_regime_is_refused() -> None:
    with pytest.raises(LasingError, match="there is no entailment regime rfds"):
        run("q :- triple(_,_,_).", entail="rfds")
    with pytest.raises(LasingError, match="is not an entailment regime"):
        run("q :- triple(_,_,_).", entail=[5])  # type: ignore[list-item]


# -- a schema that is compiled derives the same -----------------------------------------------------------------------

CLASSES = [ex(f"C{i}") for i in range(4)] + [Iri(f"{RDFS}Datatype"), Iri(f"{RDFS}Class"), Iri(f"{RDFS}Resource")]
PROPERTIES = [ex(f"p{i}") for i in range(3)] + [Iri(f"{RDFS}subClassOf"), TYPE, Iri(TYPE.iri.replace("type", "_1"))]
THINGS = [ex(f"x{i}") for i in range(3)]


def triples() -> st.SearchStrategy[tuple[Value, ...]]:
    classes, properties, things = map(st.sampled_from, (CLASSES, PROPERTIES, THINGS))
    schema = [
        st.tuples(classes, st.just(Iri(f"{RDFS}subClassOf")), classes),
        st.tuples(properties, st.just(Iri(f"{RDFS}subPropertyOf")), properties),
        st.tuples(properties, st.just(Iri(f"{RDFS}domain")), classes),
        st.tuples(properties, st.just(Iri(f"{RDFS}range")), classes),
    ]
    values = st.one_of(things, st.sampled_from(["text", 5]))
    data = [st.tuples(things, st.just(TYPE), classes), st.tuples(things, properties, values)]
    return st.one_of(*schema, *data)


def closure(
    program: Program, compile_schema: bool, engine: str = "local", regime: str = "rdfs"
) -> list[frozenset[Atom]]:
    made = entailed(program, regime, compile_schema=compile_schema)
    return [frozenset(answer.atoms) for answer in run(made, start=0, end=3, engine=engine)]  # type: ignore[arg-type]


@settings(deadline=None, max_examples=programs(30, 1000))
@given(st.lists(triples(), max_size=8), st.lists(st.tuples(st.integers(0, 2), triples()), max_size=4))
def test_a_compiled_schema_derives_the_same(
    background: list[tuple[Value, ...]], streamed: list[tuple[int, tuple[Value, ...]]]
) -> None:
    derive_the_same(background, streamed, "rdfs")


def derive_the_same(
    background: list[tuple[Value, ...]], streamed: list[tuple[int, tuple[Value, ...]]], regime: str
) -> None:
    """Whether a compiled schema makes a difference, for a stream in which triples come and go."""
    rules = parse("triple(S,P,O) :- pos(S,P,O) in [1].").rules
    program = Program(
        rules,
        tuple(Atom("triple", triple) for triple in dict.fromkeys(background)),
        tuple(Fact(time, Atom("pos", triple)) for time, triple in sorted(streamed, key=lambda pair: pair[0])),
        (Output.unnamed("triple", 3), Output.unnamed("inconsistent", 7)),
    )
    general, compiled = closure(program, False, regime=regime), closure(program, True, regime=regime)
    always = set(program.background)
    assert [answer - always for answer in compiled] == [answer - always for answer in general]


OWL = "http://www.w3.org/2002/07/owl#"
OWL_CLASSES = [*CLASSES[:4], Iri(f"{OWL}Thing"), Iri(f"{OWL}Nothing")]
CELLS = [ex("l1"), ex("l2"), Iri(TYPE.iri.replace("type", "nil"))]


def owl_triples() -> st.SearchStrategy[tuple[Value, ...]]:
    classes, properties, things = map(st.sampled_from, (OWL_CLASSES, PROPERTIES[:3], THINGS))
    cells = st.sampled_from(CELLS)

    def pairs(
        names: list[str], low: st.SearchStrategy[Iri], high: st.SearchStrategy[Iri]
    ) -> st.SearchStrategy[tuple[Value, ...]]:
        return st.tuples(low, st.sampled_from([Iri(name) for name in names]), high)

    kinds = ["Class", "ObjectProperty", "TransitiveProperty", "SymmetricProperty", "FunctionalProperty"]
    return st.one_of(
        pairs([f"{RDFS}subClassOf", f"{OWL}equivalentClass", f"{OWL}disjointWith"], classes, classes),
        pairs([f"{RDFS}subPropertyOf", f"{OWL}equivalentProperty", f"{OWL}inverseOf"], properties, properties),
        pairs([f"{RDFS}domain", f"{RDFS}range"], properties, classes),
        pairs([f"{OWL}intersectionOf", f"{OWL}unionOf"], classes, cells),
        pairs([TYPE.iri.replace("type", "first")], cells, classes),
        pairs([TYPE.iri.replace("type", "rest")], cells, cells),
        pairs([f"{OWL}sameAs"], st.one_of(classes, properties, things), st.one_of(classes, properties, things)),
        st.tuples(st.one_of(classes, properties), st.just(TYPE), st.sampled_from([Iri(f"{OWL}{k}") for k in kinds])),
        st.tuples(things, st.just(TYPE), classes),
        st.tuples(things, properties, st.one_of(things, st.sampled_from(["text", 5]))),
    )


@settings(deadline=None, max_examples=programs(30, 1000))
@given(st.lists(owl_triples(), max_size=10), st.lists(st.tuples(st.integers(0, 2), owl_triples()), max_size=4))
def test_a_compiled_schema_of_owl_derives_the_same(
    background: list[tuple[Value, ...]], streamed: list[tuple[int, tuple[Value, ...]]]
) -> None:
    derive_the_same(background, streamed, "owl-rl")


@pytest.mark.parametrize("rule", RULES)
def test_each_rule_of_owl_derives_the_same_from_a_compiled_schema(rule: str) -> None:
    program = parse(f"{PREFIXES}{facts(RULES[rule].given)} #show triple/3, inconsistent/7.")
    assert closure(program, True, regime="owl-rl") == closure(program, False, regime="owl-rl")


@pytest.mark.parametrize("regime", ["rdfs", "owl-rl"])
def test_the_reference_agrees(regime: str) -> None:
    background = [(CLASSES[0], Iri(f"{RDFS}subClassOf"), CLASSES[1]), (THINGS[0], TYPE, CLASSES[0])]
    data = (Fact(1, Atom("triple", (THINGS[1], TYPE, ex("new")))),)
    program = Program((), tuple(Atom("triple", t) for t in background), data, (Output.unnamed("triple", 3),))
    general = closure(program, False, regime=regime)
    assert closure(program, True, regime=regime) == closure(program, True, "reference", regime) == general


@pytest.mark.parametrize("regime", ["rdfs", "owl-rl"])
def test_a_compiled_schema_leaves_everything_guaranteed(regime: str) -> None:
    """Counted rows in a recursion would be computed again at each change."""
    background = tuple(Atom("triple", t) for t in [(CLASSES[0], Iri(f"{RDFS}subClassOf"), CLASSES[1])])
    program = Program(parse("triple(S,P,O) :- pos(S,P,O) in [5].").rules, background)
    assert set(planes(compile_plan(entailed(program, regime))).values()) == {"guaranteed"}
