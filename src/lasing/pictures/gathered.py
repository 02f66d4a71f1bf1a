"""A timeline from the facts of a stream and the answers of a program."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from lasing.explain.evidence import Args, evidence_of
from lasing.logic.answers import Answer, Changes, Holding, changes, intervals
from lasing.logic.facts import facts_of
from lasing.logic.formulas import Atom
from lasing.logic.program import Fact, Program
from lasing.logic.results import by_copy, formed, row_of
from lasing.logic.values import BlankNode, Value, value_text
from lasing.pictures.timeline import Item, Kind, Lane, Shade, Timeline
from lasing.pictures.windows import Look, looks

Derived = Iterable[tuple[Kind, Holding]]


def gathered(
    program: Program, facts: Sequence[Fact], derived: Derived, start: int, end: int, at: int | None = None
) -> Timeline:
    """The timeline of a program: first what is in the stream, then what is derived, in the order of the program."""
    read = _predicates_read(program)
    seen = [] if at is None else _looks(program, facts, start, at)
    lanes: dict[str, list[Item]] = {name: [] for name in _order(program)}
    others = Counter[str]()
    known: set[tuple[int, Atom]] = set()
    for fact in facts:
        time, atom = fact
        if not start <= time <= end or fact in known:
            continue
        known.add(fact)
        if read is not None and atom.predicate not in read:
            others[atom.predicate] += 1
            continue
        inside = any(look.sees(time, atom.predicate, atom.values) for look in seen)
        lanes.setdefault(atom.predicate, []).append(_item("data", atom, atom.values, time, time, inside))
    data = {name for name, items in lanes.items() if items}
    rows = formed(program.outputs)
    for kind, holding in derived:
        atom = holding.atom
        values = atom.values[:-1] if atom.predicate in rows else atom.values  # the last one numbers equal rows
        item = _item(kind, atom, values, max(holding.since, start), min(holding.until, end))
        lanes.setdefault(atom.predicate, []).append(item)
    shown = program.output()
    rejected = {output.predicate for output in program.outputs or () if output.rejects}  # good news if there are none
    names = sorted(lanes, key=lambda name: name not in data)
    found = [
        Lane(
            name, tuple(sorted(lanes[name], key=lambda item: (item.since, item.text))), _shades(name, seen, start, end)
        )
        for name in names
        if lanes[name] or name in shown - rejected
    ]
    return Timeline(start, end, tuple(found), at, program.shown_tick(), others)


def certain_and_possible(answers: Iterable[Answer]) -> Iterator[tuple[Kind, Holding]]:
    """When atoms hold in every answer, and when in only some of them."""
    certain: list[Answer] = []
    possible: list[Answer] = []
    for answer in answers:
        certain.append(Answer.single(answer.time, answer.certain))
        possible.append(Answer.single(answer.time, answer.possible - answer.certain))
    for holding in intervals(changes(certain)):
        yield "derived", holding
    for holding in intervals(changes(possible)):
        yield "possible", holding


def held(moments: Iterable[Changes], program: Program) -> Iterator[tuple[Kind, Holding]]:
    """When atoms hold, as readers of a query see them."""
    for holding in intervals(by_copy(moments, formed(program.outputs))):
        yield "derived", holding


def _order(program: Program) -> list[str]:
    """The predicates of lanes: inputs as they are declared or read, then outputs as they are shown or derived."""
    declared = [signature.predicate for signature in program.inputs]
    read = [] if (found := _predicates_read(program)) is None else sorted(found)
    shown = program.output()
    written = [output.predicate for output in program.outputs or ()]
    heads = [atom.predicate for rule in program.rules for atom in rule.head_atoms() if atom.predicate in shown]
    return list(dict.fromkeys([*declared, *(name for name in read if name not in shown), *written, *heads]))


def _predicates_read(program: Program) -> frozenset[str] | None:
    """The predicates that rules look at, or that facts may be output of; None if windows count facts of any."""
    facts = facts_of(program)
    return None if facts.counts_all_facts else facts.read | facts.streamed | facts.derived | program.output()


def _looks(program: Program, facts: Sequence[Fact], start: int, at: int) -> list[Look]:
    return looks(evidence_of(program, start, at, facts))


def _shades(predicate: str, seen: Iterable[Look], start: int, end: int) -> tuple[Shade, ...]:
    """The windows over a predicate, the longest first, cut to the picture."""
    found = []
    for look in seen:
        span = look.view.timeline
        last = end if span.hi is None else min(span.hi, end)
        if look.predicate == predicate and look.window and span and max(span.lo, start) <= last:
            found.append(Shade(look.window, max(span.lo, start), last))
    return tuple(sorted(dict.fromkeys(found), key=lambda shade: (shade.since - shade.until, shade.window)))


def _item(kind: Kind, atom: Atom, values: Args, since: int, until: int, seen: bool = False) -> Item:
    words = [_word(value) for value in values]
    text = str(replace(atom, args=values)) if values == atom.values else _row_text(atom.predicate, values)
    return Item(kind, words[0] if words else "", ",".join(words[1:]), text, since, until, seen)


def _row_text(predicate: str, values: Args) -> str:
    cells = ",".join("_" if value is None else value_text(value) for value in row_of(values))
    return f"{predicate}({cells})" if cells else predicate


def _word(value: Value) -> str:
    """A value as a short label: an IRI by its last part.

    >>> from lasing.logic.values import Iri
    >>> _word(Iri("http://ex.org/rooms#kitchen")), _word(36), _word("a b")
    ('kitchen', '36', '"a b"')
    """
    cells = row_of((value,))
    if cells == (None,):
        return "_"
    text = value_text(value)
    if isinstance(value, BlankNode):  # its label means nothing to a reader
        return "_:"
    if text.startswith("<") and text.endswith(">"):
        return text[1:-1].rstrip("/#").replace("#", "/").rpartition("/")[2] or text
    return text
