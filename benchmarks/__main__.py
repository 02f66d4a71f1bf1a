"""`make bench`: how fast programs and streams are read. (`lasing bench` measures the engine.)"""

from __future__ import annotations

from rich.console import Console
from rich.table import Table

from benchmarks.reading import reading


def main() -> None:
    console = Console()
    for title, measure in {"Reading": reading}.items():
        with console.status(f"measuring: {title}"):
            rows = measure()
        table = Table("what", "cost", "time against the first of its kind", title=title)
        for row in rows:
            table.add_row(*row)
        console.print(table)


if __name__ == "__main__":
    main()
