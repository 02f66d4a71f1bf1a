"""Functions of the user on Spark's workers: they travel with the program."""

from __future__ import annotations

import pickle
import sys
import sysconfig
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from lasing.logic.own import functions_in, with_functions
from lasing.logic.program import Program


def ship(program: Program) -> Program:
    """The program with functions that can be sent to the workers, which may not have the modules of the user."""
    functions = functions_in(program)
    return with_functions(program, {name: Shipped(function) for name, function in functions.items()} or None)


@dataclass(frozen=True)
class Shipped:
    """A function that is sent with its code. Plain pickle would send only the names of its module and itself."""

    __wrapped__: Callable[..., Any]

    def __call__(self, *args: Any) -> Any:
        return self.__wrapped__(*args)

    def __reduce__(self) -> tuple[Callable[[bytes], Shipped], tuple[bytes]]:
        from pyspark import cloudpickle

        module = sys.modules.get(getattr(self.__wrapped__, "__module__", None) or "")
        if module is not None and _is_of_the_user(module):
            cloudpickle.register_pickle_by_value(module)  # type: ignore[no-untyped-call]
        return _received, (cloudpickle.dumps(self.__wrapped__),)  # type: ignore[no-untyped-call]


def _received(code: bytes) -> Shipped:
    return Shipped(pickle.loads(code))  # noqa: S301 -- what the driver sent, as Spark itself sends functions


def _is_of_the_user(module: ModuleType) -> bool:
    """Whether a module is neither built in nor part of Python or of an installed package, which workers have too."""
    file = getattr(module, "__file__", None)
    if module.__name__ == "__main__" or file is None:  # the code of a script or notebook is sent anyway
        return False
    places = [Path(sysconfig.get_path(name)).resolve() for name in ("stdlib", "platstdlib", "purelib", "platlib")]
    return not any(Path(file).resolve().is_relative_to(place) for place in places)
