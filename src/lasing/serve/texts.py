"""Texts that come from the page, and the few files that they may name."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lasing.background import with_background
from lasing.connectors.csv import cell_value
from lasing.entailment import with_entailment
from lasing.errors import Diagnostic, LasingError, SourceText, fault, in_order
from lasing.languages import FRONT_ENDS, NAMES, examine, front_end
from lasing.logic.checks import CAUTIONS, findings
from lasing.logic.modules import functions_of_module
from lasing.logic.own import with_functions
from lasing.logic.program import Program
from lasing.serve.settings import Given

NAME = "program"
"""How the text of the editor is called in messages."""


@dataclass(frozen=True, slots=True)
class Confined(SourceText):
    """A text that somebody wrote in a page. It may name the files that the command line allows and no others, not even
    those of its own folder: whoever writes it is not always the one who called the command."""

    def may_read(self, path: Path) -> bool:
        return any(path.resolve().is_relative_to(known.resolve()) for known in self.allowed)


@dataclass(frozen=True, slots=True)
class Noting(SourceText):
    """The text that the command line named, which notes the files that it names in turn."""

    noted: list[Path] = field(default_factory=list, compare=False)

    def may_read(self, path: Path) -> bool:
        allowed = SourceText.may_read(self, path)
        if allowed:
            self.noted.append(path)
        return allowed


class Reader:
    """Reads the programs of a page, with everything that the command line gives to each of them."""

    def __init__(self, given: Given) -> None:
        self.given = given
        self._folder = Path(given.folder)
        self._functions = functions_of_module(given.functions, self._folder) if given.functions else None
        self._constants = {}
        for definition in given.constants:
            name, _, value = definition.partition("=")
            self._constants[name.strip()] = cell_value(value.strip())

    def source(self, text: str, language: str) -> SourceText:
        """The text as a source. Its folder is that of the file that the command line named, so that the names in it
        mean the same."""
        if language not in NAMES:
            raise fault("E787", f"there is no language {language}", note=f"languages are {', '.join(NAMES)}")
        ending = next(one.endings[0] for one in FRONT_ENDS if one.name == language)
        path = (self._folder / (self.given.program or "none")).with_name(f"page{ending}")
        allowed = tuple(self._folder / name for name in (*self.given.readable, *self.given.allow))
        return Confined(NAME, text, path, allowed)

    def examined(self, text: str, language: str) -> tuple[Program, list[Diagnostic]]:
        """The program as far as it can be read, and all mistakes and warnings."""
        program, found = examine([self.source(text, language)], self._constants, language)
        if any(d.severity == "error" for d in found):
            return program, found
        try:
            whole = self._whole(program)
        except LasingError as error:
            return program, list(error.diagnostics)
        return whole, in_order([*found, *findings(whole, CAUTIONS)])

    def program(self, text: str, language: str) -> Program:
        """The program; fails with all mistakes."""
        program, found = self.examined(text, language)
        if mistakes := [d for d in found if d.severity == "error"]:
            raise LasingError(mistakes)
        return program

    def _whole(self, program: Program) -> Program:
        data = [_absolute(self._folder, one) for one in self.given.data]
        entail = [str(self._folder / one) if one.endswith(".lars") else one for one in self.given.entail]
        return with_functions(with_entailment(with_background(program, data), entail or None), self._functions)


def _absolute(folder: Path, argument: str) -> str:
    """A file of the command line, `FILE` or `NAME=FILE`, whatever folder the process is in."""
    name, equals, path = argument.rpartition("=")
    return f"{name}{equals}{folder / path}"


def finding_json(d: Diagnostic) -> dict[str, Any]:
    """A finding for the page. `where` names the text that its place is in."""
    place = d.place
    found: dict[str, Any] = {"code": d.code, "severity": d.severity, "message": d.message, "note": d.note}
    if place is not None:
        found |= {"where": place.source, "line": place.line, "column": place.column, "length": place.length}
    return found


def language_of(program: Program) -> str:
    """The language of a program that was read somewhere else; its rules are LARS if its texts are gone."""
    try:
        return front_end(program.sources).name
    except LasingError:
        return "lars"
