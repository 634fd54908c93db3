# Numba ships no types; the kernels and bits.py are the only files that use it.
# mypy: disable-error-code="import-untyped,untyped-decorator,no-untyped-def,no-untyped-call,no-any-return,misc"
"""The pass over integers and bools, compiled by Numba: an ulp is 1."""

import numba
import numpy as np

from compare.bits import bucket

_ZERO = np.uint64(0)


@numba.njit(cache=True)
def scan(ref, got, histogram):
    """(elements equal, max|ref|, max|diff|, where that is first or −1, Σ|diff| in two halves) of 1-D arrays of int64.

    histogram (int64, as long as EDGES) receives the counts. Nothing overflows: sizes are without a sign.
    """
    same = 0
    at = -1
    top = _ZERO
    largest = _ZERO
    low = _ZERO
    high = _ZERO
    for i in range(ref.size):
        top = max(top, np.uint64(ref[i]) if ref[i] >= 0 else _ZERO - np.uint64(ref[i]))
        u = np.uint64(max(ref[i], got[i])) - np.uint64(min(ref[i], got[i]))
        same += u == _ZERO
        low += u & np.uint64(0xFFFFFFFF)
        high += u >> np.uint64(32)
        histogram[bucket(u)] += 1
        if u > largest:
            largest = u
            at = i
    return same, top, largest, at, low, high
