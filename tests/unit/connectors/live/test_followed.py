"""Files and folders that grow: every line once, in order, whatever happens to the files, and after every restart."""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lasing.connectors.live.followed_file import FollowedFile
from lasing.connectors.live.followed_folder import FollowedFolder
from lasing.connectors.live.protocol import LiveSource, Position
from lasing.errors import LasingError
from lasing.timeline.clock import TurnedClock
from tests.unit.connectors.live.gathering import arriving, gather, started, warned


def append(path: Path, raw: bytes) -> None:
    with path.open("ab") as file:
        file.write(raw)


def later(path: Path, than: Path) -> None:
    """Let a file be newer than another one, even on a file system with coarse times."""
    time = os.stat(than).st_mtime_ns + 1_000_000_000
    os.utime(path, ns=(time, time))


def saved(position: Position) -> Position:
    """A position as it comes out of a checkpoint."""
    found: Position = json.loads(json.dumps(position))
    return found


def test_a_line_without_end_waits(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    append(path, b"one\r\ntw")
    with started(FollowedFile(path)) as source:
        (arrivals,) = arriving(source, 1)
        assert (arrivals.payloads, arrivals.places) == ([b"one"], [f"{path}:1"])
        assert source.take(5, 0) is None
        append(path, b"o\n\nthree\n")
        assert gather(source, 3) == [b"two", b"", b"three"]
        assert not source.finished()


def test_a_file_that_does_not_exist_yet(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    with warned() as warnings, started(FollowedFile(path)) as source:
        assert source.take(1, 0) is None
        append(path, b"one\n")
        assert gather(source, 1) == [b"one"]
    assert "does not exist yet" in warnings[0]
    with pytest.raises(LasingError, match=r"E401.*does not exist"):
        FollowedFile(tmp_path / "y.csv", follow=False).start(None)
    with pytest.raises(LasingError, match=r"E401.*is a directory"):
        FollowedFile(tmp_path).start(None)


def test_without_following_a_file_ends(tmp_path: Path) -> None:
    append(tmp_path / "x.csv", b"a,b\n1,2\n3,4")
    with started(FollowedFile(tmp_path / "x.csv", follow=False, header=True)) as source:
        found = arriving(source, 9)
        assert source.finished()
    assert [one.payloads for one in found] == [[b"1,2"], [b"3,4"]]
    assert [one.header for one in found] == [b"a,b"] * 2
    assert [list(one.places) for one in found] == [[f"{tmp_path}/x.csv:2"], [f"{tmp_path}/x.csv:3"]]


def test_a_file_that_is_renamed_away_is_read_to_its_end(tmp_path: Path) -> None:
    path, clock = tmp_path / "x.csv", TurnedClock()
    append(path, b"one\n")
    with started(FollowedFile(path, quiet=5, clock=clock)) as source:
        assert gather(source, 1) == [b"one"]
        path.rename(tmp_path / "x.csv.1")
        append(tmp_path / "x.csv.1", b"two\n")  # the writer has not noticed yet
        assert gather(source, 1) == [b"two"]
        append(path, b"four\n")
        assert source.take(1, 0) is None
        append(tmp_path / "x.csv.1", b"three")
        clock.turn_to(4_000_000)
        assert source.take(1, 0) is None
        clock.turn_to(8_999_999)
        assert source.take(1, 0) is None
        clock.turn_to(9_000_000)
        assert gather(source, 2) == [b"three", b"four"]


def test_several_rotations_between_two_looks(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    append(path, b"1\n")
    with started(FollowedFile(path, quiet=0)) as source:
        assert gather(source, 1) == [b"1"]
        path.rename(tmp_path / "x.csv.2")
        append(tmp_path / "x.csv.1", b"2\n")
        later(tmp_path / "x.csv.1", tmp_path / "x.csv.2")
        append(path, b"3\n")
        later(path, tmp_path / "x.csv.1")
        assert gather(source, 2) == [b"2", b"3"]


def test_a_file_that_is_cut_is_read_from_its_beginning(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    append(path, b"one\ntwo\n")
    with warned() as warnings, started(FollowedFile(path)) as source:
        assert gather(source, 2) == [b"one", b"two"]
        path.write_bytes(b"1\n")
        assert gather(source, 1) == [b"1"]
        with path.open("rb+") as file:  # longer than before when we look again
            file.write(b"other lines\nmore\n")
        assert gather(source, 2) == [b"other lines", b"more"]
    assert ["was cut" in warning for warning in warnings] == [True, True]


@pytest.mark.parametrize("packed", [False, True])
def test_a_file_that_was_rotated_while_nobody_looked(tmp_path: Path, packed: bool) -> None:
    path = tmp_path / "x.csv"
    append(path, b"h\none\ntwo\n")
    with started(FollowedFile(path, header=True)) as source:
        position = saved(arriving(source, 1)[0].position)
    path.rename(tmp_path / "x.csv.1")
    if packed:
        (tmp_path / "x.csv.1.gz").write_bytes(gzip.compress((tmp_path / "x.csv.1").read_bytes()))
        (tmp_path / "x.csv.1").unlink()
    append(path, b"h\nthree\n")
    with started(FollowedFile(path, header=True, quiet=0), position) as source:
        found = arriving(source, 2, most=1)
    assert [one.payloads for one in found] == [[b"two"], [b"three"]]
    assert [one.header for one in found] == [b"h", b"h"]
    assert found[0].places[0].endswith(":3")


def test_a_file_that_is_gone_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    append(path, b"one\ntwo\n")
    with started(FollowedFile(path)) as source:
        position = saved(arriving(source, 1, most=1)[0].position)
    path.unlink()
    append(path, b"other\n")
    with pytest.raises(LasingError, match=r"(?s)E526.*read up to line 1"):
        FollowedFile(path).start(position)
    with pytest.raises(LasingError, match=r"E526.*not a position in a file"):
        FollowedFile(path).start(7)


def test_new_files_of_a_folder(tmp_path: Path) -> None:
    append(tmp_path / "b.csv", b"b1\n")
    append(tmp_path / "a.csv", b"a1\na2")
    later(tmp_path / "a.csv", tmp_path / "b.csv")
    append(tmp_path / ".hidden.csv", b"no\n")
    append(tmp_path / "other.txt", b"no\n")
    with started(FollowedFolder(tmp_path, "*.csv*", quiet=0)) as source:
        assert gather(source, 2) == [b"b1", b"a1"]
        assert source.take(1, 0) is None, "a2 may go on"
        (tmp_path / "c.csv.gz").write_bytes(gzip.compress(b"c1\nc2"))
        later(tmp_path / "c.csv.gz", tmp_path / "a.csv")
        assert gather(source, 3) == [b"a2", b"c1", b"c2"]
        append(tmp_path / "b.csv", b"b2\n")
        found = arriving(source, 1)
        assert (found[0].payloads, found[0].places) == ([b"b2"], [f"{tmp_path}/b.csv:2"])
    with started(FollowedFolder(tmp_path, "*.csv*", quiet=0), saved(found[-1].position)) as again:
        assert again.take(1, 0) is None
        append(tmp_path / "d.csv", b"d1\n")
        assert gather(again, 1) == [b"d1"]


def test_a_folder_whose_files_are_renamed_and_packed(tmp_path: Path) -> None:
    append(tmp_path / "x.log", b"one\ntwo\n")
    with started(FollowedFolder(tmp_path, quiet=0)) as source:
        assert gather(source, 1) == [b"one"]
        (tmp_path / "x.log").rename(tmp_path / "x.log.1")
        assert gather(source, 1) == [b"two"]
        assert source.take(1, 0) is None
        (tmp_path / "x.log.1.gz").write_bytes(gzip.compress(b"one\ntwo\n"))
        (tmp_path / "x.log.1").unlink()
        assert source.take(1, 0) is None
        append(tmp_path / "x.log", b"three\n")
        assert gather(source, 1) == [b"three"]


def test_a_packed_file_that_is_not_whole_waits_and_then_is_an_error(tmp_path: Path) -> None:
    clock = TurnedClock()
    whole = gzip.compress(b"one\n")
    append(tmp_path / "x.gz", whole[:-4])
    with started(FollowedFolder(tmp_path, quiet=5, clock=clock)) as source:
        assert source.take(1, 0) is None
        append(tmp_path / "x.gz", whole[-4:])
        assert gather(source, 1) == [b"one"]
        append(tmp_path / "y.gz", whole[:-4])
        assert source.take(1, 0) is None
        clock.turn_to(5_000_000)
        with pytest.raises(LasingError, match=r"E401.*cannot be unpacked"):
            source.take(1, 0)


def test_without_following_a_folder_ends(tmp_path: Path) -> None:
    append(tmp_path / "a", b"x,y\n1,2")
    append(tmp_path / "b", b"y,x\n3,4")
    later(tmp_path / "b", tmp_path / "a")
    with started(FollowedFolder(tmp_path, follow=False, header=True)) as source:
        found = arriving(source, 9)
        assert source.finished()
    assert [(one.header, one.payloads) for one in found] == [(b"x,y", [b"1,2"]), (b"y,x", [b"3,4"])]


def test_a_missing_folder_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(LasingError, match=r"E401.*is not a folder"):
        FollowedFolder(tmp_path / "no").start(None)
    with pytest.raises(LasingError, match=r"E526.*not a position in a folder"):
        FollowedFolder(tmp_path).start(3)


steps = st.lists(
    st.one_of(
        st.tuples(st.just("write"), st.integers(1, 30)),
        st.tuples(st.just("rotate"), st.just(0)),
        st.tuples(st.just("take"), st.integers(1, 5)),
        st.tuples(st.just("restart"), st.just(0)),
    ),
    max_size=25,
)


@pytest.mark.parametrize("kind", ["file", "folder"])
@given(steps=steps)
def test_every_line_comes_once_and_in_order(kind: str, steps: list[tuple[str, int]]) -> None:
    """A writer writes some bytes at a time, mostly in the middle of lines, and rotates between lines."""
    text = b"".join(b"%d\n" % i for i in range(10**4))
    written = 0
    found: list[bytes] = []
    position: Position = None
    with TemporaryDirectory() as name:
        path, rotations = Path(name) / "x.log", 0
        path.touch()

        def opened() -> LiveSource:
            source = (
                FollowedFile(path, quiet=0) if kind == "file" else FollowedFolder(Path(name), pattern="x.*", quiet=0)
            )
            source.start(position)
            return source

        source = opened()

        def take(most: int) -> bool:
            nonlocal position
            arrivals = source.take(most, 0)
            if arrivals is None:
                return False
            found.extend(arrivals.payloads)
            position = saved(arrivals.position)
            return True

        def write(size: int) -> None:
            nonlocal written
            append(path, text[written : written + size])
            written += size
            _age(path, rotations)

        for step, size in steps:
            match step:
                case "write":
                    write(size)
                case "rotate":
                    write(text.index(b"\n", written) + 1 - written)
                    rotations += 1
                    path.rename(path.with_name(f"x.log.{rotations}"))
                    path.touch()
                    _age(path, rotations)
                case "take":
                    take(size)
                case "restart" if position is not None:
                    source.close()
                    source = opened()
        while take(5):
            pass
        source.close()
    assert found == text[:written].split(b"\n")[:-1]


def _age(path: Path, rotations: int) -> None:
    """Files are a second apart, so that their order does not depend on the clock."""
    time = (1_000_000 + rotations) * 1_000_000_000
    os.utime(path, ns=(time, time))
