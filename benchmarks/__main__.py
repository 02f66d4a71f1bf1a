"""`make bench`: how fast programs and streams are read, and answers found; what names cost that are always new, and
changes on their way out. (`lasing bench` measures the engine.)

python -m benchmarks [reading] [running] [models] [names] [leaving] [interrupts]
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence

from rich.console import Console
from rich.table import Table

from benchmarks.interrupts import interrupts
from benchmarks.leaving import leaving
from benchmarks.models import models
from benchmarks.names import names
from benchmarks.reading import reading
from benchmarks.running import running

SECTIONS: dict[str, Callable[[], Sequence[tuple[str, ...]]]] = {
    "reading": reading,
    "running": running,
    "models": models,
    "names": names,
    "leaving": leaving,
    "interrupts": interrupts,
}


def main() -> None:
    console = Console()
    chosen = sys.argv[1:] or list(SECTIONS)
    for name in chosen:
        if name not in SECTIONS:
            sys.exit(f"there is no section {name}: sections are {', '.join(SECTIONS)}")
        with console.status(f"measuring: {name}"):
            rows = SECTIONS[name]()
        table = Table("what", "cost", "compared", title=name)
        for row in rows:
            table.add_row(*row)
        console.print(table)


if __name__ == "__main__":
    main()
