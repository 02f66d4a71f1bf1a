"""A process that evaluates what a page asks for: `python -m lasing.serve.worker`.

It takes requests from its standard input and answers on its standard output, a line of JSON each. Its folder is empty
and its own. The server kills it when an answer takes too long or it needs too much memory; so nothing in here has to
be able to stop by itself, although the engine's own limits usually do, with a message that names the rule.
"""

from __future__ import annotations

import base64
import json
import os
import re
import sys
import threading
import time
import traceback
import warnings
from collections.abc import Callable
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Any

from lasing.connectors.rdf.mapped import Mapped
from lasing.connectors.rdf.mapping import read_mapping
from lasing.connectors.rows import time_of
from lasing.connectors.sources import FORMATS, FileSource, file_source, mapped
from lasing.errors import LasingError, LasingWarning, fault
from lasing.languages import format_program, translated
from lasing.logic.program import Program
from lasing.serve.describing import described
from lasing.serve.generating import generated
from lasing.serve.settings import Given
from lasing.serve.stepping import Stepping
from lasing.serve.texts import Reader, finding_json
from lasing.session import Run

Json = dict[str, Any]

_FILE = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,60}(\.[a-z]{1,8}){1,2}")
_MOST_KNOWN = 5_000
_BUDGET = 0.25
"""How many seconds of a request go into steps, so that a page that wants many gets some of them soon."""


class Desk:
    """Answers requests. It has at most one run at a time."""

    def __init__(self, given: Given, memory: int, seconds: float, say: Callable[[Json], None]) -> None:
        self._reader = Reader(given)
        self._given = given
        self._memory, self._seconds = memory, seconds
        self._say = say
        self._run: Stepping | None = None

    def answer(self, asked: Json) -> Json:
        """The answer to a request; a mistake of the user is an answer too."""
        known: dict[str, Callable[[Json], Json]] = {
            "check": self._check,
            "format": self._format,
            "translate": self._translate,
            "generate": self._generate,
            "load": self._load,
            "step": self._step,
            "explain": self._explain,
        }
        try:
            return known[asked["do"]](asked)
        except LasingError as error:
            return {"findings": [finding_json(d) for d in error.diagnostics]}
        except RecursionError:
            return _failed("the program is nested too deeply to be evaluated here")
        except MemoryError:
            return _failed("there is not enough memory for this")
        except Exception as error:  # a mistake of ours, or a request that no page of ours makes: the process goes on
            traceback.print_exc()
            return _failed(f"this failed inside lasing ({type(error).__name__}); the terminal has the details")

    # -- programs --------------------------------------------------------------------------------------------------

    def _check(self, asked: Json) -> Json:
        program, found = self._reader.examined(asked["text"], asked["language"])
        answer: Json = {"findings": [finding_json(d) for d in found]}
        if not any(d.severity == "error" for d in found):
            answer["about"] = described(program)
        return answer

    def _format(self, asked: Json) -> Json:
        source = self._reader.source(asked["text"], asked["language"])
        return {"text": format_program(source, asked["language"])}

    def _translate(self, asked: Json) -> Json:
        return {"text": translated(self._reader.program(asked["text"], asked["language"]), asked["language"])}

    def _generate(self, asked: Json) -> Json:
        program = self._reader.program(asked["text"], asked["language"])
        known = []
        with suppress(LasingError):  # a stream that cannot be read is no example, and is reported when it is run
            known = list(islice(Run(program, self._stream(asked), None, None, warn=False).facts(), _MOST_KNOWN))
        first = known[0].time if known else 0
        points, rate = min(int(asked["points"]), 10_000), min(float(asked["rate"]), 100.0)
        return {"text": generated(program, known, points, rate, int(asked["seed"]), first)}

    # -- runs ------------------------------------------------------------------------------------------------------

    def _load(self, asked: Json) -> Json:
        self._run = None
        program = self._reader.program(asked["text"], asked["language"])
        start, end = (_time(asked.get(key), program) for key in ("from", "to"))
        stream = self._stream(asked)
        planned = Run(program, stream, None, None, warn=False)
        self._say({"phase": "loading"})
        planned.prepare(lambda: self._say({"phase": "compiling"}))
        self._say({"phase": "running"})
        seconds = 0.8 * self._seconds
        self._run = Stepping(program, stream, start, end, max_memory=self._memory, max_time=seconds)
        return {"about": described(program), "first": self._run.first, "shown": self._run.shown(self._run.first)}

    def _step(self, asked: Json) -> Json:
        run = self._running()
        until = time.monotonic() + _BUDGET
        moments: list[Json] = []
        answer: Json = {"moments": moments}
        was_over = run.ended
        try:
            while len(moments) < asked["count"] and (not moments or time.monotonic() < until):
                moments.append(run.moment_json(run.step()))
                if run.ended and not was_over:
                    break
        except LasingError as error:  # what was reached before it is still worth showing
            self._run = None
            answer["findings"] = [finding_json(d) for d in error.diagnostics]
            return answer
        return {**answer, "ended": run.ended, "figures": run.figures(), "notes": run.notes()}

    def _explain(self, asked: Json) -> Json:
        return self._running().explain(asked["goal"], int(asked["time"]))

    def _running(self) -> Stepping:
        if self._run is None:
            raise fault("E787", "nothing is running", note="run the program first")
        return self._run

    # -- streams ---------------------------------------------------------------------------------------------------

    def _stream(self, asked: Json) -> Any:
        """The stream of a request: text, an upload, or one that the command line named. Never a path of the page."""
        given = asked.get("stream") or {"kind": "text", "text": ""}
        match given["kind"]:
            case "text":
                return _as_facts(given["text"])
            case "upload":
                return self._as_triples(self._uploaded(given))
            case "named":
                return self._as_triples(self._named(int(given["number"])))
            case _:
                raise fault("E787", f"{given['kind']!r} is not a kind of stream")

    def _uploaded(self, given: Json) -> FileSource:
        name = Path(str(given["name"])).name
        if not _FILE.fullmatch(name) or not any(ending in Path(name).suffixes for ending in FORMATS):
            note = f"a name of letters, digits, - and _ that ends in {' '.join(FORMATS)}"
            raise fault("E788", f"{name!r} is not the name of a stream", note=note)
        for old in Path().iterdir():  # this folder is ours, and only the last upload is needed
            old.unlink()
        Path(name).write_bytes(base64.b64decode(given["base64"]))
        return file_source(name, self._given.time)

    def _named(self, number: int) -> FileSource:
        if not 0 <= number < len(self._given.streams):
            raise fault("E788", "the command line did not name this stream")
        return file_source(self._given.streams[number].argument, self._given.time)

    def _as_triples(self, source: FileSource) -> FileSource | Mapped:
        """A table whose rows become triples, if the command line has a mapping for it."""
        if source.format in ("csv", "jsonl", "parquet"):
            for argument in self._given.mappings:
                name, _, file = argument.rpartition("=")
                if not name or name == (source.columns.predicate or source.path.stem):
                    return mapped(source, read_mapping(Path(self._given.folder) / file))
        return source


