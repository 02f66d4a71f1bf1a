"""Bad rows of a pipeline in one process: the rule of each source, and the file that gets those that are left out."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, replace
from pathlib import Path

from lasing.connectors.bad_rows import SKIP, STOP, BadRow, BadRows, bad_rows_of
from lasing.errors import Diagnostic, fault
from lasing.pipeline.described import Pipeline
from lasing.pipeline.local.checkpoints import Position
from lasing.pipeline.local.disk import Disk

_TO_CHOOSE = 'to write them to a file, bad_rows = "FILE"; to stop at them, bad_rows = "stop"'


class RowFile:
    """A file of JSON lines that is cut back to a position after a kill."""

    def __init__(self, path: Path, disk: Disk) -> None:
        self._path = path
        self._disk = disk
        self._size = 0
        self._lines: list[str] = []

    def take(self, row: BadRow) -> None:
        """Keep a row until the next flush."""
        self._lines.append(json.dumps(asdict(row), ensure_ascii=False) + "\n")

    def start(self, position: Position | None) -> Position:
        """Continue at a position; None is the beginning of an empty file."""
        self._size = position or 0
        size = self._path.stat().st_size if self._path.exists() else 0
        if size < self._size:
            message = f"{self._path} has {size:,} bytes, but the checkpoint says that {self._size:,} were written"
            raise fault("E620", message, note="restore the file, or start with a new checkpoint")
        if size > self._size:
            self._disk.cut(self._path, self._size)
        return self._size

    def flush(self) -> Position:
        """Write what was taken, and return the position after it."""
        if self._lines:
            data = "".join(self._lines).encode()
            self._disk.make_folder(self._path.parent)
            self._disk.append(self._path, data)
            self._disk.sync(self._path)
            self._size += len(data)
            self._lines = []
        return self._size


class BadRowRules:
    """What bad rows mean in each source, and the files for them, by path."""

    def __init__(self, pipeline: Pipeline, disk: Disk) -> None:
        self.files: dict[str, RowFile] = {}
        self.of: Mapping[str, BadRows] = {
            s.name: self._rule(pipeline, pipeline.bad_rows_in(s), disk) for s in pipeline.sources
        }

    def _rule(self, pipeline: Pipeline, rule: str, disk: Disk) -> BadRows:
        share = pipeline.max_bad_rows
        if rule == STOP:
            return bad_rows_of(STOP, None)
        if rule == SKIP:
            return bad_rows_of(SKIP, share)
        file = self.files.setdefault(rule, RowFile(Path(rule), disk))
        return bad_rows_of(file.take, share)

    def check(self) -> None:
        """Fail if there are too many bad rows."""
        for rows in self.of.values():
            if rows.number:
                rows.check()

    def numbers(self) -> Counter[str]:
        """How many rows of each source were left out."""
        return Counter({name: rows.number for name, rows in self.of.items()})

    def warnings(self) -> list[Diagnostic]:
        """What was left out."""
        return [replace(found, note=_TO_CHOOSE) for rows in self.of.values() for found in rows.warnings()]
