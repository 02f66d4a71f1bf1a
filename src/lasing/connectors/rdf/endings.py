"""The endings of RDF files. This module needs no RDF library."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from lasing.connectors.files import PACKED
from lasing.errors import fault

GRAPHS = (".ttl", ".nt", ".rdf", ".owl", ".jsonld", ".trig", ".nq")
"""The endings of files with a graph, or with several: each may be followed by .gz."""
STREAMS = {
    ".trig": "trig",
    ".nq": "nquads",
    ".nt": "ntriples",
    ".jsonld": "jsonld",
    ".ndjsonld": "jsonld",
    ".jelly": "jelly",
}
"""The endings of files with time-stamped graphs, and what their formats are called."""
STREAM_FORMATS = frozenset(STREAMS.values())


def rdf_ending(path: Path) -> str:
    """The ending that says which format a file has, in lower case; empty if it is not that of an RDF file.

    >>> rdf_ending(Path("city.TTL.gz")), rdf_ending(Path("city.csv"))
    ('.ttl', '')
    """
    suffixes = [suffix.lower() for suffix in path.suffixes[-2:]]
    if suffixes[-1:] == [PACKED]:
        suffixes.pop()
    ending = suffixes[-1] if suffixes else ""
    return ending if ending in GRAPHS else ""


def need_library(package: str, why: str) -> None:
    """Fail with a clear error if an RDF library is not installed."""
    if find_spec(package) is None:
        raise fault("E514", f"{package} is not installed", note=f"{why}: pip install 'lasing[rdf]'")
