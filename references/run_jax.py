"""A question answered by JAX: under jit or one operation at a time, with types of 64 bits or without."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from references.case import Case, Program
from references.conventions import from_jax_gradients, to_jax_cotangents
from references.inputs import Array, Shape
from references.lazy import jax, jnp
from references.material import Arrays, Material, as_outputs, named

Stage = Callable[[str], None]
Vector = Callable[..., tuple[Any, ...]]


def start(cache: Path) -> None:
    """Configure JAX before its first use: CPU, 64-bit types, compiled programs kept in `cache`."""
    os.environ.setdefault("JAX_PLATFORMS", "cpu")
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # an SVD in two threads has other last bits
    jax.config.update("jax_enable_x64", True)
    jax.config.update("jax_compilation_cache_dir", str(cache))
    jax.config.update("jax_persistent_cache_min_compile_time_secs", 0)
    jax.config.update("jax_persistent_cache_min_entry_size_bytes", -1)


def program_of(case: Case) -> Program:
    """The case's program; cases that share one share what is compiled of it."""
    assert case.jax is not None, case.id
    return case.jax


def outputs(case: Case, inputs: Arrays, *, wide: bool = True) -> list[Array]:
    """Zeros of the shapes and dtypes of the program's outputs, by abstract evaluation. wide: as of `ask`."""
    kinds = tuple((array.shape, array.dtype.str) for array in inputs.values())
    return [np.zeros(shape, dtype) for shape, dtype in _shapes(program_of(case), kinds, wide)]


@functools.lru_cache(maxsize=64)
def _shapes(program: Program, kinds: tuple[tuple[Shape, str], ...], wide: bool) -> list[tuple[Shape, Any]]:
    """Shapes and dtypes of a program's outputs, by those of its inputs: a trace, which several transforms share."""
    with jax.enable_x64(wide):
        inputs = [jax.ShapeDtypeStruct(shape, jax.dtypes.canonicalize_dtype(dtype)) for shape, dtype in kinds]
        return [(found.shape, found.dtype) for found in jax.eval_shape(_vector(program), *inputs)]


def ask(case: Case, transform: str, material: Material, *, jit: bool, stage: Stage, wide: bool = True) -> Arrays:
    """Outputs by name (value, jvp) or gradients by input (vjp, grad, hvp), in tenferro's complex convention.

    wide: False is JAX as it comes, without types of 64 bits.
    """
    with jax.enable_x64(wide):
        return _ask(case, transform, material, jit=jit, stage=stage)


def _ask(case: Case, transform: str, material: Material, *, jit: bool, stage: Stage) -> Arrays:
    inputs, tangents = list(material.inputs.values()), list(material.tangents.values())
    cotangents = to_jax_cotangents(material.cotangents)
    call = functools.partial(_call, jit=jit, stage=stage)
    if transform == "value":
        return named(call(_vector(program_of(case)), *inputs))
    if transform == "jvp":
        return named(call(_jvp(program_of(case), material.places), inputs, tangents))
    if transform == "hvp":
        found = call(_hvp(program_of(case), material.places), inputs, tangents, cotangents)
    else:
        found = call(_vjp(program_of(case), material.places), inputs, cotangents)
    return dict(zip(material.wrt, from_jax_gradients(found), strict=True))


def _call(function: Vector, *arguments: Any, jit: bool, stage: Stage) -> list[Array]:
    placed = arguments if jit else jax.tree.map(jnp.asarray, arguments)  # a compiled program places them faster
    stage("compile")
    results = (_jitted(function) if jit else function)(*placed)
    stage("run")
    return [np.asarray(result) for result in results]


@functools.lru_cache(maxsize=256)
def _jitted(function: Vector) -> Any:
    return jax.jit(function)


@functools.lru_cache(maxsize=256)
def _vector(program: Program) -> Vector:
    def vector(*arrays: Any) -> tuple[Any, ...]:
        return as_outputs(program(*arrays))

    return vector


def _partial(program: Program, inputs: Sequence[Any], wrt: tuple[int, ...]) -> Vector:
    """The program as a function of its active inputs, of the outputs that have derivatives."""

    def partial(*active: Any) -> tuple[Any, ...]:
        outs = _vector(program)(*_replaced(inputs, wrt, active))
        return tuple(out for out in outs if _smooth(out))

    return partial


def _replaced(inputs: Sequence[Any], wrt: tuple[int, ...], active: Sequence[Any]) -> list[Any]:
    arrays = list(inputs)
    for place, array in zip(wrt, active, strict=True):
        arrays[place] = array
    return arrays


def _smooth(array: Any) -> bool:
    return bool(jnp.issubdtype(array.dtype, jnp.inexact))


@functools.lru_cache(maxsize=256)
def _jvp(program: Program, wrt: tuple[int, ...]) -> Vector:
    def push(inputs: Sequence[Any], tangents: Sequence[Any]) -> tuple[Any, ...]:
        active = tuple(inputs[i] for i in wrt)
        return tuple(jax.jvp(_partial(program, inputs, wrt), active, tuple(tangents))[1])

    return push


@functools.lru_cache(maxsize=256)
def _vjp(program: Program, wrt: tuple[int, ...]) -> Vector:
    def pull(inputs: Sequence[Any], cotangents: Sequence[Any]) -> tuple[Any, ...]:
        active = tuple(inputs[i] for i in wrt)
        seeds = tuple(cotangent for cotangent in cotangents if _smooth(cotangent))
        return tuple(jax.vjp(_partial(program, inputs, wrt), *active)[1](seeds))

    return pull


@functools.lru_cache(maxsize=256)
def _hvp(program: Program, wrt: tuple[int, ...]) -> Vector:
    def push_pull(inputs: Sequence[Any], tangents: Sequence[Any], cotangents: Sequence[Any]) -> tuple[Any, ...]:
        def pull(*active: Any) -> tuple[Any, ...]:
            return _vjp(program, wrt)(_replaced(inputs, wrt, active), cotangents)

        return tuple(jax.jvp(pull, tuple(inputs[i] for i in wrt), tuple(tangents))[1])

    return push_pull
