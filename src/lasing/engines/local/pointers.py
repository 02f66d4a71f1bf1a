"""Bare pointers to words of 64 bits, for kernels.

A kernel that takes an array pays for its reference count at every call, and for negative indices at every access. A
pointer costs neither: it is indexed like an array, without any checks. Memory that is allocated here lies outside the
array that a pointer points to, and is reached from there by its distance in words; whoever allocates it must free it.

If kernels run as plain Python (see `lasing.compiling`), `checked` replaces all this.
"""

from __future__ import annotations

import sys
from functools import cache
from typing import Any

import numpy as np
from llvmlite import ir
from numba import int64, uint64
from numba.core import cgutils, types
from numba.extending import intrinsic

from lasing.compiling import PLAIN_PYTHON, address_of

Memory = np.ndarray[Any, np.dtype[np.int64]]
"""What a pointer looks like to the reader: something indexed by integers."""

KERNEL = types.none(types.CPointer(types.int64), types.int64, types.int64, types.int64, types.CPointer(types.int64))
"""The signature of kernels that are called by their address: the arena, the place of their encoded operation in it, two
numbers, and the text of names."""

_WORD = ir.IntType(64)
_BYTES = ir.IntType(8).as_pointer()
_LARGE = 1 << 22  # bytes
_PAGE = 1 << 12
_HUGE_PAGES = 14  # MADV_HUGEPAGE


@intrinsic
def pointer(_typing: Any, array: Any) -> Any:
    """The pointer to an array's first word."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return context.make_array(signature.args[0])(context, builder, args[0]).data

    return types.CPointer(types.int64)(array), generate


@intrinsic
def allocate(_typing: Any, base: Any, _words: Any) -> Any:
    """Allocate words of uninitialised memory. Returns how far they are from the base, in words; 0 if there is none."""

    def generate(context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        size = builder.mul(args[1], ir.Constant(_WORD, 8))
        address = builder.ptrtoint(context.nrt.allocate(builder, size), _WORD)
        if sys.platform == "linux":
            with builder.if_then(builder.icmp_unsigned(">=", size, ir.Constant(_WORD, _LARGE))):
                _ask_for_large_pages(builder, address, size)
        words = builder.sdiv(builder.sub(address, builder.ptrtoint(args[0], _WORD)), ir.Constant(_WORD, 8))
        nothing = ir.Constant(_WORD, 0)
        return builder.select(builder.icmp_unsigned("==", address, nothing), nothing, words)

    return types.int64(base, types.int64), generate


def _ask_for_large_pages(builder: Any, address: Any, size: Any) -> None:
    """Tell the system that a block is large and accessed at random, so that it uses huge pages."""
    page = ir.Constant(_WORD, _PAGE - 1)
    first = builder.and_(builder.add(address, page), builder.not_(page))
    length = builder.sub(builder.add(address, size), first)
    kind = ir.FunctionType(ir.IntType(32), [_WORD, _WORD, ir.IntType(32)])
    advise = cgutils.get_or_insert_function(builder.module, kind, "madvise")
    builder.call(advise, [first, length, ir.Constant(ir.IntType(32), _HUGE_PAGES)])  # if it refuses, nothing is lost


@intrinsic
def release(_typing: Any, base: Any, _distance: Any) -> Any:
    """Free allocated memory."""

    def generate(context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        address = builder.ptrtoint(builder.gep(args[0], [args[1]]), _WORD)
        context.nrt.free(builder, builder.inttoptr(address, _BYTES))
        return context.get_dummy_value()

    return types.none(base, types.int64), generate


@intrinsic
def prefetch(_typing: Any, base: Any, _at: Any) -> Any:
    """Begin to fetch the word m[at] from memory, and go on without it: it is read soon."""

    def generate(context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        number = ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [_BYTES, number, number, number])
        fetch = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0i8")
        address = builder.bitcast(builder.gep(args[0], [args[1]]), _BYTES)
        for_reading, keep, data = (ir.Constant(number, n) for n in (0, 3, 1))
        builder.call(fetch, [address, for_reading, keep, data])
        return context.get_dummy_value()

    return types.none(base, types.int64), generate


@intrinsic
def handle_signals(_typing: Any, base: Any, _at: Any) -> Any:
    """Run Python's handlers for signals that have arrived. If one raises, its exception goes to three words at m[at…],
    as `PyErr_Fetch` gives it, and the result is true. Kernels hold Python's lock, so this is allowed."""

    def generate(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        number = ir.IntType(32)
        check = cgutils.get_or_insert_function(builder.module, ir.FunctionType(number, []), "PyErr_CheckSignals")
        raised = builder.icmp_signed("!=", builder.call(check, []), ir.Constant(number, 0))
        with builder.if_then(raised, likely=False):
            kind = ir.FunctionType(ir.VoidType(), [_WORD.as_pointer()] * 3)
            fetch = cgutils.get_or_insert_function(builder.module, kind, "PyErr_Fetch")
            first = builder.gep(args[0], [args[1]])
            builder.call(fetch, [builder.gep(first, [ir.Constant(_WORD, i)]) for i in range(3)])
        return raised

    return types.boolean(base, types.int64), generate


@intrinsic
def call(_typing: Any, _address: Any) -> Any:
    """Call a function without arguments that returns a word, by its address."""

    def generate(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        return builder.call(builder.inttoptr(args[0], ir.FunctionType(_WORD, []).as_pointer()), [])

    return types.int64(types.int64), generate


@intrinsic
def invoke(_typing: Any, _address: Any, m: Any, _op: Any, _one: Any, _two: Any, texts: Any) -> Any:
    """Call a kernel of the signature KERNEL by its address."""

    def generate(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        words = _WORD.as_pointer()
        kind = ir.FunctionType(_BYTES, [words, _WORD, _WORD, _WORD, words])  # what it returns is Numba's None
        builder.call(builder.inttoptr(args[0], kind.as_pointer()), args[1:])
        return _context.get_dummy_value()

    return types.none(types.int64, m, types.int64, types.int64, types.int64, texts), generate


@cache
def kernel_address(kernel: Any) -> int:
    """The address of a kernel of the signature KERNEL; compiles it if necessary."""
    return address_of(kernel, KERNEL)


def share(array: Memory) -> Memory:
    """An array that kernels reach from another array by its distance; it must stay alive as long as they do."""
    return array


if PLAIN_PYTHON:
    from lasing.engines.local.checked import (  # type: ignore[assignment]
        allocate,
        call,
        handle_signals,
        int64,
        invoke,
        pointer,
        prefetch,
        release,
        share,
        uint64,
    )

__all__ = [
    "Memory",
    "allocate",
    "call",
    "handle_signals",
    "int64",
    "invoke",
    "kernel_address",
    "pointer",
    "prefetch",
    "release",
    "share",
    "uint64",
]
