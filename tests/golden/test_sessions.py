"""Sessions at the command line: files, commands, and what they print. `[err]` marks standard error.

--- file prog.lars
q :- p.
--- $ lasing run prog.lars
[err] …
--- stdin                    (optional, before a command: its standard input)
"""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from tests.command import lasing
from tests.golden.golden import check_golden

SESSIONS = sorted((Path(__file__).parent / "sessions").glob("*.session"))


@pytest.mark.parametrize("path", SESSIONS, ids=[p.stem for p in SESSIONS])
def test_session(path: Path, tmp_path: Path, rewrite: bool) -> None:
    check_golden(path, replay(path.read_text(encoding="utf-8"), tmp_path), rewrite)


def replay(session: str, folder: Path) -> str:
    """The session with what its commands print now."""
    intro, *sections = re.split(r"^=== ", session, flags=re.MULTILINE)
    result, standard_input = [intro], ""
    for section in sections:
        title, _, body = section.partition("\n")
        if title.startswith("file "):
            (folder / title.removeprefix("file ")).write_text(body, encoding="utf-8")
            result.append(f"=== {title}\n{body}")
        elif title == "stdin":
            standard_input = body
            result.append(f"=== {title}\n{body}")
        elif title.startswith("$ lasing"):
            result.append(f"=== {title}\n{_output(title, folder, standard_input)}")
            standard_input = ""
        else:
            raise ValueError(f"what is {title!r}?")
    return "".join(result)


def _output(title: str, folder: Path, standard_input: str) -> str:
    arguments = shlex.split(title.removeprefix("$ lasing"))
    done = lasing(*arguments, folder=folder, data=standard_input)
    errors = "".join(f"[err] {line}".rstrip() + "\n" for line in done.stderr.splitlines())
    code = f"[exit code {done.returncode}]\n" if done.returncode else ""
    return done.stdout + errors + code
