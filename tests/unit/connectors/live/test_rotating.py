"""Files that rotate: whenever a run is killed, the files have each line once after the restart."""

from __future__ import annotations

import json
import os
from contextlib import closing
from errno import ENOSPC
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lasing.connectors.live.protocol import Position
from lasing.connectors.live.rotating import RotatingFile
from lasing.errors import LasingError
from lasing.timeline.clock import TurnedClock


def content(folder: Path) -> list[bytes]:
    return [file.read_bytes() for file in sorted(folder.iterdir())]


def test_rotation_by_size(tmp_path: Path) -> None:
    sink = RotatingFile(tmp_path / "out.csv", most_bytes=12, header=b"a,b")
    with closing(sink):
        sink.start(None)
        sink.write(0, [b"1,2", b"3,4"])
        sink.write(1, [b"5,6", b"a very long line that fits nowhere", b"7,8"])
    assert sorted(os.listdir(tmp_path)) == [f"out.00000{i}.csv" for i in (1, 2, 3, 4)]
    assert content(tmp_path) == [
        b"a,b\n1,2\n3,4\n",
        b"a,b\n5,6\n",
        b"a,b\na very long line that fits nowhere\n",
        b"a,b\n7,8\n",
    ]


def test_rotation_by_time_and_keeping_the_last_files(tmp_path: Path) -> None:
    clock = TurnedClock()
    sink = RotatingFile(tmp_path / "out", most_seconds=60, keep=2, clock=clock)
    with closing(sink):
        sink.start(None)
        for minute in range(4):
            clock.turn_to(minute * 60_000_000)
            sink.write(minute, [str(minute).encode()])
            sink.write(minute, [b"more"])
            sink.flush()
        sink.flush()
    assert content(tmp_path) == [b"2\nmore\n", b"3\nmore\n"]


def test_a_file_that_the_last_checkpoint_continues_is_not_removed(tmp_path: Path) -> None:
    sink = RotatingFile(tmp_path / "out", most_bytes=4, keep=1)
    saved = sink.start(None)
    sink.write(1, [b"one", b"two", b"three"])
    sink.flush()  # and then a kill, before a checkpoint has this position
    sink.close()
    again = RotatingFile(tmp_path / "out", most_bytes=4, keep=1)
    again.start(saved)
    again.write(1, [b"one", b"two"])
    again.flush()
    again.flush()
    again.close()
    assert content(tmp_path) == [b"two\n"]


def test_a_new_run_does_not_touch_the_files_of_another(tmp_path: Path) -> None:
    for _ in range(2):
        sink = RotatingFile(tmp_path / "out", most_bytes=100)
        with closing(sink):
            sink.start(None)
            sink.write(0, [b"x"])
    assert content(tmp_path) == [b"x\n", b"x\n"]
    (tmp_path / "one").write_text("mine")
    with pytest.raises(LasingError, match=r"E403.*exists already"):
        RotatingFile(tmp_path / "one").start(None)


steps = st.lists(
    st.one_of(
        st.tuples(st.just("write"), st.lists(st.integers(0, 30), max_size=5)),
        st.tuples(st.just("checkpoint"), st.just([])),
        st.tuples(st.just("wait"), st.just([])),
        st.tuples(st.just("kill"), st.lists(st.integers(0, 40), min_size=1, max_size=1)),
    ),
    max_size=30,
)


@pytest.mark.parametrize(("most_bytes", "most_seconds"), [(None, None), (50, None), (None, 10), (50, 10)])
@given(steps=steps)
def test_each_line_once_whenever_it_is_killed(
    most_bytes: int | None, most_seconds: float | None, steps: list[tuple[str, list[int]]]
) -> None:
    """A kill may leave more behind than the checkpoint knows: half a line, and files that were begun."""
    clock = TurnedClock()
    with TemporaryDirectory() as name:

        def opened() -> RotatingFile:
            return RotatingFile(Path(name) / "out.txt", most_bytes, most_seconds, clock=clock)

        sink = opened()
        position: Position = sink.start(None)
        expected: list[bytes] = []
        saved = 0
        for step, sizes in steps:
            match step:
                case "write":
                    lines = [b"%d " % len(expected) + b"x" * size for size in sizes]
                    sink.write(0, lines)
                    expected += lines
                case "checkpoint":
                    position, saved = json.loads(json.dumps(sink.flush())), len(expected)
                case "wait":
                    clock.turn_to(clock.now() + 6_000_000)
                case "kill":
                    sink.close()
                    with sorted(Path(name).iterdir())[-1].open("ab") as file:
                        file.write(b"half a line"[: sizes[0]])
                    sink = opened()
                    assert sink.start(position) == position
                    expected = expected[:saved]
        sink.close()
        assert b"".join(content(Path(name))) == b"".join(line + b"\n" for line in expected)
        if most_bytes is not None:
            assert all(len(file) <= most_bytes for file in content(Path(name)))


def test_a_file_that_is_shorter_than_the_checkpoint_is_an_error(tmp_path: Path) -> None:
    sink = RotatingFile(tmp_path / "out", most_bytes=100)
    with closing(sink):
        sink.start(None)
        sink.write(0, [b"one", b"two"])
        position = sink.flush()
    (tmp_path / "out.000001").write_bytes(b"one\n")
    with pytest.raises(LasingError, match=r"E526.*has 4 bytes, but the checkpoint has written 8"):
        RotatingFile(tmp_path / "out", most_bytes=100).start(position)
    (tmp_path / "out.000001").unlink()
    with pytest.raises(LasingError, match=r"E526.*is gone"):
        RotatingFile(tmp_path / "out", most_bytes=100).start(position)
    with pytest.raises(LasingError, match=r"E526.*not a position of this sink"):
        RotatingFile(tmp_path / "out").start(position)


def test_a_full_disk_and_a_missing_folder_are_errors(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(LasingError, match=r"E403.*there is no folder"):
        RotatingFile(tmp_path / "no" / "out").start(None)
    sink = RotatingFile(tmp_path / "out", most_bytes=100)
    position = sink.start(None)
    write = os.write

    def full(file: int, raw: memoryview) -> int:
        if len(raw) < 4:
            raise OSError(ENOSPC, "No space left on device")
        return write(file, raw[:3])

    with monkeypatch.context() as patched:
        patched.setattr("lasing.connectors.live.rotating.os.write", full)
        with pytest.raises(LasingError, match="E615"):
            sink.write(0, [b"12345"])
    sink.close()
    sink = RotatingFile(tmp_path / "out", most_bytes=100)
    sink.start(position)
    sink.write(0, [b"12345"])
    sink.close()
    assert content(tmp_path) == [b"12345\n"]


def test_bounds_must_be_positive(tmp_path: Path) -> None:
    with pytest.raises(LasingError, match=r"E524.*most_bytes must be more than 0"):
        RotatingFile(tmp_path / "out", most_bytes=0)
