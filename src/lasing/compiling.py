"""Numba compiles each kernel when it is first used, and caches it on disk.

Kernels call other kernels. By default, Numba compiles each called kernel to machine code of its own, and then compiles
its code again as part of the caller; that is most of the compile time. Here, a kernel that another kernel calls is only
translated, as a *part* of its caller, and a kernel that Python calls is optimised once, with all its parts.

The cache finds a kernel by a stamp of all the sources it was compiled from, so it is not used once one of them has
changed. It keeps machine code only, and loads it without the parts of Numba that compile. If there is no writable cache
folder, kernels are compiled in every run.

With LASING_KERNELS=python in the environment, the kernels of the local engine run as plain Python instead, and check
every index (see `lasing.engines.local.checked`). That is slow, and meant for debugging.
"""

# mypy: allow-untyped-calls, disable-error-code="attr-defined"
# (Numba has types for only some of its internals.)

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

from llvmlite import binding as llvm  # type: ignore[import-untyped]
from numba import _dynfunc
from numba.core import event
from numba.core.caching import CompileResultCacheImpl, FunctionCache
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder, _LowerResult
from numba.core.compiler_machinery import register_pass
from numba.core.registry import CPUDispatcher
from numba.core.runtime import rtsys
from numba.core.typed_passes import NativeLowering

from lasing.errors import Diagnostic, warn

_NO_PLACE = Diagnostic(
    "W205",
    "there is no writable place to cache compiled kernels, so every run compiles them, which takes up to a minute",
    note="set NUMBA_CACHE_DIR to a folder that you can write to",
)

PLAIN_PYTHON = os.environ.get("LASING_KERNELS") == "python"
"""Whether kernels run as plain Python."""

_warned = False
_CHECKED = "lasing.engines.local."
_plain: list[Callable[..., Any]] = []

Kernel = TypeVar("Kernel", bound=Callable[..., Any])


def njit(*, cache: bool, **options: Any) -> Callable[[Kernel], Kernel]:
    """Replaces Numba's decorator of this name, for a kernel that Python or other kernels call."""

    def compiled(function: Kernel) -> Kernel:
        if PLAIN_PYTHON and function.__module__.startswith(_CHECKED):
            return function
        _source(function.__module__)  # as it is now that it is loaded
        return _Kernel(function, cache, options)  # type: ignore[return-value]  # it is called as the function is

    return compiled


def address_of(kernel: Any, signature: Any) -> int:
    """The address of a kernel's machine code, for calls by address; compiles the kernel if necessary."""
    if not PLAIN_PYTHON:
        return int(kernel.address(signature))
    if kernel not in _plain:
        _plain.append(kernel)
    return _plain.index(kernel)


def kernel_at(address: int) -> Callable[..., Any]:
    """The kernel at an address, when kernels are plain Python."""
    return _plain[address]


class _Kernel(CPUDispatcher):
    """A kernel: compiled and cached if Python calls it, and a part of each kernel that calls it."""

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
        """Cache what is compiled from now on, and use what is cached."""
        try:
            self._cache = _MachineCode(self.py_func)
        except RuntimeError:  # there is no writable place
            _warn_once()
        else:
            self._cache._cache_file._source_stamp = _stamp(self.py_func.__module__)

    # What Numba asks for while it compiles another kernel:

    def get_call_template(self, args: Any, kws: Any) -> Any:
        if self._part is None:
            options = {"nopython": True, "boundscheck": None, **self._options}
            options |= {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
            self._part = CPUDispatcher(self.py_func, targetoptions=options, pipeline_class=_PartCompiler)
        return self._part.get_call_template(args, kws)

    def get_overload(self, signature: Any) -> Any:
        assert self._part is not None, "a call is translated after its types are known"
        return self._part.get_overload(signature)


class _Packing(CompileResultCacheImpl):
    """How a compiled kernel is written, without LLVM's code: nothing is ever linked with a kernel from the cache."""

    def reduce(self, compiled: Any) -> Any:
        (name, kind, (machine_code, _)), *others = super().reduce(compiled)
        return ((name, kind, (machine_code, llvm.parse_assembly("").as_bitcode())), *others)

    def rebuild(self, context: Any, packed: Any) -> Any:
        described = packed[1]
        names = described.llvm_func_name, described.llvm_cpython_wrapper_name, described.llvm_cfunc_wrapper_name
        context.codegen()._engine._defined_symbols.update(names)  # it reads them from LLVM's code
        return super().rebuild(context, packed)


class _MachineCode(FunctionCache):
    """The cache of a kernel. Numba's own loads all that it can compile, before it looks whether there is anything to
    compile; machine code needs only the functions for memory."""

    _impl_class = _Packing

    def load_overload(self, signature: Any, context: Any) -> Any:
        rtsys.initialize(context)
        with self._guard_against_spurious_io_errors():
            return self._load_overload(signature, context)


class _PartLibrary(JITCodeLibrary):
    """The code of a part. It is linked into its callers; before that, it is neither optimised nor run."""

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
    """A hash of all sources of a module's kernels: the module, what it imports from its own package, and this file,
    which defines how they are compiled."""
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
    """Calls a function when the first compilation starts; loading from the cache does not count."""

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
    """Call a function once, as soon as something is compiled inside the `with` block."""
    with event.install_listener("numba:compile", _First(call)):
        yield
