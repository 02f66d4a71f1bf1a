"""What a worker has loaded is not looked through again by garbage collections."""

from __future__ import annotations

import gc

import pytest

from lasing.spark import settling


def test_what_is_loaded_is_frozen_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settling, "_settled", False)
    before = gc.get_freeze_count()
    try:
        settling.settle()
        settled = gc.get_freeze_count()
        assert settled > before
        later = [[i] for i in range(1000)]
        settling.settle()
        assert gc.get_freeze_count() <= settled
        assert len(later) == 1000
    finally:
        gc.unfreeze()
