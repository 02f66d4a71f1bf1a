"""A state is read back as it was written, or refused."""

from __future__ import annotations

import random

import pyarrow as pa
import pytest

from lasing import LasingError
from lasing.spark.state import ShardState
from lasing.spark.tables import to_bytes

WINDOW = {"p": pa.table({"time": [3, 4], "arg1": ["a", "b"]}), "n": pa.table({"time": [3], "arg1": [2.5]})}
HELD = {"q": pa.table({"from": [3], "*count": [1], "arg1": ["a"]})}
STATE = ShardState(3, 4, 9, {"p": 4, "n": 5}, {"p": 10**15}, "token", WINDOW, HELD)


def test_a_state_comes_back_as_it_was() -> None:
    for state in (ShardState(), STATE):
        assert ShardState.from_bytes(state.to_bytes()) == state


def test_a_byte_that_is_changed_missing_or_added_is_noticed() -> None:
    stored, chance = STATE.to_bytes(), random.Random(1)
    damaged = [stored[:cut] for cut in range(0, len(stored), 7)] + [stored + b"\0"]
    for _ in range(2000):
        other = bytearray(stored)
        for at in chance.sample(range(len(stored)), chance.choice([1, 1, 2, 8])):
            other[at] ^= chance.randint(1, 255)
        damaged.append(bytes(other))
    for bad in damaged:
        with pytest.raises(LasingError, match=r"E614.*damaged"):
            ShardState.from_bytes(bad)


@pytest.mark.parametrize(
    "edited",
    [
        ShardState(window={"p": pa.table({"at": [1]})}),
        ShardState(window={"p": pa.table({"time": ["1"]})}),
        ShardState(window={"p": pa.table({"time": pa.array([1, None], pa.int64())})}),
        ShardState(held={"q": pa.table({"time": [1]})}),
        ShardState(start="3"),  # type: ignore[arg-type]
        ShardState(closed={"p": "3"}),  # type: ignore[dict-item]
        ShardState(token=None),  # type: ignore[arg-type]
    ],
)
def test_a_malformed_state_is_refused_even_if_its_checksum_is_right(edited: ShardState) -> None:
    with pytest.raises(LasingError, match=r"E614.*damaged"):
        ShardState.from_bytes(edited.to_bytes())


def test_an_older_state_is_that_of_another_version() -> None:
    known = '{"start": 1, "until": 2, "newest": 3, "token": ""}'
    old = to_bytes(pa.table({"part": pa.array([], pa.string())}).replace_schema_metadata({"lasing": known}))
    with pytest.raises(LasingError, match=r"E608.*another version"):
        ShardState.from_bytes(old)
