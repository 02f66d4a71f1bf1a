"""Programs as text that people read: IRIs with prefixes, truth values as words, long rules on several lines.

The text reads back as the same program (see `same_program`). What a query says about its output is a comment.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

from lasing.errors import SourceText
from lasing.languages.lars.formatter import format_text
from lasing.languages.lars.prefixes import PREDEFINED
from lasing.languages.lars.tokens import Tokens, tokenize
from lasing.logic.functions import FUNCTIONS
from lasing.logic.program import Output, Program
from lasing.logic.results import shown_columns
from lasing.logic.values import RESERVED, datatypes
from lasing.logic.values.blanks import LABEL

_LOCAL = re.compile(LABEL)
_TYPED = re.compile(r"(?P<text>.*)\^\^<(?P<datatype>[^>]*)>", re.DOTALL)
_TRUTH = {f'"{word}"^^<{datatypes.BOOLEAN}>': word for word in ("true", "false")}


def program_text(program: Program, prefixes: Mapping[str, str]) -> str:
    """A program in the language of rules.

    >>> from lasing.logic.formulas import Atom
    >>> from lasing.logic.values import Iri
    >>> print(program_text(Program(background=(Atom("room", (Iri("http://ex.org/r1"),)),)), {"ex": "http://ex.org/"}))
    #prefix ex: <http://ex.org/>.
    <BLANKLINE>
    room(ex:r1).
    <BLANKLINE>
    """
    names = _names(prefixes)
    used: dict[str, str] = {}
    blocks = ["".join(_shortened(line, names, used) for line in block) for block in _blocks(program)]
    declared = [f"#prefix {name}: <{iri}>.\n" for name, iri in used.items() if name not in PREDEFINED]
    comments = [f"% {comment}\n" for output in program.outputs or () for comment in _comments(output)]
    laid_out = [format_text(SourceText("", block)) for block in ("".join(declared), *blocks)]
    laid_out[1] += "".join(comments)
    return "\n".join(filter(None, laid_out))


def _blocks(program: Program) -> Iterator[list[str]]:
    """The statements: directives, facts, and rules. Background in tables is a comment."""
    bare = replace(program, rules=(), background=(), tables=(), data=())
    yield [str(bare)]
    yield [str(replace(program, rules=(), inputs=(), streams=(), outputs=None, tick=None))]
    yield [f"{rule}\n" for rule in program.rules]


def _comments(output: Output) -> Iterator[str]:
    """What a query says about its output."""
    shown = len(shown_columns(output))
    match output.form:
        case "rows":
            yield f"{output}: rows of {', '.join(shown_columns(output)) or 'no columns'}"
        case "truth":
            yield f"{output}: yes if it holds, else no"
        case "graph":
            yield f"{output}: triples of a graph"
        case "atoms":
            return
    for place, descending in enumerate(output.order, shown + 1):
        yield f"argument {place} orders the rows{', from the greatest on' if descending else ''}"
    if output.counted:
        yield f"argument {output.arity} says how many equal rows there are"


def _names(prefixes: Mapping[str, str]) -> dict[str, str]:
    """The beginnings of IRIs, with names that the language accepts as prefixes."""
    found = {iri: name for name, iri in PREDEFINED.items()}
    for given, iri in prefixes.items():
        plain = re.sub(r"\W", "_", given).lstrip("_0123456789")
        name = stem = (plain[:1].lower() + plain[1:]) or "ns"
        number = 1
        while name in found.values() or name in RESERVED:
            number += 1
            name = f"{stem}{number}"
        if ":" in iri:  # otherwise it is relative, and begins no IRI
            found.setdefault(iri, name)
    return found


def _shortened(statement: str, names: Mapping[str, str], used: dict[str, str]) -> str:
    source = SourceText("", statement)
    tokens, _ = tokenize(source, comments=True)
    parts, at = [], 0
    for i, (kind, text, offset) in enumerate(zip(tokens.kinds, tokens.texts, tokens.offsets, strict=True)):
        if kind == "IRI":
            other = _prefixed(text[1:-1], names, used)
        elif kind == "LITERAL" and text in _TRUTH and _beside_truth(tokens, i):
            other = _TRUTH[text]
        elif kind == "LITERAL" and (typed := _TYPED.fullmatch(text)) is not None:
            other = f"{typed['text']}^^{_prefixed(typed['datatype'], names, used)}"
        else:
            continue
        parts += [statement[at:offset], other]
        at = offset + len(text)
    return "".join((*parts, statement[at:]))


def _beside_truth(tokens: Tokens, i: int) -> bool:
    """Whether a literal is compared with a call that gives a truth value: then a word is enough."""
    if tokens.kinds[i - 2 : i] not in ([")", "="], [")", "!="]) or tokens.kinds[i + 1] not in (",", ".", ")", "}", ";"):
        return False
    start, depth = i - 2, 0
    while start > 0:
        depth += (tokens.kinds[start] == ")") - (tokens.kinds[start] == "(")
        start -= 1
        if depth == 0:
            break
    name, before = tokens.texts[start], tokens.kinds[start - 1] if start else ""
    entries = FUNCTIONS.get(name, ())
    gives_truth = bool(entries) and all(entry.gives_truth for entry in entries)
    return gives_truth and before in (":-", ",", "{", ":", "(", "not")


def _prefixed(iri: str, names: Mapping[str, str], used: dict[str, str]) -> str:
    fits = [b for b in names if iri.startswith(b) and _LOCAL.fullmatch(iri, len(b))]
    if not fits:
        return f"<{iri}>"
    beginning = max(fits, key=len)
    used.setdefault(names[beginning], beginning)
    return f"{names[beginning]}:{iri[len(beginning) :]}"


def same_program(one: Program, other: Program) -> bool:
    """Whether two programs have the same rules and facts, whatever they say about their outputs.

    A rule without a body is a fact, and a constant may be a call that has been computed.
    """
    return _essence(one) == _essence(other)


def _essence(program: Program) -> tuple[object, ...]:
    facts = {f"{atom}." for atom in program.background} | {str(rule) for rule in program.rules if not rule.body}
    rules = [str(rule) for rule in program.rules if rule.body]
    outputs = None if program.outputs is None else [str(output) for output in program.outputs]
    return facts, rules, program.data, outputs, program.inputs, program.streams, program.tick
