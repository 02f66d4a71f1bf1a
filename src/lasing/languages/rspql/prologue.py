"""What a query declares before it begins."""

from __future__ import annotations

from itertools import pairwise

from lasing.languages.rspql.tokens import tokens


def prefixes(text: str) -> dict[str, str]:
    """The prefixes of a query, as they are written.

    >>> prefixes("PREFIX ex: <http://ex.org/> prefix : <http://e/> SELECT * { ?s ex:p :o }")
    {'ex': 'http://ex.org/', '': 'http://e/'}
    """
    found: dict[str, str] = {}
    read = list(tokens(text))
    for (word, name), (_, iri) in zip(pairwise(read), pairwise(read[1:]), strict=False):
        if word.is_word("PREFIX") and name.text.endswith(":") and iri.kind == "iri":
            found[name.text[:-1]] = iri.text[1:-1]
    return found
