"""A predicate that nothing provides is probably misspelt."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from lasing.errors import Diagnostic, Nearby, nearest
from lasing.logic.facts import facts_of
from lasing.logic.formulas import Atom
from lasing.logic.functions import functions
from lasing.logic.program import Program, body_nodes


def unknown_predicates(program: Program) -> Iterator[Diagnostic]:
    """W101 for a predicate that is neither derived, streamed nor background.

    The program can say what is streamed, with `#input` or with data facts in its text. If it says nothing, any
    predicate may be streamed, and only one that looks like a misspelling of another is reported.
    """
    facts = facts_of(program)
    declared = facts.streamed
    known = facts.derived | facts.background | declared
    names = Nearby(known)
    seen: dict[str, int] = {}
    lookups = {known.predicate for known in program.lookups}
    asked = any(output.form != "atoms" for output in program.outputs or ())
    for rule, nodes in body_nodes(program):
        if asked and any(head.predicate in program.graphs for head in rule.head_atoms()):
            continue  # a graph may have static triples beside those of windows, or none
        for atom in nodes:
            if not isinstance(atom, Atom) or (name := atom.predicate) in known or name in seen:
                continue
            seen[name] = len(atom.args)
            if asked and name in _STATIC:
                if declared:  # without windows, triples may be streamed
                    yield from _no_static_data(name)
                continue
            if name in lookups:
                note = f"INSERT some, or give a file: --data {name}=FILE (in Python: data=)"
                yield Diagnostic("W101", f"the table {name} has no rows", None, note)
                continue
            near = names.near(name)
            meant = nearest(name, near if declared else _alike(name, near))
            function = _function(atom)
            if not declared:
                names.add(name)
                if meant is None and not function:
                    continue
            message = f"{name} is neither derived, streamed nor background"
            note = function or f"if it comes from the stream, declare it: #input {name}/{len(atom.args)}."
            if meant in seen:  # only the stream shows which of the two is misspelt
                message = f"{meant} and {name} look alike, and the program does not say where either comes from"
                note = f"if both are in the stream, declare them: #input {meant}/{seen[meant]}, {name}/{seen[name]}."
            elif meant is not None:
                note = f"did you mean {meant}?"
            yield Diagnostic("W101", message, rule.place(atom.offset, len(name)), note)


_STATIC = {"triple": "static triples", "quad": "named graphs", "graph": ""}
"""What a query calls the predicates of its background. Whatever reads `graph` reads `quad` too."""


def _no_static_data(name: str) -> Iterator[Diagnostic]:
    """A query that asks for data that is not there."""
    if _STATIC[name]:
        note = "outside of windows, patterns match what --data gives (in Python: data=), and files in FROM"
        yield Diagnostic("W101", f"the query asks about {_STATIC[name]}, and there are none", None, note)


def _function(atom: Atom) -> str:
    """How to write a condition that looks like an atom; empty if there is no such function."""
    if not any(entry.gives_truth and entry.takes(len(atom.args)) for entry in functions(atom.predicate)):
        return ""
    stream = f"if it is a predicate of the stream, declare it: #input {atom.predicate}/{len(atom.args)}."
    return f"if the function is meant, write: {atom} = true\n{stream}"


def _alike(name: str, names: Iterable[str]) -> list[str]:
    """Names that differ from a longer name by a letter or two: `temp1` and `temp2` are different names."""
    if len(name) < 4:
        return []
    letters = re.sub(r"[\d_]", "", name)
    return [n for n in names if len(n) >= 4 and n != name and re.sub(r"[\d_]", "", n) != letters]
