"""The functions of a Python module, for programs that call functions of the user."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

from lasing.errors import LasingError, fault


def functions_of_module(name: str, folder: Path | None = None) -> dict[str, Callable[..., Any]]:
    """The functions in the `__all__` of a module; without one, all functions that it defines whose names do not begin
    with an underscore. The module is looked for in a folder first: by default, in the current one.
    """
    where = "the current folder" if folder is None else f"the folder {folder}"
    module = _imported(name, (folder or Path()).resolve(), where)
    exported = getattr(module, "__all__", None)
    if exported is None:
        found = {n: f for n, f in vars(module).items() if _is_own(module, f) and not n.startswith("_")}
    else:
        found = {n: getattr(module, n) for n in exported if callable(getattr(module, n, None))}
    if not found:
        note = "define functions at the top of the module, or name them in its __all__"
        raise fault("E320", f"the module {name} has no functions", note=note)
    return found


def _is_own(module: ModuleType, thing: object) -> bool:
    return isinstance(thing, FunctionType) and thing.__module__ == module.__name__


def _imported(name: str, folder: Path, where: str) -> ModuleType:
    sys.path.insert(0, str(folder))
    try:
        return importlib.import_module(name)
    except LasingError:
        raise
    except Exception as error:
        missing = isinstance(error, ModuleNotFoundError) and error.name == name
        message = (
            f"there is no module {name}" if missing else f"the module {name} raised {type(error).__name__}: {error}"
        )
        note = f"a module is named without .py, and is looked for in {where} and where Python looks"
        raise fault("E320", message, note=note if missing else "") from error
    finally:
        sys.path.remove(str(folder))
