"""The second source the arbiter is held to: MPFR and MPC through gmpy2, rounded once to the format."""

from __future__ import annotations

import functools
import operator
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
    bits |= rng.integers(0, 2**width, n, dtype=np.uint64) | (
        rng.integers(0, 2, n, dtype=np.uint64) << np.uint64({"f32": 31, "f64": 63}[dtype])
    )
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
    found: Array = np.empty(len(values), dtype={"c64": np.complex64, "c128": np.complex128}[dtype])
    found.real, found.imag = (rounded([getattr(z, name) for z in values], part) for name in ("real", "imag"))
    return found


def hypot(x: Any, y: Any) -> Any:
    return gmpy2.sqrt(x * x + y * y)


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


def mpfr_of(fraction: Any) -> Any:
    """An exact fraction with a power of two below, as MPFR."""
    with gmpy2.context(gmpy2.get_context(), **{**WIDE, "precision": 8000}):
        return mpfr(gmpy2.mpq(fraction.numerator, fraction.denominator))


def by_rows(function: Callable[..., Any], x: Array, dtype: str) -> Array:
    """A formula of a row, rounded once."""
    with gmpy2.context(gmpy2.get_context(), **WIDE):
        rows = [function([mpfr(float(v)) for v in row]) for row in x]
    return np.array([rounded(row, dtype) for row in rows])


def softmax(row: list[Any]) -> list[Any]:
    total = sum(map(gmpy2.exp, row))
    return [gmpy2.exp(v) / total for v in row]


def log_softmax(row: list[Any]) -> list[Any]:
    total = gmpy2.log(sum(map(gmpy2.exp, row)))
    return [v - total for v in row]


def layer_norm(row: list[Any], weight: Array, bias: Array, eps: float) -> list[Any]:
    mean = sum(row) / len(row)
    variance = sum((v - mean) ** 2 for v in row) / len(row)
    size = gmpy2.sqrt(variance + mpfr(eps))
    return [(v - mean) / size * mpfr(float(w)) + mpfr(float(b)) for v, w, b in zip(row, weight, bias, strict=True)]


def rms_norm(row: list[Any], weight: Array, eps: float) -> list[Any]:
    size = gmpy2.sqrt(sum(v * v for v in row) / len(row) + mpfr(eps))
    return [v / size * mpfr(float(w)) for v, w in zip(row, weight, strict=True)]


def _sigmoid1(x: Any) -> Any:
    return 1 / (4 * gmpy2.cosh(x / 2) ** 2)


def _sigmoid2(x: Any) -> Any:
    return -_sigmoid1(x) * gmpy2.tanh(x / 2)


def _normal(x: Any) -> Any:
    return gmpy2.exp(-x * x / 2) / gmpy2.sqrt(2 * gmpy2.const_pi())


def _gelu1(x: Any) -> Any:
    return gmpy2.erfc(-x / gmpy2.sqrt(mpfr(2))) / 2 + x * _normal(x)


def _tanh_gate(x: Any) -> tuple[Any, Any, Any]:
    """sigmoid(2u) of gelu's tanh form with its first two derivatives."""
    scale, cubic = gmpy2.sqrt(2 / gmpy2.const_pi()), mpfr(44715) / 1000000
    inner = 2 * scale * (x + cubic * x**3)
    slope, bend = 2 * scale * (1 + 3 * cubic * x * x), 12 * scale * cubic * x
    return sigmoid(inner), _sigmoid1(inner) * slope, _sigmoid2(inner) * slope * slope + _sigmoid1(inner) * bend


def _gelu_tanh1(x: Any) -> Any:
    gate, first, _ = _tanh_gate(x)
    return gate + x * first


def _gelu_tanh2(x: Any) -> Any:
    _, first, second = _tanh_gate(x)
    return 2 * first + x * second


def _erf1(x: Any) -> Any:
    return 2 / gmpy2.sqrt(gmpy2.const_pi()) * gmpy2.exp(-x * x)


DERIVATIVES: dict[str, tuple[Callable[..., Any], Callable[..., Any]]] = {
    "exp": (gmpy2.exp, gmpy2.exp),
    "expm1": (gmpy2.exp, gmpy2.exp),
    "log": (lambda x: 1 / x, lambda x: -1 / x**2),
    "log1p": (lambda x: 1 / (1 + x), lambda x: -1 / (1 + x) ** 2),
    "sin": (gmpy2.cos, lambda x: -gmpy2.sin(x)),
    "cos": (lambda x: -gmpy2.sin(x), lambda x: -gmpy2.cos(x)),
    "tanh": (lambda x: gmpy2.sech(x) ** 2, lambda x: -2 * gmpy2.tanh(x) * gmpy2.sech(x) ** 2),
    "sqrt": (lambda x: 1 / (2 * gmpy2.sqrt(x)), lambda x: -1 / (4 * x * gmpy2.sqrt(x))),
    "rsqrt": (lambda x: -1 / (2 * x * gmpy2.sqrt(x)), lambda x: 3 / (4 * x * x * gmpy2.sqrt(x))),
    "erf": (_erf1, lambda x: -2 * x * _erf1(x)),
    "sigmoid": (_sigmoid1, _sigmoid2),
    "softplus": (sigmoid, _sigmoid1),
    "silu": (lambda x: sigmoid(x) + x * _sigmoid1(x), lambda x: 2 * _sigmoid1(x) + x * _sigmoid2(x)),
    "gelu": (_gelu1, lambda x: _normal(x) * (2 - x * x)),
    "gelu_tanh": (_gelu_tanh1, _gelu_tanh2),
}
"""First and second derivatives by the rules of calculus, which the arbiter does not use."""
POSITIVE = ("log", "sqrt", "rsqrt", "log1p")


def product(x: Array, y: Array, dtype: str) -> Array:
    """A matrix product, exact within the precision, rounded once."""
    with gmpy2.context(gmpy2.get_context(), **WIDE):
        left = [[mpfr(v) for v in row] for row in x.tolist()]
        right = [[mpfr(v) for v in column] for column in y.T.tolist()]
        rows = [[sum(map(operator.mul, row, column), mpfr(0)) for column in right] for row in left]
    return np.array([rounded(row, dtype) for row in rows])
