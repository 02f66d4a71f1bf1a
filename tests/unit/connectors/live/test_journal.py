"""The journal: whatever is killed, damaged or full, acknowledged messages are there or an error says so."""

from __future__ import annotations

from contextlib import closing
from errno import ENOSPC
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread

import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from lasing.connectors.live import journal as journals
from lasing.connectors.live.journal import HEADER, SEGMENT_BYTES, Journal, MemoryJournal, Received
from lasing.errors import LasingError


def content(folder: Path, segment_bytes: int = SEGMENT_BYTES) -> list[bytes]:
    """What a journal has when it is opened again."""
    with closing(Journal(folder, "never", segment_bytes)) as journal:
        return read_all(journal)


def read_all(journal: Received) -> list[bytes]:
    found: list[bytes] = []
    while journal.waiting():
        found += [entry.payload for entry in journal.read(3, 0)[1]]
    return found


batches = st.lists(st.lists(st.binary(max_size=40), min_size=1, max_size=4), max_size=8)


@given(batches=batches, segment_bytes=st.sampled_from([1, 60, 10_000]), data=st.data())
def test_a_kill_at_any_byte_leaves_a_prefix_with_everything_acknowledged(
    batches: list[list[bytes]], segment_bytes: int, data: st.DataObject
) -> None:
    """The states that a kill can leave behind are the prefixes of what was written, file after file."""
    with TemporaryDirectory() as name:
        whole, cut = Path(name) / "whole", Path(name) / "cut"
        journal = Journal(whole, "never", segment_bytes)
        acknowledged = []  # how many bytes the journal had when so many messages were acknowledged
        for batch in batches:
            journal.append(batch)
            acknowledged.append(sum(f.stat().st_size for f in whole.iterdir()))
        journal.close()
        files = sorted(whole.iterdir())
        written = sum(f.stat().st_size for f in files)
        kept = data.draw(st.integers(len(HEADER), written))
        cut.mkdir()
        left = kept
        for file in files:
            part = file.read_bytes()[:left]
            if left > 0:
                (cut / file.name).write_bytes(part)
            left -= len(part)
        again = Journal(cut, "never", segment_bytes)
        durable = sum(size <= kept for size in acknowledged)
        found = read_all(again)
        assert found == [message for batch in batches[:durable] for message in batch]
        again.append([b"later"])  # and it goes on
        assert read_all(again) == [b"later"]
        again.close()
        assert content(cut, segment_bytes) == [*found, b"later"]


@given(batches=batches.filter(bool), data=st.data())
def test_a_changed_byte_is_noticed_or_cuts_off_the_end(batches: list[list[bytes]], data: st.DataObject) -> None:
    with TemporaryDirectory() as name:
        journal = Journal(Path(name), "never")
        for batch in batches:
            journal.append(batch)
        journal.close()
        (file,) = Path(name).iterdir()
        raw = bytearray(file.read_bytes())
        at = data.draw(st.integers(0, len(raw) - 1))
        raw[at] ^= data.draw(st.integers(1, 255))
        file.write_bytes(raw)
        try:
            found = content(Path(name))
        except LasingError as error:
            event(error.diagnostics[0].code)
            codes = [diagnostic.code for diagnostic in error.diagnostics]
        else:
            codes = []
            assert found == [message for batch in batches[:-1] for message in batch], "only the last frame can be torn"
        assert codes in ([], ["E523"])


@given(batches=batches, start=st.integers(0, 40), segment_bytes=st.sampled_from([1, 60, 10_000]))
def test_reading_goes_on_where_a_checkpoint_was(batches: list[list[bytes]], start: int, segment_bytes: int) -> None:
    messages = [message for batch in batches for message in batch]
    with TemporaryDirectory() as name:
        journal = Journal(Path(name), "never", segment_bytes)
        for batch in batches:
            journal.append(batch)
        journal.close()
        again = Journal(Path(name), "never", segment_bytes)
        if start > len(messages):
            with pytest.raises(LasingError, match="E523"):
                again.seek(start)
            again.close()
            return
        again.seek(start)
        assert read_all(again) == messages[start:]
        assert again._bytes == 0
        again.forget(len(messages))
        again.close()
        assert len(list(Path(name).iterdir())) == 1, "settled segments are gone"
        with closing(Journal(Path(name), "never", segment_bytes)) as last:
            assert last.end == len(messages)


