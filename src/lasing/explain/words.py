"""Words for atoms, from comments of the program: `%! alarm(X): "{X} has been hot for five minutes"`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from lasing.logic.formulas import Atom
from lasing.logic.program import Program
from lasing.logic.values import value_text

_ANNOTATION = re.compile(
    r"""^[ \t]*%!\s*(?P<predicate>[^\W\d]\w*)\s*(?:\((?P<names>[^()]*)\))?\s*:\s*"(?P<words>(?:[^"\\]|\\.)*)"\s*$""",
    re.MULTILINE,
)


@dataclass(frozen=True, slots=True)
class Annotation:
    """The names of the arguments, and the sentence in which they stand in braces."""

    names: tuple[str, ...]
    words: str


@dataclass(frozen=True, slots=True)
class Words:
    """The annotations of a program, by predicate and number of arguments."""

    annotations: dict[tuple[str, int], Annotation]

    def about(self, atom: Atom) -> str:
        """What an atom says, in words; empty if nobody wrote that.

        >>> words = Words({("hot", 1): Annotation(("X",), "{X} is hot")})
        >>> words.about(Atom("hot", ("s1",))), words.about(Atom("cold", ("s1",)))
        ('s1 is hot', '')
        """
        found = self.annotations.get((atom.predicate, len(atom.args)))
        if found is None:
            return ""
        said = found.words
        for name, value in zip(found.names, atom.values, strict=True):
            if name:
                said = said.replace("{" + name + "}", value if isinstance(value, str) else value_text(value))
        return said


def words_of(program: Program) -> Words:
    """The annotations in the texts of a program.

    >>> from lasing.errors import SourceText
    >>> program = Program(sources=(SourceText("p", '%! hot(X, _): "{X} is hot"'),))
    >>> words_of(program).annotations
    {('hot', 2): Annotation(names=('X', ''), words='{X} is hot')}
    """
    found: dict[tuple[str, int], Annotation] = {}
    for source in program.sources:
        for match in _ANNOTATION.finditer(source.text):
            names = _names(match)
            words = re.sub(r"\\(.)", r"\1", match["words"])
            kept = tuple("" if name == "_" else name for name in names)
            found.setdefault((match["predicate"], len(names)), Annotation(kept, words))
    return Words(found)


def annotated(text: str) -> Iterator[tuple[str, int, int]]:
    """The predicates that have annotations in a text: the name, the number of arguments, and where the name is.

    >>> list(annotated('p.\\n%! hot(X, _): "{X} is hot"'))
    [('hot', 2, 6)]
    """
    for match in _ANNOTATION.finditer(text):
        yield match["predicate"], len(_names(match)), match.start("predicate")


def _names(match: re.Match[str]) -> tuple[str, ...]:
    """The names of the arguments in an annotation."""
    written = match["names"]
    return tuple(name.strip() for name in written.split(",")) if written and written.strip() else ()
