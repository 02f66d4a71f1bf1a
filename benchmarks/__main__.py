"""`make bench`: all benchmarks, as a table."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table

from benchmarks.reading import reading


def main() -> None:
    console = Console()
    with console.status("measuring"):
        rows = reading()
    table = Table("what", "throughput", "time against the baseline", title="Reading")
    for row in rows:
        table.add_row(*row)
    console.print(table)


if __name__ == "__main__":
    main()
