"""The demo: two hours of traffic in a small city, simulated, reasoned over, and summed up."""

from __future__ import annotations

import random
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

from rich.console import Console
from rich.progress import track
from rich.table import Table

import lasing

SIDE = 7  # junctions j00 to j66, as map.lars has them
MINUTES = 240
RUSH = range(80, 170)


def junctions() -> list[tuple[int, int]]:
    return [(x, y) for x in range(SIDE) for y in range(SIDE)]


def readings(seed: int = 7) -> Iterator[tuple[int, str, str, float]]:
    """Speeds, minute by minute: slower near the centre and in the rush hour; some sensors fail for a while."""
    chance = random.Random(seed)
    centre = SIDE // 2
    for minute in range(MINUTES):
        for x, y in junctions():
            failed = (x, y) in ((2, 3), (4, 4)) and 100 <= minute < 140
            if failed or chance.random() < 0.02:
                continue
            distance = abs(x - centre) + abs(y - centre)
            rush = 30 - 5 * distance if minute in RUSH else 0
            yield minute, "speed", f"s{x}{y}", round(max(2.0, chance.gauss(32 - rush, 5)), 1)


def main() -> None:
    console = Console()
    program = Path(__file__).parent / "city.lars"
    console.print(f"Reasoning over {MINUTES} minutes of {SIDE * SIDE} sensors with examples/city/city.lars")
    run = lasing.run(program, readings(), start=0, end=MINUTES - 1)
    console.print("loading the engine; the first time it is compiled, which takes about a minute")
    run.prepare()
    begun = time.perf_counter()
    answers = list(track(run, total=MINUTES, description="minutes", console=console))
    seconds = time.perf_counter() - begun

    jammed: Counter[str] = Counter()
    seen: defaultdict[str, list[int]] = defaultdict(list)
    for answer in answers:
        for atom in answer.atoms:
            if atom.predicate == "jam":
                jammed[str(atom.args[0])] += 1
            else:
                seen[str(atom)].append(answer.time)
    table = Table("junction", "minutes in a jam", title="Where traffic stood")
    for junction, minutes in jammed.most_common(5):
        table.add_row(junction, str(minutes))
    console.print(table)
    silent = sorted((f, times) for f, times in seen.items() if f.startswith("silent"))
    for fact, times in silent:
        console.print(f"{fact}: minutes {times[0]} to {times[-1]}")
    suspected = sorted((f, times) for f, times in seen.items() if f.startswith("suspected"))
    for fact, times in suspected:
        console.print(f"{fact}: {len(times)} minutes between {times[0]} and {times[-1]}")
    tails = [atom for answer in answers for atom in answer.atoms if atom.predicate == "tail"]
    longest = max(tails, key=lambda atom: int(str(atom.args[1])))
    console.print(f"the longest tail: {longest.args[1]} junctions behind {longest.args[0]}")
    report = run.report
    console.print(
        f"{report.facts:,} readings, {report.time_points:,} time points, {report.atoms:,} atoms in {seconds:.1f} s"
    )


if __name__ == "__main__":
    main()
