"""Kernels are compiled by Numba, each when it is first used, and kept on disk.

A kernel calls others. Numba alone would compile each of these to machine code of its own before it compiles the caller,
with all of their code in it once more; that is most of the time that it takes. Here, a kernel that is called by another
one is only translated, as a *part* of its caller, and what is called from Python is optimised once, with all its parts.

A compiled kernel is kept under a stamp of all sources that it was made of, and so is not used any more when one of them
has changed. Where there is no place to keep kernels, they are compiled each time.

With LASING_KERNELS=python in the environment, the kernels of the local engine run as plain Python instead, and check
every index (see `lasing.engines.local.checked`): slow, for finding mistakes in them.
"""

# mypy: allow-untyped-calls, disable-error-code="attr-defined"
# (Numba has types for some of its inside.)

from __future__ import annotations

import hashlib
import os
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache as remember
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar

from numba import _dynfunc
from numba.core import event
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder, _LowerResult
from numba.core.compiler_machinery import register_pass
from numba.core.registry import CPUDispatcher
from numba.core.typed_passes import NativeLowering

from lasing.errors import Diagnostic, warn

_NO_PLACE = Diagnostic(
    "W205",
    "there is no place to keep compiled kernels, so they are compiled in every run, which takes up to a minute",
    note="set NUMBA_CACHE_DIR to a folder that can be written",
)

PLAIN_PYTHON = os.environ.get("LASING_KERNELS") == "python"
"""Whether kernels run as plain Python."""

_warned = False
_CHECKED = "lasing.engines.local."
_plain: list[Callable[..., Any]] = []

Kernel = TypeVar("Kernel", bound=Callable[..., Any])


def njit(*, cache: bool, **options: Any) -> Callable[[Kernel], Kernel]:
    """Numba's decorator of this name, for a kernel that Python or other kernels call."""

    def compiled(function: Kernel) -> Kernel:
        if PLAIN_PYTHON and function.__module__.startswith(_CHECKED):
            return function
        _source(function.__module__)  # as it is now that it is loaded
        return _Kernel(function, cache, options)  # type: ignore[return-value]  # it is called as the function is

    return compiled


def address_of(kernel: Any, signature: Any) -> int:
    """Where the machine code of a kernel is, to be called by its address; it is compiled if it is not yet."""
    if not PLAIN_PYTHON:
        return int(kernel.address(signature))
    if kernel not in _plain:
        _plain.append(kernel)
    return _plain.index(kernel)


def kernel_at(address: int) -> Callable[..., Any]:
    """The kernel at an address, where kernels are plain Python."""
    return _plain[address]


class _Kernel(CPUDispatcher):
    """A kernel: compiled and kept where Python calls it, and a part of those that call it."""

    def __init__(self, function: Callable[..., Any], is_kept: bool, options: dict[str, Any]) -> None:
        super().__init__(function, targetoptions={"nopython": True, "boundscheck": None, **options})
        self._is_kept = is_kept
        self._options = options
        self._part: CPUDispatcher | None = None

    def compile(self, signature: Any) -> Any:
        if self._is_kept:
            self._is_kept = False
            self._keep()
        return super().compile(signature)

    def address(self, signature: Any) -> int:
        if signature.args not in self.overloads:
            self.compile(signature)
        found = self.overloads[signature.args]
        return int(found.library.get_pointer_to_function(found.fndesc.llvm_cfunc_wrapper_name))

    def _keep(self) -> None:
        """Keep what is compiled from now on, and use what is kept."""
        try:
            self.enable_caching()
        except RuntimeError:  # there is no place
            _warn_once()
        else:
            self._cache._cache_file._source_stamp = _stamp(self.py_func.__module__)

    # What another kernel, which is being compiled, asks for:

    def get_call_template(self, args: Any, kws: Any) -> Any:
        if self._part is None:
            options = {"nopython": True, "boundscheck": None, **self._options}
            options |= {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
            self._part = CPUDispatcher(self.py_func, targetoptions=options, pipeline_class=_PartCompiler)
        return self._part.get_call_template(args, kws)

    def get_overload(self, signature: Any) -> Any:
        assert self._part is not None, "a call is translated after its types are known"
        return self._part.get_overload(signature)


class _PartLibrary(JITCodeLibrary):
    """The code of a part: it is linked into its callers, and neither optimised before nor run by itself."""

    def _optimize_final_module(self) -> None:
        pass

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True


@register_pass(mutates_CFG=True, analysis_only=False)
class _PartLowering(NativeLowering):
    """Numba's last pass, without the compilation to machine code."""

    _name = "part_lowering"

    def run_pass(self, state: Any) -> bool:
        state.library = _PartLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
        state.flags.no_compile = True
        super().run_pass(state)
        state.library.finalize()
        result = state["cr"]
        module, name, nowhere = result.fndesc.lookup_module(), result.fndesc.qualname.split(".")[-1], 0
        stub = _dynfunc.make_function(module, name, "a part", nowhere, result.env, (state.library,))  # to know it by
        state.targetctx.insert_user_function(stub, result.fndesc, [state.library])
        state.reload_init.extend(state.library._reload_init)
        state["cr"] = _LowerResult(result.fndesc, result.call_helper, cfunc=stub, env=result.env)
        return True


class _PartCompiler(CompilerBase):
    """Numba's compiler, with that last pass."""

    def define_pipelines(self) -> list[Any]:
        passes = DefaultPassBuilder.define_nopython_pipeline(self.state)
        passes.passes = [(_PartLowering if one is NativeLowering else one, why) for one, why in passes.passes]
        passes._finalized = False
        passes.finalize()
        return [passes]


def _warn_once() -> None:
    global _warned
    if not _warned:
        _warned = True
        warn([_NO_PLACE])


# -- stamps ------------------------------------------------------------------------------------------------------------

_IMPORT = re.compile(r"^from (lasing[\w.]*) import", re.MULTILINE)


@remember
def _stamp(module: str) -> str:
    """A hash of all sources that the kernels of a module are made of: its own, those that it imports from the package
    that it belongs to, and this one, which says how they are compiled."""
    package = ".".join(module.split(".")[:-1][:3])
    found, waiting = {__name__}, [module]
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += [other for other in _imports(name) if other.startswith(f"{package}.")]
    sums = (f"{name} {hashlib.sha256(_source(name)).hexdigest()}\n" for name in sorted(found))
    return hashlib.sha256("".join(sums).encode()).hexdigest()


def _imports(module: str) -> set[str]:
    named = set(_IMPORT.findall(_source(module).decode("utf-8")))
    modules = {value.__name__ for value in vars(sys.modules[module]).values() if isinstance(value, ModuleType)}
    return {name for name in named | modules if name in sys.modules}


@remember
def _source(module: str) -> bytes:
    path = sys.modules[module].__file__
    return Path(path).read_bytes() if path is not None else b""


# -- news --------------------------------------------------------------------------------------------------------------


class _First(event.Listener):
    """Calls a function when the first compilation starts; what is taken from the cache is not compiled."""

    def __init__(self, call: Callable[[], None]) -> None:
        self._call: Callable[[], None] | None = call

    def on_start(self, _event: Any) -> None:
        call, self._call = self._call, None
        if call is not None:
            call()

    def on_end(self, _event: Any) -> None:
        pass


@contextmanager
def before_compiling(call: Callable[[], None]) -> Iterator[None]:
    """Call a function once, as soon as something is compiled within."""
    with event.install_listener("numba:compile", _First(call)):
        yield
