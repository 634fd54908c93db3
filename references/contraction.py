"""Matrix products and general contractions: batch axes trail in tenferro, lead in JAX and PyTorch.

Numbers drawn here are integers of magnitude at most 8, so every sum is exact in every float dtype whatever its order,
and the tolerance of those cases is zero. Ordinary numbers have cases of their own, beside them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np

from references import misuses
from references.case import Case, Program
from references.dtypes import DIFFERENTIABLE
from references.generate import scaled, small_integers
from references.inputs import Input, Shape, fixed, normal, uniform, viewed
from references.lazy import jnp, lax, torch
from references.refuse import Refusal, refusals

CONTRACTED = DIFFERENTIABLE


@dataclass(frozen=True)
class Dot:
    """tenferro's `DotGeneralConfig`, field by field."""

    lhs_contracting_dims: Sequence[int]
    rhs_contracting_dims: Sequence[int]
    lhs_batch_dims: Sequence[int] = field(default=())
    rhs_batch_dims: Sequence[int] = field(default=())

    def tenferro(self, a: Any, b: Any) -> Any:
        """The operation itself: free axes of a, free axes of b, batch axes."""
        return a.dot_general(b, **self._lists)

    def conjugated(self, left: bool, right: bool) -> Program:
        """`dot_general_with_conj` of this configuration."""
        return lambda a, b: a.dot_general_with_conj(b, **self._lists, lhs_conj=left, rhs_conj=right)

    @property
    def _lists(self) -> dict[str, list[int]]:
        return {name: list(dims) for name, dims in asdict(self).items()}

    def jax(self, a: Any, b: Any) -> Any:
        """`lax.dot_general` with its batch axes moved from the front to the back."""
        contracted = (tuple(self.lhs_contracting_dims), tuple(self.rhs_contracting_dims))
        batch = (tuple(self.lhs_batch_dims), tuple(self.rhs_batch_dims))
        found = lax.dot_general(a, b, (contracted, batch))
        count = len(self.lhs_batch_dims)
        return jnp.moveaxis(found, range(count), range(found.ndim - count, found.ndim))

    def torch(self, a: Any, b: Any) -> Any:
        """`torch.einsum` with a letter an axis."""
        return torch.einsum(self.letters(a.ndim, b.ndim), a, b)

    def letters(self, left_rank: int, right_rank: int) -> str:
        """The contraction as an einsum string."""
        left, right = list("abcdefgh"[:left_rank]), list("ijklmnop"[:right_rank])
        for i, j in zip(self.rhs_contracting_dims, self.lhs_contracting_dims, strict=True):
            right[i] = left[j]
        for i, j in zip(self.rhs_batch_dims, self.lhs_batch_dims, strict=True):
            right[i] = left[j]
        batch = [left[axis] for axis in self.lhs_batch_dims]
        free = [x for x in left if x not in right] + [x for x in right if x not in left]
        return f"{''.join(left)},{''.join(right)}->{''.join(free + batch)}"

    def output(self, left: Shape, right: Shape) -> Shape:
        """The shape of the result."""
        free = [n for axis, n in enumerate(left) if axis not in (*self.lhs_contracting_dims, *self.lhs_batch_dims)]
        free += [n for axis, n in enumerate(right) if axis not in (*self.rhs_contracting_dims, *self.rhs_batch_dims)]
        return (*free, *(left[axis] for axis in self.lhs_batch_dims))


PRODUCT = Dot([1], [0])


def exact(
    name: str, why: str, left: Shape, right: Shape, dot: Dot, tenferro: Program | None = None, **more: Any
) -> Case:
    """Small integers throughout, tangents and cotangents too: no rounding, so no tolerance."""
    return Case(
        id=f"contraction/{name}",
        why=why,
        inputs={"a": small_integers(*left), "b": small_integers(*right)},
        tangents={"a": small_integers(*left), "b": small_integers(*right)},
        cotangents={"out0": small_integers(*dot.output(left, right))},
        tenferro=tenferro or dot.tenferro,
        category="exact",
        **{"jax": dot.jax, "torch": dot.torch, "dtypes": CONTRACTED, **more},
    )


