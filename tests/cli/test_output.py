"""Where results go: the ending decides the format, complete results are kept, and failed writes are reported."""

from __future__ import annotations

import gzip
import json
import os
import shlex
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from lasing.cli.output import write_output
from lasing.connectors.sinks import OutputFormat, Record
from lasing.connectors.sources import stream_rows
from lasing.logic.formulas import Atom
from tests.command import COMMAND, lasing

STAMPS = 'p(a) at "2026-01-01T08:00:30Z".\np(b) at "2026-01-01T08:02:00Z".\n'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "prog.lars").write_text("q(X) :- p(X) in [1].\n", encoding="utf-8")
    (tmp_path / "dated.lars").write_text("#tick 1 min.\nq(X) :- p(X) in [1 min].\n", encoding="utf-8")
    (tmp_path / "s.facts").write_text("p(a) at 1.\np(b) at 3.\n", encoding="utf-8")
    (tmp_path / "bad.facts").write_text("p(a) at 1.\np(b) at 3.\nwhat is this\n", encoding="utf-8")
    (tmp_path / "d.facts").write_text(STAMPS, encoding="utf-8")
    return tmp_path


ROWS = ((1, "a"), (2, "a"), (3, "b"))
ANSWERS = "q(a) at 1.\nq(a) at 2.\nq(b) at 3.\n"


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("out.facts", ANSWERS),
        ("out.txt", ANSWERS),
        ("out", ANSWERS),
        ("OUT.CSV", "time,predicate,arg1\n1,q,a\n2,q,a\n3,q,b\n"),
        ("out.gz", ANSWERS),
        ("out.facts.gz", ANSWERS),
        ("out.csv.gz", "time,predicate,arg1\n1,q,a\n2,q,a\n3,q,b\n"),
        ("out.jsonl.GZ", "".join(json.dumps({"time": t, "predicate": "q", "args": [x]}) + "\n" for t, x in ROWS)),
    ],
)
def test_the_ending_decides_the_format(folder: Path, name: str, expected: str) -> None:
    done = lasing("run", "prog.lars", "s.facts", "-o", name, folder=folder)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    raw = (folder / name).read_bytes()
    assert (gzip.decompress(raw) if name.lower().endswith(".gz") else raw).decode() == expected
    assert not (folder / f"{name}.part").exists()


@pytest.mark.parametrize("name", ["out.json", "out.xlsx", "out.lars", "out.json.gz", "out.parquet.gz", "out.csv.gz.gz"])
def test_an_unknown_ending_is_refused_by_name(folder: Path, name: str) -> None:
    done = lasing("run", "prog.lars", "s.facts", "-o", name, folder=folder)
    assert done.returncode == 2
    assert f"error[E511]: {name}" in done.stderr
    assert ".parquet" in done.stderr or "compressed by itself" in done.stderr
    assert not (folder / name).exists()


def test_a_named_format_fits_any_ending(folder: Path) -> None:
    assert lasing("run", "prog.lars", "s.facts", "-o", "out.json", "--format", "jsonl", folder=folder).returncode == 0
    assert json.loads((folder / "out.json").read_text(encoding="utf-8").splitlines()[0])["predicate"] == "q"


@pytest.mark.parametrize("name", ["out.facts", "out.csv", "out.jsonl.gz", "out.parquet"])
def test_a_bad_line_leaves_what_was_complete(folder: Path, name: str) -> None:
    (folder / name).write_bytes(b"old")
    done = lasing("run", "prog.lars", "bad.facts", "-o", name, folder=folder)
    assert done.returncode == 1
    assert "error[E501]" in done.stderr
    assert f"{name} has the results up to where the run stopped" in done.stderr
    again = name
    (folder / "again.lars").write_text("r(X) :- q(X).\n", encoding="utf-8")
    if name.endswith(".gz"):
        (folder / "out.jsonl").write_bytes(gzip.decompress((folder / name).read_bytes()))
        again = "out.jsonl"
    if name == "out.parquet":
        rows = pq.read_table(folder / name).to_pylist()
        assert [(row["time"], row["arg1"]) for row in rows] == [(1, "a"), (2, "a")]
    else:
        assert lasing("run", "again.lars", again, folder=folder).stdout == "r(a) at 1.\nr(a) at 2.\n"


