"""Entailment regimes: the rule sets that come with lasing, and those in files."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path

from lasing.connectors.files import read_text
from lasing.entailment.owl_schema import OwlSchema
from lasing.entailment.schema import StaticSchema
from lasing.errors import SourceText, fault, similar
from lasing.languages import is_program, read_program
from lasing.logic.formulas import Atom
from lasing.logic.program import Program, Rule
from lasing.logic.values import datatypes
from lasing.logic.values.spaces import KNOWN_DATATYPES

TRIPLE = "triple"
RECOGNISED = "recognised"
"""The predicate of recognised datatypes in rule sets."""

INCONSISTENT = "inconsistent"
"""`inconsistent(rule, S, P, O, S2, P2, O2)`: a rule says that these two triples cannot both be true."""

_OF_RDF = frozenset((datatypes.STRING, datatypes.LANG_STRING))
_OF_OWL = KNOWN_DATATYPES - {f"{datatypes.RDF}HTML", datatypes.DAY_TIME_DURATION}

_FILES: dict[str, tuple[str, ...]] = {
    "simple": (),
    "rdf": ("literals", "rdf-axioms", "rdf"),
    "rdfs": ("literals", "rdf-axioms", "rdf", "rdfs-axioms", "rdfs", "rdfs-instances"),
    "owl-rl": ("literals", "owl-rl", "owl-rl-instances"),
}
_COMPILED: dict[str, tuple[str, ...]] = {
    "rdfs": ("literals", "rdf-axioms", "rdfs-axioms", "rdfs", "rdfs-compiled"),
    "owl-rl": ("literals", "owl-rl", "owl-rl-compiled"),
}
_DATATYPES: dict[str, frozenset[str]] = {
    "simple": frozenset(),
    "rdf": _OF_RDF,
    "rdfs": _OF_RDF,
    "owl-rl": _OF_OWL,
}

REGIMES: tuple[str, ...] = tuple(_FILES)
"""The names of the rule sets that come with lasing."""


@dataclass(frozen=True, slots=True)
class Regime:
    """A rule set about `triple`, and the datatypes that it recognises."""

    name: str
    rules: tuple[Rule, ...] = ()
    axioms: tuple[Atom, ...] = ()
    """Triples and other facts that hold whatever the data is."""
    recognised: frozenset[str] = frozenset()
    compiled: tuple[Rule, ...] | None = None
    """The rules for a schema that is in relations of its own, if the regime has such rules."""
    schema: type[StaticSchema | OwlSchema] = StaticSchema
    """What makes these relations."""


def regime_of(name: str | Path | Regime, recognised: Iterable[str] | None = None) -> Regime:
    """A regime by its name, or the rules of a file. `recognised` has the IRIs of datatypes, if not the usual ones.

    >>> regime_of("rdfs").name, len(regime_of("simple").rules)
    ('rdfs', 0)
    """
    if isinstance(name, Regime):
        return name
    if not isinstance(name, str | Path):
        raise fault("E510", f"a {type(name).__name__} is not an entailment regime", note=_NOTE)
    if str(name) in REGIMES:
        return _known(str(name), None if recognised is None else frozenset(recognised))
    if not is_program(str(name)):
        note = "\n".join(filter(None, (similar(str(name), REGIMES), _NOTE)))
        raise fault("E511", f"there is no entailment regime {name}", note=note)
    path = Path(name)
    found = read_program([SourceText(str(path), read_text(path), path)])
    if found.data or found.inputs or found.streams or found.tables:
        raise fault("E510", f"{path} has more than rules and background facts", note="give the rest as a program")
    return Regime(str(path), found.rules, found.background, frozenset(recognised or ()))


_NOTE = f"regimes are {', '.join(REGIMES)}, and files of rules, such as rules.lars"


@cache
def _known(name: str, recognised: frozenset[str] | None) -> Regime:
    if recognised is None:
        recognised = _DATATYPES[name]
    elif name != "simple":
        recognised |= _OF_RDF  # every interpretation of RDF knows these two
    if unknown := sorted(recognised - KNOWN_DATATYPES):
        raise fault("E510", f"the values of the datatype <{unknown[0]}> are not known")
    more = ("values",) if name in ("rdf", "rdfs") and recognised != _OF_RDF else ()
    found = _read((*_FILES[name], *more))
    compiled = _read((*_COMPILED[name], *more)).rules if name in _COMPILED else None
    schema = OwlSchema if name == "owl-rl" else StaticSchema
    return Regime(name, found.rules, found.background, recognised, compiled, schema)


def _read(names: tuple[str, ...]) -> Program:
    folder = files("lasing.entailment") / "rules"
    sources = [SourceText(f"{one}.lars", (folder / f"{one}.lars").read_text("utf-8")) for one in names]
    return read_program(sources) if sources else Program()
