"""Passwords and tokens: from the environment or from a file, and never printed."""

from __future__ import annotations

import hmac
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lasing.errors import Diagnostic, fault

_LARGEST = 65_536


class Secret:
    """A text that does not show itself.

    >>> Secret("hunter2")
    Secret(…)
    >>> print(Secret("hunter2"))
    Secret(…)
    >>> Secret("hunter2").reveal()
    'hunter2'
    """

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        self._text = text

    def reveal(self) -> str:
        """The text itself, for the other side alone."""
        return self._text

    def is_given(self, attempt: bytes) -> bool:
        """Whether someone else has the same secret. It takes the same time wherever the first difference is."""
        return hmac.compare_digest(self._text.encode(), attempt)

    def __repr__(self) -> str:
        return "Secret(…)"

    def __reduce__(self) -> tuple[Any, ...]:
        raise TypeError("a secret is not written down")


def secret_keys(name: str) -> tuple[str, str]:
    """The keys of settings that say where a secret is.

    >>> secret_keys("password")
    ('password_env', 'password_file')
    """
    return f"{name}_env", f"{name}_file"


def secret_from(settings: Mapping[str, Any], name: str, where: str) -> tuple[Secret | None, list[Diagnostic]]:
    """The secret that settings name: `password_env = "NAME"` or `password_file = "PATH"`. None if there is no such key.

    `password = "…"`, the secret itself, still works and is warned about. `where` is the place of the settings, for
    messages.
    """
    env, file = secret_keys(name)
    given = [key for key in (name, env, file) if settings.get(key) is not None]
    if not given:
        return None, []
    if len(given) > 1:
        raise fault("E524", f"{where}: {given[0]} and {given[1]} contradict each other", note="give one of them")
    value = str(settings[given[0]])
    if given[0] == env:
        return _from_environment(value, f"{where}: {env}"), []
    if given[0] == file:
        return _from_file(Path(value), f"{where}: {file}"), []
    note = f'write {env} = "NAME" and set this variable, or {file} = "PATH"; whoever reads this file knows the {name}'
    return Secret(value), [Diagnostic("W213", f"{where}: the {name} is in the file", note=note)]


def _from_environment(variable: str, where: str) -> Secret:
    text = os.environ.get(variable, "")
    if not text:
        state = "is empty" if variable in os.environ else "is not set"
        raise fault("E522", f"{where}: the environment variable {variable} {state}", note=f"export {variable}=…")
    return Secret(text)


def _from_file(path: Path, where: str) -> Secret:
    try:
        with path.open("rb") as file:
            raw = file.read(_LARGEST + 1)
    except OSError as error:
        raise fault("E522", f"{where}: {path} cannot be read: {error.strerror or error}") from None
    except ValueError:
        raise fault("E522", f"{where}: {str(path)!r} is not the name of a file") from None
    try:
        text = raw.decode().removesuffix("\n").removesuffix("\r")
    except UnicodeDecodeError:
        raise fault("E522", f"{where}: {path} is not UTF-8 text") from None
    if not text or len(raw) > _LARGEST or "\n" in text:
        problem = "is empty" if not text else "has more than one line"
        raise fault("E522", f"{where}: {path} {problem}", note="the file has the secret alone, in one line")
    return Secret(text)
