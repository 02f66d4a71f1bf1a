"""Environments of peers are made once, without downloads here: pip finds a fake peer in a folder."""

from __future__ import annotations

import subprocess
import zipfile
from pathlib import Path

import pytest

from lasing.bench.peers.contenders import Peer, runner
from lasing.bench.peers.environments import NotInstalledError, alone, cache_folder, provide

PEER = "fake-peer-of-lasing"


@pytest.fixture
def offline(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the wheel of a fake peer, which is all that pip can see."""
    wheels = tmp_path / "wheels"
    wheels.mkdir()
    module = PEER.replace("-", "_")
    info = f"{module}-1.5.dist-info"
    with zipfile.ZipFile(wheels / f"{module}-1.5-py3-none-any.whl", "w") as wheel:
        wheel.writestr(f"{module}.py", "ANSWER = 42\n")
        wheel.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {PEER}\nVersion: 1.5\n")
        wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(f"{info}/RECORD", "")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(wheels))
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    return tmp_path / "environments"


def test_an_environment_is_made_once(offline: Path) -> None:
    said: list[str] = []
    made = provide([PEER], offline, said.append)
    assert made.version == "1.5"
    done = subprocess.run(
        [made.python, "-c", "import fake_peer_of_lasing as f; print(f.ANSWER)"],
        check=True, capture_output=True, text=True, env=alone(),
    )  # fmt: skip
    assert done.stdout.strip() == "42"
    assert any("installing" in line for line in said)
    assert any("Installing collected packages" in line for line in said)
    assert runner(Peer("Fake", (PEER,), "in_fake", (1, 2)), made).name == "Fake 1.5"

    said.clear()
    assert provide([PEER], offline, said.append) == made
    assert said == []

    (made.python.parent.parent / ".ready").unlink()  # as after an interruption
    assert provide([PEER], offline, said.append) == made
    assert any("installing" in line for line in said)


def test_what_cannot_be_installed_has_a_reason(offline: Path) -> None:
    with pytest.raises(NotInstalledError, match="not installed: No matching distribution found for no-such-peer"):
        provide(["no-such-peer"], offline, lambda _: None)
    assert not list(offline.glob("*/.ready"))


def test_a_folder_that_cannot_be_written_is_a_reason(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(NotInstalledError, match="no environment can be made"):
        provide([PEER], tmp_path / "file", lambda _: None)


def test_packages_of_this_environment_are_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", "/somewhere")
    monkeypatch.setenv("XDG_CACHE_HOME", "/caches")
    assert "PYTHONPATH" not in alone()
    assert cache_folder() == Path("/caches/lasing/peers")
