"""`%%lars` for notebooks: a cell with a program, which is checked, run on a stream, and shown.

%load_ext lasing

%%lars --stream readings --at 4 -o answers
hot(S) :- temp(S, V) in [5], V > 30.
"""

from __future__ import annotations

import argparse
import shlex
import sys
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NoReturn, TypeVar

from lasing.drawing.html import table
from lasing.drawing.svg import clean
from lasing.errors import LasingError, LasingWarning, fault, render
from lasing.languages import NAMES
from lasing.logic.program import Program
from lasing.reading import parse
from lasing.session import run

Item = TypeVar("Item")

VIEWS = ("timeline", "answers", "changes", "intervals", "frames")
_MOST = 20
"""How many answers are shown."""


class CellFailed(Exception):  # noqa: N818 -- a notebook shows its name
    """A mistake in a cell. A notebook shows the findings, as the command line does, without a traceback."""

    def __init__(self, error: LasingError) -> None:
        self.diagnostics = error.diagnostics
        super().__init__(render(error.diagnostics))

    def _render_traceback_(self) -> list[str]:
        return str(self).splitlines()


class _Options(argparse.ArgumentParser):
    """Options of a cell; mistakes are errors, not the end of the process."""

    def error(self, message: str) -> NoReturn:
        raise fault("E773", message, note=" ".join(self.format_usage().split()))

    def exit(self, status: int = 0, message: str | None = None) -> NoReturn:
        raise fault("E773", message or f"the options of %%lars end it ({status})")


def _options() -> _Options:
    options = _Options(prog="%%lars", add_help=False, allow_abbrev=False)
    options.add_argument("--stream", "-s", metavar="NAME|FILE", help="a variable with a stream, or a file")
    options.add_argument("--start", metavar="TIME", help="the first time point")
    options.add_argument("--end", metavar="TIME", help="the last time point")
    options.add_argument("--at", metavar="TIME", help="shade the windows of this time point")
    options.add_argument("--as", dest="view", choices=VIEWS, default="timeline", help="what to show and to keep")
    options.add_argument("--sort", action="store_true", help="sort the stream by time first")
    options.add_argument("--language", choices=NAMES, help="the language of the cell")
    options.add_argument("--data", metavar="NAME|FILE", help="background: a variable, or a file")
    options.add_argument("--program", "-p", metavar="NAME", help="keep the program in this variable")
    options.add_argument("--output", "-o", metavar="NAME", help="keep the result in this variable")
    return options


def lars(line: str, cell: str, variables: Mapping[str, Any]) -> tuple[Any, dict[str, Any]]:
    """What a cell shows, and the variables that it sets. Raises `CellFailed` with every mistake."""
    with warnings.catch_warnings():
        warnings.showwarning = _show_warning
        try:
            return _evaluated(line, cell, variables)
        except LasingError as error:
            raise CellFailed(error) from None


_show_as_python_does = warnings.showwarning


def _show_warning(message: Warning | str, category: type[Warning], *place: Any, **more: Any) -> None:
    """Print one of our warnings as a finding, without its place in our own code."""
    if issubclass(category, LasingWarning):
        print(message, file=sys.stderr)
    else:
        _show_as_python_does(message, category, *place, **more)


class _Html:
    """HTML for a notebook."""

    def __init__(self, text: str) -> None:
        self._text = text

    def _repr_html_(self) -> str:
        return self._text


class Shown(list[Item]):
    """A list that a notebook shows piece by piece."""

    def _repr_html_(self) -> str:
        pieces = [f"<p>{clean(str(item))}</p>" if (html := _html(item)) is None else html for item in self[:_MOST]]
        more = f"<p><i>and {len(self) - _MOST:,} more</i></p>" if len(self) > _MOST else ""
        return "".join(pieces) + more


def _html(item: object) -> str | None:
    shown = getattr(item, "_repr_html_", None)
    return None if shown is None else str(shown())


def _evaluated(line: str, cell: str, variables: Mapping[str, Any]) -> tuple[Any, dict[str, Any]]:
    try:
        words = shlex.split(line)
    except ValueError as error:
        raise fault("E773", f"the options cannot be read: {error}", note="close quotes") from None
    options = _options().parse_args(words)
    for name in filter(None, (options.program, options.output)):
        if not name.isidentifier():
            raise fault("E773", f"{name} is not the name of a variable")
    data = None if options.data is None else _given(options.data, variables, "--data")
    program = parse(cell, language=options.language, data=data)
    kept: dict[str, Any] = {} if options.program is None else {options.program: program}
    if options.stream is None and not program.data:
        return program, kept if options.output is None else {**kept, options.output: program}
    stream = None if options.stream is None else _given(options.stream, variables, "--stream")
    shown, result = _results(program, stream, options)
    return shown, kept if options.output is None else {**kept, options.output: result}


def _results(program: Program, stream: Any, options: argparse.Namespace) -> tuple[Any, Any]:
    """What to show of a run, and what to keep of it."""
    begun = run(program, stream, _time(options.start), _time(options.end), sort=options.sort)
    match options.view:
        case "answers":
            answers = Shown(begun)
            return answers, answers
        case "changes":
            changes = Shown(begun.changes())
            return changes, changes
        case "intervals":
            held = list(begun.intervals())
            time = begun.program.time_text
            rows = [(str(one.atom), time(one.since), time(one.until)) for one in held]
            return _Html(table("", ("atom", "from", "to"), rows)), held
        case "frames":
            frames = begun.to_pandas()
            return frames, frames
    timeline = begun.show(_time(options.at))
    return timeline, timeline


def _time(text: str | None) -> int | str | None:
    """A time point, or a date."""
    return int(text) if text is not None and text.lstrip("-").isdecimal() else text


def _given(name: str, variables: Mapping[str, Any], option: str) -> Any:
    """The variable of this name, or the file."""
    if name in variables:
        return variables[name]
    path = Path(name)
    if not path.exists():
        raise fault("E773", f"there is neither a variable nor a file {name}", note=f"{option} names one of them")
    return path


def load(ipython: Any) -> None:
    """Make `%%lars` known to a notebook."""

    def magic(line: str, cell: str) -> Any:
        shown, kept = lars(line, cell, ipython.user_ns)
        ipython.push(kept)
        return shown

    magic.__doc__ = f"{__doc__}\n{_options().format_help()}"
    ipython.register_magic_function(magic, "cell", "lars")
