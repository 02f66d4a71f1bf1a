"""Blank nodes: `_:b1`. Within one run, the same label is the same node."""

from __future__ import annotations

import re
from dataclasses import dataclass

from lasing.errors import fault
from lasing.logic.values.boxed import Boxed
from lasing.logic.values.texts import is_unicode

LABEL = r"\w(?:[\w.\-]*[\w\-])?"
BLANK = rf"_:{LABEL}"

_BLANK = re.compile(rf"{BLANK}\Z")


@dataclass(frozen=True, slots=True)
class BlankNode(Boxed):
    """A blank node, by its label.

    >>> str(BlankNode("b1"))
    '_:b1'
    """

    label: str

    def __post_init__(self) -> None:
        if not _BLANK.match(f"_:{self.label}") or not is_unicode(self.label):
            note = "a label consists of letters, digits, _, - and ., and does not end in a full stop"
            raise fault("E506", f"{ascii(self.label)[:60]} is not the label of a blank node", note=note)

    def __str__(self) -> str:
        return f"_:{self.label}"
