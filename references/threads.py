"""The second line's thread figures: a long sum, a matrix product and singular values, at widths 1, 2 and 8."""

from __future__ import annotations

import numpy as np

from references.case import Case
from references.inputs import fixed
from references.lazy import jnp, torch

MILLION = (7919 * np.arange(1_000_000) % 1_000_003) / 1_000_003 - 0.5
"""The published million: ((7919·i) mod 1000003)/1000003 − 0.5; two correct sums of it differ by 2.6e-12."""

MATRIX = MILLION[:65_536].reshape(256, 256)
"""Its first 65 536 numbers, row by row; the largest singular value is 41.095."""

WIDTHS = (1, 2, 8)

CASES = (
    Case(
        id="threads/sum-of-a-million",
        why="A sum that is split over threads is added in another order, and must stay within what order can do.",
        inputs={"x": fixed(MILLION)},
        jax=lambda x: jnp.sum(x),
        torch=lambda x: torch.sum(x),
        numpy=lambda x: np.sum(x),
        tenferro=lambda x: x.reduce_sum(None),
        transforms=("value",),
        widths=WIDTHS,
        terms=1_000_000,
    ),
    Case(
        id="threads/matmul-64x4096x64",
        why="A long inner dimension shows a product that splits it over threads.",
        inputs={
            "a": fixed(MILLION[: 64 * 4096].reshape(64, 4096)),
            "b": fixed(MILLION[64 * 4096 : 2 * 64 * 4096].reshape(4096, 64)),
        },
        jax=lambda a, b: a @ b,
        torch=lambda a, b: a @ b,
        numpy=lambda a, b: a @ b,
        tenferro=lambda a, b: a.matmul(b),
        transforms=("value",),
        widths=WIDTHS,
        terms=4096,
    ),
    Case(
        id="threads/svdvals-256",
        why="Singular values are gauge-free, and their error is one of the largest.",
        inputs={"a": fixed(MATRIX)},
        jax=lambda a: jnp.linalg.svd(a, compute_uv=False),
        torch=lambda a: torch.linalg.svdvals(a),
        numpy=lambda a: np.linalg.svd(a, compute_uv=False),
        tenferro=lambda a: a.svdvals(),
        surfaces=("concrete",),
        transforms=("value",),
        widths=WIDTHS,
        category="singular-values",
        terms=256,
    ),
)
