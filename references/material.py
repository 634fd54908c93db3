"""What a question hands over: inputs, tangents and cotangents, drawn from the case's id alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from references.case import Case
from references.dtypes import DIFFERENTIABLE, name_of
from references.inputs import Array, Input, hash_arrays, normal

Arrays = dict[str, Array]
Outputs = Callable[[Arrays], Sequence[Array]]


@dataclass(frozen=True)
class Material:
    """Arrays of one question, by name; `wrt` names the inputs differentiated, `tangents` follows it.

    cotangents: one per output, in order; those of outputs without derivatives (integers, bools) are zeros.
    """

    inputs: Arrays
    wrt: tuple[str, ...] = ()
    tangents: Arrays = field(default_factory=dict)
    cotangents: list[Array] = field(default_factory=list)

    @property
    def places(self) -> tuple[int, ...]:
        """The positions of `wrt` among the inputs."""
        names = list(self.inputs)
        return tuple(names.index(name) for name in self.wrt)

    @property
    def hash(self) -> str:
        """Says whether two runs, or two sides, were asked the same."""
        tangents = [(f"tangent:{name}", array) for name, array in self.tangents.items()]
        cotangents = [(f"cotangent:{i}", array) for i, array in enumerate(self.cotangents)]
        return hash_arrays([*self.inputs.items(), *tangents, *cotangents])

    def magnitudes(self) -> Material:
        """Absolute values throughout: what a sum of terms is asked of to get Σ|terms|."""
        return replace(
            self,
            inputs=_each(magnitude, self.inputs),
            tangents=_each(magnitude, self.tangents),
            cotangents=[magnitude(array) for array in self.cotangents],
        )


def inputs_of(case: Case, *, dtype: str, ordinal: int) -> Arrays:
    """The case's inputs by name, in `dtype` where an input does not fix its own."""
    return {name: source.draw(f"{case.id}/{name}", dtype, ordinal) for name, source in case.inputs.items()}


def make(case: Case, *, transform: str, dtype: str, ordinal: int, outputs: Outputs) -> Material:
    """The material of a question. `outputs` gives arrays shaped as the outputs, where cotangents need them."""
    inputs = inputs_of(case, dtype=dtype, ordinal=ordinal)
    if transform == "value":
        return Material(inputs)
    wrt = case.active(dtype)
    pushed = wrt if transform in ("jvp", "hvp") else ()
    tangents = {name: _companion(case, "tangent", name, inputs[name], ordinal) for name in pushed}
    pulled = [] if transform == "jvp" else _cotangents(case, transform, outputs(inputs), ordinal)
    return Material(inputs, wrt, tangents, pulled)


def _cotangents(case: Case, transform: str, outputs: Sequence[Array], ordinal: int) -> list[Array]:
    """Irregular weights, never all ones; but 1 for a gradient, and for the hvp of one real number (jvp of grad)."""
    single = len(outputs) == 1 and outputs[0].shape == () and outputs[0].dtype.kind == "f"
    if transform == "grad" or (transform == "hvp" and single):
        return [np.ones((), outputs[0].dtype)]
    return [_companion(case, "cotangent", f"out{i}", output, ordinal) for i, output in enumerate(outputs)]


def _companion(case: Case, kind: str, name: str, like: Array, ordinal: int) -> Array:
    dtype = name_of(like)
    if dtype not in DIFFERENTIABLE:
        return np.zeros(like.shape, like.dtype)
    given: Mapping[str, Input] = getattr(case, f"{kind}s")
    source = given.get(name) or replace(given.get("*", normal()), shape=like.shape)
    return source.draw(f"{case.id}/{kind}:{name}", dtype, ordinal)


def _each(function: Callable[[Array], Array], arrays: Arrays) -> Arrays:
    return {name: function(array) for name, array in arrays.items()}


def magnitude(array: Array) -> Array:
    """Absolute values, dtype kept; integers and bools (indices, predicates) as they are."""
    return np.asarray(np.abs(array)).astype(array.dtype) if array.dtype.kind in "fc" else array


def as_outputs(result: Any) -> tuple[Any, ...]:
    """A program's results as a tuple, whether it returned one or several."""
    return tuple(result) if isinstance(result, tuple | list) else (result,)


def named(outputs: Sequence[Any]) -> Arrays:
    """Outputs under the names checks use: out0, out1, …"""
    return {f"out{i}": np.asarray(output) for i, output in enumerate(outputs)}