def _matmul(name: str, why: str, m: int, k: int, n: int, **more: Any) -> Case:
    return exact(f"matmul-{name}", why, (m, k), (k, n), PRODUCT, lambda a, b: a.matmul(b), **more)


def _rounded(name: str, why: str, inputs: Mapping[str, Input], dot: Dot, terms: int, **more: Any) -> Case:
    """Ordinary numbers: the bound grows with the number of terms."""
    programs: dict[str, Any] = {"jax": dot.jax, "torch": dot.torch, "tenferro": dot.tenferro}
    return Case(
        id=f"contraction/{name}", why=why, inputs=inputs, **{**programs, "dtypes": CONTRACTED, "terms": terms, **more}
    )


def _conjugated(name: str, left: bool, right: bool) -> Case:
    """PyTorch and JAX conjugate first."""

    def reference(library: str) -> Program:
        conjugates: dict[str, Program] = {"jax": lambda x: jnp.conj(x), "torch": lambda x: torch.conj(x)}
        conj = conjugates[library]
        return lambda a, b: getattr(BATCHED, library)(conj(a) if left else a, conj(b) if right else b)

    return exact(
        f"dot-general-with-conj-{name}",
        "Each operand is conjugated by its own flag, and its gradient once more.",
        (3, 2, 4),
        (4, 2, 5),
        BATCHED,
        BATCHED.conjugated(left, right),
        jax=reference("jax"),
        torch=reference("torch"),
        surfaces=("eager", "concrete"),
    )


SEEN: dict[str, tuple[Any, Shape]] = {
    "strided": (lambda a: a[::2, ::3], (4, 4)),
    "reversed": (lambda a: a[:, ::-1], (8, 10)),
    "offset": (lambda a: a[1:, 2:-1], (7, 7)),
    "transposed": (lambda a: a.T, (10, 8)),
}
"""Views of an 8 × 10 array, and the shape of each."""


def _seen(kind: str) -> Case:
    """The array on the left is seen through a view; what it is multiplied with is plain."""
    view, shape = SEEN[kind]
    plain = (shape[1], 3)
    case = _matmul(
        f"of-{kind}",
        f"A product with a {kind} array takes that array's own numbers in its own order.",
        shape[0],
        shape[1],
        3,
    )
    inputs = {"a": viewed(small_integers(8, 10), view), "b": small_integers(*plain)}
    return replace(case, inputs=inputs, dtypes=("f64", "c128"))


BATCHED = Dot([2], [0], [1], [1])

BELOW, ABOVE = (50, 51, 51), (52, 51, 50)
"""m, k, n with m·k·n = 130 050 and 132 600: on either side of 2^17, where the complex kernel changes."""

SIZES: dict[str, Any] = {"widths": (1, 2), "transforms": ("value", "vjp")}


def _special_product() -> dict[str, Input]:
    """NaN, infinities and zeros each in one row or column, so that most of the product stays finite."""
    a, b = np.ones((7, 5)), np.ones((5, 6))
    a[1, 2], a[2, 0], a[3, 4], a[5] = np.nan, np.inf, -np.inf, -0.0
    b[0, 1], b[4, 1], b[3, 4], b[:, 5] = 0.0, -np.inf, np.inf, -0.0
    return {"a": fixed(a), "b": fixed(b)}


