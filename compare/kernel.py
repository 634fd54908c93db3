# Numba ships no types, and this is the only file that uses it.
# mypy: disable-error-code="import-untyped,untyped-decorator,no-untyped-def,no-untyped-call,no-any-return,misc"
"""The one pass over two arrays, compiled by Numba: every figure of a distance, nothing judged.

All of it is done on bits: |x| of a float is monotone in its bits as an integer, so that maxima are integer maxima,
which vectorise without the "fast math" that would break NaN and infinity. The pass goes block by block, each fetched
ahead of its turn, so that the second look a few blocks need (where is the maximum, how large are its ulps, which
NaN is it) finds the block in the first cache. Sums of ulps are exact: they are kept in two halves.
"""

import math
from typing import Any, Final

import llvmlite.ir as ir
import numba
import numpy as np
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

BLOCK: Final = 256  # 2 KiB of float64: measured best of 128 … 16384 on x86-64, with the next block fetched ahead
EDGES: Final = (0, 1, 2, *(4**k for k in range(1, 33)))  # upper edges of the buckets of ulps: 0, 1, 2, 3–4, 5–16, …

# The slots of `counts` (an index is −1 where there is none), then the histogram; and the slots of `reals`.
SAME, AT, MAX_ULP, ULP_AT, LOW, HIGH, ZEROS, ZERO_AT, NANS, NAN_AT, INFS, INF_AT, EXCESS_AT, BAD, TOP = range(15)
HISTOGRAM: Final = 15
SIZE: Final = HISTOGRAM + len(EDGES)
MAX_REF, MAX_DIFF, EXCESS = range(3)

_INFINITY: Final = 0x7FF0000000000000
_MAGNITUDE: Final = 0x7FFFFFFFFFFFFFFF
_LARGEST: Final = float(np.finfo(np.float64).max)
_ZERO: Final = np.uint64(0)
_ONE: Final = np.uint64(1)
_FIELD: Final = np.uint64(9)  # bits of one count within a packed histogram: a block holds at most 2⁸ elements
_FIELDS: Final = 7  # counts in a packed histogram: buckets up to 256 ulps
_PACKED: Final = np.uint64(EDGES[_FIELDS - 1])
_MASK: Final = np.uint64(511)
_HALF: Final = np.uint64(32)
_LOW_HALF: Final = np.uint64(0xFFFFFFFF)


