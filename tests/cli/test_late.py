"""`--delay`, `--idle` and `--late`: streams out of order give the answers of sorted streams."""

from __future__ import annotations

import json
import os
import random
import subprocess
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Event

import pytest

from lasing.cli.corrections import together
from lasing.connectors.feeds import Feed
from lasing.logic.formulas import Atom
from tests.command import COMMAND, lasing

PROGRAM = "#tick 1 sec.\nq(X) :- p(X) in [2 sec].\nquiet :- not p(_) in [1 sec].\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "prog.lars").write_text(PROGRAM, encoding="utf-8")
    return tmp_path


def shuffled(seed: int, delay: int) -> tuple[str, str]:
    """Facts in order, and out of order by at most the delay."""
    chance = random.Random(seed)
    facts = [(chance.randrange(60), f"x{i}") for i in range(40)]
    late = sorted(facts, key=lambda fact: fact[0] + chance.uniform(0, delay))
    lines = [["time,x", *(f"2026-01-31T08:00:{t:02}Z,{x}" for t, x in rows)] for rows in (sorted(facts), late)]
    return "\n".join(lines[0]) + "\n", "\n".join(lines[1]) + "\n"


@pytest.mark.parametrize("view", ["answers", "changes", "intervals"])
@pytest.mark.parametrize("live", [True, False])
def test_a_stream_out_of_order_gives_the_answers_of_the_sorted_one(folder: Path, view: str, live: bool) -> None:
    in_order, late = shuffled(1, 7)
    (folder / "p.csv").write_text(in_order, encoding="utf-8")
    expected = lasing("run", "prog.lars", "p.csv", "--as", view, folder=folder)
    (folder / "p.csv").write_text(late, encoding="utf-8")
    stream = ["p=-", "--input-format", "csv"] if live else ["p.csv"]
    found = lasing("run", "prog.lars", *stream, "--as", view, "--delay", "7s", folder=folder, data=late)
    assert (found.returncode, found.stdout) == (0, expected.stdout)
    assert "W208" not in found.stderr


def test_late_facts_go_to_a_file_and_are_counted(folder: Path) -> None:
    data = "".join(f'p(x{s}) at "2026-01-31T08:00:{s:02}Z".\n' for s in (9, 8, 5, 4))
    done = lasing("run", "prog.lars", "-", "--delay", "1s", "--late", "late.jsonl", folder=folder, data=data)
    assert done.returncode == 0
    assert "left out: 2 facts that came too late, by up to 4 time points" in done.stderr
    records = [json.loads(line) for line in (folder / "late.jsonl").read_text().splitlines()]
    assert [(r["source"], r["time"], r["late_by"], r["fact"]) for r in records] == [
        ("standard input", "2026-01-31T08:00:05Z", 3, 'p(x5) at "2026-01-31T08:00:05Z".'),
        ("standard input", "2026-01-31T08:00:04Z", 4, 'p(x4) at "2026-01-31T08:00:04Z".'),
    ]


