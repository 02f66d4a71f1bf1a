"""From what a user gives as a program to a checked `Program`: text or a file, and what comes with it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from lasing.background import files_of, with_background
from lasing.connectors.files import read_text
from lasing.connectors.rows import value_of
from lasing.entailment import Entail, with_entailment
from lasing.errors import SourceText, fault
from lasing.errors import warn as issue
from lasing.languages import is_program, read_program
from lasing.logic.checks import CAUTIONS, findings
from lasing.logic.own import Functions, with_functions
from lasing.logic.program import Program
from lasing.logic.values import Value

ProgramLike = str | Path | Program


def parse(
    program: str | Path,
    constants: Mapping[str, Value] | None = None,
    *,
    functions: Functions | None = None,
    language: str | None = None,
    data: Any = None,
    entail: Entail = None,
    allow: Sequence[str | Path] = (),
) -> Program:
    """Read and check a program: text, or a Path to a file. `constants` override its #const values.

    `functions` has the Python functions that the program calls: `{"f": f}` for `@f(X)`. You can also give them to
    whatever runs the program.

    The file extension says which language a file is in, and text is LARS, unless you name a `language`. `data` has
    more background, and `entail` the rules of an entailment regime, as for `run`.

    A file may include the files of its own folder and below, and those of the folders that `allow` names. A query may
    also name the files of `data` in FROM.

    Raises `LasingError` with every mistake in the program. A likely mistake, such as a predicate that looks misspelt,
    is a `LasingWarning`.

    >>> parse("q(X) :- p(X) in [5].").rules[0].heads
    (Atom(predicate='q', args=(Variable(name='X'),)),)
    """
    known = read(program, constants, language, (*allow, *files_of(data)))
    checked = with_background(with_functions(known, functions), data)
    checked = with_entailment(checked, entail)
    issue(findings(checked, CAUTIONS))
    return checked


def program_of(
    program: ProgramLike,
    constants: Mapping[str, Value] | None,
    functions: Functions | None,
    data: Any,
    entail: Entail = None,
) -> Program:
    """A program with its functions, more background, and the rules of an entailment regime. One that is not parsed yet
    is parsed, with warnings."""
    if isinstance(program, Program):
        return with_entailment(with_background(with_functions(program, functions), data), entail)
    return with_functions(parse(program, constants, data=data, entail=entail), functions)


def read(
    program: str | Path,
    constants: Mapping[str, Value] | None = None,
    language: str | None = None,
    allow: Sequence[str | Path] = (),
) -> Program:
    """Same as `parse`, without warnings."""
    given = {name: value_of(value, what=f"the constant {name}") for name, value in (constants or {}).items()}
    return read_program([source_of(program, allow)], given, language)


def source_of(program: str | Path, allow: Sequence[str | Path] = ()) -> SourceText:
    """The text of a program, with its name."""
    if not isinstance(program, str | Path):
        raise fault(
            "E510", f"a {type(program).__name__} is not a program", note="a program is text, a Path or a Program"
        )
    if isinstance(program, str) and re.fullmatch(r"\S+", program) and is_program(program):
        raise fault("E510", f"{program!r} is text", note=f"for a file, pass a path: Path({program!r})")
    allowed = tuple(map(Path, allow))
    if isinstance(program, Path):
        return SourceText(str(program), read_text(program), program, allowed)
    return SourceText("program", program, allowed=allowed)