REFUSED = (
    Refusal(
        op="matmul",
        kind="dtype",
        inputs={"a": small_integers(3, 4), "b": small_integers(4, 5)},
        tenferro=lambda a, b: a.matmul(b),
        jax=lambda a, b: a @ b,
        torch=lambda a, b: a @ b,
        numpy=lambda a, b: a @ b,
        dtypes=("i32", "i64", "bool"),
    ),
    Refusal(
        op="matmul",
        kind="shape",
        inputs={"a": uniform(3, 4), "b": uniform(3, 5)},
        tenferro=lambda a, b: a.matmul(b),
        jax=lambda a, b: a @ b,
        torch=lambda a, b: a @ b,
    ),
    Refusal(
        op="matmul",
        kind="rank",
        note="vector",
        inputs={"a": uniform(3, 4), "b": uniform(4)},
        tenferro=lambda a, b: a.matmul(b),
        jax=lambda a, b: a @ b,
        torch=lambda a, b: a @ b,
    ),
    Refusal(
        op="matmul",
        kind="rank",
        note="batch",
        inputs={"a": uniform(2, 3, 4), "b": uniform(2, 4, 5)},
        tenferro=lambda a, b: a.matmul(b),
        jax=lambda a, b: a @ b,
        torch=lambda a, b: a @ b,
    ),
    Refusal(
        op="dot_general",
        kind="dtype",
        inputs={"a": small_integers(3, 4), "b": small_integers(4, 5)},
        tenferro=PRODUCT.tenferro,
        jax=PRODUCT.jax,
        torch=PRODUCT.torch,
        dtypes=("i32", "i64", "bool"),
    ),
    Refusal(
        op="dot_general",
        kind="shape",
        inputs={"a": uniform(3, 4), "b": uniform(3, 5)},
        tenferro=PRODUCT.tenferro,
        jax=PRODUCT.jax,
        torch=PRODUCT.torch,
    ),
    Refusal(
        op="dot_general",
        kind="axis",
        inputs={"a": uniform(3, 4), "b": uniform(4, 5)},
        tenferro=lambda a, b: a.dot_general(b, lhs_contracting_dims=[2], rhs_contracting_dims=[0]),
        jax=lambda a, b: lax.dot_general(a, b, (((2,), (0,)), ((), ()))),
    ),
    Refusal(
        op="dot_general",
        kind="axis",
        note="twice",
        inputs={"a": uniform(3, 3), "b": uniform(3, 3)},
        tenferro=lambda a, b: a.dot_general(b, lhs_contracting_dims=[1, 1], rhs_contracting_dims=[0, 1]),
        jax=lambda a, b: lax.dot_general(a, b, (((1, 1), (0, 1)), ((), ()))),
    ),
    Refusal(
        op="dot_general",
        kind="rank",
        note="unequal-lists",
        inputs={"a": uniform(3, 4), "b": uniform(4, 5)},
        tenferro=lambda a, b: a.dot_general(b, lhs_contracting_dims=[1], rhs_contracting_dims=[]),
        jax=lambda a, b: lax.dot_general(a, b, (((1,), ()), ((), ()))),
    ),
    Refusal(
        op="dot_general_with_conj",
        kind="dtype",
        inputs={"a": small_integers(3, 2, 4), "b": small_integers(4, 2, 5)},
        tenferro=BATCHED.conjugated(True, False),
        jax=lambda a, b: BATCHED.jax(jnp.conj(a), b),
        torch=lambda a, b: BATCHED.torch(torch.conj(a), b),
        dtypes=("i32", "i64", "bool"),
        surfaces=("eager", "concrete"),
    ),
)