def test_answers_come_as_soon_as_a_time_point_is_over(folder: Path) -> None:
    process = subprocess.Popen(
        [*COMMAND, "run", "prog.lars", "-", "--delay", "2"],
        cwd=folder,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write("p(b) at 2.\np(a) at 1.\np(c) at 20.\n")  # closes everything up to 17
    process.stdin.flush()
    expected = ["q(a) at 1.\n", "q(a) at 2.\n", "q(b) at 2.\n", "q(a) at 3.\n", "q(b) at 3.\n"]
    assert [process.stdout.readline() for _ in expected] == expected
    assert [process.stdout.readline() for _ in range(15)][-1] == "quiet at 17.\n"
    assert process.poll() is None
    process.stdin.close()
    assert process.stdout.read() == "quiet at 18.\nquiet at 19.\nq(c) at 20.\n"
    process.stdout.close()
    assert process.wait(timeout=900) == 0


def test_a_silent_pipe_is_left_behind(folder: Path) -> None:
    os.mkfifo(folder / "slow.facts")
    process = subprocess.Popen(
        [*COMMAND, "run", "prog.lars", "-", "slow.facts", "--delay", "0", "--idle", "100ms"],
        cwd=folder,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    with (folder / "slow.facts").open("w", encoding="utf-8"):  # it never says anything, and does not end
        process.stdin.write("p(a) at 1.\np(b) at 2.\n")
        process.stdin.flush()
        assert process.stdout.readline() == "q(a) at 1.\n"
    process.stdin.close()
    assert process.stdout.read() == "q(a) at 2.\nq(b) at 2.\n"
    process.stdout.close()
    assert process.wait(timeout=900) == 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--delay", "soon"], "'soon' is not a delay"),
        (["--delay", "gate=5s"], "no stream is called gate"),
        (["--delay", "5s", "--sort"], "sorted whole, or read with a delay"),
        (["--idle", "a while"], "'a while' is not a duration"),
        (["--delay", "1", "--late", "prog.lars"], "would be overwritten"),
        (["--delay", "1", "--late", "nowhere/late.jsonl"], "there is no folder nowhere"),
    ],
)
def test_wrong_options_get_a_sentence(folder: Path, options: list[str], message: str) -> None:
    done = lasing("run", "prog.lars", "-", *options, folder=folder, data="p(a) at 1.\n")
    assert done.returncode in (1, 2)
    assert message in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("streams", [["p=-", "--input-format", "csv"], ["p.csv"], ["a.facts", "b.facts"]])
def test_signed_answers_add_up_to_those_of_the_sorted_stream(folder: Path, streams: list[str]) -> None:
    in_order, late = shuffled(2, 7)
    (folder / "p.csv").write_text(in_order, encoding="utf-8")
    expected = lasing("run", "prog.lars", "p.csv", folder=folder).stdout.splitlines()
    (folder / "p.csv").write_text(late, encoding="utf-8")
    rows = [line.split(",") for line in late.splitlines()[1:]]
    for name, part in (("a", rows[::2]), ("b", rows[1::2])):
        facts = "".join(f'p({x}) at "{time}".\n' for time, x in part)
        (folder / f"{name}.facts").write_text(facts, encoding="utf-8")
    done = lasing("run", "prog.lars", *streams, "--delay", "7s", "--corrections", folder=folder, data=late)
    assert (done.returncode, "W208" in done.stderr) == (0, False)
    sums: dict[str, int] = {}
    for line in done.stdout.splitlines():
        sums[line[1:]] = sums.get(line[1:], 0) + (1 if line.startswith("+") else -1)
        assert sums[line[1:]] in (0, 1)
    assert {line for line, number in sums.items() if number} == set(expected)
    assert any(line.startswith("-") for line in done.stdout.splitlines())


def test_facts_that_come_together_are_answered_together(folder: Path) -> None:
    (folder / "count.lars").write_text("n(C) :- C = #count{X : p(X) in [0]}.\n", encoding="utf-8")
    (folder / "p.csv").write_text("time,x\n1,a\n1,b\n1,c\n2,d\n1,e\n1,f\n2,g\n", encoding="utf-8")
    done = lasing("run", "count.lars", "p.csv", "--delay", "5", "--corrections", folder=folder)
    wanted = ["+n(3) at 1.", "+n(1) at 2.", "+n(5) at 1.", "-n(3) at 1.", "-n(1) at 2.", "+n(2) at 2."]
    assert (done.returncode, sorted(done.stdout.splitlines())) == (0, sorted(wanted))


def test_files_are_read_side_by_side_and_a_live_stream_is_not_waited_for() -> None:
    def feed(name: str, *times: int) -> Feed:
        rows = iter([(t, t * 10 + i, Atom(name, (i,))) for i, t in enumerate(times)])
        return Feed(name, rows, live=False)

    found = [(a.source, a.time, a.instant, len(a.facts)) for a in together([feed("a", 1, 1, 4, 2), feed("b", 1, 3, 3)])]
    wanted = [("a", 1, 10, 1), ("b", 1, 10, 1), ("a", 1, 11, 1), ("a", 4, 42, 1), ("b", 3, 32, 2), ("a", 2, 23, 1)]
    assert found == wanted

    going_on = Event()

    def slow() -> Iterator[tuple[int, int, Atom]]:
        yield 1, 10, Atom("c", (1,))
        going_on.wait()
        yield 1, 11, Atom("c", (2,))

    live = together([Feed("c", slow(), live=True)])
    assert next(live).facts == [("c", 1)]  # although another one of its time point comes later
    going_on.set()
    assert [a.facts for a in live] == [[("c", 2)]]


