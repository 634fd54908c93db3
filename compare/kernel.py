# Numba ships no types; the kernels and bits.py are the only files that use it.
# mypy: disable-error-code="import-untyped,untyped-decorator,no-untyped-def,no-untyped-call,no-any-return,misc"
"""The one pass over two arrays, compiled by Numba: every figure of a distance, nothing judged.

All of it is done on bits: |x| of a float is monotone in its bits as an integer, so that maxima are integer maxima,
which vectorise without the "fast math" that would break NaN and infinity. The pass goes block by block, each fetched
ahead of its turn, so that the second look a few blocks need (where is the maximum, which NaN is it) finds the block
in the first cache. A block's histogram of up to 256 ulps is packed into one word, so that counting vectorises too.
Sums of ulps are exact: they are kept in two halves.
"""

from typing import Final

import numba
import numpy as np

from compare.bits import EDGES, bits, bucket, fetch, float_of

BLOCK: Final = 256  # 2 KiB of float64: measured best of 128 … 16384 on x86-64, with the next block fetched ahead

# The slots of `counts` (an index is −1 where there is none), then the histogram; and the slots of `reals`.
SAME, AT, MAX_ULP, ULP_AT, LOW, HIGH, ZEROS, ZERO_AT, NANS, NAN_AT, INFS, INF_AT, EXCESS_AT, BAD = range(14)
HISTOGRAM: Final = 14
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
_ROW: Final = len(EDGES)
_SUMMED: Final = np.uint64(2**56 - 1)  # so many ulps in each of the 2⁸ elements of a block add up to 64 bits
_HALF: Final = np.uint64(32)
_LOW_HALF: Final = np.uint64(0xFFFFFFFF)


@numba.njit(cache=True)
def _apart(a, b, magnitude):
    """Ulps between two finite floats given as bits. Signs apart: a sum that fits 64 bits only without a sign."""
    aa = a & magnitude
    bb = b & magnitude
    return np.uint64(aa + bb) if (a ^ b) < 0 else np.uint64(abs(aa - bb))


@numba.njit(cache=True)
def _pair(ref, got, i, infinity, magnitude):
    """(bits of |ref − got|, ulps) of element i, (0, 0) unless both are finite. No branch, so that loops vectorise."""
    a = np.int64(bits(ref[i]))
    b = np.int64(bits(got[i]))
    finite = ((a & magnitude) < infinity) & ((b & magnitude) < infinity)
    diff = bits(np.float64(ref[i]) - np.float64(got[i])) & _MAGNITUDE
    return diff if finite else np.int64(0), _apart(a, b, magnitude) if finite else _ZERO


@numba.njit(cache=True)
def _block(ref, got, start, stop, magnitude, buckets):
    """Figures of a block where every element is finite: (top of ref, of got, of diff, of ulp, Σ ulp, packed, same)."""
    ref_top = np.int64(0)
    got_top = np.int64(0)
    diff = np.int64(0)
    ulp = _ZERO
    total = _ZERO
    packed = _ZERO
    same = 0
    for i in range(start, stop):
        a = np.int64(bits(ref[i]))
        b = np.int64(bits(got[i]))
        ref_top = max(ref_top, a & magnitude)
        got_top = max(got_top, b & magnitude)
        diff = max(diff, bits(np.float64(ref[i]) - np.float64(got[i])) & _MAGNITUDE)
        u = _apart(a, b, magnitude)
        ulp = max(ulp, u)
        total += u
        k = bucket(u)
        buckets[i - start] = k
        packed += _ONE << (min(k, np.uint64(7)) * _FIELD)
        same += a == b
    return ref_top, got_top, diff, ulp, total, packed, same


@numba.njit(cache=True)
def _special(ref, got, start, stop, infinity, magnitude, buckets):
    """What `_block` gives, of the finite pairs of a block where some element is NaN or infinite; and unlike zeros."""
    ref_top = np.int64(0)
    diff = np.int64(0)
    ulp = _ZERO
    total = _ZERO
    packed = _ZERO
    same = 0
    zeros = 0
    for i in range(start, stop):
        a = np.int64(bits(ref[i]))
        b = np.int64(bits(got[i]))
        same += a == b
        zeros += (a != b) & (((a | b) & magnitude) == 0)
        ref_top = max(ref_top, a & magnitude if (a & magnitude) < infinity else np.int64(0))
        d, u = _pair(ref, got, i, infinity, magnitude)
        diff = max(diff, d)
        ulp = max(ulp, u)
        total += u
        k = bucket(u)
        buckets[i - start] = k
        packed += _ONE << (min(k, np.uint64(7)) * _FIELD)
    return ref_top, diff, ulp, total, packed, same, zeros


