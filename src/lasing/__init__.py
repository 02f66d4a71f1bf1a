"""A stream reasoner: rules with windows and time over streams of facts.

>>> import lasing
>>> program = "hot(S) :- temp(S, V) in [2], V > 30."
>>> for answer in lasing.run(program, "temp(s1, 35) at 1.  temp(s2, 20) at 2.", end=4):
...     print(answer)
1: hot(s1)
2: hot(s1)
3: hot(s1)
4:
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lasing.connectors.bad_rows import BadRow
    from lasing.connectors.tables import Table
    from lasing.errors import LasingError, LasingWarning
    from lasing.live.engine import Engine
    from lasing.logic import values
    from lasing.logic.answers import Answer, Changes
    from lasing.logic.formulas import Atom
    from lasing.logic.program import Program
    from lasing.querying import Result, query
    from lasing.reading import parse
    from lasing.reports import Report
    from lasing.session import Run, run
    from lasing.timeline.reorder import Late
    from lasing.watching import Progress

__all__ = [
    "Answer",
    "Atom",
    "BadRow",
    "Changes",
    "Engine",
    "LasingError",
    "LasingWarning",
    "Late",
    "Program",
    "Progress",
    "Report",
    "Result",
    "Run",
    "Table",
    "parse",
    "query",
    "run",
    "values",
]

__version__ = "0.1.0"


_HOMES = {
    "Answer": "logic.answers",
    "Atom": "logic.formulas",
    "BadRow": "connectors.bad_rows",
    "Changes": "logic.answers",
    "Engine": "live.engine",
    "LasingError": "errors",
    "LasingWarning": "errors",
    "Late": "timeline.reorder",
    "Program": "logic.program",
    "Progress": "watching",
    "Report": "reports",
    "Result": "querying",
    "Run": "session",
    "Table": "connectors.tables",
    "parse": "reading",
    "query": "querying",
    "run": "session",
    "values": "logic",
}
"""Where each name is defined. It is loaded when it is asked for, so a command loads only what it uses."""


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, "models", "rdf", "spark"})


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        found = import_module(f"lasing.{_HOMES[name]}")
        globals()[name] = thing = getattr(found, name)
        return thing
    if name in ("models", "rdf", "spark"):  # so that `lasing.spark` is there without a second import
        return import_module(f"lasing.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def load_ipython_extension(ipython: Any) -> None:
    """`%load_ext lasing` in a notebook: then cells that begin with `%%lars` hold programs."""
    from lasing.notebook import load

    load(ipython)
