"""`make bench`: all benchmarks, as a table."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table

from benchmarks.join import join
from benchmarks.reading import reading


def main() -> None:
    console = Console()
    for title, measure in {"Reading": reading, "A join over a window": join}.items():
        with console.status(f"measuring: {title}"):
            rows = measure()
        table = Table("what", "cost", "time against the first of its kind", title=title)
        for row in rows:
            table.add_row(*row)
        console.print(table)


if __name__ == "__main__":
    main()
