"""Golden files: a text that a program makes, kept as a file that a person has read."""

from __future__ import annotations

from pathlib import Path


def check_golden(path: Path, text: str, rewrite: bool) -> None:
    """Fail where a text differs from its golden file, or write the file."""
    if rewrite:
        path.write_text(text, encoding="utf-8")
    expected = path.read_text(encoding="utf-8") if path.exists() else "(no golden file: run `make golden`)"
    assert text == expected
