"""Standard input is answered as it comes; bad input of every kind gets a sentence and an exit code."""

from __future__ import annotations

import os
import subprocess
import time
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.command import COMMAND, lasing


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "prog.lars").write_text("q(X) :- p(X) in [1].\n", encoding="utf-8")
    return tmp_path


def test_a_time_point_is_answered_as_soon_as_it_is_complete(folder: Path) -> None:
    process = subprocess.Popen(
        [*COMMAND, "run", "prog.lars", "-"], cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write("p(a) at 1.\np(b) at 2.\n")
    process.stdin.flush()
    # Time point 1 is complete: a fact of time point 2 has come, and standard input is still open.
    assert process.stdout.readline() == "q(a) at 1.\n"
    assert process.poll() is None
    process.stdin.write("p(c) at 3.\n")
    process.stdin.flush()
    assert [process.stdout.readline() for _ in range(2)] == ["q(a) at 2.\n", "q(b) at 2.\n"]
    process.stdin.close()
    assert process.stdout.read() == "q(b) at 3.\nq(c) at 3.\n"
    process.stdout.close()
    assert process.wait(timeout=900) == 0


def test_a_gap_is_answered_before_the_next_fact(folder: Path) -> None:
    process = subprocess.Popen(
        [*COMMAND, "run", "prog.lars", "-"],
        cwd=folder,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write("p(a) at 1.\np(b) at 4.\n")
    process.stdin.flush()
    # Time points 1 to 3 are complete.
    assert [process.stdout.readline() for _ in range(2)] == ["q(a) at 1.\n", "q(a) at 2.\n"]
    process.stdin.write("p(c) at 6.\n")
    process.stdin.flush()
    assert [process.stdout.readline() for _ in range(2)] == ["q(b) at 4.\n", "q(b) at 5.\n"]
    output, errors = process.communicate("nonsense\n", timeout=900)
    assert (process.returncode, output) == (1, "")
    assert "error[E501]" in errors


@pytest.mark.parametrize("view", ["answers", "changes", "intervals"])
def test_a_bad_line_comes_after_all_that_is_complete(folder: Path, view: str) -> None:
    facts = "p(a) at 1.\np(b) at 4.\np(c) at 8.\n"
    complete = lasing("run", "prog.lars", "-", "--as", view, "--to", "7", folder=folder, data=facts).stdout
    (folder / "s.facts").write_text(facts + "p(d\n", encoding="utf-8")
    for stream in ("s.facts", "-"):
        done = lasing("run", "prog.lars", stream, "--as", view, folder=folder, data=f"{facts}p(d\n")
        assert (done.returncode, done.stdout) == (1, complete)


def test_time_moves_with_the_slowest_stream(folder: Path) -> None:
    """A stream that is ahead waits: the answers are those for the same facts in files."""
    os.mkfifo(folder / "slow.facts")
    os.mkfifo(folder / "p.csv")
    (folder / "file.facts").write_text("p(f1) at 1.\np(f2) at 2.\np(f9) at 9.\n", encoding="utf-8")
    process = subprocess.Popen(
        [*COMMAND, "run", "prog.lars", "-", "file.facts", "slow.facts", "p.csv"],
        cwd=folder,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write("p(i1) at 1.\np(i7) at 7.\n")  # standard input is ahead
    process.stdin.flush()
    with ExitStack() as stack:  # pipes are opened in turn, each when the one before has its first fact
        slow = stack.enter_context((folder / "slow.facts").open("w", encoding="utf-8"))
        slow.write("p(s1) at 1.\np(s3) at 3.\n")
        slow.flush()
        table = stack.enter_context((folder / "p.csv").open("w", encoding="utf-8"))
        table.write("time,x\n1,t1\n5,t5\n")
        table.flush()
        expected = [f"q({x}) at 1.\n" for x in ("f1", "i1", "s1", "t1")]
        expected += [f"q({x}) at 2.\n" for x in ("f1", "f2", "i1", "s1", "t1")]
        assert [process.stdout.readline() for _ in expected] == expected
        slow.write("p(s6) at 6.\n")
        slow.flush()
        expected = ["q(f2) at 3.\n", "q(s3) at 3.\n", "q(s3) at 4.\n"]
        assert [process.stdout.readline() for _ in expected] == expected
    rest, _ = process.communicate(timeout=900)
    assert process.returncode == 0
    facts = "p(s3) at 3. p(t5) at 5. p(s6) at 6. p(i7) at 7. p(f9) at 9."
    whole = lasing("run", "prog.lars", "-", "--from", "5", folder=folder, data=facts).stdout
    assert rest == whole


def test_several_answers_come_as_soon_as_a_time_point_is_complete(folder: Path) -> None:
    (folder / "choice.lars").write_text("{q(X)} :- p(X).\n:- r, not q(_).\n", encoding="utf-8")
    process = subprocess.Popen(
        [*COMMAND, "run", "choice.lars", "-"], cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write("p(a) at 1.\nr at 2.\n")
    process.stdin.flush()
    expected = ["% 1: answer 1 of 2\n", "% 1: answer 2 of 2\n", "q(a) at 1.\n"]
    assert [process.stdout.readline() for _ in expected] == expected
    assert process.poll() is None
    process.stdin.write("p(b) at 3. r at 3.\n")
    process.stdin.flush()
    assert process.stdout.readline() == "% 2: no answer\n"
    process.stdin.close()
    assert process.stdout.read() == "q(b) at 3.\n"
    process.stdout.close()
    assert process.wait(timeout=900) == 0


def test_an_interrupt_ends_without_a_traceback(folder: Path) -> None:
    process = subprocess.Popen(
        [*COMMAND, "run", "prog.lars", "-"],
        cwd=folder,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write("p(a) at 1.\np(b) at 2.\n")
    process.stdin.flush()
    assert process.stdout.readline() == "q(a) at 1.\n"
    process.send_signal(2)
    _, errors = process.communicate(timeout=900)
    assert process.returncode == 130
    assert "Traceback" not in errors


def test_a_reader_that_goes_away_is_not_an_error(folder: Path) -> None:
    (folder / "s.facts").write_text("".join(f"p({i}) at {i}.\n" for i in range(3000)), encoding="utf-8")
    read, write = os.pipe()
    process = subprocess.Popen(
        [*COMMAND, "run", "prog.lars", "s.facts"], cwd=folder, stdout=write, stderr=subprocess.PIPE, text=True
    )
    os.close(write)
    os.read(read, 10)
    os.close(read)
    _, errors = process.communicate(timeout=900)
    assert (process.returncode, errors) == (0, "")


BAD = {
    "broken UTF-8": ("s.facts", b"p(a) at 1.\np(\xff\xfe) at 2.\n", "E402", ":2:3"),
    "broken UTF-8 in a table": ("p.csv", b"time,x\n1,a\n2,\xff\n", "E402", ":3:3"),
    "a 50 MB line": ("s.facts", b"p(" + b"a" * 50_000_000 + b") at 1.\n", "E507", ":1:1"),
    "a 50 MB line in a table": ("p.csv", b"time,x\n1," + b"a" * 50_000_000 + b"\n", "E507", ":2:1"),
    "a number beyond 64 bits": ("p.csv", b"time,x\n1,99999999999999999999\n", "E506", ":2:1"),
    "a time beyond 64 bits": ("s.facts", b"p(a) at 99999999999999999999.\n", "E506", ":1:1"),
    "deep nesting": ("p.jsonl", b'{"time": 1, "x": ' + b"[" * 100_000 + b"]" * 100_000 + b"}\n", "E501", ":1:1"),
    "a list for a value": ("p.jsonl", b'{"time": 1, "x": [1]}\n', "E506", ":1:1"),
    "no parquet": ("p.parquet", b"not parquet at all", "E501", "p.parquet"),
    "an unclosed quote": ("p.csv", b'time,x\n1,"a\n2,b\n', "E501", "p.csv"),
    "a NUL byte": ("p.csv", b"time,x\n1,\x00\n", "", ""),
}


@pytest.mark.parametrize(("file", "data", "code", "place"), BAD.values(), ids=BAD)
def test_bad_data_gets_a_sentence(folder: Path, file: str, data: bytes, code: str, place: str) -> None:
    (folder / file).write_bytes(data)
    done = lasing("run", "prog.lars", file, folder=folder)
    errors = done.stderr
    assert "Traceback" not in errors
    assert len(errors) < 2_000
    if code:
        assert done.returncode == 1
        assert f"error[{code}]" in errors
        assert place in errors


BAD_PROGRAMS = {
    "broken UTF-8": (b"q :- p.\nr :- \xc3\x28.\n", "E402"),
    "deep nesting": (b"q :- " + b"(" * 20_000 + b"p" + b")" * 20_000 + b".\n", "E106"),
    "a long chain": (b"q(X) :- p(Y), X = Y" + b"+1" * 20_000 + b".\n", "E106"),
    "many negations": (b"q :- " + b"not " * 20_000 + b"p.\n", "E106"),
    "many implications": (b"q :- p" + b" -> p" * 20_000 + b".\n", "E106"),
    "a number beyond 64 bits": (b"q(9223372036854775808) :- p.\n", "E104"),
    "a number of a million digits": (b"q(" + b"9" * 1_000_000 + b") :- p.\n", "E104"),
    "a line of 50 MB": (b"q :- " + b"(" + b"p" * 50_000_000 + b".\n", "E105"),
}


@pytest.mark.parametrize(("text", "code"), BAD_PROGRAMS.values(), ids=BAD_PROGRAMS)
def test_a_bad_program_gets_a_sentence(folder: Path, text: bytes, code: str) -> None:
    (folder / "bad.lars").write_bytes(text)
    begun = time.monotonic()
    done = lasing("check", "bad.lars", folder=folder)
    errors = done.stderr
    assert (done.returncode, "Traceback" in errors) == (1, False)
    assert f"error[{code}]" in errors
    assert len(errors) < 2_000
    assert time.monotonic() - begun < 60


def test_a_long_body_is_fine(folder: Path) -> None:
    (folder / "long.lars").write_text("q :- " + ", ".join(["p"] * 20_000) + " .\n", encoding="utf-8")
    assert lasing("check", "long.lars", folder=folder).returncode == 0


def test_a_directory_in_place_of_a_file(folder: Path) -> None:
    (folder / "d.lars").mkdir()
    (folder / "d.facts").mkdir()
    for arguments in (("check", "d.lars"), ("run", "prog.lars", "d.facts")):
        done = lasing(*arguments, folder=folder)
        assert done.returncode == 1
        assert "is a directory" in done.stderr


def test_an_empty_program_and_an_empty_stream_are_fine(folder: Path) -> None:
    (folder / "empty.lars").write_bytes(b"")
    (folder / "empty.facts").write_bytes(b"")
    done = lasing("run", "empty.lars", "empty.facts", folder=folder)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
