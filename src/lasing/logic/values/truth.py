"""Truth values: xsd:boolean. The name `true` is text, a different value."""

from __future__ import annotations

from dataclasses import dataclass

from lasing.logic.values.boxed import Boxed
from lasing.logic.values.datatypes import BOOLEAN


@dataclass(frozen=True, slots=True)
class Truth(Boxed):
    """True or false.

    >>> str(Truth(True)), Truth(True) == 1
    ('"true"^^<http://www.w3.org/2001/XMLSchema#boolean>', False)
    """

    holds: bool

    def __str__(self) -> str:
        return f'"{self.lexical}"^^<{BOOLEAN}>'

    @property
    def lexical(self) -> str:
        return "true" if self.holds else "false"
