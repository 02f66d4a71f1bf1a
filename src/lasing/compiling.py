"""Numba compiles each kernel when it is first used, and caches it on disk.

Kernels call other kernels. By default, Numba compiles each called kernel to machine code of its own, and then compiles
its code again as part of the caller; that is most of the compile time. Here, a kernel that another kernel calls is only
translated, as a *part* of its caller, and a kernel that Python calls is optimised once, with all its parts.

The cache finds a kernel by a stamp of all the code it was compiled from, so it is not used once any of that has
changed, and survives all other changes. It keeps machine code only, and loads it without the parts of Numba that
compile. If there is no writable cache folder, kernels are compiled in every run.

With LASING_KERNELS=python in the environment, the kernels of the local engine run as plain Python instead, and check
every index (see `lasing.engines.local.checked`). That is slow, and meant for debugging.
"""

# mypy: allow-untyped-calls, disable-error-code="attr-defined"
# (Numba has types for only some of its internals.)

from __future__ import annotations

import hashlib
import inspect
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache as remember
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any, TypeVar

import numpy as np
from llvmlite import binding as llvm  # type: ignore[import-untyped]
from numba import _dynfunc
from numba.core import event
from numba.core.caching import CompileResultCacheImpl, FunctionCache
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder, _LowerResult
from numba.core.compiler_machinery import register_pass
from numba.core.extending import _Intrinsic
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
            self._cache._cache_file._source_stamp = _stamp(self)

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

    def get_filename_base(self, name: str, abi: str) -> Any:
        return super().get_filename_base(name, abi).replace(f"-{self._lineno}.py", ".py")  # lines move

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

_OWN = Path(__file__).read_bytes()


def _stamp(kernel: Any) -> str:
    """A hash of what a kernel is compiled from: its code, the constants that it names, all kernels that it calls, and
    this file, which defines how. Comments, places in files, and what else is in their modules do not count."""
    digest, waiting, seen = hashlib.sha256(_OWN), [kernel], set[FunctionType]()
    digest.update(_options(kernel).encode())
    while waiting:
        function = _function(waiting.pop())
        if function not in seen:
            seen.add(function)
            content, called = _content(function)
            digest.update(content)
            waiting += called
    return digest.hexdigest()


def _function(thing: Any) -> FunctionType:
    """What a kernel or an intrinsic is made of."""
    found: FunctionType = getattr(thing, "py_func", None) or getattr(thing, "_defn", None) or thing
    return found


def _options(kernel: Any) -> str:
    return repr(sorted(kernel._options.items()))


@remember
def _content(function: FunctionType) -> tuple[bytes, tuple[Any, ...]]:
    """A hash of a function and the constants that it names, and the functions that it names."""
    called: list[Any] = []
    texts = [function.__qualname__, repr(function.__defaults__), *_code(function.__code__)]
    names = set(_names(function.__code__))
    known = {**function.__globals__, **inspect.getclosurevars(function).nonlocals}
    for name in sorted(names & known.keys()):
        texts += [name, *_value(known[name], names, called)]
    return hashlib.sha256("\n".join(texts).encode()).digest(), tuple(called)


def _code(code: CodeType) -> Iterator[str]:
    yield code.co_code.hex()
    yield f"{code.co_argcount} {code.co_varnames} {code.co_names} {code.co_freevars}"
    for number, constant in enumerate(code.co_consts):
        if isinstance(constant, CodeType):
            yield from _code(constant)
        elif number > 0 or not isinstance(constant, str):  # the first one is the docstring
            yield repr(constant)


def _names(code: CodeType) -> Iterator[str]:
    yield from (*code.co_names, *code.co_freevars)
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)


def _value(value: Any, names: set[str], called: list[Any]) -> Iterator[str]:
    """What a name in a kernel means, as text; functions go to `called`."""
    match value:
        case _Kernel():
            yield _options(value)
            called.append(value)
        case _Intrinsic() | FunctionType() if value.__module__.startswith("lasing."):
            called.append(value)
        case ModuleType() if value.__name__.startswith("lasing."):
            for name in sorted(names & vars(value).keys()):
                yield from (name, *_value(vars(value)[name], names, called))
        case ModuleType() | type() | FunctionType():  # of Numba, whose version is in the cache, or of NumPy or Python
            yield f"{getattr(value, '__module__', '')}.{value.__name__}"
        case np.ndarray():
            yield f"{value.dtype} {value.shape} {value.tobytes().hex()}"
        case _:
            yield f"{type(value).__name__} {value!r}"


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
