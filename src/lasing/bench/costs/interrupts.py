"""Ctrl-C while a program explodes: how long until Python reacts, and until the process has ended.

A child process evaluates a program that would run for minutes. After a second it gets a SIGINT. The child prints when
the interrupt reached Python; the parent sees when the process has ended, which includes freeing its memory. The
baseline is a loop in plain Python.
"""

from __future__ import annotations

import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

REPETITIONS = 5
WORKING = 1.0
"""Seconds of evaluation before the signal."""

PYTHON = "while True: pass"
PUSH = """
engine = lasing.Engine({program!r}, start=0, engine={engine!r}, max_atoms=10**9)
engine.advance_to(0)
print("ready", flush=True)
engine.push(1, [("a", i) for i in range({number})])
"""
CHILD = """
import sys, time, lasing
try:
    {work}
except KeyboardInterrupt:
    print(time.monotonic(), flush=True)
    sys.exit(130)
"""
PIGEONS = "{sits(X,Y) : hole(Y)} = 1 :- a(X).  :- sits(X,Y), sits(Z,Y), X < Z.  hole(Y) :- a(Y), Y > 0."
PROGRAMS: dict[str, tuple[str, str, int]] = {
    "all pairs": ("c(X,Y) :- a(X), a(Y).", "auto", 32_000),
    "all pairs that are not negated": ("c(X,Y) :- a(X), a(Y), not b(X,Y).", "auto", 32_000),
    "a three-way join that finds nothing": ("c :- a(X), a(Y), a(Z), X + Y + Z < 0.", "auto", 32_000),
    "a count of pairs": ("n(N) :- N = #count{X,Y : a(X) in [3], a(Y) in [3]}.", "auto", 32_000),
    "recursion without an end": ("p(X) :- a(X).  p(X+1) :- p(X).", "auto", 1),
    "recursion without an end, reference": ("p(X) :- a(X).  p(X+1) :- p(X).", "reference", 1),
    "a choice without an end, clingo": ("{p(X)} :- a(X).  {p(X+1)} :- p(X).", "auto", 1),
    "pigeon holes, clingo's search": (PIGEONS, "auto", 14),
}


def interrupts() -> list[tuple[str, str, str]]:
    """Rows of a table: the case, median times until the interrupt arrives and the process has ended, the longest."""
    works = {"baseline: a loop in Python": f'print("ready", flush=True)\n{PYTHON}'}
    works |= {name: PUSH.format(program=p, engine=e, number=n) for name, (p, e, n) in PROGRAMS.items()}
    found: dict[str, list[tuple[float, float]]] = {name: [] for name in [*works, "lasing run, all pairs"]}
    for _ in range(REPETITIONS):
        for name, work in works.items():
            child = CHILD.format(work=work.strip().replace("\n", "\n    "))
            found[name].append(_interrupted([sys.executable, "-c", child]))
        found["lasing run, all pairs"].append(_interrupted_run())
    rows = []
    for name, times in found.items():
        answered, ended = (sorted(column) for column in zip(*times, strict=True))
        cost = f"{median(answered):.2f} s, ended after {median(ended):.2f} s"
        rows.append((name, cost, f"at most {answered[-1]:.2f} s and {ended[-1]:.2f} s"))
    return rows


def _interrupted(command: list[str]) -> tuple[float, float]:
    """Seconds from the signal until it reaches Python, and until the process has ended."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        time.sleep(WORKING)
        sent = time.monotonic()
        process.send_signal(signal.SIGINT)
        said = process.stdout.read()
        process.wait()
        ended = time.monotonic()
    assert process.returncode == 130, f"the exit code is {process.returncode}"
    return (float(said) if said else ended) - sent, ended - sent


def _interrupted_run() -> tuple[float, float]:
    """The same for the command line. Its start-up time is that of a run on a small stream."""
    with tempfile.TemporaryDirectory() as folder:
        program, small, large = (Path(folder, name) for name in ("pairs.lars", "small.facts", "large.facts"))
        program.write_text(PROGRAMS["all pairs"][0])
        small.write_text("a(1) at 0.\n")
        large.write_text("".join(f"a({i}) at 0.\n" for i in range(32_000)))
        command = [sys.executable, "-m", "lasing", "run", "-q", str(program)]
        begun = time.monotonic()
        subprocess.run([*command, str(small)], check=True, stdout=subprocess.DEVNULL)
        start_up = time.monotonic() - begun
        with subprocess.Popen([*command, str(large)], stdout=subprocess.DEVNULL) as process:
            time.sleep(start_up + WORKING)
            sent = time.monotonic()
            process.send_signal(signal.SIGINT)
            process.wait()
            ended = time.monotonic()
    assert process.returncode == 130, f"the exit code is {process.returncode}"
    return ended - sent, ended - sent
