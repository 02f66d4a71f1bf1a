"""Mappings: how a row of a table becomes a graph.

    time = "ts"

    [prefixes]
    e = "http://ex.org/"
    ssn = "http://purl.oclc.org/NET/ssnx/ssn#"

    [[triples]]
    triple = "e:obs/{id} ssn:observedBy <http://ex.org/sensor/{sensor}>"

    [[triples]]
    triple = "e:obs/{id} e:celsius {celsius}^^xsd:double"
    when = ["celsius"]

`{column}` is the cell of a column: alone, it is the cell's value; inside an IRI, its text, with the characters escaped
that an IRI cannot have; inside quotes, its text. `_:name` is a blank node of the row. A triple that uses a missing cell
is not made, and neither is one with a missing cell among `when`.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from urllib.parse import quote

from lasing.connectors.files import read_text
from lasing.connectors.rdf.blanks import Blanks
from lasing.errors import LasingError, Place, fault, similar
from lasing.logic.values import ExactDecimal, Iri, TaggedLiteral, Value, datatypes, literal
from lasing.logic.values.decimals import decimal_from
from lasing.logic.values.literals import lexical_of
from lasing.logic.values.numbers import double_lexical

_PREFIXES = {"xsd": datatypes.XSD, "rdf": datatypes.RDF, "rdfs": datatypes.RDFS}
_PLACE = r"\{[^{}\"<>]+\}"
_NAME = rf"(?:[\w.%/#:\-]|{_PLACE})"
_TERM = re.compile(
    rf"\s*(?:<(?P<iri>[^<>\s]*)>|_:(?P<blank>\w+)|\"(?P<text>(?:[^\"\\]|\\.)*)\"(?:@(?P<language>[\w\-]+)|\^\^(?P<type>\S+))?"
    rf"|(?P<cell>{_PLACE})(?:@(?P<cell_language>[\w\-]+)|\^\^(?P<cell_type>\S+))?"
    rf"|(?P<number>-?[0-9]+(?:\.[0-9]+)?)(?=\s|\Z)|(?P<a>a)(?=\s)|(?P<prefix>[\w\-]*):(?P<local>{_NAME}*))(?=\s|\Z)"
)
_CELLS = re.compile(r"\{([^{}]+)\}")
_EXAMPLE = 'such as: triple = "e:obs/{id} e:celsius {celsius}^^xsd:double"'

Row = Mapping[str, Value | None]
Maker = Callable[[Row, Blanks], Value]


@dataclass(frozen=True)
class TripleTemplate:
    """Makes a triple from a row, if the row has all of its columns."""

    text: str
    place: Place
    makers: tuple[Maker, Maker, Maker]
    columns: tuple[str, ...]

    def made(self, row: Row, blank: Blanks, where: str) -> tuple[Value, Value, Value] | None:
        """The triple of a row; None if a cell is missing."""
        if any(row[column] is None for column in self.columns):
            return None
        try:
            s, p, o = (make(row, blank) for make in self.makers)
        except LasingError as error:
            d = error.diagnostics[0]
            raise fault(d.code, f"{where}: {d.message}", self.place, d.note) from None
        return s, p, o


@dataclass(frozen=True)
class TripleMapping:
    """How the rows of a table become graphs: their triples, and the column of their time if the mapping names it."""

    name: str
    templates: tuple[TripleTemplate, ...]
    time: str | None = None

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that it uses, each once."""
        return tuple(dict.fromkeys(column for template in self.templates for column in template.columns))

    def triples(self, row: Row, blank: Blanks, where: str) -> Iterator[tuple[Value, Value, Value]]:
        """The triples of a row; `where` says which row it is."""
        for template in self.templates:
            made = template.made(row, blank, where)
            if made is not None:
                yield made


def read_mapping(path: Path) -> TripleMapping:
    """The mapping of a file."""
    return mapping_of(read_text(path), str(path))


def mapping_of(text: str, name: str = "mapping") -> TripleMapping:
    """The mapping of a text."""
    try:
        given = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise fault("E611", f"{name} is not TOML: {error}") from None
    for key in given:
        if key not in ("time", "prefixes", "triples"):
            note = similar(key, ("time", "prefixes", "triples")) or "the keys are time, prefixes and triples"
            raise fault("E515", f"{key} is unknown", _place(name, text, key), note)
    time = given.get("time")
    listed, prefixes = given.get("triples"), given.get("prefixes", {})
    is_sound = isinstance(listed, list) and listed and isinstance(prefixes, dict) and isinstance(time, str | None)
    if not is_sound or not all(isinstance(iri, str) for iri in prefixes.values()):
        raise fault("E515", f"{name} has no triples, or not in the form of a mapping", note=_EXAMPLE)
    known = {**_PREFIXES, **prefixes}
    templates, begin = [], 0
    for one in listed or ():
        described = {"triple": one} if isinstance(one, str) else one
        when = described.get("when", []) if isinstance(described, dict) else None
        when = [when] if isinstance(when, str) else when
        if (
            not isinstance(described, dict)
            or not isinstance(described.get("triple"), str)
            or not isinstance(when, list)
        ):
            raise fault("E515", f"{one!r} is not a triple", _place(name, text, str(one)), _EXAMPLE)
        written = described["triple"]
        begin = max(text.find(written, begin), 0)
        place = _place(name, text, written, begin)
        templates.append(_template(written, place, known, when))
        begin += 1
    return TripleMapping(name, tuple(templates), time)


