"""The answers an explanation compares, and the pieces it puts in: tenferro's own functions and sums."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from references import material, run_jax, run_tenferro
from references.ask import Asker
from references.case import Case, Staged
from references.conventions import batch_to_front, from_jax_gradients, to_jax_cotangents
from references.inputs import Array
from references.lazy import th
from references.material import Arrays, Material
from references.question import Question

METHODS = {name: name for name in ("sin", "cos", "tanh", "exp", "expm1", "log", "log1p", "sqrt", "rsqrt", "erf")}
METHODS |= {"logistic": "sigmoid", "mul": "mul", "div": "div", "pow": "pow", "rem": "rem", "abs": "abs", "sign": "sign"}
METHODS |= {"max": "maximum", "min": "minimum"}
"""JAX primitives and the tenferro operation that is the same function."""


class ExplainError(ValueError):
    """What cannot be explained; the text says why and what to ask instead."""


@dataclass(frozen=True)
class Asked:
    """One question with its material and where tenferro answers it."""

    case: Case
    transform: str
    dtype: str
    surface: str

    @functools.cached_property
    def material(self) -> Material:
        """Inputs, tangents and cotangents."""
        outputs = functools.partial(run_jax.outputs, self.case)
        return material.make(self.case, transform=self.transform, dtype=self.dtype, ordinal=0, outputs=outputs)

    def answer(self, side: str, width: int = 1) -> Arrays:
        """A side's arrays; raises ExplainError with the side's own words where it has none."""
        ours = side == "tenferro"
        where = {"surface": self.surface, "width": width} if ours else {}
        found = _asker().ask(Question(self.case.id, side, self.transform, self.dtype, **where))  # type: ignore[arg-type]
        if found.outcome != "ok":
            raise ExplainError(f"{side} does not answer {self.case.id} {self.transform} {self.dtype}: {found.detail}")
        return {name: np.asarray(array) for name, array in found.arrays.items()}

    def jax_program(self) -> tuple[Any, list[Any]]:
        """The function JAX is asked, and its arguments."""
        m, case = self.material, self.case
        inputs, tangents = list(m.inputs.values()), list(m.tangents.values())
        cotangents = to_jax_cotangents(m.cotangents)
        if self.transform == "value":
            return run_jax._vector(run_jax.program_of(case)), inputs
        if self.transform == "jvp":
            return run_jax._jvp(run_jax.program_of(case), m.places), [inputs, tangents]
        if self.transform == "hvp":
            return run_jax._hvp(run_jax.program_of(case), m.places), [inputs, tangents, cotangents]
        return run_jax._vjp(run_jax.program_of(case), m.places), [inputs, cotangents]

    def named(self, results: Sequence[Array]) -> Arrays:
        """Results of the JAX program under the names answers have."""
        if self.transform in ("value", "jvp"):
            return material.named(results)
        return dict(zip(self.material.wrt, from_jax_gradients(results), strict=True))

    def again(self, change: Callable[[Array], Array]) -> Arrays:
        """tenferro's answer to changed inputs, tangents and cotangents."""
        m = self.material
        changed = replace(
            m,
            inputs={name: change(array) for name, array in m.inputs.items()},
            tangents={name: change(array) for name, array in m.tangents.items()},
            cotangents=[change(array) for array in m.cotangents],
        )
        program = run_tenferro.program(self.case, surface=self.surface, width=1)
        return run_tenferro.ask(program, self.transform, changed)


@functools.cache
def _asker() -> Asker:
    """Answers in this process: an explanation puts pieces of tenferro into it anyway."""
    return Asker(isolate=False)


def check(asked: Asked) -> None:
    """Raise ExplainError for what has no two programs to compare."""
    case, surface = asked.case, asked.surface
    if isinstance(case.tenferro, Staged):
        raise ExplainError(f"{case.id}: its tenferro program stages its own derivative, there is no twin to replay")
    if case.jax is None:
        raise ExplainError(f"{case.id}: JAX has no such operation; the explanation replays JAX's program")
    if surface not in case.surfaces:
        raise ExplainError(f"{case.id}: it has no {surface} surface, but {', '.join(case.surfaces)}")
    if asked.dtype not in case.dtypes:
        raise ExplainError(f"{case.id}: it has no dtype {asked.dtype}, but {', '.join(case.dtypes)}")
    if asked.transform not in (there := case.transforms_on(surface, asked.dtype)):
        raise ExplainError(f"{case.id}: no {asked.transform} on {surface} in {asked.dtype}, but {', '.join(there)}")


def reordered(array: Array) -> Array:
    """The same array in the other memory order."""
    return np.asarray(array, order="F")


def flushed(array: Array) -> Array:
    """Subnormal numbers as zeros of their sign: what JAX's arithmetic makes of them on the CPU."""
    if array.dtype.kind == "c":
        parts = flushed(array.real), flushed(array.imag)
        found = np.empty_like(array)
        found.real, found.imag = parts
        return found
    if array.dtype.kind != "f":
        return array
    return np.where(np.abs(array) < np.finfo(array.dtype).tiny, np.copysign(array.dtype.type(0), array), array)


def concrete(method: str, x: Array, *arguments: Any, width: int = 1) -> Array:
    """One tenferro operation on arrays."""
    tensor = th.Runtime(run_tenferro.engine(width)).concrete(np.asarray(x, order="C"))
    return np.asarray(getattr(tensor, method)(*arguments).numpy())


def tenferro_functions() -> Mapping[str, Callable[..., Array]]:
    """tenferro's implementation of each function, by JAX's primitive."""
    return {primitive: functools.partial(concrete, method) for primitive, method in METHODS.items()}


def tenferro_sum(x: Array, axes: tuple[int, ...], *, width: int = 1) -> Array:
    """tenferro's own order of summation; of nothing, which it refuses to sum, 0."""
    if not x.size:
        return np.asarray(np.sum(x, axis=axes))
    return concrete("reduce_sum", x, list(axes), width=width)


def tenferro_product(x: Array, y: Array, numbers: Any) -> Array:
    """tenferro's own contraction, its batch axes brought to the front as JAX has them."""
    (left, right), (left_batch, right_batch) = numbers
    runtime = th.Runtime(run_tenferro.engine(1))
    tensors = [runtime.concrete(np.asarray(array, order="C")) for array in (x, y)]
    dims = [list(axes) for axes in (left, right, left_batch, right_batch)]
    return np.asarray(batch_to_front(np.asarray(tensors[0].dot_general(tensors[1], *dims).numpy()), len(left_batch)))


def tenferro_operations(asked: Asked) -> list[str]:
    """The operations of tenferro's program for the transform, in its order; none on the surfaces without programs."""
    if asked.surface != "traced":
        return []
    try:
        return _compiled(asked)
    except th.TenferroError:
        return []  # an input the outputs do not depend on, or a derivative that is inactive: there is no program


def _compiled(asked: Asked) -> list[str]:
    runtime, m = th.Runtime(run_tenferro.engine(1)), asked.material
    leaves = [runtime.placeholder(array.shape, array.dtype.name) for array in m.inputs.values()]
    found = asked.case.tenferro(*leaves)  # type: ignore[operator]
    program = runtime.compile(list(material.as_outputs(found)), leaves)
    for step in {"value": "", "jvp": "j", "hvp": "vj"}.get(asked.transform, "v"):
        program = program.vjp(list(m.places)) if step == "v" else program.jvp(list(m.places))
    return [str(name) for name in program.operations()]