def _as_facts(text: str) -> str:
    """Text that is read as facts, whatever it looks like: one word alone would be taken for the name of a file."""
    return text + "\n"


def _time(given: Any, program: Program) -> Any:
    """A time point of the page: a number, or with a #tick a date; None if the field is empty."""
    text = "" if given is None else str(given).strip()
    if not text:
        return None
    return time_of(int(text) if re.fullmatch(r"-?[0-9]{1,18}", text) else text, program.tick)


def _failed(message: str) -> Json:
    return {"findings": [{"code": "E787", "severity": "error", "message": message, "note": ""}]}


# -- the process -------------------------------------------------------------------------------------------------------


def main() -> None:
    """Answer requests until the server closes the pipe, or is gone."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # whatever a function of the user prints is not an answer
    parent = os.getppid()
    threading.Thread(target=_leave_with, args=(parent,), daemon=True).start()
    warnings.simplefilter("ignore", LasingWarning)  # the page asks for findings

    def say(content: Json) -> None:
        answers.write(json.dumps(content) + "\n")
        answers.flush()

    first = json.loads(sys.stdin.readline())
    _bound_memory(first["memory"])
    try:
        desk = Desk(Given.from_json(first["given"]), first["memory"], first["seconds"], say)
    except LasingError as error:
        say({"failed": [finding_json(d) for d in error.diagnostics]})
        return
    say({"ready": True})
    for line in sys.stdin:
        say({"answer": desk.answer(json.loads(line))})


def _leave_with(parent: int) -> None:
    """End when the server has ended, even in the middle of a request."""
    while os.getppid() == parent:
        time.sleep(1)
    os._exit(1)


def _bound_memory(memory: int) -> None:
    """A last resort, for what grows faster than the server looks: the engine and the server stop earlier."""
    if sys.platform == "linux":
        import resource

        most = 2 * memory + 2**30  # Python, NumPy and the kernels take some of it before anything runs
        resource.setrlimit(resource.RLIMIT_DATA, (most, most))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


if __name__ == "__main__":
    main()
