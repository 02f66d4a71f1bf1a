"""IRIs: `<http://ex.org/a>`. The text `"<http://ex.org/a>"` is another value."""

from __future__ import annotations

import re
from dataclasses import dataclass

from lasing.errors import fault
from lasing.logic.values.boxed import Boxed
from lasing.logic.values.texts import is_unicode

IRI = r"<[A-Za-z][A-Za-z0-9+.\-]*:[^\s<>\"{}|\\^`]*>"

_IRI = re.compile(rf"{IRI}\Z")


@dataclass(frozen=True, slots=True)
class Iri(Boxed):
    """An absolute IRI; `iri` is written without the angle brackets.

    >>> str(Iri("http://ex.org/a"))
    '<http://ex.org/a>'
    """

    iri: str

    def __post_init__(self) -> None:
        if not _IRI.match(f"<{self.iri}>") or not is_unicode(self.iri):
            note = "an IRI is absolute, such as http://ex.org/a, and is given without angle brackets"
            raise fault("E506", f"{ascii(self.iri)[:60]} is not an IRI", note=note)

    def __str__(self) -> str:
        return f"<{self.iri}>"


def valid_iri(text: str) -> Iri:
    """An IRI that is known to be valid. It is not checked again."""
    iri = object.__new__(Iri)
    object.__setattr__(iri, "iri", text)
    return iri
