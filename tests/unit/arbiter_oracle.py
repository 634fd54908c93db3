"""The second source the arbiter is held to: MPFR and MPC through gmpy2, rounded once to the format."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import gmpy2
import numpy as np
from gmpy2 import mpc, mpfr

Array = np.ndarray[Any, np.dtype[Any]]
WIDE = {"precision": 420, "emax": 2**50, "emin": -(2**50)}
FORMATS = {
    "f32": {"precision": 24, "emax": 128, "emin": -148, "subnormalize": True},
    "f64": {"precision": 53, "emax": 1024, "emin": -1073, "subnormalize": True},
}
UNSIGNED = {"f32": np.uint32, "f64": np.uint64}
FLOAT = {"f32": np.float32, "f64": np.float64}


def spread(n: int, dtype: str, seed: int, *, binades: int | None = None) -> Array:
    """n floats over all binades (or those within ±binades of 1) and both signs: random bits, none infinite or NaN."""
    rng = np.random.default_rng(seed)
    if binades is not None:
        found = np.ldexp(rng.uniform(1, 2, n), rng.integers(-binades, binades + 1, n)) * rng.choice([-1.0, 1.0], n)
        return found.astype(FLOAT[dtype])
    top, width = {"f32": (0xFF, 23), "f64": (0x7FF, 52)}[dtype]
    bits = rng.integers(0, top, n, dtype=np.uint64) << np.uint64(width)
    bits |= rng.integers(0, 2**width, n, dtype=np.uint64) | (rng.integers(0, 2, n, dtype=np.uint64) << np.uint64(
        {"f32": 31, "f64": 63}[dtype]
    ))
    return bits.astype(UNSIGNED[dtype]).view(FLOAT[dtype])


def directly(function: Callable[..., Any], *columns: Array, dtype: str) -> Array:
    """MPFR's own correctly rounded function in the format."""
    with gmpy2.context(gmpy2.get_context(), **FORMATS[dtype]):
        found = [float(function(*map(mpfr, row))) for row in zip(*(c.tolist() for c in columns), strict=True)]
    return np.array(found, dtype=FLOAT[dtype])


def closely(function: Callable[..., Any], *columns: Array, dtype: str, precision: int = 420) -> Array:
    """A formula at a high precision and with wide exponents, rounded once to the format."""
    with gmpy2.context(gmpy2.get_context(), **{**WIDE, "precision": precision}):
        values = [function(*map(mpfr, row)) for row in zip(*(c.tolist() for c in columns), strict=True)]
    return rounded(values, dtype)


def rounded(values: list[Any], dtype: str) -> Array:
    """MPFR numbers rounded to the format."""
    with gmpy2.context(gmpy2.get_context(), **FORMATS[dtype]):
        return np.array([float(+value) for value in values], dtype=FLOAT[dtype])


def complexly(function: Callable[..., Any], *columns: Array, dtype: str, precision: int = 420) -> Array:
    """A complex formula by MPC, each part rounded once."""
    part = {"c64": "f32", "c128": "f64"}[dtype]
    with gmpy2.context(gmpy2.get_context(), **{**WIDE, "precision": precision}):
        rows = zip(*(c.tolist() for c in columns), strict=True)
        values = [function(*(mpc(mpfr(z.real), mpfr(z.imag)) for z in row)) for row in rows]
    found = np.empty(len(values), dtype={"c64": np.complex64, "c128": np.complex128}[dtype])
    found.real, found.imag = (rounded([getattr(z, name) for z in values], part) for name in ("real", "imag"))
    return found


def sigmoid(x: Any) -> Any:
    return 1 / (1 + gmpy2.exp(-x))


def gelu(x: Any) -> Any:
    return x * gmpy2.erfc(-x / gmpy2.sqrt(mpfr(2))) / 2


def gelu_tanh(x: Any) -> Any:
    inner = gmpy2.sqrt(2 / gmpy2.const_pi()) * (x + mpfr(44715) / 1000000 * x**3)
    return x * sigmoid(2 * inner)


REAL: dict[str, Callable[..., Any]] = {
    "exp": gmpy2.exp,
    "log": gmpy2.log,
    "sin": gmpy2.sin,
    "cos": gmpy2.cos,
    "tanh": gmpy2.tanh,
    "sqrt": gmpy2.sqrt,
    "rsqrt": gmpy2.rec_sqrt,
    "expm1": gmpy2.expm1,
    "log1p": gmpy2.log1p,
    "erf": gmpy2.erf,
    "abs": abs,
    "neg": lambda x: -x,
}
FORMULAS: dict[str, Callable[..., Any]] = {
    "sigmoid": sigmoid,
    "silu": lambda x: x * sigmoid(x),
    "softplus": lambda x: max(x, mpfr(0)) + gmpy2.log1p(gmpy2.exp(-abs(x))),
    "gelu": gelu,
    "gelu_tanh": gelu_tanh,
}
BINARY: dict[str, Callable[..., Any]] = {
    "add": lambda x, y: x + y,
    "sub": lambda x, y: x - y,
    "mul": lambda x, y: x * y,
    "div": lambda x, y: x / y,
    "pow": lambda x, y: x**y,
    "rem": gmpy2.fmod,
    "maximum": max,
    "minimum": min,
}
def tanh(z: Any) -> Any:
    """MPC 1.3 gives the imaginary part the wrong sign where it underflows, |re z| > 2^58: there it is a zero's sign."""
    if abs(z.real) < 2**50:
        return gmpy2.tanh(z)
    return mpc(gmpy2.copy_sign(mpfr(1), z.real), gmpy2.copy_sign(mpfr(0), gmpy2.tan(z.imag)))


COMPLEX: dict[str, Callable[..., Any]] = {
    "exp": gmpy2.exp,
    "log": gmpy2.log,
    "sin": gmpy2.sin,
    "cos": gmpy2.cos,
    "tanh": tanh,
    "sqrt": gmpy2.sqrt,
    "rsqrt": lambda z: 1 / gmpy2.sqrt(z),
    "expm1": lambda z: gmpy2.exp(z) - 1,
    "log1p": lambda z: gmpy2.log(1 + z),
    "sign": lambda z: z / abs(z),
    "conj": lambda z: z.conjugate(),
    "neg": lambda z: -z,
}
COMPLEX_BINARY: dict[str, Callable[..., Any]] = {
    "add": lambda z, w: z + w,
    "sub": lambda z, w: z - w,
    "mul": lambda z, w: z * w,
    "div": lambda z, w: z / w,
    "pow": lambda z, w: gmpy2.exp(w * gmpy2.log(z)),
}


@functools.cache
def version() -> str:
    """Which MPFR answered."""
    return str(gmpy2.mpfr_version())