def test_a_file_stays_unchanged_if_nothing_is_complete(folder: Path) -> None:
    (folder / "out.facts").write_bytes(b"old")
    assert lasing("run", "prog.lars", "-", "-o", "out.facts", folder=folder, data="what\n").returncode == 1
    assert (folder / "out.facts").read_bytes() == b"old"
    assert not (folder / "out.facts.part").exists()


def test_an_interrupt_leaves_what_was_complete(folder: Path) -> None:
    process = subprocess.Popen(
        [*COMMAND, "run", "prog.lars", "-", "-o", "out.facts"],
        cwd=folder,
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None
    process.stdin.write("p(a) at 1.\np(b) at 4.\n")
    process.stdin.flush()
    part = folder / "out.facts.part"
    while not part.exists() or "q(a) at 2." not in part.read_text(encoding="utf-8"):
        assert process.poll() is None
    process.send_signal(2)
    _, errors = process.communicate(timeout=900)
    assert (process.returncode, errors) == (130, "out.facts has the results up to where the run stopped\n")
    assert (folder / "out.facts").read_text(encoding="utf-8") == "q(a) at 1.\nq(a) at 2.\n"
    assert not part.exists()


@pytest.mark.parametrize("options", [[], ["--delay", "1", "--corrections"]])
def test_an_interrupt_says_what_was_left_out(folder: Path, options: list[str]) -> None:
    process = subprocess.Popen(
        [*COMMAND, "run", "prog.lars", "-", "--bad-rows", "skip", *options],
        cwd=folder,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write("p(a) at 1.\nrubbish((\np(b) at 4.\n")
    process.stdin.flush()
    for line in process.stdout:
        if line.endswith("q(a) at 2.\n"):
            break
    process.send_signal(2)
    _, errors = process.communicate(timeout=900)
    assert (process.returncode, "W209" in errors) == (130, True)
    assert "1 bad row of standard input left out" in errors


class Interrupting(list[Record]):
    """A batch that is interrupted by Ctrl-C while it is written."""

    def __iter__(self) -> Iterator[Record]:
        signal.raise_signal(signal.SIGINT)
        return super().__iter__()


def fact(time: int) -> Record:
    return Record({"time": time}, Atom("q", (time,)), f"q({time}) at {time}.\n")


def interrupted_between() -> Iterator[list[Record]]:
    yield [fact(1)]
    yield [fact(2)]
    signal.raise_signal(signal.SIGINT)
    yield [fact(3)]


def interrupted_within() -> Iterator[list[Record]]:
    yield [fact(1)]
    yield Interrupting([fact(2)])
    yield [fact(3)]


@pytest.mark.parametrize("batches", [interrupted_between, interrupted_within])
@pytest.mark.parametrize("form", ["text", "csv", "jsonl", "parquet"])
def test_an_interrupt_leaves_whole_batches(
    tmp_path: Path, batches: Callable[[], Iterator[list[Record]]], form: OutputFormat
) -> None:
    path = tmp_path / ("q.facts" if form == "text" else f"q.{form}")
    with pytest.raises(KeyboardInterrupt):
        write_output(batches(), form, str(path), ["time", "predicate", "arg1"], quiet=True)
    assert list(stream_rows(path, None)) == [(1, Atom("q", (1,))), (2, Atom("q", (2,)))]


COMMANDS = {
    "run": ("run", "prog.lars", "s.facts"),
    "run, only a header": ("run", "prog.lars", "none.facts", "--format", "csv"),
    "check": ("check", "prog.lars"),
    "models": ("models", "sat", "prog.lars", "s.facts", "--at", "3"),
    "fmt": ("fmt", "--diff", "ugly.lars"),
    "pipeline": ("pipeline", "--check", "p.toml"),
    "bench": ("bench", "--list"),
    "help": ("--help",),
    "version": ("--version",),
    "help of a command": ("run", "--help"),
}


@pytest.fixture
def all_files(folder: Path) -> Path:
    (folder / "none.facts").write_text("", encoding="utf-8")
    (folder / "ugly.lars").write_text("q   :-   p.", encoding="utf-8")
    (folder / "p.toml").write_text(
        'program = "prog.lars"\ncheckpoint = "state"\n[sources.p]\nfact = "p(x)"\nformat = "csv"\npath = "in"\n'
        'schema = "time long, x string"\n[sinks.q]\noutput = "q"\nformat = "console"\n',
        encoding="utf-8",
    )
    return folder


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
@pytest.mark.parametrize("arguments", COMMANDS.values(), ids=COMMANDS)
def test_a_full_disk_is_reported(all_files: Path, arguments: tuple[str, ...]) -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [*COMMAND, *arguments],
            cwd=all_files,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            timeout=900,
            check=False,
        )
    assert done.returncode == 1
    assert done.stderr == "error[E403]: standard output cannot be written: No space left on device\n"


@pytest.mark.parametrize("arguments", COMMANDS.values(), ids=COMMANDS)
def test_a_reader_that_has_gone_is_not_an_error(all_files: Path, arguments: tuple[str, ...]) -> None:
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(
        [*COMMAND, *arguments], cwd=all_files, stdout=write, stderr=subprocess.PIPE, text=True, timeout=900, check=False
    )
    os.close(write)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_closed_standard_output_is_reported(folder: Path) -> None:
    command = f"exec {shlex.quote(sys.executable)} -m lasing run prog.lars s.facts >&-"
    done = subprocess.run(
        ["sh", "-c", command], cwd=folder, stderr=subprocess.PIPE, text=True, timeout=900, check=False
    )
    assert done.returncode == 1
    assert "error[E403]: standard output cannot be written" in done.stderr


def test_a_closed_standard_input_is_empty(folder: Path) -> None:
    command = f"exec {shlex.quote(sys.executable)} -m lasing run prog.lars - <&-"
    done = subprocess.run(["sh", "-c", command], cwd=folder, capture_output=True, text=True, timeout=900, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


# -- dates -------------------------------------------------------------------------------------------------------------

FIRST, SECOND, THIRD = "2026-01-01T08:00:00Z", "2026-01-01T08:01:00Z", "2026-01-01T08:02:00Z"
AS_DATES = f'q(a) at "{FIRST}".\nq(a) at "{SECOND}".\nq(b) at "{THIRD}".\n'
AS_NUMBERS = "q(a) at 29454240.\nq(a) at 29454241.\nq(b) at 29454242.\n"


def test_times_that_came_in_as_dates_go_out_as_dates(folder: Path) -> None:
    assert lasing("run", "dated.lars", "d.facts", folder=folder).stdout == AS_DATES
    (folder / "p.csv").write_text("time,x\n2026-01-01T08:00:30Z,a\n2026-01-01 08:02,b\n", encoding="utf-8")
    assert lasing("run", "dated.lars", "p.csv", folder=folder).stdout == AS_DATES
    assert lasing("run", "dated.lars", "p.csv", "--sort", folder=folder).stdout == AS_DATES
    assert lasing("run", "dated.lars", "-", folder=folder, data=STAMPS).stdout == AS_DATES


def test_times_that_came_in_as_numbers_go_out_as_numbers(folder: Path) -> None:
    assert lasing("run", "dated.lars", "s.facts", folder=folder).stdout == ANSWERS
    assert lasing("run", "dated.lars", "s.facts", "--times", "iso", "--to", "1", folder=folder).stdout == (
        'q(a) at "1970-01-01T00:01:00Z".\n'
    )


def test_times_can_be_printed_as_numbers(folder: Path) -> None:
    assert lasing("run", "dated.lars", "d.facts", "--times", "numbers", folder=folder).stdout == AS_NUMBERS


@pytest.mark.parametrize("option", ["--from", "--to"])
def test_a_date_in_an_option_counts(folder: Path, option: str) -> None:
    bound = FIRST if option == "--from" else THIRD
    (folder / "n.facts").write_text("p(a) at 29454240.\np(b) at 29454242.\n", encoding="utf-8")
    assert lasing("run", "dated.lars", "n.facts", option, bound, folder=folder).stdout == AS_DATES


def test_a_date_in_the_first_fact_of_any_stream_counts(folder: Path) -> None:
    (folder / "n.facts").write_text("p(c) at 29454242.\n", encoding="utf-8")
    done = lasing("run", "dated.lars", "n.facts", "d.facts", folder=folder)
    assert done.stdout == AS_DATES + f'q(c) at "{THIRD}".\n'


def test_a_date_in_the_program_counts(folder: Path) -> None:
    (folder / "own.lars").write_text(f"#tick 1 min.\nq(X) :- p(X) in [1 min].\n{STAMPS}", encoding="utf-8")
    assert lasing("run", "own.lars", folder=folder).stdout == AS_DATES


def test_models_have_dates(folder: Path) -> None:
    arguments = ("models", "sat", "dated.lars", "d.facts", "--at", THIRD)
    assert f'q(b) at "{THIRD}".' in lasing(*arguments, folder=folder).stdout.splitlines()
    assert "q(b) at 29454242." in lasing(*arguments, "--times", "numbers", folder=folder).stdout.splitlines()
    (folder / "i.facts").write_text(STAMPS, encoding="utf-8")
    checked = lasing("models", "check", "dated.lars", "d.facts", "-i", "i.facts", "--at", THIRD, folder=folder)
    assert f'the body holds, but q(b) at "{THIRD}" is missing' in checked.stdout
    formula = ("models", "sat", "dated.lars", "-f", "p(a)", "--at", THIRD)
    (folder / "dated.lars").write_text("#tick 1 min.\n", encoding="utf-8")
    assert lasing(*formula, folder=folder).stdout == f'p(a) at "{THIRD}".\n'


def test_a_guarantee_beyond_the_calendar_is_not_an_error(folder: Path) -> None:
    (folder / "long.lars").write_text("#tick 1 d.\nq(X) :- p(X) in [99999999].\n", encoding="utf-8")
    done = lasing("run", "long.lars", "d.facts", "--as", "changes", "--format", "jsonl", folder=folder)
    assert done.returncode == 0
    assert json.loads(done.stdout.splitlines()[0])["expires_at"] == "never"


def test_stats_name_the_rules_and_relations(tmp_path: Path) -> None:
    (tmp_path / "p.lars").write_text("hot(S) :- temp(S, V) in [5], V > 30.\n")
    (tmp_path / "s.facts").write_text("temp(a, 40) at 1.\ntemp(b, 20) at 2.\n")
    done = lasing("run", "p.lars", "s.facts", "--stats", "-q", folder=tmp_path)
    lines = done.stderr.splitlines()
    assert lines[0].split()[:4] == ["rule", "rows", "added", "time"]
    assert lines[1].split()[:2] == ["1", "1"]
    assert any(line.split()[:2] == ["<hot>", "1"] for line in lines)
    assert done.stdout == "hot(a) at 1.\nhot(a) at 2.\n"


def test_stats_of_rules_that_differ_only_in_constants_are_in_one_line(tmp_path: Path) -> None:
    rules = [f"t(X,a{i},Y) :- t(X,b{i},Y), t(Y,c,X).\n" for i in range(20)]
    (tmp_path / "p.lars").write_text("".join(rules) + "#input t/3.\n")
    (tmp_path / "s.facts").write_text("t(x,b3,y) at 1.\nt(y,c,x) at 1.\nt(x,b4,y) at 1.\n")
    done = lasing("run", "p.lars", "s.facts", "--stats", "-q", folder=tmp_path)
    lines = " ".join(done.stderr.splitlines()[1:]).split("relation")[0].split()
    assert lines[:2] == ["1", "2"]
    assert "(and 19 rules, 2 to 20: they differ only in constants)" in " ".join(lines)


def test_stats_of_another_engine_say_that_there_are_none(tmp_path: Path) -> None:
    (tmp_path / "p.lars").write_text("x :- p.\n")
    (tmp_path / "s.facts").write_text("p at 1.\n")
    done = lasing("run", "p.lars", "s.facts", "--stats", "--engine", "reference", folder=tmp_path)
    assert "no statistics" in done.stderr
