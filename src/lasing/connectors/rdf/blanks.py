"""The labels of blank nodes, which belong to a file, a graph or a row."""

from __future__ import annotations

from hashlib import blake2b

from lasing.logic.values import BlankNode


class Blanks:
    """The blank nodes of one scope, such as a file: they get labels of their own, in the order in which they come.

    >>> first, second = Blanks("f1"), Blanks("f2")
    >>> str(first("a")), str(first("x")), str(first("a")), str(second("a"))
    ('_:f1n1', '_:f1n2', '_:f1n1', '_:f2n1')
    """

    def __init__(self, scope: str) -> None:
        self._scope = scope
        self._known: dict[str, BlankNode] = {}

    def __call__(self, label: str) -> BlankNode:
        node = self._known.get(label)
        if node is None:
            node = self._known[label] = BlankNode(f"{self._scope}n{len(self._known) + 1}")
        return node


def scope_of(name: str) -> str:
    """A short text for a file's name, which begins the labels of the blank nodes in that file."""
    return f"f{blake2b(name.encode(), digest_size=5).hexdigest()}"
