"""RDF files: their formats, and how they are opened and parsed."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, cast

from pyoxigraph import Quad, RdfFormat, parse

from lasing.connectors.bad_rows import BadRows
from lasing.connectors.files import PACKED, Block, OnBytesRead, blocks, unreadable
from lasing.connectors.rdf.endings import rdf_ending
from lasing.errors import LasingError, Place, fault

FORMATS: dict[str, RdfFormat] = {
    ".ttl": RdfFormat.TURTLE,
    ".nt": RdfFormat.N_TRIPLES,
    ".rdf": RdfFormat.RDF_XML,
    ".owl": RdfFormat.RDF_XML,
    ".jsonld": RdfFormat.JSON_LD,
    ".trig": RdfFormat.TRIG,
    ".nq": RdfFormat.N_QUADS,
}


class CountingFile:
    """A binary file that reports how much of it has been read. If it is compressed, it is unpacked on the way."""

    def __init__(self, path: Path, progress: OnBytesRead | None) -> None:
        self._raw = path.open("rb")
        self._file = gzip.GzipFile(fileobj=self._raw) if path.suffix.lower() == PACKED else self._raw
        self._progress, self._seen = progress, 0

    def read(self, size: int = -1) -> bytes:
        found = self._file.read(size)
        if self._progress is not None:
            at = self._raw.tell()
            self._progress(at - self._seen)
            self._seen = at
        return found

    def close(self) -> None:
        self._raw.close()


def quads(path: Path, progress: OnBytesRead | None = None) -> Iterator[Quad]:
    """The triples of a file, each with its graph, as they are read."""
    form = FORMATS.get(rdf_ending(path))
    if form is None:
        raise fault("E511", f"{path}: which format is this?", note=f"RDF files end in {' '.join(FORMATS)}")
    try:
        file = CountingFile(path, progress)
    except OSError as error:
        raise unreadable(path, error) from None
    except ValueError:  # a zero byte in the name
        raise fault("E401", f"{str(path)!r} is not the name of a file") from None
    try:
        yield from parsed(cast(IO[bytes], file), form, str(path))
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise fault("E401", f"{path} cannot be unpacked: {error}", note="is it complete, and made by gzip?") from None
    except OSError as error:
        raise unreadable(path, error) from None
    finally:
        file.close()


def quads_of_lines(path: Path, bad: BadRows, progress: OnBytesRead | None = None) -> Iterator[Quad]:
    """The same for N-Quads, in which a line that cannot be read does not concern the others."""
    name = "standard input" if str(path) == "-" else str(path)
    for block in blocks(path, progress, bad):
        try:
            found = list(parsed(block.text, RdfFormat.N_QUADS, name, block.line))
        except LasingError:
            found = _sound_lines(block, name, bad)
        bad.rows += len(found)
        yield from found
        bad.stop()


def _sound_lines(block: Block, name: str, bad: BadRows) -> list[Quad]:
    """The quads of the lines that can be read. If the run stops, only those before the first bad line."""
    found: list[Quad] = []
    for number, line in enumerate(block.text.removesuffix("\n").split("\n"), block.line):
        try:
            of_line = list(parsed(line, RdfFormat.N_QUADS, name, number))
        except LasingError as error:
            bad.take(error, Place(name, number, 1, line.removesuffix("\r")))
            continue
        if not bad.stopping:
            found += of_line
    return found


def parsed(data: IO[bytes] | bytes | str, form: RdfFormat, name: str, first_line: int = 1) -> Iterator[Quad]:
    """The triples of an open file or a text; `first_line` is the number of its first line."""
    found: Iterable[Quad]
    try:
        found = parse(data, form)
        yield from found
    except SyntaxError as error:
        raise syntax_error(error, form, name, first_line) from None


def syntax_error(error: SyntaxError, form: RdfFormat, name: str, first_line: int = 1) -> LasingError:
    """The error for text that is not in its format."""
    message = (error.msg or str(error)).strip()
    message = message.partition(": ")[2] if message.startswith("Parser error at ") else message
    note = ""
    if "No scheme found" in message:
        note = "write absolute IRIs, or say what they are relative to: @base <http://ex.org/> ."
    elif "LoadDocumentCallback" in message:
        message, note = "the @context is on the web", "write the @context into the file: nothing is loaded from the web"
    line = first_line if error.lineno is None else first_line + error.lineno - 1
    return fault("E501", f"this is not {form.name}: {message}", Place(name, line, error.offset or 1), note)
