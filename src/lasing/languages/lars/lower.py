"""From texts to a `Program`: follow includes, apply directives, separate facts from rules.

Directives hold for the whole program, wherever they are, so they are read first and the rules after them. By then
every constant has its value and every duration its number of time points, and formulas go straight into the logic.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from lasing.connectors.files import read_text
from lasing.errors import Diagnostic, LasingError, SourceText, similar
from lasing.languages.lars.cursor import Cursor, Environment, Mistake
from lasing.languages.lars.prefixes import PREDEFINED, read_prefix
from lasing.languages.lars.statements import (
    DIRECTIVES,
    Constant,
    Include,
    read_constant,
    read_declaration,
    read_include,
    read_statement,
    read_tick,
    unknown_directive,
)
from lasing.languages.lars.tokens import after_statement, declared_prefixes, tokenize
from lasing.languages.lars.weak_constraints import OPTIMISATIONS, read_optimisation
from lasing.logic.formulas import At, Atom, head_atom
from lasing.logic.program import Fact, Output, Program, Rule, Signature
from lasing.logic.terms import evaluate, mentions_now, variables_of
from lasing.logic.values import Undefined, Value
from lasing.timeline.limits import check_time

DEEPEST_INCLUDE = 50


@dataclass(slots=True)
class _Reading:
    """What has been read so far."""

    environment: Environment
    given: Mapping[str, Value]
    cursors: list[Cursor] = field(default_factory=list)
    bad: list[list[Diagnostic]] = field(default_factory=list)  # for each cursor, the places that are not tokens
    files: set[Path] = field(default_factory=set)
    constants: dict[str, Constant] = field(default_factory=dict)
    rules: list[Rule] = field(default_factory=list)
    background: list[Atom] = field(default_factory=list)
    data: list[Fact] = field(default_factory=list)
    inputs: list[Signature] = field(default_factory=list)
    streams: list[Signature] = field(default_factory=list)
    outputs: list[Output] | None = None
    found: list[Diagnostic] = field(default_factory=list)
    including: int = 0  # how many files are being read, each of which includes the next
    base: int = 0  # the length of the sources before the one being read
    dated: bool = False  # whether some fact has a date for its time


def lower(sources: Sequence[SourceText], constants: Mapping[str, Value]) -> tuple[Program, list[Diagnostic]]:
    """The program of one or more texts, and every mistake found in them; `constants` override those of the texts."""
    program, _, found = lower_around(sources, constants)
    return program, found


def lower_around(
    sources: Sequence[SourceText], constants: Mapping[str, Value], others: Iterable[str] = ()
) -> tuple[Program, Environment, list[Diagnostic]]:
    """The same, and what its directives mean for the texts that come with it; `others` are words of those texts."""
    reading = _Reading(Environment(dict(constants), prefixes=dict(PREDEFINED)), constants)
    for source in sources:
        if source.path is None or source.path.resolve() not in reading.files:
            _open(reading, source)
    _read_prefixed(reading)
    words = {word.lstrip("#") for cursor in reading.cursors for word in cursor.texts} if constants else set()
    known = words.union(others)
    for name in (name for name in constants if name not in known):
        note = similar(name, (cursor.texts[i + 1] for cursor, i in _constant_statements(reading)))
        reading.found.append(Diagnostic("E114", f"the program has no constant {name}", note=note))
    for cursor in reading.cursors:
        _directives(reading, cursor, ("#tick", "#prefix"))
    _constants(reading)
    for cursor in reading.cursors:
        _directives(reading, cursor, ("#input", "#show", "#stream"))
        _rules(reading, cursor)
        reading.base += len(cursor.source.text)
    program = Program(
        tuple(reading.rules),
        tuple(dict.fromkeys(reading.background)),
        tuple(reading.data),
        None if reading.outputs is None else tuple(dict.fromkeys(reading.outputs)),
        tuple(dict.fromkeys(reading.inputs)),
        reading.environment.tick,
        tuple(cursor.source for cursor in reading.cursors),
        reading.dated,
        tuple(dict.fromkeys(reading.streams)),
    )
    return program, reading.environment, reading.found


def _open(reading: _Reading, source: SourceText) -> None:
    """Tokenise a text, after everything that it includes; each file counts once."""
    tokens, mistakes = tokenize(source)
    cursor = Cursor(tokens, reading.environment)
    if source.path is not None:
        reading.files.add(source.path.resolve())
    for start in cursor.directives:
        if cursor.texts[start] != "#include":
            continue
        cursor.i = start
        try:
            include = read_include(cursor)
        except Mistake as mistake:
            reading.found.append(mistake.diagnostic)
            continue
        _include(reading, source, source.folder / include.path, include)
    reading.cursors.append(cursor)
    reading.bad.append(mistakes)


def _read_prefixed(reading: _Reading) -> None:
    """Read texts again that use prefixes of other texts, now that all of them are known."""
    declared = frozenset[str]().union(*(declared_prefixes(cursor.source.text) for cursor in reading.cursors))
    for number, cursor in enumerate(reading.cursors):
        if declared - declared_prefixes(cursor.source.text):
            tokens, reading.bad[number] = tokenize(cursor.source, prefixes=declared)
            reading.cursors[number] = Cursor(tokens, reading.environment)
    reading.found += [mistake for bad in reading.bad for mistake in bad]


def _include(reading: _Reading, source: SourceText, path: Path, include: Include) -> None:
    try:
        if path.resolve() in reading.files:
            return
        if not source.may_read(path):
            place = source.place(include.offset, len(include.path) + 2)
            message = f"the program may not include {path.name}, which is in another folder"
            note = "files of the program's folder and below can be included; --allow FOLDER allows another folder"
            reading.found.append(Diagnostic("E120", message, place, note))
            return
        text = read_text(path)
    except (OSError, ValueError):
        place = source.place(include.offset, len(include.path) + 2)
        reading.found.append(Diagnostic("E110", "this is not the name of a file", place))
        return
    except LasingError as error:
        place = source.place(include.offset, len(include.path) + 2)
        for d in error.diagnostics:
            reading.found.append(d if d.place else Diagnostic("E110", d.message, place, d.note))
        return
    if reading.including == DEEPEST_INCLUDE:
        place = source.place(include.offset, len(include.path) + 2)
        message = f"files include each other more than {DEEPEST_INCLUDE} levels deep"
        reading.found.append(Diagnostic("E110", message, place, "include them from one file that lists them"))
        return
    reading.including += 1
    _open(reading, SourceText(str(path), text, path, (source.folder, *source.allowed)))
    reading.including -= 1


def _directives(reading: _Reading, cursor: Cursor, wanted: tuple[str, ...]) -> None:
    for start in cursor.directives:
        if cursor.texts[start] not in wanted:
            continue
        cursor.i = start
        try:
            _directive(reading, cursor)
        except Mistake as mistake:
            reading.found.append(mistake.diagnostic)


def _constant_statements(reading: _Reading) -> list[tuple[Cursor, int]]:
    return [(c, i) for c in reading.cursors for i in c.directives if c.texts[i] == "#const"]


def _constants(reading: _Reading) -> None:
    """Read the constants, each after the ones that its value uses."""
    statements = _constant_statements(reading)
    defined: dict[str, list[int]] = {}
    for number, (c, i) in enumerate(statements):
        if c.texts[i + 1] not in reading.given:
            defined.setdefault(c.texts[i + 1], []).append(number)
    waits: list[set[int]] = []
    followers: dict[int, list[int]] = {}
    for number, (c, i) in enumerate(statements):
        words = {word for word in c.texts[i + 2 : after_statement(c.kinds, i)] if word in defined}
        waits.append({other for word in words for other in defined[word]})
        for other in waits[-1]:
            followers.setdefault(other, []).append(number)
    ready = deque(number for number, needed in enumerate(waits) if not needed)
    unread = dict.fromkeys(range(len(statements)))
    while ready:
        number = ready.popleft()
        del unread[number]
        _constant(reading, *statements[number], circular=False)
        for follower in followers.get(number, ()):
            waits[follower].discard(number)
            if not waits[follower]:
                ready.append(follower)
    for number in unread:
        _constant(reading, *statements[number], circular=True)


def _constant(reading: _Reading, cursor: Cursor, start: int, circular: bool) -> None:
    cursor.i = start
    try:
        if circular:
            cursor.fail("E113", "this constant depends on itself", offset=cursor.offsets[start + 1])
        _directive(reading, cursor)
    except Mistake as mistake:
        reading.found.append(mistake.diagnostic)


def _directive(reading: _Reading, cursor: Cursor) -> None:
    environment, offset = reading.environment, cursor.offset
    match cursor.text:
        case "#tick":
            tick = read_tick(cursor)
            if environment.tick not in (None, tick):
                cursor.fail("E111", f"the tick is already {environment.tick}", "a program has one #tick", offset, 5)
            environment.tick = tick
        case "#prefix":
            name, beginning = read_prefix(cursor)
            environment.prefixes[name] = beginning
        case "#const":
            constant = read_constant(cursor)
            known = reading.constants.get(constant.name)
            if known is not None and known.value != constant.value:
                message = f"the constant {constant.name} is already {known.value}"
                cursor.fail("E111", message, "a constant has one value", constant.offset, len(constant.name))
            reading.constants[constant.name] = constant
            if constant.name not in reading.given:
                environment.constants[constant.name] = constant.value
        case "#input":
            reading.inputs += _placed(reading, cursor)
        case "#stream":
            reading.streams += _placed(reading, cursor)
        case "#show":
            shown = [Output.unnamed(s.predicate, s.arity, s.offset) for s in _placed(reading, cursor)]
            reading.outputs = [*(reading.outputs or ()), *shown]


def _placed(reading: _Reading, cursor: Cursor) -> list[Signature]:
    """The signatures of a declaration; their offsets count through all sources."""
    return [replace(s, offset=reading.base + s.offset) for s in read_declaration(cursor).signatures]


def _rules(reading: _Reading, cursor: Cursor) -> None:
    kinds, texts = cursor.kinds, cursor.texts
    cursor.i = 0
    while kinds[cursor.i] != "END":
        start = cursor.i
        try:
            if kinds[start] != "DIRECTIVE":
                for rule in read_statement(cursor):
                    _keep(reading, cursor, rule)
            elif texts[start] in OPTIMISATIONS:
                reading.rules += read_optimisation(cursor)
            else:
                if texts[start] not in DIRECTIVES:
                    unknown_directive(cursor)
                cursor.i = after_statement(kinds, start)
        except Mistake as mistake:
            cursor.i = after_statement(kinds, start)
            if "BAD" not in kinds[start : cursor.i]:  # otherwise, an error already says why this cannot be read
                reading.found.append(mistake.diagnostic)


def _keep(reading: _Reading, cursor: Cursor, rule: Rule) -> None:
    """Put a statement where it belongs: background, data, or rules."""
    if rule.body or not rule.definite or _has_variables(rule):
        reading.rules.append(rule)
        return
    head = rule.heads[0]
    atom = head_atom(head)
    cursor.refuse_own_calls((*atom.args, *((head.time,) if isinstance(head, At) else ())), "a fact")
    try:
        ground = Atom(atom.predicate, tuple(evaluate(arg, {}) for arg in atom.args), reading.base + atom.offset)
        time = evaluate(head.time, {}) if isinstance(head, At) else None
    except Undefined as reason:
        cursor.fail("E113", f"this fact has no value: {reason}", "", rule.offset, rule.length)
    if time is None:
        reading.background.append(ground)
        return
    if isinstance(time, int):
        try:
            check_time(time)
        except LasingError as error:
            d = error.diagnostics[0]
            cursor.fail(d.code, d.message, d.note, rule.offset, rule.length)
    if not isinstance(time, int):
        cursor.fail("E113", f"a time point is a whole number, not {time}", "", rule.offset, rule.length)
    reading.dated = reading.dated or cursor.dated
    reading.data.append(Fact(time, ground))


def _has_variables(rule: Rule) -> bool:
    for head in rule.heads:
        times = (head.time,) if isinstance(head, At) else ()
        if any(mentions_now(term) or any(variables_of(term)) for term in (*head_atom(head).args, *times)):
            return True
    return False
