"""Tensors of every dtype, built from NumPy arrays of every layout, computed with and read back."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from references.case import DERIVATIVES, Case, Program
from references.dtypes import ALL, COMPLEXES, DIFFERENTIABLE, FLOATS, INTEGERS, NUMPY
from references.generate import edges, special
from references.inputs import Array, Input, fixed, uniform, viewed
from references.lazy import jnp, lax, th, torch
from references.refuse import Refusal, refusals
from references.squares import with_derivatives

NUMERIC = tuple(name for name in ALL if name != "bool")


def _swapped(array: Array) -> Array:
    """The same numbers in the other byte order."""
    return array.astype(array.dtype.newbyteorder("S"))


LAYOUTS: dict[str, Any] = {
    "c-order": lambda a: np.ascontiguousarray(a),
    "f-order": lambda a: np.asfortranarray(a),
    "transposed": lambda a: a.transpose(2, 0, 1),
    "strided": lambda a: a[::2, :, ::3],
    "reversed": lambda a: a[:, ::-1, ::-1],
    "offset": lambda a: a[1:, 2:, 1:-1],
    "byte-swapped": _swapped,
    "broadcast": lambda a: np.broadcast_to(a[:, :1], a.shape),
}

SHAPES: dict[str, tuple[int, ...]] = {
    "rank-0": (),
    "one": (1,),
    "empty": (3, 0, 2),
    "ones": (1, 1, 1),
    "rank-5": (2, 3, 1, 4, 2),
}


def _round_trip(name: str, why: str, source: Input) -> Case:
    """In and out again: NumPy itself is the reference, as it is of what JAX and PyTorch refuse to take."""
    return Case(
        id=f"dtype/round-trip-{name}",
        why=why,
        inputs={"x": source},
        numpy=lambda x: x.astype(x.dtype.newbyteorder("=")),
        tenferro=lambda x: x,
        dtypes=ALL,
        transforms=("value",),
    )


def _computed(name: str, view: Any) -> Case:
    """A weighted sum over one axis: a mixed-up axis or element shows in every number of the result."""
    return Case(
        id=f"dtype/computed-{name}",
        why=f"A {name} array is computed with as its own numbers, in its own order.",
        inputs={"x": viewed(uniform(6, 5, 7), view), "w": viewed(uniform(6, 5, 7), view)},
        jax=lambda x, w: jnp.sum(x * w, axis=1, dtype=x.dtype),
        torch=lambda x, w: torch.sum(x * w, dim=1, dtype=x.dtype),
        tenferro=lambda x, w: (x * w).reduce_sum([1]),
        dtypes=NUMERIC,
        transforms=("value", "vjp"),
        category="reduction",
        terms=7,
    )


UPWARD: dict[str, tuple[str, ...]] = {
    "f32": ("f32", "f64", "c64", "c128"),
    "f64": ("f64", "c128"),
    "i32": ("i32", "i64", "f64", "c128"),
    "i64": ("i64", "f64", "c128"),
    "bool": ALL,
    "c64": ("c64", "c128"),
    "c128": ("c128",),
}
"""What `convert` allows: the dtypes that promotion with the source would give."""


def _changed(method: str, targets: tuple[str, ...]) -> dict[str, Any]:
    """One output a target dtype."""
    return {
        "tenferro": lambda x: tuple(getattr(x, method)(name) for name in targets),
        "jax": lambda x: tuple(_jax(x, name) for name in targets),
        "torch": lambda x: tuple(x.to(_torch(name)) for name in targets),
        "numpy": lambda x: tuple(_numpy(x, name) for name in targets),
    }


def _jax(x: Any, name: str) -> Any:
    """Complex numbers lose their imaginary part on purpose; to bool they would lose it too."""
    return x != 0 if name == "bool" else lax.convert_element_type(x, NUMPY[name])


def _torch(name: str) -> Any:
    return getattr(torch, str(NUMPY[name]))


def _numpy(x: Array, name: str) -> Array:
    source = x.real if x.dtype.kind == "c" and NUMPY[name].kind not in "cb" else x
    with np.errstate(over="ignore", invalid="ignore"):
        return source.astype(NUMPY[name])


def _from(method: str, source: str, targets: tuple[str, ...], numbers: Input, kind: str = "") -> Case:
    return Case(
        id=f"dtype/{method}-from-{source}{kind}",
        why=f"Each number of {source} arrives as the number of the other dtype that {method} says.",
        inputs={"x": numbers},
        **_changed(method, targets),
        dtypes=(source,),
        transforms=("value",),
    )


def _derivatives(method: str, source: str, targets: tuple[str, ...]) -> tuple[Case, ...]:
    """Behind squares, and to the dtypes that have derivatives alone."""
    smooth = tuple(name for name in targets if name in DIFFERENTIABLE)
    case = replace(_from(method, source, smooth, uniform(5, 3)), transforms=("value", *DERIVATIVES))
    return tuple(with_derivatives([case]))[1:]


def _in_range(source: str) -> Input:
    """Numbers that every dtype can hold after truncation; integers: those that wrap and round as well."""
    if source in INTEGERS:
        return edges()
    if source == "bool":
        return uniform(64)
    reals = [
        0.0,
        -0.0,
        0.5,
        -0.5,
        0.99,
        -0.99,
        1.0,
        -1.5,
        2.5,
        -3.75,
        1e-30,
        -1e-9,
        8388607.5,
        -16777216.0,
        2147480000.0,
    ]
    return fixed([complex(a, b) for a in reals for b in reals] if source in COMPLEXES else reals)


KINDS: dict[str, tuple[str, ...]] = {
    "-special": ("zeros", "units", "infinite", "nan", "largest", "smallest", "neighbours", "small"),
    "-subnormal": ("units", "subnormal"),
}
"""Subnormal numbers have a case of their own: JAX takes them for zeros where it compares and where it widens."""


def _special(source: str) -> tuple[Case, ...]:
    targets = (*DIFFERENTIABLE, "bool")
    made = [("convert", UPWARD[source]), ("cast", targets)]
    return tuple(
        _from(method, source, given, special(*kinds, shape=(2500,)), kind)
        for kind, kinds in KINDS.items()
        for method, given in made
    )


UNFIT: dict[str, dict[str, Any]] = {
    "nan": {"i32": [1.0, np.nan], "i64": [1.0, np.nan]},
    "infinity": {"i32": [1.0, np.inf], "i64": [-np.inf, 1.0]},
    "too-large": {"i32": [1.0, 2.0**31], "i64": [1.0, 2.0**63]},
    "too-small": {"i32": [1.0, -(2.0**31) - 1024], "i64": [1.0, -(2.0**63) - 2.0**40]},
}
"""Numbers of f32 and f64 that an integer dtype does not have; JAX saturates, PyTorch does what the processor does."""


def _unfit(kind: str, target: str) -> Refusal:
    programs: dict[str, Any] = {library: _first(program) for library, program in _changed("cast", (target,)).items()}
    return Refusal(
        op="cast",
        kind="value",
        note=f"{kind}-to-{target}",
        inputs={"x": fixed(UNFIT[kind][target])},
        dtypes=FLOATS,
        **programs,
    )


def _downward(source: str) -> Refusal:
    """The first dtype that `convert` has no way to; `cast` has one."""
    target = next(name for name in ALL if name not in UPWARD[source])
    return Refusal(
        op="convert",
        kind="dtype",
        note=f"{source}-to-{target}",
        inputs={"x": uniform(3)},
        dtypes=(source,),
        tenferro=lambda x: x.convert(target),
        jax=lambda x: _jax(x, target),
        torch=lambda x: x.to(_torch(target)),
    )


def _first(program: Program) -> Program:
    return lambda x: program(x)[0]


REFUSED = (
    *(_unfit(kind, target) for kind, targets in UNFIT.items() for target in targets),
    *(_downward(source) for source in ALL if set(UPWARD[source]) != set(ALL)),
    Refusal(
        op="mul",
        kind="dtype",
        note="concrete-does-not-promote",
        inputs={"x": uniform(3), "y": uniform(3, dtype="f32")},
        tenferro=lambda x, y: x * y,
        jax=lambda x, y: x * y,
        torch=lambda x, y: x * y,
        numpy=lambda x, y: x * y,
        surfaces=("concrete",),
    ),
)


def _promotion(other: str) -> Case:
    """NumPy promotes as tenferro does; in JAX and PyTorch an integer takes the width of the float it meets."""
    return Case(
        id=f"dtype/promotion-with-{other}",
        why="Two dtypes meet in the one that holds both, and the gradient of each comes back in its own.",
        inputs={"x": uniform(5, 3, low=-3.0, high=3.0), "y": uniform(5, 3, low=-3.0, high=3.0, dtype=other)},
        jax=lambda x, y: x * y,
        torch=lambda x, y: x * y,
        numpy=lambda x, y: x * y,
        tenferro=lambda x, y: x * y,
        dtypes=NUMERIC,
        surfaces=("traced", "eager"),
        category="elementwise",
    )


def _x64_off(name: str, why: str, source: Input, dtypes: tuple[str, ...], **more: Any) -> Case:
    """Asked of a JAX as it comes, without types of 64 bits, in a process of its own."""
    return Case(
        id=f"dtype/x64-off-{name}",
        why=why,
        inputs={"x": source},
        jax=lambda x: x + x,
        tenferro=lambda x: x + x,
        dtypes=dtypes,
        references=("jax-x32",),
        category="elementwise",
        **more,
    )


X64_OFF = (
    _x64_off(
        "sum",
        "A JAX that was not told of 64 bits halves float64, int64 and complex128, and their gradients, without a word.",
        uniform(5, 3, low=-3.0, high=3.0),
        NUMERIC,
        transforms=("value", "vjp", "jvp"),
    ),
    _x64_off(
        "odd-integers",
        "An integer beyond 32 bits comes out of such a JAX as another number.",
        fixed([2**53 + 1, -(2**40) - 1, 7]),
        ("i64",),
    ),
    _x64_off(
        "far-exponents",
        "A number beyond the exponents of 32 bits comes out of such a JAX as ∞, or as 0.",
        fixed([1e300, -1e-300, 0.5]),
        ("f64",),
        transforms=("value",),
    ),
)


def _joined(other: str) -> Case:
    return Case(
        id=f"dtype/joined-with-{other}",
        why="Arrays of two dtypes are joined in the one that holds both, bool too.",
        inputs={"x": uniform(3, 2, low=-3.0, high=3.0), "y": uniform(2, 2, low=-3.0, high=3.0, dtype=other)},
        jax=lambda x, y: jnp.concatenate([x, y], 0),
        torch=lambda x, y: torch.cat([x, y], 0),
        numpy=lambda x, y: np.concatenate([x, y], 0),
        tenferro=lambda x, y: th.concatenate([x, y], 0),
        dtypes=ALL,
        surfaces=("traced", "eager"),
        transforms=("value", "vjp"),
    )


CASES = (
    *(_from("cast", source, ALL, _in_range(source)) for source in ALL),
    *(_from("convert", source, UPWARD[source], _in_range(source)) for source in ALL),
    *(case for source in DIFFERENTIABLE for case in _derivatives("cast", source, ALL)),
    *(case for source in DIFFERENTIABLE for case in _derivatives("convert", source, UPWARD[source])),
    *(case for source in DIFFERENTIABLE for case in _special(source)),
    *refusals("dtype", REFUSED),
    *(_promotion(other) for other in ALL),
    *X64_OFF,
    *(_joined(other) for other in ALL),
    *(
        _round_trip(name, f"A {name} array comes back with its own numbers.", viewed(uniform(6, 5, 7), view))
        for name, view in LAYOUTS.items()
    ),
    *(
        _round_trip(name, f"A {name} array comes back with its own shape.", uniform(*shape))
        for name, shape in SHAPES.items()
    ),
    *(_computed(name, view) for name, view in LAYOUTS.items() if name != "byte-swapped"),
    Case(
        id="dtype/sin-per-dtype",
        why="One function of every dtype that has it.",
        inputs={"x": uniform(5, 4, low=-3.0, high=3.0)},
        jax=lambda x: jnp.sin(x),
        torch=lambda x: torch.sin(x),
        tenferro=lambda x: x.sin(),
        dtypes=DIFFERENTIABLE,
        category="elementwise",
    ),
)
