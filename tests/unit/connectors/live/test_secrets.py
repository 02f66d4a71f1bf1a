"""Secrets come from the environment or a file, and are never shown."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from lasing.connectors.live.secrets import Secret, secret_from
from lasing.errors import LasingError


def test_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BROKER_PASSWORD", "hunter2")
    secret, findings = secret_from({"password_env": "BROKER_PASSWORD"}, "password", "sources.s")
    assert secret is not None
    assert (secret.reveal(), findings) == ("hunter2", [])


@pytest.mark.parametrize("content", ["hunter2", "hunter2\n", "hunter2\r\n"])
def test_from_a_file(tmp_path: Path, content: str) -> None:
    (tmp_path / "secret").write_bytes(content.encode())
    secret, findings = secret_from({"token_file": str(tmp_path / "secret")}, "token", "sources.s")
    assert secret is not None
    assert (secret.reveal(), findings) == ("hunter2", [])


def test_the_old_key_is_accepted_with_a_warning() -> None:
    secret, findings = secret_from({"password": "hunter2"}, "password", "sources.s")
    assert secret is not None
    assert secret.reveal() == "hunter2"
    assert [d.code for d in findings] == ["W213"]
    assert "hunter2" not in str(findings[0])
    assert 'password_env = "NAME"' in findings[0].note


def test_no_key_is_no_secret() -> None:
    assert secret_from({"user": "u"}, "password", "sources.s") == (None, [])


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"password_env": "NO_SUCH_VARIABLE"}, "E522.*NO_SUCH_VARIABLE is not set"),
        ({"password_env": "EMPTY_VARIABLE"}, "E522.*EMPTY_VARIABLE is empty"),
        ({"password_file": "missing"}, "E522.*missing cannot be read: No such file"),
        ({"password_file": "\0"}, "E522.*is not the name of a file"),
        ({"password_file": "empty"}, "E522.*is empty"),
        ({"password_file": "two-lines"}, "E522.*more than one line"),
        ({"password_file": "latin"}, "E522.*not UTF-8"),
        ({"password_env": "A", "password": "hunter2"}, "E524.*password and password_env contradict"),
    ],
)
def test_what_is_missing_is_said(
    settings: dict[str, str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("EMPTY_VARIABLE", "")
    (tmp_path / "empty").write_text("\n")
    (tmp_path / "two-lines").write_text("hunter2\nhunter3\n")
    (tmp_path / "latin").write_bytes(b"\xe9")
    with pytest.raises(LasingError, match=message) as raised:
        secret_from(settings, "password", "sources.s")
    assert "hunter" not in str(raised.value)


def test_a_secret_does_not_show_itself() -> None:
    secret = Secret("hunter2")
    assert "hunter2" not in f"{secret} {secret!r} {[secret]}"
    with pytest.raises(TypeError, match="not written down"):
        pickle.dumps(secret)
    assert secret.is_given(b"hunter2")
    assert not secret.is_given(b"hunter3")
