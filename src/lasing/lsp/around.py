"""The programs of a folder that include a text: what a predicate is called concerns all of them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from lasing.connectors.files import read_text
from lasing.errors import LasingError, SourceText, fault
from lasing.languages import LARS
from lasing.lsp.reading import Opened, Reading, read

MOST_FILES = 20_000
"""How many files a folder may have, those in hidden folders left out."""


def including(path: Path, opened: Opened, folders: Iterable[Path], allowed: tuple[Path, ...]) -> list[Reading]:
    """The programs among the open texts and in some folders that include a file, directly or not.

    Raises E793 if the folders have too many files.
    """
    target = path.resolve()
    found = []
    for place in dict.fromkeys((*opened, *(file.resolve() for folder in folders for file in _programs(folder)))):
        if place == target or not place.name.lower().endswith(LARS.endings):
            continue
        try:
            text = opened[place] if place in opened else read_text(place)
        except LasingError:
            continue  # a file that cannot be read cannot be a program now
        if "#include" in text:
            reading = read(SourceText(str(place), text, place, allowed), opened)
            if any(s.path is not None and s.path.resolve() == target for s in reading.program.sources):
                found.append(reading)
    return found


def _programs(folder: Path) -> Iterator[Path]:
    count = 0
    for place, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith(".") and name != "node_modules")
        count += len(files) + len(folders)
        if count > MOST_FILES:
            note = "open a folder with less in it, such as that of the program"
            raise fault("E793", f"{folder} has more than {MOST_FILES:,} files", note=note)
        yield from (Path(place, name) for name in files if name.lower().endswith(LARS.endings))
