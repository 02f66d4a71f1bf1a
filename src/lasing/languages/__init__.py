"""The languages that programs are written in: each is text in, a `Program` out.

A language is a folder here and a line in `FRONT_ENDS`. The ending of a file decides its language; text without a
file is LARS unless a language is named. Nothing outside this folder distinguishes between languages.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec

from lasing.errors import Diagnostic, LasingError, SourceText, fault, in_order
from lasing.languages.lars.formatter import format_text
from lasing.languages.lars.lower import lower
from lasing.languages.lars.prefixes import declarations
from lasing.languages.lars.questions import read_question as read_lars_question
from lasing.languages.lars.writing import program_text
from lasing.logic.checks import MISTAKES, findings
from lasing.logic.program import Program
from lasing.logic.question import Question
from lasing.logic.values import Value

Sources = Sequence[SourceText]
Constants = Mapping[str, Value]


@dataclass(frozen=True, slots=True)
class FrontEnd:
    """A language: its name, the endings of its files, and what can be done with its texts.

    `lower` makes a program from texts, and finds their mistakes. `format` lays out a text. `question` reads a formula
    and atoms, given the texts that come with them. `prefixes` has the prefixes that a text declares for IRIs.
    """

    name: str
    endings: tuple[str, ...]
    lower: Callable[[Sources, Constants], tuple[Program, list[Diagnostic]]]
    format: Callable[[SourceText], str]
    question: Callable[[Sources, Constants, SourceText | None, SourceText | None], Question]
    prefixes: Callable[[SourceText], dict[str, str]]


LARS = FrontEnd("lars", (".lars",), lower, format_text, read_lars_question, declarations)


# The modules of queries are loaded when there is a query: the libraries that they need take half a second to load.


def _need_rdf() -> None:
    for library in ("rdflib", "pyoxigraph"):
        if find_spec(library) is None:
            raise fault("E705", f"{library} is not installed", note="queries need it: pip install 'lasing[rdf]'")


def _lower_query(sources: Sources, constants: Constants) -> tuple[Program, list[Diagnostic]]:
    _need_rdf()
    from lasing.languages.rspql.lower import lower

    return lower(sources, constants)


def _format_query(source: SourceText) -> str:
    from lasing.languages.rspql.formatter import format_query

    return format_query(source)


def _no_question(*_: object) -> Question:
    raise fault("E511", "formulas and atoms can only be asked beside rules", note="give a program that ends in .lars")


def _prefixes_of_query(source: SourceText) -> dict[str, str]:
    from lasing.languages.rspql.prologue import prefixes

    return prefixes(source.text)


SPARQL = FrontEnd(
    "sparql",
    (".rq", ".sparql", ".rspql", ".csparql", ".cqels"),
    _lower_query,
    _format_query,
    _no_question,
    _prefixes_of_query,
)


def _lower_patterns(sources: Sources, constants: Constants) -> tuple[Program, list[Diagnostic]]:
    from lasing.languages.tesla.lower import lower

    return lower(sources, constants)


def _format_patterns(source: SourceText) -> str:
    from lasing.languages.tesla.formatter import format_patterns

    return format_patterns(source)


TESLA = FrontEnd("tesla", (".tesla",), _lower_patterns, _format_patterns, _no_question, lambda _: {})


def _lower_dotr(sources: Sources, constants: Constants) -> tuple[Program, list[Diagnostic]]:
    _need_rdf()
    from lasing.languages.dotr.lower import lower

    return lower(sources, constants)


def _format_dotr(source: SourceText) -> str:
    from lasing.languages.dotr.formatter import format_dotr

    return format_dotr(source)


DOTR = FrontEnd("dotr", (".dotr",), _lower_dotr, _format_dotr, _no_question, _prefixes_of_query)


def _lower_intervals(sources: Sources, constants: Constants) -> tuple[Program, list[Diagnostic]]:
    from lasing.languages.etalis.lower import lower

    return lower(sources, constants)


def _format_intervals(source: SourceText) -> str:
    from lasing.languages.etalis.formatter import format_rules

    return format_rules(source)


ETALIS = FrontEnd("etalis", (".etalis",), _lower_intervals, _format_intervals, _no_question, lambda _: {})

FRONT_ENDS: tuple[FrontEnd, ...] = (LARS, SPARQL, TESLA, DOTR, ETALIS)

ENDINGS: tuple[str, ...] = tuple(ending for language in FRONT_ENDS for ending in language.endings)
NAMES: tuple[str, ...] = tuple(language.name for language in FRONT_ENDS)


def front_end(sources: Sources, language: str | None = None) -> FrontEnd:
    """The language of some texts: the one that is named, or that of their files, or LARS if there is no file."""
    if language is not None:
        return _named(language)
    found = {language.name: language for language in map(_of_source, sources)}
    if len(found) > 1:
        note = f"give the files of one language, or name it: {', '.join(NAMES)}"
        raise fault("E511", f"these programs are in several languages: {', '.join(found)}", note=note)
    return next(iter(found.values()), LARS)


def read_program(sources: Sources, constants: Constants | None = None, language: str | None = None) -> Program:
    """The program of one or more texts. Raises a `LasingError` with all mistakes if there are any."""
    program, found = examine(sources, constants, language)
    if found:
        raise LasingError(found)
    return program


def examine(
    sources: Sources, constants: Constants | None = None, language: str | None = None
) -> tuple[Program, list[Diagnostic]]:
    """What could be read, and every mistake: of the text, and of the rules that could be read."""
    program, found = front_end(sources, language).lower(sources, constants or {})
    return program, in_order([*found, *findings(program, MISTAKES)])


def read_question(
    sources: Sources,
    constants: Constants,
    formula: SourceText | None = None,
    atoms: SourceText | None = None,
    language: str | None = None,
) -> Question:
    """A formula, atoms, or both, in the language of the texts that come with them. Raises like `read`."""
    return front_end(sources, language).question(sources, constants, formula, atoms)


def format_program(source: SourceText, language: str | None = None) -> str:
    """A program in the layout of its language."""
    return front_end([source], language).format(source)


def translated(program: Program, language: str | None = None) -> str:
    """A program in the language of rules, whatever language it was written in, with the prefixes of its texts."""
    return program_text(program, prefixes_of(program, language))


def prefixes_of(program: Program, language: str | None = None) -> dict[str, str]:
    """The prefixes that the texts of a program declare; if two differ, that of the first."""
    found: dict[str, str] = {}
    for source in program.sources:
        for name, beginning in front_end([source], language).prefixes(source).items():
            found.setdefault(name, beginning)
    return found


def is_program(file: str) -> bool:
    """Whether a file has the ending of a program."""
    return file.lower().endswith(ENDINGS)


def _named(name: str) -> FrontEnd:
    found = next((language for language in FRONT_ENDS if language.name == name), None)
    if found is None:
        raise fault("E305", f"there is no language {name}", note=f"languages are {', '.join(NAMES)}")
    return found


def _of_source(source: SourceText) -> FrontEnd:
    if source.path is None:
        return LARS
    name = source.path.name.lower()
    found = next((language for language in FRONT_ENDS if name.endswith(language.endings)), None)
    if found is None:
        known = ", ".join(f"{' '.join(language.endings)} ({language.name})" for language in FRONT_ENDS)
        note = f"programs end in {known}; for another ending, name the language"
        raise fault("E511", f"{source.name} does not have the ending of a program", note=note)
    return found