def test_numbers_go_on_after_everything_was_forgotten(tmp_path: Path) -> None:
    journal = Journal(tmp_path, segment_bytes=1)
    for message in (b"a", b"b", b"c"):
        journal.append([message])
    assert read_all(journal) == [b"a", b"b", b"c"]
    journal.forget(3)
    journal.close()
    again = Journal(tmp_path, segment_bytes=1)
    assert (again.first, again.end) == (2, 3)
    with pytest.raises(LasingError, match=r"E523.*message 1 is not in the journal"):
        again.seek(0)
    again.seek(2)
    assert read_all(again) == [b"c"]
    again.close()


def test_a_missing_segment_is_an_error(tmp_path: Path) -> None:
    journal = Journal(tmp_path, segment_bytes=1)
    for message in (b"a", b"b", b"c"):
        journal.append([message])
    journal.close()
    sorted(tmp_path.iterdir())[1].unlink()
    with pytest.raises(LasingError, match=r"E523.*messages before it are missing"):
        Journal(tmp_path)


def test_a_full_disk_is_an_error_and_nothing_acknowledged_is_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal = Journal(tmp_path)
    journal.append([b"a"])

    def full(_file: int) -> None:
        raise OSError(ENOSPC, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(journals, "sync_data", full)
        with pytest.raises(LasingError, match="E615"):
            journal.append([b"b"])
    with pytest.raises(LasingError, match=r"(?s)E523.*start again"):
        journal.append([b"c"])
    journal.close()
    assert content(tmp_path)[:1] == [b"a"]


@pytest.mark.parametrize("kind", ["disk", "memory"])
def test_the_bound_holds_until_messages_are_read(tmp_path: Path, kind: str) -> None:
    journal: Received = Journal(tmp_path, most_bytes=100) if kind == "disk" else MemoryJournal(100)
    assert journal.has_room(0)
    journal.append([b"x" * 80])
    assert not journal.has_room(0)
    reader = Thread(target=lambda: journal.read(1, 0))
    reader.start()
    while not journal.has_room(0.01):
        pass
    reader.join()
    journal.append([b"y"])
    assert journal.read(5, 0)[1][0].payload == b"y"
    journal.close()


@pytest.mark.parametrize("kind", ["disk", "memory"])
def test_one_thread_writes_while_another_reads(tmp_path: Path, kind: str) -> None:
    journal: Received = Journal(tmp_path, "never", segment_bytes=200) if kind == "disk" else MemoryJournal()
    messages = [str(i).encode() for i in range(500)]

    def write() -> None:
        for i in range(0, len(messages), 7):
            journal.append(messages[i : i + 7])

    writer = Thread(target=write)
    writer.start()
    found: list[bytes] = []
    while len(found) < len(messages):
        first, entries = journal.read(5, 1)
        assert first == len(found)
        found += [entry.payload for entry in entries]
        journal.forget(max(0, len(found) - 5))
    writer.join()
    assert found == messages
    journal.close()


def test_the_time_of_arrival_is_kept(tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    journal.append([b"a"])
    (before,) = journal.read(1, 0)[1]
    journal.close()
    with closing(Journal(tmp_path)) as again:
        (after,) = again.read(1, 0)[1]
    assert after == before
    assert after.arrived > 1_700_000_000_000_000


def test_a_message_may_look_like_a_frame(tmp_path: Path) -> None:
    """Someone may send what a journal contains; a torn end with that in it is still a torn end."""
    journal = Journal(tmp_path)
    journal.append([b"a"])
    (file,) = tmp_path.iterdir()
    frame = file.read_bytes()[len(HEADER) :]
    journal.append([frame])
    journal.close()
    file.write_bytes(file.read_bytes()[:-1])
    assert content(tmp_path) == [b"a"]