CASES = (
    _matmul("rectangular", "Three different extents show operands or axes that change places.", 3, 4, 5),
    _matmul("row-column", "A row times a column is one number; a column times a row is a table.", 1, 7, 1),
    _matmul("outer", "An inner extent of 1 is a table of products.", 4, 1, 3),
    _matmul("no-rows", "No rows give an empty product, and gradients of zeros.", 0, 3, 2),
    _matmul("empty-sum", "An inner extent of 0 gives zeros: the sum of nothing.", 3, 0, 2),
    _matmul("below-2-17", "The last size before a kernel changes.", *BELOW, **SIZES),
    _matmul("above-2-17", "The first size after a kernel has changed.", *ABOVE, **SIZES),
    *map(_seen, SEEN),
    _rounded(
        "matmul-rounded",
        "Ordinary numbers, 300 terms a sum: what rounding may do and no more.",
        {"a": normal(17, 300), "b": normal(300, 13)},
        PRODUCT,
        300,
        tenferro=lambda a, b: a.matmul(b),
    ),
    _rounded(
        "matmul-square-of-a-leaf",
        "One leaf on both sides: its gradient is the sum of two.",
        {"a": normal(6, 6)},
        PRODUCT,
        6,
        tenferro=lambda a: a.matmul(a),
        jax=lambda a: a @ a,
        torch=lambda a: a @ a,
    ),
    _rounded(
        "matmul-special",
        "NaN, infinities and 0·∞ come out where a sum of products has them, and nowhere else.",
        _special_product(),
        PRODUCT,
        5,
        tenferro=lambda a, b: a.matmul(b),
        numpy=lambda a, b: a @ b,
        dtypes=("f32", "f64"),
        transforms=("value",),
        category="exact",
    ),
    *(
        _rounded(
            f"matmul-{name}",
            "Products near either end of the exponents: nothing overflows on the way, and nothing is lost to zero.",
            {"a": scaled(7, 9, power=power), "b": scaled(9, 5, power=power)},
            PRODUCT,
            9,
            tenferro=lambda a, b: a.matmul(b),
            dtypes=("f64", "c128"),
            transforms=("value", "vjp", "jvp"),
            category="relative",
        )
        for name, power in (("large", 150), ("small", -150))
    ),
    exact("dot-general-inner", "All axes contracted: one number.", (3, 4), (3, 4), Dot([0, 1], [0, 1])),
    exact("dot-general-outer", "No axis contracted: every product of two numbers.", (2, 3), (4,), Dot([], [])),
    exact(
        "dot-general-crossed",
        "Two contracted axes that stand in another order on the right.",
        (3, 4, 5),
        (5, 2, 3),
        Dot([0, 2], [2, 0]),
    ),
    exact("dot-general-batched", "One batch axis in the middle: it comes last.", (3, 2, 4), (4, 2, 5), BATCHED),
    exact(
        "dot-general-two-batches",
        "Two batch axes, listed in another order than they stand.",
        (2, 3, 4, 5),
        (3, 5, 2, 6),
        Dot([3], [1], [1, 0], [0, 2]),
    ),
    exact(
        "dot-general-hadamard",
        "Every axis a batch axis: products one by one.",
        (3, 4),
        (4, 3),
        Dot([], [], [0, 1], [1, 0]),
    ),
    exact("dot-general-empty-sum", "A contracted extent of 0 gives zeros.", (3, 0), (0, 2, 4), PRODUCT),
    exact("dot-general-no-batch", "A batch extent of 0 gives nothing.", (3, 0, 4), (4, 0, 5), BATCHED, dtypes=("f64",)),
    exact(
        "dot-general-below-2-17",
        "Batches of products, the last size before a kernel changes.",
        (25, 51, 2),
        (51, 2, 51),
        Dot([1], [0], [2], [1]),
        **SIZES,
    ),
    Case(
        id="contraction/pitfall-batch-axes",
        why="JAX puts batch axes first in the result, tenferro last.",
        inputs={"a": small_integers(3, 2, 4), "b": small_integers(4, 2, 5)},
        tenferro=BATCHED.tenferro,
        jax=lambda a, b: lax.dot_general(a, b, (((2,), (0,)), ((1,), (1,)))),
        transforms=("value",),
        category="exact",
    ),
    _conjugated("left", True, False),
    _conjugated("right", False, True),
    _conjugated("both", True, True),
    *refusals("contraction", (*REFUSED, *misuses.CONTRACTION)),
)
