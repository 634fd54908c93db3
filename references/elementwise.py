"""One output number for each input number."""

from __future__ import annotations

import numpy as np

from references.case import Case
from references.inputs import fixed
from references.lazy import jnp, torch
from references.transforms import POINTS

CASES = (
    Case(
        id="elementwise/sin-published-points",
        why="The published thousand points show where tenferro's sine rounds otherwise than the references'.",
        inputs={"x": fixed(POINTS)},
        jax=lambda x: jnp.sin(x),
        torch=lambda x: torch.sin(x),
        numpy=lambda x: np.sin(x),
        tenferro=lambda x: x.sin(),
    ),
    Case(
        id="elementwise/cos-published-points",
        why="The published thousand points show where tenferro's cosine rounds otherwise than the references'.",
        inputs={"x": fixed(POINTS)},
        jax=lambda x: jnp.cos(x),
        torch=lambda x: torch.cos(x),
        numpy=lambda x: np.cos(x),
        tenferro=lambda x: x.cos(),
    ),
)
