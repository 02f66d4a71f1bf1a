"""Background in columns."""

from __future__ import annotations

import pickle
from dataclasses import replace

import lasing
from lasing.logic.facts import facts_of
from lasing.logic.formulas import Atom
from lasing.logic.program import Program
from lasing.logic.tables import FactTable
from lasing.logic.types import argument_types
from lasing.logic.values import Iri

A = Iri("http://ex.org/a")
TABLE = FactTable.of("p", [(A, 1), ("x", 1), (A, "1")])


def test_a_table_has_each_value_once_and_every_fact() -> None:
    assert (len(TABLE), TABLE.arity, TABLE.values) == (3, 2, (A, 1, "x", "1"))
    assert list(TABLE.atoms()) == [Atom("p", (A, 1)), Atom("p", ("x", 1)), Atom("p", (A, "1"))]


def test_a_table_may_be_empty() -> None:
    empty = FactTable.of("p", [], 3)
    assert (len(empty), empty.arity, list(empty.atoms())) == (0, 3, [])


def test_facts_can_be_chosen_by_a_column() -> None:
    chosen = TABLE.filtered(0, lambda value: value == A)
    assert list(chosen.rows()) == [(A, 1), (A, "1")]


def test_the_checksum_tells_facts_apart() -> None:
    same = FactTable.of("p", [(A, 1), ("x", 1), (A, "1")])
    others = [FactTable.of("q", TABLE.rows()), FactTable.of("p", [(A, 1), ("x", 1), (A, 1)]), TABLE.filtered(0, bool)]
    assert same.digest == TABLE.digest
    assert len({TABLE.digest, *(other.digest for other in others[:2])}) == 3
    assert pickle.loads(pickle.dumps(TABLE)).digest == TABLE.digest


def test_a_program_knows_the_predicates_and_types_of_its_tables() -> None:
    program = Program(tables=(TABLE,))
    assert facts_of(program).background == {"p"}
    assert facts_of(program).arity == {"p": 2}
    assert argument_types(program, {})["p"] == ("mixed", "mixed")
    assert argument_types(Program(tables=(FactTable.of("n", [(1, 2.5), (2, 3)]),)), {})["n"] == ("integer", "double")


def test_the_text_of_a_program_names_its_tables() -> None:
    program = replace(lasing.parse("q(X) :- p(X,1)."), tables=(TABLE,))
    assert str(program).startswith(f"% 3 background facts of p/2, checksum {TABLE.digest}\n")
    assert program.background_size == 3
