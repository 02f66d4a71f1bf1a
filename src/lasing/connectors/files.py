"""Read files, with a clear error for each way in which that can fail."""

from __future__ import annotations

import gzip
import os
import sys
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO, Protocol

from lasing.connectors.live.paths import LivePath
from lasing.errors import LasingError, Place, fault

LONGEST_LINE = 16 * 2**20
_BLOCK = 2**16
PACKED = ".gz"
"""The ending of a text file that is compressed with gzip."""
_LARGEST_TEXT = 256 * 2**20

OnBytesRead = Callable[[int], None]
"""Called with the number of bytes read since the last call."""


@dataclass(frozen=True, slots=True)
class Block:
    """Whole lines of a file, the number of the first line, and the offset at which to begin reading."""

    text: str
    line: int
    begin: int = 0


def read_text(path: Path) -> str:
    """A whole file as text."""
    try:
        with path.open("rb") as file:
            return whole_text(file, str(path))
    except OSError as error:
        raise unreadable(path, error) from None
    except ValueError:
        raise fault("E401", f"{str(path)!r} is not the name of a file") from None


def whole_text(file: BinaryIO, name: str) -> str:
    """The whole content of an open file as text; limited, because a device may have no end."""
    raw = file.read(_LARGEST_TEXT + 1)
    if len(raw) > _LARGEST_TEXT:
        raise fault("E507", f"{name} is larger than {_LARGEST_TEXT // 2**20} MiB", note="is this the right file?")
    if b"\0" in raw:
        raise fault("E402", f"{name} is not text: it has zero bytes", note="is this the right file?")
    return decode(raw, name)


@dataclass(frozen=True, slots=True)
class RawBlock:
    """Whole lines of a file as bytes, and the number of the first line."""

    raw: bytes
    line: int


def is_live(path: Path) -> bool:
    """Whether a stream may come bit by bit and can be read only once: standard input (`-`), a named pipe, a device, a
    live address."""
    return (
        str(path) == "-"
        or isinstance(path, LivePath)
        or (os.path.exists(path) and not os.path.isfile(path) and not os.path.isdir(path))
    )


def blocks(path: Path, progress: OnBytesRead | None = None, bad: BadLines | None = None) -> Iterator[Block]:
    """A file in blocks of whole lines; standard input (`-`) and pipes line by line, as the lines come."""
    name = "standard input" if str(path) == "-" else str(path)
    for block in raw_blocks(path, progress):
        yield from decoded(block, name, bad)


def raw_blocks(path: Path, progress: OnBytesRead | None = None, size: int = 0) -> Iterator[RawBlock]:
    """Same as `blocks`, but undecoded, and in blocks of about `size` bytes. A file that ends in .gz is unpacked."""
    if str(path) == "-":
        yield from _live_blocks(sys.stdin.buffer, "standard input")
        return
    if isinstance(path, LivePath):
        line = 1
        for raw in path.lines():
            yield RawBlock(raw, line)
            line += raw.count(b"\n")
        return
    try:
        with path.open("rb") as file:
            if is_live(path):
                yield from _live_blocks(_unpacked(file, path), str(path))
            else:
                yield from _file_blocks(file, path, progress, size or _BLOCK)
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise fault("E401", f"{path} cannot be unpacked: {error}", note="is it complete, and made by gzip?") from None
    except OSError as error:
        raise unreadable(path, error) from None
    except ValueError:  # a zero byte in the name
        raise fault("E401", f"{str(path)!r} is not the name of a file") from None


class BadLines(Protocol):
    """Takes lines that are not text, if they are to be left out."""

    skips: bool

    def take(self, error: LasingError, place: Place | None = None) -> None: ...


def decoded(block: RawBlock, name: str, bad: BadLines | None = None) -> Iterator[Block]:
    """A block as text. If it is not UTF-8, the lines before the mistake come first, and then the error; or the lines
    after it, if bad lines are left out."""
    try:
        yield Block(decode(block.raw, name, block.line), block.line)
    except LasingError as error:
        place = error.diagnostics[0].place
        assert place is not None, "an error about UTF-8 has a place"
        sound = block.raw.split(b"\n", place.line - block.line)[:-1]
        if sound:
            yield Block(decode(b"".join(line + b"\n" for line in sound), name, block.line), block.line)
        if bad is None or not bad.skips:
            raise
        line, _, rest = block.raw.split(b"\n", place.line - block.line)[-1].partition(b"\n")
        bad.take(error, replace(place, text=line.decode(errors="backslashreplace")))
        if rest:
            yield from decoded(RawBlock(rest, place.line + 1), name, bad)


