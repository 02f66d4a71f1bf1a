"""`python -m tests.campaign`: kill pipelines, break what is around them, and let them run for long.

A case that fails is printed with its name, engine and seed: `--only NAME --engines ENGINE --seed SEED` runs it again.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from time import monotonic

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeElapsedColumn
from rich.table import Table

from tests.campaign.cases import ENGINES, LOCAL, SPARK, Fault, Outcome, judge
from tests.campaign.faults import FAULTS
from tests.campaign.kills import MOST_IN_ONE, NAME, run_killed
from tests.campaign.soak import MOST, WHAT, Soaked, soak


class Shown:
    """Shows how far a campaign is: bars on a terminal, otherwise a line for each case."""

    def __init__(self, progress: Progress, is_terminal: bool) -> None:
        self._progress = progress
        self._is_terminal = is_terminal
        self.outcomes: list[Outcome] = []

    def bar(self, what: str, total: int) -> TaskID:
        return self._progress.add_task(what, total=total)

    def moved(self, bar: TaskID, to: int) -> None:
        self._progress.update(bar, completed=to)

    def ended(self, outcome: Outcome) -> None:
        self.outcomes.append(outcome)
        if not self._is_terminal or outcome.verdict == "failed":
            seconds = f"{outcome.seconds:.0f} s"
            text = f"{outcome.verdict} {outcome.name}, {outcome.engine}, seed {outcome.seed}, {seconds}: {outcome.said}"
            self._progress.console.print(text, markup=False, highlight=False, soft_wrap=True)


@contextmanager
def showing() -> Iterator[Shown]:
    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, disable=not console.is_terminal) as progress:
        yield Shown(progress, console.is_terminal)


def kill(shown: Shown, engine: str, kills: int, seed: int) -> None:
    """Kill pipelines of an engine so many times."""
    bar, done = shown.bar(f"kills, {engine}", kills), 0
    while done < kills:
        here = 0

        def run(folder: Path, seed: int = seed, most: int = kills - done) -> str:
            nonlocal here
            killed = run_killed(folder, engine, seed, most)
            here = killed.number
            return str(killed)

        outcome = judge(NAME, engine, seed, run)
        outcome.kills = here
        shown.ended(outcome)
        done += here or MOST_IN_ONE  # one that fails counts, so that this ends
        shown.moved(bar, min(done, kills))
        seed += 1


def break_things(shown: Shown, engines: list[str], only: list[str], rounds: int, seed: int) -> None:
    """Run the faults."""
    chosen = [
        (fault, engine, seed + round_)
        for fault in FAULTS
        if not only or fault.name in only
        for engine in fault.engines
        if engine in engines
        for round_ in range(rounds if engine == LOCAL else 1)
    ]
    bar = shown.bar("faults", len(chosen))
    for number, (fault, engine, one) in enumerate(chosen, 1):
        shown.ended(judge(fault.name, engine, one, partial(_once, fault, engine, one)))
        shown.moved(bar, number)


def _once(fault: Fault, engine: str, seed: int, folder: Path) -> str:
    return fault.run(folder, engine, seed)


def soak_all(shown: Shown, what: list[str], facts: int) -> None:
    for each in what:
        bar = shown.bar(f"soak, {each}", facts)

        def run(folder: Path, each: str = each, bar: TaskID = bar) -> str:
            found = soak(each, facts, folder, lambda done: shown.moved(bar, min(done, facts)))
            check_flat(found)
            return str(found)

        shown.ended(judge("soak", each, 0, run))


def check_flat(found: Soaked) -> None:
    """Fail if the last tenth took more than the second."""
    assert found.memory_ratio <= MOST, f"memory grows: {found}"
    assert found.cost_ratio <= MOST, f"facts become dearer: {found}"


def table(outcomes: list[Outcome]) -> Table:
    """All cases by name and engine."""
    found = Table(title="campaign", title_justify="left")
    for name in ("case", "engine", "passed", "failed", "skipped", "minutes", "what happened"):
        found.add_column(name, justify="left" if name in ("case", "engine", "what happened") else "right")
    for name, engine in dict.fromkeys((o.name, o.engine) for o in outcomes):
        mine = [o for o in outcomes if (o.name, o.engine) == (name, engine)]
        counts = [sum(o.verdict == verdict for o in mine) for verdict in ("passed", "failed", "skipped")]
        kills = sum(o.kills for o in mine)
        said = f"{kills} kills" if kills else next((o.said for o in mine if o.verdict != "failed"), "see above")
        found.add_row(name, engine, *map(str, counts), f"{sum(o.seconds for o in mine) / 60:.1f}", said)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.campaign", description=__doc__)
    parser.add_argument("--kills", type=int, default=180, help="kills of local pipelines (default: 180)")
    parser.add_argument("--spark-kills", type=int, default=20, help="kills of pipelines on Spark (default: 20)")
    parser.add_argument("--rounds", type=int, default=3, help="how often each fault happens to a local pipeline")
    parser.add_argument("--soak", type=int, default=100_000_000, metavar="FACTS", help="facts (default: 10^8)")
    parser.add_argument("--soak-of", default=",".join(WHAT), help=f"what to soak: {', '.join(WHAT)}, or both")
    parser.add_argument("--engines", default=",".join(ENGINES), help="the engines, separated by commas")
    names = [NAME, *(fault.name for fault in FAULTS), "soak"]
    parser.add_argument("--only", default="", help=f"only these, separated by commas: {', '.join(names)}")
    parser.add_argument("--seed", type=int, default=1, help="of the first case of a kind; the next ones count up")
    options = parser.parse_args()
    only = [name.strip() for name in options.only.split(",") if name.strip()]
    engines = [engine.strip() for engine in options.engines.split(",")]
    if unknown := sorted({*only} - {*names} | {*engines} - {*ENGINES}):
        parser.error(f"unknown: {', '.join(unknown)}")
    begun = monotonic()
    with showing() as shown:
        for engine, kills in ((LOCAL, options.kills), (SPARK, options.spark_kills)):
            if kills and engine in engines and (not only or NAME in only):
                kill(shown, engine, kills, options.seed)
        break_things(shown, engines, only, options.rounds, options.seed)
        if options.soak and (not only or "soak" in only):
            soak_all(shown, options.soak_of.split(","), options.soak)
    Console().print(table(shown.outcomes))
    failed = sum(outcome.verdict == "failed" for outcome in shown.outcomes)
    print(f"{len(shown.outcomes)} cases, {failed} failed, in {(monotonic() - begun) / 60:.0f} minutes")
    sys.exit(1 if failed or not shown.outcomes else 0)
