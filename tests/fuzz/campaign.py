"""`python -m tests.fuzz`: feed damaged inputs to everything that takes any, and keep those that it does not bear.

Each target runs in a process of its own, so that a crash is seen and ends nothing else. What an input did wrong is
printed, and the input is written to the folder of findings.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import time
import traceback
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.connection import Connection
from pathlib import Path
from random import Random

from lasing.limits import resident
from tests.fuzz.targets import Target, quietly, targets

MOST_SECONDS = 5.0
MOST_MEMORY = 10**9
HANG = 15 * 60
WARM_UP = 50


def work(name: str, seed: int, first: int, last: int, pipe: Connection) -> None:
    """Feed inputs to a target, and tell before each which one it is; afterwards, what it did wrong."""
    target = next(t for t in targets() if t.name == name)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # commands print their answers past sys.stdout
    for number in range(WARM_UP):  # what is loaded and compiled once is no input's fault
        quietly(target, target.make(Random(f"{seed} {number}")))
    for number in range(first, last):
        data = target.make(Random(f"{name} {seed} {number}"))
        pipe.send(("input", number, data))
        pipe.send(("outcome", number, outcome(target, data)))
    pipe.send(("done", last, ""))


def outcome(target: Target, data: bytes) -> str:
    """What is wrong with how a target took an input; empty if nothing is."""
    memory, begun = resident(), time.thread_time()
    try:
        quietly(target, data)
    except BaseException:
        return traceback.format_exc()
    if (took := time.thread_time() - begun) > MOST_SECONDS:
        return f"it took {took:.1f} s"
    if (more := resident() - memory) > MOST_MEMORY:
        return f"it took {more:,} bytes"
    return ""


def feed(target: Target, seed: int, inputs: int, findings: Path) -> int:
    """Feed a target; how many inputs it did not bear."""
    context = multiprocessing.get_context("spawn")
    found, first = 0, 0
    while first < inputs:
        here, there = context.Pipe(duplex=False)
        process = context.Process(target=work, args=(target.name, seed, first, inputs, there))
        process.start()
        there.close()
        data, number, wrong = b"", first, "it did not start"
        try:
            while here.poll(HANG):
                kind, number, said = here.recv()
                if kind == "input":
                    data, wrong = said, f"exit code {process.exitcode}"
                elif kind == "outcome":
                    wrong = ""
                    if said:
                        found += keep(findings, target.name, number, data, said)
                else:
                    break
            else:
                wrong = f"no answer in {HANG} s"
                process.kill()
        except EOFError:
            process.join()
            wrong = f"the process ended with {process.exitcode}"
        process.join()
        if wrong:
            found += keep(findings, target.name, number, data, wrong)
        first = number + 1 if wrong or number < inputs else inputs
    return found


def keep(findings: Path, name: str, number: int, data: bytes, wrong: str) -> int:
    """Write an input down with what it did wrong."""
    findings.mkdir(parents=True, exist_ok=True)
    (findings / f"{name}-{number}.input").write_bytes(data)
    (findings / f"{name}-{number}.txt").write_bytes(wrong.encode("utf-8", "backslashreplace"))
    print(f"{name} {number}: {ascii(wrong.strip().splitlines()[-1])[:200]}", flush=True)
    return 1


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--inputs", type=int, default=100_000, help="how many, over all targets")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", help="names of targets, separated by commas")
    parser.add_argument("--findings", type=Path, default=Path("out/fuzz"))
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="how many targets to feed at a time")
    options = parser.parse_args()
    chosen = [t for t in targets() if not options.only or t.name in options.only.split(",")]
    shares = sum(target.share for target in chosen)

    def campaign(target: Target) -> tuple[int, int]:
        inputs, begun = -(-options.inputs * target.share // shares), time.monotonic()
        found = feed(target, options.seed, inputs, options.findings)
        print(f"{target.name}: {inputs:,} inputs, {found} failed, {time.monotonic() - begun:.0f} s", flush=True)
        return inputs, found

    with ThreadPoolExecutor(options.jobs) as pool:
        done = list(pool.map(campaign, chosen))
    failed = sum(found for _, found in done)
    print(f"{sum(inputs for inputs, _ in done) - failed:,} passed, {failed:,} failed")
    raise SystemExit(1 if failed else 0)
