"""From the text of a query to a program."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from rdflib.plugins.sparql.parserutils import CompValue

from lasing.algebra.lowering import Lowering
from lasing.errors import Diagnostic, SourceText
from lasing.languages.rspql.graphs import DEFAULT, QUAD, TRIPLE
from lasing.languages.rspql.mistakes import Mistake
from lasing.languages.rspql.names import Names
from lasing.languages.rspql.patterns import Patterns
from lasing.languages.rspql.results import ask, construct, describe, select
from lasing.languages.rspql.sparql import parse
from lasing.logic.program import Output, Program, Signature
from lasing.logic.values import Value, datatypes, literal

_VARIABLE = re.compile(r"[?$](\w+)")


def lower(sources: Sequence[SourceText], _constants: Mapping[str, Value]) -> tuple[Program, list[Diagnostic]]:
    """The program of some queries, and their mistakes."""
    taken = {TRIPLE, QUAD}
    builder = Lowering(taken)
    outputs: list[Output] = []
    mistakes: list[Diagnostic] = []
    for source in sources:
        try:
            outputs.append(_query(source, builder))
        except Mistake as mistake:
            mistakes.append(mistake.diagnostic(source))
    program = Program(
        tuple(builder.rules),
        tuple(builder.background),
        outputs=tuple(outputs),
        inputs=(Signature(TRIPLE, 3), Signature(QUAD, 4)),
        sources=tuple(sources),
    )
    return program, mistakes


def _query(source: SourceText, builder: Lowering) -> Output:
    text = source.text
    folder = Path.cwd() if source.path is None else source.path.resolve().parent
    query, star = parse(text, f"{folder.as_uri()}/")
    now = literal(datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"), datatypes.DATE_TIME)
    names = Names(builder.taken)
    patterns = Patterns(builder, names, now, str(query.prologue.base or ""))
    found = query.algebra
    match found.name:
        case "SelectQuery":
            return select(found, patterns, "result", star, dict.fromkeys(_VARIABLE.findall(text)))
        case "AskQuery":
            return ask(found, patterns, "result")
        case "ConstructQuery":
            return construct(found, patterns, "result", found.template or _own_template(found.p))
        case "DescribeQuery":
            return describe(found, patterns, "result", DEFAULT)
    raise Mistake(f"{found.name} is not supported")


def _own_template(part: CompValue) -> list[tuple[Any, Any, Any]]:
    """The pattern of CONSTRUCT WHERE is its own template."""
    while part.name != "BGP":
        part = part.p
    triples: list[tuple[Any, Any, Any]] = part.triples
    return triples