@numba.njit(cache=True)
def _misfits(ref, got, start, stop, infinity, magnitude, counts):
    """How many elements of the block are NaN against a number, or an infinity against anything but itself."""
    found = 0
    for i in range(start, stop):
        a = np.int64(bits(ref[i]))
        b = np.int64(bits(got[i]))
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
def _unpacked(buckets, n, lanes):
    """Count the buckets of n elements in four rows by turns, since a count has to wait for the one before it."""
    whole = n // 4 * 4
    for k in range(0, whole, 4):
        lanes[buckets[k]] += 1
        lanes[buckets[k + 1] + _ROW] += 1
        lanes[buckets[k + 2] + _ROW * 2] += 1
        lanes[buckets[k + 3] + _ROW * 3] += 1
    for k in range(whole, n):
        lanes[buckets[k]] += 1


@numba.njit(cache=True)
def _halves(ref, got, start, stop, infinity, magnitude, counts):
    """Add ulps of which a block's sum may not fit 64 bits, in two halves; 0, the sum that is left to add."""
    low = _ZERO
    high = _ZERO
    for i in range(start, stop):
        u = _pair(ref, got, i, infinity, magnitude)[1]
        low += u & _LOW_HALF
        high += u >> _HALF
    counts[LOW] += np.int64(low)
    counts[HIGH] += np.int64(high)
    return _ZERO


@numba.njit(cache=True)
def _tally(figures, n, counts, buckets, lanes):
    """Add a block of n elements, given its (top ulp, Σ ulp, packed histogram), to the histogram and the sum."""
    ulp, total, packed = figures
    counts[LOW] += np.int64(total & _LOW_HALF)
    counts[HIGH] += np.int64(total >> _HALF)
    if ulp > _PACKED:
        _unpacked(buckets, n, lanes)
        return
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
        if ref[i] == 0 and got[i] == 0 and bits(ref[i]) != bits(got[i]):
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
            ratio = bits(float_of(d) / allowed) & _MAGNITUDE
            if ratio > top:
                top = ratio
                counts[EXCESS_AT] = i
    return top


@numba.njit(cache=True)
def _fetch_block(ref, got, start, stop):
    for i in range(start, stop, 8):
        fetch(ref, np.int64(i))
        fetch(got, np.int64(i))


@numba.njit(cache=True)
def _widened(narrow):
    """The bits of the float64 equal to the float32, not negative, not NaN, that has these."""
    exponent = narrow >> 23
    fraction = narrow & 0x7FFFFF
    if exponent == 0:
        return bits(fraction * 2.0**-149)
    return np.int64((exponent + (1023 - 127)) << 52) | (fraction << 29)


@numba.njit(cache=True)
def scan(ref, got, infinity, magnitude, allowance, counts, reals):
    """Compare two contiguous 1-D arrays of float32 or float64; `allowance` is empty or as long as they are.

    infinity, magnitude: the bits of the dtype's infinity and of all but its sign. counts (int64, SIZE, zeros, −1 at
    each index) and reals (float64, 3) receive the figures.
    """
    buckets = np.empty(BLOCK, np.uint8)
    lanes = np.zeros(4 * _ROW, np.int64)
    tops = np.zeros(3, np.int64)
    max_ulp = _ZERO
    for start in range(0, ref.size, BLOCK):
        stop = min(start + BLOCK, ref.size)
        _fetch_block(ref, got, stop, min(stop + BLOCK, ref.size))
        ref_top, got_top, diff, ulp, total, packed, same = _block(ref, got, start, stop, magnitude, buckets)
        zeros = np.int64(packed & _MASK) - same
        misfits = 0
        if ref_top >= infinity or got_top >= infinity:
            figures = _special(ref, got, start, stop, infinity, magnitude, buckets)
            ref_top, diff, ulp, total, packed, same, zeros = figures
            misfits = _misfits(ref, got, start, stop, infinity, magnitude, counts)
        if ulp > _SUMMED:
            total = _halves(ref, got, start, stop, infinity, magnitude, counts)
        _tally((ulp, total, packed), stop - start, counts, buckets, lanes)
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
    for k in range(4 * _ROW):
        counts[HISTOGRAM + k % _ROW] += lanes[k]
    counts[MAX_ULP] = np.int64(max_ulp)
    reals[MAX_REF] = float_of(_widened(tops[MAX_REF]) if infinity < _INFINITY else tops[MAX_REF])
    reals[MAX_DIFF] = float_of(tops[MAX_DIFF])
    reals[EXCESS] = float_of(tops[EXCESS])
