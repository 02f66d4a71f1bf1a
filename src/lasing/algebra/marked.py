"""Marked: the same rows, with another idea of which columns may be missing."""

from __future__ import annotations

from lasing.algebra.builder import Builder
from lasing.algebra.nodes import Marked
from lasing.algebra.rows import Rows


def marked(node: Marked, builder: Builder, bag: bool) -> Rows:
    """The rows of a marked node."""
    source = builder.lower(node.source, bag)
    missing = (source.missing | frozenset(node.maybe)) - frozenset(node.known)
    return Rows(source.columns, source.bodies, missing, source.apart)
