"""Where libraries agree on the mathematics and write it differently: each convention once.

Complex derivatives follow tenferro and PyTorch: the gradient of a real L at z = x + iy is ∂L/∂x + i ∂L/∂y.
JAX returns its conjugate: jax_vjp(s) = conj(tenferro_vjp(conj(s))). Tangents are the same in all three.
Batch axes: trailing in tenferro, leading in JAX and PyTorch.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from references.inputs import Array


def to_jax_cotangents(cotangents: Sequence[Array]) -> list[Array]:
    """The cotangents JAX has to be asked with."""
    return [np.conj(cotangent) for cotangent in cotangents]


def from_jax_gradients(gradients: Sequence[Array]) -> list[Array]:
    """JAX's gradients in tenferro's convention. Shapes and dtypes stay."""
    return [np.conj(gradient) for gradient in gradients]


def batch_to_front(array: Any, batch: int) -> Any:
    """An array with `batch` trailing batch axes as NumPy, JAX and PyTorch have it: those axes first, in order."""
    order = tuple(range(array.ndim - batch, array.ndim)) + tuple(range(array.ndim - batch))
    return array.permute(order) if hasattr(array, "permute") else array.transpose(order)


def batch_to_back(array: Any, batch: int) -> Any:
    """The way back: `batch` leading batch axes as tenferro has them, last."""
    order = (*range(batch, array.ndim), *range(batch))
    return array.permute(order) if hasattr(array, "permute") else array.transpose(order)