def _place(name: str, text: str, words: str, begin: int = 0) -> Place:
    at = max(text.find(words, begin), 0)
    line = text.count("\n", 0, at) + 1
    column = at - (text.rfind("\n", 0, at) + 1) + 1
    return Place(name, line, column, text.split("\n")[line - 1], min(len(words), 60) or 1)


def _template(written: str, place: Place, prefixes: Mapping[str, str], when: Sequence[str]) -> TripleTemplate:
    makers: list[Maker] = []
    at = 0
    words = written.strip().removesuffix(".").rstrip() if written.rstrip().endswith(" .") else written.strip()
    while at < len(words):
        found = _TERM.match(words, at)
        if found is None:
            raise fault("E515", f"{words[at:].strip()[:60]} is not a term", place, _EXAMPLE)
        makers.append(_maker(found, place, prefixes))
        at = found.end()
    if len(makers) != 3:
        raise fault("E515", f"a triple has 3 terms, not {len(makers)}", place, _EXAMPLE)
    columns = tuple(dict.fromkeys([*_CELLS.findall(words), *map(str, when)]))
    return TripleTemplate(written, place, (makers[0], makers[1], makers[2]), columns)


def _maker(found: re.Match[str], place: Place, prefixes: Mapping[str, str]) -> Maker:
    def full(name: str) -> str:
        if name.startswith("<") and name.endswith(">"):
            return name[1:-1]
        prefix, _, local = name.partition(":")
        if prefix not in prefixes:
            note = similar(prefix, prefixes) or f"prefixes are {', '.join(prefixes)}; add it to [prefixes]"
            raise fault("E515", f"the prefix {prefix}: is unknown", place, note)
        return prefixes[prefix] + local

    part = found.groupdict()
    if part["a"]:
        return _constant(Iri(f"{datatypes.RDF}type"))
    if part["number"]:
        kind = datatypes.DECIMAL if "." in part["number"] else datatypes.INTEGER
        return _constant(typed(part["number"], kind))
    if part["blank"]:
        label = part["blank"]
        return lambda _row, blank: blank(label)
    if part["cell"]:
        column = part["cell"][1:-1]
        if part["cell_language"]:
            language = part["cell_language"]
            return lambda row, _blank: TaggedLiteral(_text(row[column]), language)
        if part["cell_type"]:
            datatype = full(part["cell_type"])
            return lambda row, _blank: typed(_text(row[column]), datatype, column)
        return lambda row, _blank: _present(row[column])
    if part["text"] is not None:
        text = re.sub(r"\\(.)", lambda m: {"n": "\n", "t": "\t"}.get(m[1], m[1]), part["text"])
        if part["language"]:
            language = part["language"]
            return lambda row, _blank: TaggedLiteral(_filled(text, row, str), language)
        datatype = full(part["type"]) if part["type"] else datatypes.STRING
        return lambda row, _blank: typed(_filled(text, row, str), datatype)
    iri = part["iri"] if part["iri"] is not None else full(f"{part['prefix']}:{part['local']}")
    if not _CELLS.search(iri):
        return _constant(Iri(iri))
    if re.fullmatch(_PLACE, iri):  # the cell is the whole IRI
        return lambda row, _blank: Iri(_filled(iri, row, str))
    return lambda row, _blank: Iri(_filled(iri, row, _escaped))


def _constant(value: Value) -> Maker:
    return lambda _row, _blank: value


def _present(value: Value | None) -> Value:
    assert value is not None, "a triple with a missing cell is not made"
    return value


def _text(value: Value | None) -> str:
    """A cell as the lexical form of a literal, or as part of a text."""
    match _present(value):
        case Iri(iri):
            return iri
        case str() | int() as plain:
            return str(plain)
        case float() as number:
            return repr(number)
        case other:
            return str(getattr(other, "lexical", other))


def _filled(template: str, row: Row, change: Callable[[str], str]) -> str:
    return _CELLS.sub(lambda found: change(_text(row[found[1]])), template)


def _escaped(text: str) -> str:
    """A text as part of an IRI: letters, digits and -._~ stay, and so do those of other scripts."""
    return "".join(c if ord(c) >= 0xA0 and not c.isspace() else quote(c, safe="") for c in text)


def typed(lexical: str, datatype: str, column: str = "") -> Value:
    """The literal with a datatype; numbers in their canonical form, so that they are the numbers of the language.

    >>> typed("21.50", datatypes.DECIMAL).lexical, typed("21.50", datatypes.DOUBLE), typed("007", datatypes.INTEGER)
    ('21.5', 21.5, 7)
    """
    lexical = lexical if datatype == datatypes.STRING else lexical.strip()
    try:
        if datatype == datatypes.INTEGER:
            number = Decimal(lexical)
            if number != int(number):
                raise ValueError
            return literal(str(int(number)), datatype)
        if datatype == datatypes.DOUBLE:
            return literal(double_lexical(float(lexical)), datatype)
        if datatype == datatypes.DECIMAL:
            exact = decimal_from(lexical)
            exact = Decimal(lexical) if exact is None else exact
            return literal(lexical_of(ExactDecimal(exact)), datatype)
        if datatype == datatypes.BOOLEAN:
            return literal({"1": "true", "0": "false"}.get(lexical.lower(), lexical.lower()), datatype)
    except (ArithmeticError, ValueError, OverflowError):
        what = f"the cell {column}" if column else "the text"
        raise fault("E506", f"{what} is {lexical[:60]!r}, which is not a value of {datatype}") from None
    return literal(lexical, datatype)
