# Numba ships no types; the kernels and this file are the only ones that use it.
# mypy: disable-error-code="import-untyped,untyped-decorator,no-untyped-def,no-untyped-call"
"""What Numba has no word for and the processor has: the bits of a float, the zeros before a number, a fetch ahead.

Also the buckets of ulps, which the kernels share.

Numba's cache notices a change of the kernels' own files, not of this one: after one, remove compare/__pycache__.
"""

from typing import Any, Final

import llvmlite.ir as ir
import numba
import numpy as np
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

EDGES: Final = (0, 1, 2, *(4**k for k in range(1, 33)))  # upper edges of the buckets of ulps: 0, 1, 2, 3–4, 5–16, …
_ONE: Final = np.uint64(1)
_TWO: Final = np.uint64(2)


@intrinsic
def bits(_typing: Any, value: Any) -> Any:
    """The bits of a float64 as int64, of a float32 as int32."""
    integer = types.int64 if value == types.float64 else types.int32

    def build(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.bitcast(arguments[0], context.get_value_type(integer))

    return integer(value), build


@intrinsic
def float_of(_typing: Any, _bits: Any) -> Any:
    """The float64 that has these int64 bits."""

    def build(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.bitcast(arguments[0], context.get_value_type(types.float64))

    return types.float64(types.int64), build


@intrinsic
def leading_zeros(_typing: Any, value: Any) -> Any:
    """The number of zero bits before the first one of a uint64 (64 for 0)."""

    def build(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.ctlz(arguments[0], ir.IntType(1)(0))

    return types.uint64(types.uint64), build


@intrinsic
def fetch(_typing: Any, array: Any, index: Any) -> Any:
    """Ask for the cache line of array[index]: the block loop is too long for the hardware to look that far ahead."""

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
        line = builder.bitcast(builder.gep(data, [arguments[1]]), ir.IntType(8).as_pointer())
        number = ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [line.type, number, number, number])
        function = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0i8")
        builder.call(function, [line, number(0), number(3), number(1)])
        return context.get_dummy_value()

    return types.void(array, index), build


@numba.njit(cache=True)
def bucket(u):
    """The number of the bucket that holds u ulps."""
    half_bits = (np.uint64(65) - leading_zeros(u - _ONE)) >> _ONE  # of the smallest power of 4 that is at least u
    return half_bits + _TWO if u > _TWO else u
