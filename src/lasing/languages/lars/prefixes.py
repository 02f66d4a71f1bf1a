"""Prefixes of IRIs: `#prefix ex: <http://ex.org/>.` lets `ex:kitchen` mean `<http://ex.org/kitchen>`.

`xsd`, `rdf` and `rdfs` are known without a declaration. A prefix holds for the whole program, like every directive.
"""

from __future__ import annotations

import re

from lasing.errors import SourceText
from lasing.languages.lars.cursor import Cursor
from lasing.languages.lars.tokens import KNOWN_PREFIXES, directives_in, tokenize
from lasing.logic.values import Iri, TaggedLiteral, Value, datatypes, literal, unescape

PREDEFINED = {"rdf": datatypes.RDF, "rdfs": datatypes.RDFS, "xsd": datatypes.XSD}
assert frozenset(PREDEFINED) == KNOWN_PREFIXES

_DATATYPE = re.compile(r"\^\^(?=[^\"]*\Z)")


def read_prefix(c: Cursor) -> tuple[str, str]:
    """`#prefix ex: <http://ex.org/>.`: the prefix and the beginning of its IRIs."""
    c.i += 1
    if c.kind == ":":
        c.fail("E117", "a prefix needs a name", "such as: #prefix ex: <http://ex.org/>.")
    name = c.expect("NAME", "after #prefix")
    c.expect(":", "after the prefix")
    offset = c.offset
    beginning = c.expect("IRI", "after the prefix")[1:-1]
    c.expect(".", "at the end of the directive")
    known = c.environment.prefixes.get(name, beginning)
    if known != beginning:
        note = "a prefix has one meaning in the whole program; xsd, rdf and rdfs have theirs already"
        c.fail("E111", f"the prefix {name} is already <{known}>", note, offset, len(beginning) + 2)
    return name, beginning


def declarations(source: SourceText) -> dict[str, str]:
    """The prefixes that a text declares.

    >>> declarations(SourceText("", "#prefix ex: <http://ex.org/>. p(ex:a)."))
    {'ex': 'http://ex.org/'}
    """
    tokens, _ = tokenize(source)
    found = {}
    for i in directives_in(tokens.kinds):
        if tokens.texts[i] == "#prefix" and tokens.kinds[i + 1 : i + 4] == ["NAME", ":", "IRI"]:
            found[tokens.texts[i + 1]] = tokens.texts[i + 3][1:-1]
    return found


def prefixed_iri(c: Cursor, written: str, offset: int) -> Iri:
    """The IRI of `ex:kitchen`."""
    prefix, _, local = written.partition(":")
    beginning = c.environment.prefixes.get(prefix)
    if beginning is None:
        c.fail_unknown_prefix(prefix, offset)
    return Iri(beginning + local)


def read_literal_value(c: Cursor, written: str, offset: int) -> Value:
    """The value of a text with a language or a datatype: `"chat"@en`, `"05"^^xsd:integer`."""
    datatype = _DATATYPE.search(written)
    if datatype is None:
        text, _, language = written.rpartition("@")
        return TaggedLiteral(unescape(text), language)
    text, name = written[: datatype.start()], written[datatype.end() :]
    iri = name[1:-1] if name.startswith("<") else prefixed_iri(c, name, offset + datatype.end()).iri
    return literal(unescape(text), iri)
