"""Complex numbers: branch cuts, signed zeros, infinite parts, extreme magnitudes, and the convention of derivatives."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from references.case import Case
from references.dtypes import COMPLEXES
from references.elementwise import ANALYTIC, BINARY, SIGNS
from references.generate import LENGTH, chosen, numbers, of_parts, part, reals
from references.inputs import Array, Input, fixed, normal, uniform
from references.lazy import jnp, torch
from references.rows import Row, ask

SIZE = 400

FUNCTIONS = tuple(row for row in (*ANALYTIC, *SIGNS) if set(COMPLEXES) <= set(row.dtypes))
OPERATIONS = tuple(row for row in BINARY if set(COMPLEXES) <= set(row.dtypes))

Points = Callable[[str], Array]


def _grid(re: Any, im: Any) -> Points:
    """Every pair of real and imaginary parts; a part is a list, or a function of the parts' dtype that gives one."""

    def points(dtype: str) -> Array:
        real = part(dtype)
        sides = [np.asarray(side(real) if callable(side) else side, real) for side in (re, im)]
        across, up = np.meshgrid(*sides, indexing="ij")
        return of_parts(across.reshape(-1), up.reshape(-1), dtype)

    return points


def _tiny(real: np.dtype[Any]) -> list[float]:
    """Both zeros and the smallest normal numbers: the two sides of a cut."""
    return [0.0, -0.0, float(np.finfo(real).tiny), -float(np.finfo(real).tiny)]


def _overflowing(real: np.dtype[Any]) -> list[float]:
    """Parts about the point where exp overflows: e^x overflows there, e^x·cos y does not yet."""
    limit = float(np.log(np.finfo(real).max))
    return [limit + 0.3, -limit - 0.3, limit - 1, 1 - limit]


def _large(real: np.dtype[Any]) -> list[float]:
    """Parts at which sinh and cosh are huge and tanh is 1."""
    return [20.0, -20.0, 60.0, -60.0, 0.8 * float(np.log(np.finfo(real).max))]


def _decades(real: np.dtype[Any]) -> list[float]:
    """Magnitudes whose squares overflow or vanish; one part may be far larger than the other."""
    listed = [0.0, *(float(x) for x in reals({4: "f32", 8: "f64"}[real.itemsize], "power150", "power300"))]
    return [*listed, 1.5]


CUTS: dict[str, tuple[str, Points]] = {
    "log": ("the negative axis", _grid([-4.0, -1.0, -0.25, -1e-6], _tiny)),
    "sqrt": ("the negative axis", _grid([-4.0, -1.0, -0.25, -1e-6], _tiny)),
    "rsqrt": ("the negative axis", _grid([-4.0, -1.0, -0.25, -1e-6], _tiny)),
    "log1p": ("the axis below −1", _grid([-4.0, -2.0, -1.25, -1.0625], _tiny)),
}
"""Functions with a branch cut, and points on both sides of it; the sign of a zero says which side."""

KINDS: dict[str, tuple[str, Points]] = {
    "zeros": (
        "a signed zero for a part",
        lambda dtype: _with(numbers(dtype, "zeros", "factors"), lambda z: (z.real == 0) | (z.imag == 0)),
    ),
    "infinite": ("an infinite part", lambda dtype: _with(numbers(dtype, "infinite", "zeros", "factors"), _infinite)),
    "decades": ("parts of 10^±150 and ±300", _grid(_decades, _decades)),
    "large": (
        "a part of 20 or more",
        lambda dtype: np.concatenate([_grid(_large, [0.5, -2.0])(dtype), _grid([0.5, -2.0], _large)(dtype)]),
    ),
    "overflow": (
        "parts where exp overflows",
        lambda dtype: np.concatenate(
            [_grid(_overflowing, [1.0, -1.5])(dtype), _grid([1.0, -1.5], _overflowing)(dtype)]
        ),
    ),
    "small": ("small parts", _grid([1e-3, -1e-5, 1e-8, 1e-12], [1e-3, -1e-5, 1e-8, 1e-12])),
    "circle": (
        "modulus near 1",
        lambda dtype: np.exp(1j * np.arange(64) * 0.4).astype({"c64": np.complex64, "c128": np.complex128}[dtype]),
    ),
}
"""Complex numbers by kind: what is special about them, and the points."""


def _with(points: Array, wanted: Callable[[Array], Array]) -> Array:
    return points[wanted(points)]


def _infinite(z: Array) -> Array:
    found: Array = np.isinf(z.real) | np.isinf(z.imag)
    return found


def _values(row: Row, kind: str, what: str, points: Points) -> Case:
    return ask(
        row,
        "complex",
        kind,
        why=f"{row.name} of complex numbers with {what}.",
        inputs={"x": chosen(points)},
        dtypes=COMPLEXES,
        transforms=("value",),
    )


def _cut(row: Row) -> Case:
    what, points = CUTS[row.name]
    return ask(
        row,
        "complex",
        "cut",
        why=f"{row.name} on both sides of its cut along {what}: the sign of a zero decides, and derivatives follow.",
        inputs={"x": chosen(points)},
        dtypes=COMPLEXES,
        transforms=("value", "vjp", "jvp"),
    )