def first_line(path: Path, blank: bool) -> str:
    """The first line of a text file, as well as it can be read; unless `blank`, the first one that is not blank."""
    try:
        with path.open("rb") as file:
            for raw in _unpacked(file, path):
                if blank or raw.strip():
                    return raw.decode("utf-8-sig", errors="replace")
    except (OSError, EOFError, zlib.error):
        pass  # reading the file itself will say what is wrong
    return ""


def lines(path: Path, progress: OnBytesRead | None = None) -> Iterator[tuple[int, str]]:
    """The lines of a file, numbered from 1, without their ends."""
    for block in blocks(path, progress):
        text = block.text.removesuffix("\n")
        yield from enumerate((line.removesuffix("\r") for line in text.split("\n")), block.line)


def is_text(raw: bytes) -> bool:
    """Whether some bytes are UTF-8 text."""
    if raw.isascii():
        return True
    try:
        raw.decode()
    except UnicodeDecodeError:
        return False
    return True


def decode(raw: bytes, name: str, line: int = 1) -> str:
    """Bytes as UTF-8 text; `line` is the number of the first line in them."""
    if line == 1:
        raw = raw.removeprefix(b"\xef\xbb\xbf")
    try:
        return raw.decode()
    except UnicodeDecodeError as error:
        begin = raw.rfind(b"\n", 0, error.start) + 1
        column = len(raw[begin : error.start].decode(errors="replace")) + 1
        place = Place(name, line + raw.count(b"\n", 0, error.start), column)
        message = f"byte 0x{raw[error.start]:02x} is not UTF-8 text"
        raise fault("E402", message, place, "save the file as UTF-8, or repair the line") from None


def unreadable(path: Path, error: OSError) -> LasingError:
    """The error for a file that cannot be opened or read to its end."""
    if isinstance(error, IsADirectoryError):
        return fault("E401", f"{path} is a directory, not a file")
    if isinstance(error, FileNotFoundError):
        siblings = sorted(p.name for p in path.parent.glob(f"*{path.suffix}")) if os.path.isdir(path.parent) else []
        note = f"in the same folder there are: {', '.join(siblings[:8])}" if siblings else ""
        return fault("E401", f"{path} does not exist", note=note)
    return fault("E401", f"{path} cannot be read: {error.strerror or error}")


def unwritable(path: Path, error: OSError) -> LasingError:
    """The error for a file that cannot be written."""
    if not os.path.isdir(path.parent):
        return fault("E403", f"{path} cannot be written: there is no folder {path.parent}")
    return fault("E403", f"{path} cannot be written: {error.strerror or error}")


def _unpacked(file: BinaryIO, path: Path) -> BinaryIO:
    return gzip.GzipFile(fileobj=file) if path.suffix.lower() == PACKED else file  # type: ignore[return-value]


def _file_blocks(file: BinaryIO, path: Path, progress: OnBytesRead | None, block: int) -> Iterator[RawBlock]:
    line, size, seen = 1, 0, 0
    parts: list[bytes] = []  # an unfinished line, of `size` bytes so far
    unpacked = _unpacked(file, path)
    while raw := unpacked.read(block):
        if progress:
            progress(file.tell() - seen)
            seen = file.tell()
        end = raw.rfind(b"\n") + 1
        if end:
            whole = b"".join((*parts, raw[:end]))
            yield RawBlock(whole, line)
            line += whole.count(b"\n")
            parts, size = [], 0
        parts.append(raw[end:])
        size += len(raw) - end
        if size > LONGEST_LINE:
            raise _too_long(str(path), line)
    if size:
        yield RawBlock(b"".join(parts), line)


def _live_blocks(file: BinaryIO, name: str) -> Iterator[RawBlock]:
    line = 1
    while raw := file.readline(LONGEST_LINE + 1):
        if len(raw) > LONGEST_LINE:
            raise _too_long(name, line)
        yield RawBlock(raw, line)
        line += 1


def _too_long(name: str, line: int) -> LasingError:
    place = Place(name, line, 1)
    return fault("E507", f"this line is longer than {LONGEST_LINE // 2**20} MiB", place, "is this the right file?")
