# Numba ships no types; the kernels and bits.py are the only files that use it.
# mypy: disable-error-code="import-untyped,untyped-decorator,no-untyped-def,no-untyped-call,no-any-return,misc"
"""The pass over complex arrays for what their parts do not tell alone, compiled by Numba."""

import math

import numba
import numpy as np

from compare.bits import bits


@numba.njit(cache=True)
def _larger(a, b):
    """The larger of |a| and |b|, without those that are NaN or infinite; NaN or infinity where both are."""
    if not np.isfinite(a):
        return abs(b)
    return max(abs(a), abs(b)) if np.isfinite(b) else abs(a)


@numba.njit(cache=True)
def _apart(a, b):
    """|a − b|, 0 unless both are finite."""
    return abs(np.float64(a) - np.float64(b)) if np.isfinite(a) and np.isfinite(b) else 0.0


@numba.njit(cache=True)
def _unit(x, smallest):
    """An ulp of x, x not negative, in the format whose subnormal numbers are multiples of 2**smallest."""
    digits = 24 if smallest > -1000 else 53
    return math.ldexp(1.0, max(math.frexp(x)[1] - digits if x > 0 else smallest, smallest))


@numba.njit(cache=True, error_model="numpy")
def scan(real_ref, imag_ref, real_got, imag_got, smallest):
    """(elements bitwise equal, where a part's difference has most ulps of the larger part of ref, those ulps)."""
    same = 0
    at = -1
    largest = 0.0
    for i in range(real_ref.size):
        same += (bits(real_ref[i]) == bits(real_got[i])) & (bits(imag_ref[i]) == bits(imag_got[i]))
        larger = _larger(real_ref[i], imag_ref[i])
        real = _apart(real_ref[i], real_got[i])
        imag = _apart(imag_ref[i], imag_got[i])
        ulps = max(real, imag) / _unit(np.float64(larger), smallest)
        if ulps > largest:
            largest = ulps
            at = i
    return same, at, largest
