"""Functions of the user on Spark's workers: they travel with the program."""

from __future__ import annotations

import sys
import sysconfig
from pathlib import Path

from lasing.logic.own import Functions


def ship(functions: Functions) -> Functions:
    """Let Spark send the code of functions whose modules the workers may not have, and return the functions.

    Spark sends the code of functions of a notebook or script anyway, and otherwise only the name of the module. So the
    modules of these functions are marked to be sent, except for what is installed on every machine.
    """
    from pyspark import cloudpickle

    for function in functions.values():
        module = sys.modules.get(getattr(function, "__module__", None) or "")
        if (
            module is not None
            and module.__name__ != "__main__"
            and not _is_installed(getattr(module, "__file__", None))
        ):
            cloudpickle.register_pickle_by_value(module)  # type: ignore[no-untyped-call]
    return functions


def _is_installed(file: str | None) -> bool:
    """Whether a module is built in, or part of Python or of an installed package."""
    if file is None:
        return True
    places = [Path(sysconfig.get_path(name)).resolve() for name in ("stdlib", "platstdlib", "purelib", "platlib")]
    return any(Path(file).resolve().is_relative_to(place) for place in places)
