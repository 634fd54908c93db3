"""A question answered by PyTorch on the CPU, on one thread, with its own reverse and forward modes."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from references.case import Case
from references.inputs import Array
from references.lazy import torch
from references.material import Arrays, Material, as_outputs, named


def start() -> None:
    """One thread: a reference's bits must not move with the machine's load. PyTorch warns of its own forward mode."""
    torch.set_num_threads(1)
    warnings.filterwarnings("ignore", "`torch.jit.script` is deprecated", FutureWarning)


def outputs(case: Case, inputs: Arrays) -> list[Array]:
    """The program's outputs themselves: PyTorch has no abstract evaluation that covers every operation."""
    return list(_value(case, Material(inputs)).values())


def ask(case: Case, transform: str, material: Material) -> Arrays:
    """Outputs by name (value, jvp) or gradients by input (vjp, grad, hvp)."""
    answers = {"value": _value, "jvp": _jvp, "vjp": _vjp, "grad": _vjp, "hvp": _hvp}
    return answers[transform](case, material)


def _value(case: Case, material: Material) -> Arrays:
    with torch.no_grad():
        return named([_numpy(out) for out in _program(case, _tensors(material))])


def _vjp(case: Case, material: Material) -> Arrays:
    leaves, outs, seeds = _recorded(case, material)
    return _by_input(material, _grad(outs, leaves, seeds))


def _jvp(case: Case, material: Material) -> Arrays:
    """By forward mode; by two reverse passes where an operation has no forward rule."""
    primals = tuple(_tensor(material.inputs[name]) for name in material.wrt)
    seeds = tuple(_tensor(tangent) for tangent in material.tangents.values())
    try:
        pushed = torch.func.jvp(_partial(case, material), primals, seeds)[1]
    except NotImplementedError:
        pushed = torch.autograd.functional.jvp(_partial(case, material), primals, seeds)[1]
    return named([_numpy(out) for out in as_outputs(pushed)])


def _hvp(case: Case, material: Material) -> Arrays:
    """Vjp of vjp: the Hessian of Re⟨ct, f⟩ over ℝ² is symmetric, so it gives the derivative along the tangents."""
    leaves, outs, seeds = _recorded(case, material)
    gradients = _grad(outs, leaves, seeds, graph=True)
    return _by_input(material, _grad(gradients, leaves, [_tensor(t) for t in material.tangents.values()]))


def _tensor(array: Array) -> Any:
    return torch.from_numpy(np.array(array, order="C", copy=True))


def _tensors(material: Material) -> list[Any]:
    return [_tensor(array) for array in material.inputs.values()]


def _numpy(tensor: Any) -> Array:
    """The numbers of a tensor; the clone writes out the zeros that PyTorch keeps as no numbers at all."""
    return np.asarray(tensor.detach().clone().resolve_conj().resolve_neg().numpy())


def _by_input(material: Material, gradients: Sequence[Any]) -> Arrays:
    return dict(zip(material.wrt, map(_numpy, gradients), strict=True))


def _program(case: Case, tensors: Sequence[Any]) -> tuple[Any, ...]:
    program = case.torch
    assert program is not None, case.id
    return as_outputs(program(*tensors))


def _smooth(outs: Sequence[Any]) -> list[Any]:
    return [out for out in outs if out.is_floating_point() or out.is_complex()]


def _recorded(case: Case, material: Material) -> tuple[list[Any], list[Any], list[Any]]:
    tensors = _tensors(material)
    leaves = [tensors[place].requires_grad_() for place in material.places]
    seeds = [_tensor(cotangent) for cotangent in material.cotangents if cotangent.dtype.kind in "fc"]
    return leaves, _smooth(_program(case, tensors)), seeds


def _grad(outs: Sequence[Any], leaves: Sequence[Any], seeds: Sequence[Any], *, graph: bool = False) -> list[Any]:
    """Gradients; zeros where an output or an input takes no part."""
    live = [(out, seed) for out, seed in zip(outs, seeds, strict=True) if out.requires_grad]
    if not live:
        return [torch.zeros_like(leaf) for leaf in leaves]
    recorded, weights = zip(*live, strict=True)
    found = torch.autograd.grad(recorded, leaves, weights, create_graph=graph, allow_unused=True)
    return [torch.zeros_like(leaf) if g is None else g for g, leaf in zip(found, leaves, strict=True)]


def _partial(case: Case, material: Material) -> Any:
    def partial(*active: Any) -> tuple[Any, ...]:
        tensors = _tensors(material)
        for place, tensor in zip(material.places, active, strict=True):
            tensors[place] = tensor
        return tuple(_smooth(_program(case, tensors)))

    return partial