def _meeting(row: Row, kind: str, what: str, points: Points) -> Case:
    """Two operands: every number of the kind meets another one of it, and an ordinary one."""

    def side(index: int) -> Points:
        def choose(dtype: str) -> Array:
            x = points(dtype)
            ordinary = np.resize(of_parts(np.array([1.5, -0.5]), np.array([-2.0, 0.75]), dtype), x.size)
            pairs = ((x, ordinary), (ordinary, x), (x, np.roll(x, x.size // 2 + 1)))
            return np.concatenate([pair[index] for pair in pairs])

        return choose

    return ask(
        row,
        "complex",
        kind,
        why=f"{row.name} of complex numbers with {what}.",
        inputs={"x": chosen(side(0)), "y": chosen(side(1))},
        dtypes=COMPLEXES,
        transforms=("value",),
    )


def _poles() -> Case:
    """Near iπ/2, where tanh grows like 1/(z − iπ/2)."""
    near = [0.0, 1e-2, -1e-3, 1e-5]
    return _values(
        next(row for row in ANALYTIC if row.name == "tanh"),
        "pole",
        "a pole of tanh nearby",
        _grid(near, [np.pi / 2 + 1e-2, np.pi / 2 - 1e-3, -np.pi / 2 + 1e-4]),
    )


def _z(*shape: int) -> Input:
    return normal(*shape)


def _real(*shape: int) -> Input:
    return uniform(*shape, low=0.5, high=2.0, dtype="f64")


def _convention(name: str, why: str, inputs: dict[str, Input], program: Any, **twins: Any) -> Case:
    """A program written once where JAX, PyTorch and tenferro spell it alike; `twins` where they do not."""
    programs = {"jax": program, "torch": program, "tenferro": program, **twins}
    return Case(id=f"complex/{name}", why=why, inputs=inputs, dtypes=("c128",), **programs)


CONVENTION = (
    _convention(
        "squared-modulus",
        "The gradient of Σ|z|², a real function of complex leaves, is 2z in tenferro and PyTorch, 2z̄ in JAX.",
        {"z": _z(12)},
        None,
        jax=lambda z: jnp.sum(jnp.abs(z) * jnp.abs(z)),
        torch=lambda z: torch.sum(torch.abs(z) * torch.abs(z)),
        tenferro=lambda z: (abs(z) * abs(z)).reduce_sum(None),
    ),
    _convention(
        "holomorphic",
        "The vjp of a holomorphic function multiplies by the conjugate of its derivative.",
        {"z": _z(12)},
        None,
        jax=lambda z: jnp.exp(z) * z,
        torch=lambda z: torch.exp(z) * z,
        tenferro=lambda z: z.exp() * z,
    ),
    _convention(
        "antiholomorphic",
        "A function of the conjugate has a derivative of its own, which a holomorphic rule would lose.",
        {"z": _z(12)},
        None,
        jax=lambda z: jnp.conj(z) * jnp.exp(z),
        torch=lambda z: torch.conj(z) * torch.exp(z),
        tenferro=lambda z: z.conj() * z.exp(),
    ),
    _convention(
        "modulus",
        "|z| has a complex gradient z/|z|, and its second derivative mixes both parts.",
        {"z": _z(12)},
        None,
        jax=lambda z: jnp.abs(z),
        torch=lambda z: torch.abs(z),
        tenferro=lambda z: abs(z),
    ),
    _convention(
        "real-leaf",
        "A real leaf of a complex function has a real gradient: the imaginary part is dropped, not kept.",
        {"x": _real(12), "z": _z(12)},
        lambda x, z: x * z * z,
        wrt=("x",),
        surfaces=("traced", "eager"),
    ),
    _convention(
        "real-and-complex-leaf",
        "A real and a complex leaf of one function have gradients in their own dtypes.",
        {"x": _real(4), "z": _z(3, 4)},
        lambda x, z: x * z * z + x,
        wrt=("x", "z"),
        surfaces=("traced", "eager"),
    ),
    _convention(
        "modulus-at-zero",
        "The gradient of |z| at 0 is 0: the direction that does not exist is a choice.",
        {"z": fixed(np.array([0j, complex(-0.0, -0.0), 1 + 0j, -1j]))},
        None,
        jax=lambda z: jnp.abs(z),
        torch=lambda z: torch.abs(z),
        tenferro=lambda z: abs(z),
        transforms=("vjp", "jvp"),
    ),
    _convention(
        "sign-of-zero",
        "The derivative of z/|z| at 0 is a choice.",
        {"z": fixed(np.array([0j, complex(-0.0, -0.0)]))},
        None,
        jax=lambda z: jnp.sign(z),
        torch=lambda z: torch.sgn(z),
        tenferro=lambda z: z.sign(),
        transforms=("value", "vjp", "jvp"),
    ),
)


def _pow_cut() -> Iterator[Case]:
    """z^w = exp(w·log z) has the cut of log; integer exponents have none, and 0^w is a case of its own."""
    row = OPERATIONS[-1]
    negative = CUTS["log"][1]
    exponents = np.array([0.5, -0.5, 1.5, 0.5 + 1j, 2.0, 3.0, -1.0])
    yield replace(
        _values(row, "cut", "a base beside the negative axis", negative),
        inputs={
            "x": chosen(lambda dtype: np.repeat(negative(dtype), exponents.size)),
            "y": fixed(np.resize(exponents, LENGTH)),
        },
    )
    yield replace(
        _values(row, "zero-base", "a base of 0", negative),
        inputs={
            "x": fixed(np.zeros(LENGTH, complex)),
            "y": fixed(np.resize(np.array([1.0, 2.0, 0.5, 0.0, 1 + 1j]), LENGTH)),
        },
    )


CASES = (
    *(_values(row, kind, what, points) for row in FUNCTIONS for kind, (what, points) in KINDS.items()),
    *(_cut(row) for row in FUNCTIONS if row.name in CUTS),
    *(_meeting(row, kind, *KINDS[kind]) for row in OPERATIONS[:4] for kind in ("zeros", "infinite", "small")),
    *(_meeting(row, "decades", *KINDS["decades"]) for row in OPERATIONS[:4]),
    *_pow_cut(),
    _poles(),
    *CONVENTION,
)