@intrinsic
def _bits(_typing: Any, value: Any) -> Any:
    """The bits of a float64 as int64, of a float32 as int32."""
    integer = types.int64 if value == types.float64 else types.int32

    def build(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.bitcast(arguments[0], context.get_value_type(integer))

    return integer(value), build


@intrinsic
def _real(_typing: Any, _bits: Any) -> Any:
    """The float64 that has these int64 bits."""

    def build(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.bitcast(arguments[0], context.get_value_type(types.float64))

    return types.float64(types.int64), build


@intrinsic
def _leading_zeros(_typing: Any, value: Any) -> Any:
    """The number of zero bits before the first one of a uint64 (64 for 0)."""

    def build(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.ctlz(arguments[0], ir.IntType(1)(0))

    return types.uint64(types.uint64), build


@intrinsic
def _fetch(_typing: Any, array: Any, index: Any) -> Any:
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
def _apart(a, b, magnitude):
    """Ulps between two finite floats given as bits. Signs apart: a sum that fits 64 bits only without a sign."""
    aa = a & magnitude
    bb = b & magnitude
    return np.uint64(aa + bb) if (a ^ b) < 0 else np.uint64(abs(aa - bb))


@numba.njit(cache=True)
def _pair(ref, got, i, infinity, magnitude):
    """(bits of |ref − got|, ulps) of element i, (0, 0) unless both are finite. No branch, so that loops vectorise."""
    a = np.int64(_bits(ref[i]))
    b = np.int64(_bits(got[i]))
    finite = ((a & magnitude) < infinity) & ((b & magnitude) < infinity)
    diff = _bits(np.float64(ref[i]) - np.float64(got[i])) & _MAGNITUDE
    return diff if finite else np.int64(0), _apart(a, b, magnitude) if finite else _ZERO


@numba.njit(cache=True)
def _block(ref, got, start, stop, magnitude):
    """Figures of a block where every element is finite: (top of ref, of got, of diff, of ulp, Σ ulp, packed, same)."""
    ref_top = np.int64(0)
    got_top = np.int64(0)
    diff = np.int64(0)
    ulp = _ZERO
    total = _ZERO
    packed = _ZERO
    same = 0
    for i in range(start, stop):
        a = np.int64(_bits(ref[i]))
        b = np.int64(_bits(got[i]))
        ref_top = max(ref_top, a & magnitude)
        got_top = max(got_top, b & magnitude)
        diff = max(diff, _bits(np.float64(ref[i]) - np.float64(got[i])) & _MAGNITUDE)
        u = _apart(a, b, magnitude)
        ulp = max(ulp, u)
        total += u
        packed += _ONE << (min(u, np.uint64(3)) * _FIELD)  # right where no ulp is above 4, replaced elsewhere
        same += a == b
    return ref_top, got_top, diff, ulp, total, packed, same


@numba.njit(cache=True)
def _special(ref, got, start, stop, infinity, magnitude):
    """What `_block` gives, of the finite pairs of a block where some element is NaN or infinite; and unlike zeros."""
    ref_top = np.int64(0)
    diff = np.int64(0)
    ulp = _ZERO
    total = _ZERO
    packed = _ZERO
    same = 0
    zeros = 0
    for i in range(start, stop):
        a = np.int64(_bits(ref[i]))
        b = np.int64(_bits(got[i]))
        same += a == b
        zeros += (a != b) & (((a | b) & magnitude) == 0)
        ref_top = max(ref_top, a & magnitude if (a & magnitude) < infinity else np.int64(0))
        d, u = _pair(ref, got, i, infinity, magnitude)
        diff = max(diff, d)
        ulp = max(ulp, u)
        total += u
        packed += _ONE << (min(u, np.uint64(3)) * _FIELD)
    return ref_top, diff, ulp, total, packed, same, zeros


@numba.njit(cache=True)
def _misfits(ref, got, start, stop, infinity, magnitude, counts):
    """How many elements of the block are NaN against a number, or an infinity against anything but itself."""
    found = 0
    for i in range(start, stop):
        a = np.int64(_bits(ref[i]))
        b = np.int64(_bits(got[i]))
        if (a & magnitude) >= infinity or (b & magnitude) >= infinity:
            found += _misfit(a, b, i, infinity, magnitude, counts)
    return found


@numba.njit(cache=True)
def _misfit(a, b, i, infinity, magnitude, counts):
    """1 and counted, where NaN meets a number, or an infinity anything but itself."""
    nans = ((a & magnitude) > infinity) + ((b & magnitude) > infinity)
    if nans == 1:
        counts[NANS] += 1
        if counts[NAN_AT] < 0:
            counts[NAN_AT] = i
        return 1
    infinities = ((a & magnitude) == infinity) + ((b & magnitude) == infinity)
    if nans == 0 and infinities > 0 and a != b:
        counts[INFS] += 1
        if counts[INF_AT] < 0:
            counts[INF_AT] = i
        return 1
    return 0


@numba.njit(cache=True)
def _packed(ref, got, start, stop, infinity, magnitude):
    """The packed histogram of a block of at most 256 ulps."""
    packed = _ZERO
    for i in range(start, stop):
        u = _pair(ref, got, i, infinity, magnitude)[1]
        field = _ZERO
        for edge in (0, 1, 2, 4, 16, 64):
            field += np.uint64(u > np.uint64(edge))
        packed += _ONE << (field * _FIELD)
    return packed


@numba.njit(cache=True)
def _unpacked(ref, got, start, stop, infinity, magnitude, counts):
    """Count a block that has more ulps than that, and add them in two halves."""
    low = _ZERO
    high = _ZERO
    for i in range(start, stop):
        u = _pair(ref, got, i, infinity, magnitude)[1]
        low += u & _LOW_HALF
        high += u >> _HALF
        counts[np.uint64(HISTOGRAM) + _bucket(u)] += 1
    counts[LOW] += np.int64(low)
    counts[HIGH] += np.int64(high)


@numba.njit(cache=True)
def _tally(ref, got, start, stop, infinity, magnitude, figures, counts):
    """Add the ulps of a block, given its (top ulp, Σ ulp, packed histogram), to the histogram and the sum."""
    ulp, total, packed = figures
    if ulp > _PACKED:
        _unpacked(ref, got, start, stop, infinity, magnitude, counts)
        return
    if ulp > np.uint64(4):
        packed = _packed(ref, got, start, stop, infinity, magnitude)
    counts[LOW] += np.int64(total)
    for k in range(_FIELDS):
        counts[HISTOGRAM + k] += np.int64((packed >> (np.uint64(k) * _FIELD)) & _MASK)


@numba.njit(cache=True)
def _locate(ref, got, start, stop, infinity, magnitude, diff, ulp, counts):
    """Note the first element of the block with this difference, and the first with these ulps (0: none sought)."""
    diff_at = -1
    ulp_at = -1
    for i in range(start, stop):
        d, u = _pair(ref, got, i, infinity, magnitude)
        if diff_at < 0 and diff > 0 and d == diff:
            diff_at = i
        if ulp_at < 0 and ulp > _ZERO and u == ulp:
            ulp_at = i
    if diff > 0:
        counts[AT] = diff_at
    if ulp > _ZERO:
        counts[ULP_AT] = ulp_at


@numba.njit(cache=True)
def _first_zero(ref, got, start, stop):
    """The first element where two zeros differ in sign."""
    for i in range(start, stop):
        if ref[i] == 0 and got[i] == 0 and _bits(ref[i]) != _bits(got[i]):
            return i
    return -1


@numba.njit(cache=True, error_model="numpy")
def _exceed(ref, got, allowance, start, stop, infinity, magnitude, top, counts):
    """The larger of `top` and the bits of the largest |ref − got| / allowance of the block (0/0 is 0)."""
    for i in range(start, stop):
        allowed = allowance[i]
        if not (allowed >= 0.0 and allowed <= _LARGEST):
            counts[BAD] += 1
        d = _pair(ref, got, i, infinity, magnitude)[0]
        if d > 0:
            ratio = _bits(_real(d) / allowed) & _MAGNITUDE
            if ratio > top:
                top = ratio
                counts[EXCESS_AT] = i
    return top


@numba.njit(cache=True)
def _fetch_block(ref, got, start, stop):
    for i in range(start, stop, 8):
        _fetch(ref, np.int64(i))
        _fetch(got, np.int64(i))


@numba.njit(cache=True)
def _widened(bits):
    """The bits of the float64 equal to the float32, not negative, not NaN, that has these."""
    exponent = bits >> 23
    fraction = bits & 0x7FFFFF
    if exponent == 0:
        return _bits(fraction * 2.0**-149)
    return np.int64((exponent + (1023 - 127)) << 52) | (fraction << 29)


@numba.njit(cache=True)
def scan(ref, got, infinity, magnitude, allowance, counts, reals):
    """Compare two contiguous 1-D arrays of float32 or float64; `allowance` is empty or as long as they are.

    infinity, magnitude: the bits of the dtype's infinity and of all but its sign. counts (int64, SIZE, zeros, −1 at
    each index) and reals (float64, 3) receive the figures.
    """
    tops = np.zeros(3, np.int64)
    max_ulp = _ZERO
    for start in range(0, ref.size, BLOCK):
        stop = min(start + BLOCK, ref.size)
        _fetch_block(ref, got, stop, min(stop + BLOCK, ref.size))
        ref_top, got_top, diff, ulp, total, packed, same = _block(ref, got, start, stop, magnitude)
        zeros = np.int64(packed & _MASK) - same
        misfits = 0
        if ref_top >= infinity or got_top >= infinity:
            figures = _special(ref, got, start, stop, infinity, magnitude)
            ref_top, diff, ulp, total, packed, same, zeros = figures
            misfits = _misfits(ref, got, start, stop, infinity, magnitude, counts)
        _tally(ref, got, start, stop, infinity, magnitude, (ulp, total, packed), counts)
        counts[HISTOGRAM] -= misfits
        counts[SAME] += same
        if zeros > 0 and counts[ZEROS] == 0:
            counts[ZERO_AT] = _first_zero(ref, got, start, stop)
        counts[ZEROS] += zeros
        new_diff = diff if diff > tops[MAX_DIFF] else 0
        new_ulp = ulp if ulp > max_ulp else _ZERO
        if new_diff > 0 or new_ulp > _ZERO:
            _locate(ref, got, start, stop, infinity, magnitude, new_diff, new_ulp, counts)
        tops[MAX_REF] = max(tops[MAX_REF], ref_top)
        tops[MAX_DIFF] = max(tops[MAX_DIFF], diff)
        max_ulp = max(max_ulp, ulp)
        if allowance.size > 0:
            excess = _exceed(ref, got, allowance, start, stop, infinity, magnitude, tops[EXCESS], counts)
            tops[EXCESS] = excess
    counts[MAX_ULP] = np.int64(max_ulp)
    reals[MAX_REF] = _real(_widened(tops[MAX_REF]) if infinity < _INFINITY else tops[MAX_REF])
    reals[MAX_DIFF] = _real(tops[MAX_DIFF])
    reals[EXCESS] = _real(tops[EXCESS])


@numba.njit(cache=True)
def _bucket(u):
    """The number of the bucket that holds u ulps."""
    half_bits = (np.uint64(65) - _leading_zeros(u - _ONE)) >> _ONE  # of the smallest power of 4 that is at least u
    return half_bits + np.uint64(2) if u > np.uint64(2) else u


@numba.njit(cache=True)
def scan_integers(ref, got, counts):
    """Compare two contiguous 1-D arrays of int64: an ulp is 1, and differences and |ref| are kept without a sign."""
    top = _ZERO
    for i in range(ref.size):
        a = ref[i]
        b = got[i]
        top = max(top, np.uint64(a) if a >= 0 else _ZERO - np.uint64(a))
        u = np.uint64(max(a, b)) - np.uint64(min(a, b))
        counts[SAME] += u == _ZERO
        counts[LOW] += np.int64(u & _LOW_HALF)
        counts[HIGH] += np.int64(u >> _HALF)
        counts[np.uint64(HISTOGRAM) + _bucket(u)] += 1
        if u > np.uint64(counts[MAX_ULP]):
            counts[MAX_ULP] = np.int64(u)
            counts[AT] = i
    counts[TOP] = np.int64(top)


@numba.njit(cache=True)
def _larger(a, b):
    """The larger of |a| and |b|, without those that are NaN or infinite; NaN or infinity where both are."""
    if not np.isfinite(a):
        return abs(b)
    return max(abs(a), abs(b)) if np.isfinite(b) else abs(a)


@numba.njit(cache=True)
def _unit(x, smallest):
    """An ulp of x, x not negative, in the format whose subnormal numbers are multiples of 2**smallest."""
    digits = 24 if smallest > -1000 else 53
    return math.ldexp(1.0, max(math.frexp(x)[1] - digits if x > 0 else smallest, smallest))


@numba.njit(cache=True, error_model="numpy")
def scan_complex(real_ref, imag_ref, real_got, imag_got, infinity, magnitude, smallest):
    """(elements bitwise equal, where a part's difference has most ulps of the larger part of ref, those ulps)."""
    same = 0
    at = -1
    largest = 0.0
    for i in range(real_ref.size):
        same += (_bits(real_ref[i]) == _bits(real_got[i])) & (_bits(imag_ref[i]) == _bits(imag_got[i]))
        larger = _larger(real_ref[i], imag_ref[i])
        real = _real(_pair(real_ref, real_got, i, infinity, magnitude)[0])
        imag = _real(_pair(imag_ref, imag_got, i, infinity, magnitude)[0])
        ulps = max(real, imag) / _unit(np.float64(larger), smallest)
        if ulps > largest:
            largest = ulps
            at = i
    return same, at, largest
