"""The program of a pipeline: its files, with the background, entailment and functions that the pipeline names."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from lasing.background import with_background
from lasing.connectors.files import read_text
from lasing.entailment import REGIMES, with_entailment
from lasing.errors import Diagnostic, LasingError, SourceText
from lasing.languages import examine
from lasing.logic.checks import ONE_ANSWER, findings
from lasing.logic.modules import functions_of_module
from lasing.logic.own import check_functions, with_functions
from lasing.logic.program import Program
from lasing.logic.values import Value


def program_of(
    given: Mapping[str, Any], path: Path, place: Callable[[Any], Any]
) -> tuple[Program | None, list[Diagnostic]]:
    """The program, or None if it cannot be read, and what is wrong with it. `place` makes a path of the pipeline's file
    one of the working directory."""
    reading = _Reading(given, path, place)
    return reading.program(), reading.found


class _Reading:
    """Reads the parts of a program and collects the mistakes in them."""

    def __init__(self, given: Mapping[str, Any], path: Path, place: Callable[[Any], Any]) -> None:
        self.found: list[Diagnostic] = []
        self._given = given
        self._path = path
        self._place = place

    def program(self) -> Program | None:
        named = self._given.get("program", [])
        paths = [named] if isinstance(named, str) else named if isinstance(named, list) else []
        given = self._given.get("constants", {})
        constants: dict[str, Value] = given if isinstance(given, dict) else {}
        data = [name.rpartition("=")[2] for name in self._names("data")]
        allowed = tuple(Path(self._place(name)) for name in (*self._names("allow"), *data))
        sources = []
        for name in paths:
            path = Path(self._place(name)) if isinstance(name, str) else None
            try:
                if path is not None:
                    sources.append(SourceText(str(path), read_text(path), path, allowed))
            except LasingError as error:
                self.found.extend(error.diagnostics)
        if len(sources) < len(paths) or not sources:
            return None
        try:
            program, found = examine(sources, constants)
        except LasingError as error:
            self.found.extend(error.diagnostics)
            return None
        errors = [d for d in [*found, *findings(program, ONE_ANSWER)] if d.severity == "error"]
        self.found.extend(errors)
        return None if errors else self._with_functions(self._with_entailment(self._with_data(program)))

    def _names(self, key: str) -> list[str]:
        """The names under a key that has one or several."""
        given = self._given.get(key, [])
        return [given] if isinstance(given, str) else [str(name) for name in given] if isinstance(given, list) else []

    def _with_data(self, program: Program) -> Program:
        """The program with the background of the files that the pipeline's file names."""
        for name in self._names("data"):
            predicate, equals, path = name.rpartition("=")
            try:
                program = with_background(program, f"{predicate}{equals}{self._place(path)}")
            except LasingError as error:
                self.found.extend(error.diagnostics)
        return program

    def _with_entailment(self, program: Program) -> Program:
        """The program with the rules of the entailment regimes that the pipeline's file names."""
        for name in self._names("entail"):
            try:
                program = with_entailment(program, name if name in REGIMES else self._place(name))
            except LasingError as error:
                self.found.extend(error.diagnostics)
        return program

    def _with_functions(self, program: Program) -> Program | None:
        """The program with the functions of the module that the file names; it may be beside the file."""
        module = self._given.get("functions")
        try:
            bound = program
            if isinstance(module, str):
                bound = with_functions(program, functions_of_module(module, self._path.parent))
            check_functions(bound)
        except LasingError as error:
            self.found.extend(error.diagnostics)
            return None
        return bound