@pytest.mark.parametrize(
    ("options", "message"), [([], "say how late"), (["--delay", "1", "--as", "changes"], "signed answers")]
)
def test_corrections_say_what_they_need(folder: Path, options: list[str], message: str) -> None:
    done = lasing("run", "prog.lars", "-", "--corrections", *options, folder=folder, data="p(a) at 1.\n")
    assert (done.returncode, message in done.stderr) == (2, True)


def test_several_answers_wait_too(folder: Path) -> None:
    (folder / "choice.lars").write_text("{q(X)} :- p(X).\n", encoding="utf-8")
    done = lasing("run", "choice.lars", "-", "--delay", "3", folder=folder, data="p(b) at 2.\np(a) at 1.\n")
    expected = lasing("run", "choice.lars", "-", folder=folder, data="p(a) at 1.\np(b) at 2.\n")
    assert (done.returncode, done.stdout) == (0, expected.stdout)


def test_with_a_clock_silence_is_noticed(folder: Path) -> None:
    program = "#tick 100 ms.\nsilent(S) :- sensor(S), not p(S) in [300 ms].\nsensor(s1).\n"
    (folder / "silent.lars").write_text(program, encoding="utf-8")
    process = subprocess.Popen(
        [*COMMAND, "run", "silent.lars", "-", "--clock", "--as", "changes"],
        cwd=folder,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    first = process.stdout.readline()
    assert first.startswith('+silent(s1) at "20')  # nobody has said anything, and the clock has dates
    now = datetime.now(UTC) + timedelta(seconds=2)  # facts of the near future are in time, however slow this machine is
    process.stdin.write(f'p(s1) at "{now.isoformat()}".\n')
    process.stdin.flush()
    assert process.stdout.readline().startswith("-silent(s1)")
    assert process.stdout.readline().startswith("+silent(s1)")  # standard input is open, and silent
    assert process.poll() is None
    process.stdin.close()
    process.stdout.close()
    assert process.wait(timeout=900) == 0


def test_a_clock_needs_a_tick(folder: Path) -> None:
    (folder / "plain.lars").write_text("q :- p.\n", encoding="utf-8")
    done = lasing("run", "plain.lars", "-", "--clock", folder=folder, data="")
    assert (done.returncode, "E503" in done.stderr) == (1, True)


def test_bad_rows_go_to_a_file_live_and_with_corrections(folder: Path) -> None:
    data = b"p(a) at 1.\np(b) at 2.\nrubbish at 2.\n7 at 2.\n\xff\xfe\np(c) at 3.\n"
    for options in ([], ["--delay", "1"], ["--delay", "1", "--corrections"]):
        done = subprocess.run(
            [*COMMAND, "run", "prog.lars", "-", "--bad-rows", "bad.jsonl", *options],
            cwd=folder,
            input=data,
            capture_output=True,
            check=False,
        )
        assert (done.returncode, b"q(c) at 3." in done.stdout) == (0, True)
        assert done.stderr.count(b"W209") == 2
        records = [json.loads(line) for line in (folder / "bad.jsonl").read_text().splitlines()]
        assert [(r["file"], r["line"], r["code"]) for r in records] == [
            ("standard input", 4, "E501"),
            ("standard input", 5, "E402"),
        ]


def test_a_share_needs_rows_that_are_skipped(folder: Path) -> None:
    done = lasing("run", "prog.lars", "-", "--max-bad-rows", "0.1", folder=folder, data="p(a) at 1.\n")
    assert (done.returncode, "--bad-rows skip" in done.stderr) == (2, True)
