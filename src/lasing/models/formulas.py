"""Formulas: whether a formula holds in a stream, and whether there is a stream in which it holds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from lasing.connectors.missing import SKIP, Gaps, Missing
from lasing.connectors.rows import check_arity, time_of
from lasing.engine_choice import load_clingo
from lasing.engines.reference.satisfaction import satisfies, try_all
from lasing.engines.reference.stream import Facts
from lasing.engines.reference.structure import background_of
from lasing.errors import Place, SourceText, fault, warn
from lasing.languages import read_question
from lasing.logic.facts import facts_of
from lasing.logic.formulas import Atom, atoms_of
from lasing.logic.own import Functions, check_functions, with_functions
from lasing.logic.program import Fact, Program, Rule
from lasing.logic.values import Value, is_value
from lasing.models.given import Time, all_facts, check_timeline, facts_at, time_or, unknowns, values_of
from lasing.models.witness import Witness
from lasing.reading import source_of
from lasing.timeline.intervals import Interval

Beside = str | Path | Sequence[SourceText]


def holds(
    formula: str,
    stream: Any = None,
    *,
    time: Time,
    start: Time | None = None,
    end: Time | None = None,
    background: Beside = (),
    sort: bool = False,
    constants: Mapping[str, Value] | None = None,
    functions: Functions | None = None,
    missing: Missing = SKIP,
) -> bool:
    """Whether a formula holds in a stream at a time point, for some values of its variables if it has any.

    The formula is written as in the body of a rule. The timeline reaches from `start` to `end`; by default, from the
    first fact to the last, and to `time`. In addition to facts, the text of `background` may have a #tick and #const.
    `functions` has the Python functions that the formula calls, and `missing` says what to do with a row that lacks a
    value, see `lasing.run`.
    """
    gaps = Gaps(missing)
    asked, beside, _ = _read(formula, background, constants, functions)
    given = all_facts(beside, stream, sort, facts_of(Program((asked,), beside.background)).arity, gaps)
    warn(gaps.warnings())
    now = time_of(time, beside.tick)
    times = (now, *(fact.time for fact in given))
    timeline = Interval(time_or(start, min(times), beside), time_or(end, max(times), beside))
    check_timeline(timeline, now, beside)
    facts = Facts(fact for fact in given if fact.time in timeline)
    return satisfies(facts, timeline, background_of(beside.background), now, asked.body)


def satisfiable(
    formula: str,
    atoms: str | Iterable[Atom] | None = None,
    *,
    time: Time,
    start: Time | None = None,
    end: Time | None = None,
    background: Beside = (),
    constants: Mapping[str, Value] | None = None,
    functions: Functions | None = None,
) -> Witness | None:
    """A stream of these atoms, on the timeline from `start` to `end`, in which a formula holds; None if there is none.

    The atoms default to those of the formula, start and end to `time`. If a window counts facts, those of one time
    point arrive in the order of their text.
    """
    written_atoms = atoms if isinstance(atoms, str) else None
    asked, beside, named = _read(formula, background, constants, functions, written_atoms)
    if beside.data:
        note = "name the atoms: --atoms on the command line, atoms= in Python"
        raise fault("E314", "data facts are given, but the stream is what is being looked for", note=note)
    now = time_of(time, beside.tick)
    timeline = Interval(time_or(start, now, beside), time_or(end, now, beside))
    check_timeline(timeline, now, beside)
    assert timeline.hi is not None
    asked_facts = facts_of(Program((asked,), beside.background))
    known = asked_facts.arity
    free = _free_atoms(asked, named if atoms is None or isinstance(atoms, str) else atoms)
    written = SourceText("atoms", atoms) if isinstance(atoms, str) else None
    for atom in free:
        check_arity(atom, known, partial(_place, written, atom))
    possible = [Fact(point, atom) for point in timeline for atom in free]
    if asked_facts.counts_facts:
        chosen = try_all(possible, timeline, background_of(beside.background), now, asked.body)
        return None if chosen is None else Witness.of(chosen, beside.shown_tick())
    load_clingo("looking for a stream needs it")
    from lasing.engines.asp.satisfiability import evaluation

    found = evaluation(unknowns(beside, timeline, timeline.hi, [], possible), now, asked.body)
    return None if found is None else Witness.of(facts_at(found, timeline.hi), beside.shown_tick())


def _read(
    formula: str,
    background: Beside,
    constants: Mapping[str, Value] | None,
    functions: Functions | None,
    atoms: str | None = None,
) -> tuple[Rule, Program, tuple[Atom, ...] | None]:
    """The formula, as the body of a constraint; the text given with it; and the atoms."""
    texts = (source_of(background),) if isinstance(background, str | Path) else background
    named = None if atoms is None else SourceText("atoms", atoms)
    question = read_question(texts, values_of(constants), SourceText("formula", formula), named)
    assert question.formula is not None, "a question with mistakes raises an error"
    asked = with_functions(Program((question.formula,)), functions)
    check_functions(asked)
    (rule,) = asked.rules
    return rule, question.program.watching_dates(), question.atoms


def _free_atoms(asked: Rule, atoms: Iterable[Atom] | None) -> list[Atom]:
    """The atoms that may hold or not, sorted by their text."""
    if atoms is None:
        atoms = [atom for literal in asked.body for atom in atoms_of(literal)]
        loose = next((a for a in atoms if not all(map(is_value, a.args))), None)
        if loose is not None:
            note = "name the atoms: --atoms on the command line, atoms= in Python"
            place = asked.place(loose.offset, len(loose.predicate))
            raise fault("E314", f"{loose} has variables, so it matches any number of atoms", place, note)
    return sorted(set(atoms), key=str)


def _place(written: SourceText | None, atom: Atom) -> Place | None:
    return None if written is None else written.place(atom.offset, len(atom.predicate))
