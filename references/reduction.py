"""Sums, products, extremes and means over some axes, all of them or none."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from references.case import Case, Program
from references.dtypes import DIFFERENTIABLE, FLOATS, INTEGERS
from references.generate import VIEWS, chosen, edges, reals, scaled, small_integers, tied
from references.inputs import Array, Input, fixed, uniform, viewed
from references.lazy import jnp, torch
from references.rows import MEANINGS, Row, ask, behind_square, each, named, refused, refused_dtypes

NUMERIC = (*FLOATS, *INTEGERS, "c64", "c128")
ORDERED = (*FLOATS, *INTEGERS)
INEXACT = (*FLOATS, "c64", "c128")
Axes = Sequence[int] | None

AXES: dict[str, Axes] = {
    "all": None,
    "none": (),
    "first": (0,),
    "middle": (1,),
    "last": (2,),
    "ends": (0, 2),
    "every": (0, 1, 2),
}
"""Over which axes of a rank-3 array; `every` names what `all` means."""


def _over(name: str, axes: Axes) -> Program:
    """tenferro's reduction over some axes."""
    return lambda x: getattr(x, name)(None if axes is None else list(axes))


def _numpylike(function: Callable[..., Any], axes: Axes) -> Program:
    """JAX's and NumPy's: axes as a tuple."""
    return lambda x: function(x, axis=None if axes is None else tuple(axes))


def _each_axis(function: Program, axes: Axes) -> Program:
    """PyTorch's, one axis after another from the last: prod takes one only, and an empty list means all to others."""

    def reduce(x: Any) -> Any:
        for axis in sorted(range(x.ndim) if axes is None else axes, reverse=True):
            x = function(x, axis)
        return x

    return reduce


def _wide(*shape: int) -> Input:
    return uniform(*shape, low=-3.0, high=3.0)


def _factors(*shape: int) -> Input:
    """Factors near 1, so that products of hundreds neither overflow nor vanish."""
    return uniform(*shape, low=0.8, high=1.25)


def near_one(*shape: int) -> Input:
    """Factors so near 1 that products of a hundred thousand keep their size."""
    return uniform(*shape, low=1 - 2**-9, high=1 + 2**-9)


def _kept(function: str) -> Program:
    """A sum or product in the dtype of its terms: PyTorch and NumPy widen integers, tenferro and JAX wrap."""
    return lambda x, axis: getattr(torch, function)(x, dim=axis, dtype=x.dtype)


KINDS: dict[str, dict[str, Any]] = {
    "sum": {"jax": lambda x, axis: jnp.sum(x, axis=axis, dtype=x.dtype), "torch": _kept("sum"), "dtypes": NUMERIC},
    "sum-squares": {
        "jax": lambda x, axis: jnp.sum(x * x, axis=axis),
        "torch": None,
        "dtypes": FLOATS,
    },
    "prod": {"jax": lambda x, axis: jnp.prod(x, axis=axis, dtype=x.dtype), "torch": _kept("prod"), "dtypes": NUMERIC},
    "max": {"jax": named(jnp, "max"), "torch": lambda x, axis: torch.amax(x, dim=axis), "dtypes": ORDERED},
    "min": {"jax": named(jnp, "min"), "torch": lambda x, axis: torch.amin(x, dim=axis), "dtypes": ORDERED},
    "mean": {"jax": named(jnp, "mean"), "torch": lambda x, axis: torch.mean(x, dim=axis), "dtypes": INEXACT},
}
"""How the libraries reduce over one axis (PyTorch) or a tuple of them (JAX), and the dtypes that tenferro reduces."""

EXTREMES = ("max", "min")


def _torch(kind: str, axes: Axes) -> Program:
    """Sums of squares square first; extremes share ties over all axes at once, as tenferro and JAX do."""
    if kind == "sum-squares":
        return lambda x: _each_axis(_kept("sum"), axes)(x * x)
    if kind in EXTREMES:
        return lambda x: getattr(torch, f"a{kind}")(x, dim=_dims(x, axes)) if _dims(x, axes) else x * 1
    return _each_axis(KINDS[kind]["torch"], axes)


def _dims(x: Any, axes: Axes) -> list[int]:
    return list(range(x.ndim)) if axes is None else list(axes)


def row_of(kind: str, axes: Axes = None) -> Row:
    """The reduction of that kind over some axes, all of them where none are named."""
    found = KINDS[kind]
    return Row(
        name=kind,
        tenferro=_over(f"reduce_{kind.replace('-', '_')}", axes),
        jax=_numpylike(found["jax"], axes),
        torch=_torch(kind, axes),
        dtypes=found["dtypes"],
        draws=(_factors if kind == "prod" else _wide,),
        category="comparison" if kind in EXTREMES else None,
    )


SIZES: dict[str, tuple[int, ...]] = {
    "one": (1,),
    "ones": (1, 1, 1),
    "fifteen": (15,),
    "sixteen": (16,),
    "seventeen": (17,),
    "rank-5": (2, 3, 1, 4, 2),
    "4097": (4097,),
    "below-16384": (127, 129),
    "above-16384": (129, 128),
    "large": (331, 401),
}
LARGEST = 331 * 401


def _several(kind: str, axes: Sequence[str]) -> Row:
    """One program of several reductions, each of its own input: gradients of one would add up in some order."""
    rows = [row_of(kind, AXES[name]) for name in axes]

    def all_of(side: str) -> Program:
        programs = [getattr(row, side) for row in rows]
        return lambda *arrays: tuple(program(x) for program, x in zip(programs, arrays, strict=True))

    twins: dict[str, Any] = {side: all_of(side) for side in ("tenferro", "jax", "torch")}
    return replace(row_of(kind), **twins, draws=rows[0].draws * len(rows), operands=tuple(axes))


def _axes(kind: str) -> Case:
    row = _several(kind, tuple(AXES))
    return ask(
        row,
        "reduction",
        "axes",
        why=f"The {kind} over the wrong axis, or over all where none was named, has another shape or another number.",
        inputs=row.drawn((5, 4, 3)),
        transforms=("value", "vjp", "jvp"),
        terms=60,
    )


def _second(kind: str) -> Case:
    row = _several(kind, ("all", "middle"))
    return ask(
        row,
        "reduction",
        "second-derivative",
        why=f"The second derivative of a {kind}: of a sum 0, of squares 2, of a product all but two factors.",
        inputs=row.drawn((5, 4, 3)),
        dtypes=row.only(*DIFFERENTIABLE),
        transforms=("hvp",),
        terms=60,
    )


def _of_squares(kind: str) -> Case:
    """In single precision; of f64 and c128 the family widths asks."""
    row = row_of(kind, (1,))
    return ask(
        behind_square(row),
        "reduction",
        "of-squares",
        why=f"A {kind} passes the second derivative of what it is asked of on, in single precision too.",
        inputs=row.drawn((5, 4, 3)),
        dtypes=row.only("f32", "c64"),
        transforms=("hvp",),
        terms=4,
    )


def _sizes(kind: str) -> Case:
    """Every length at which a kernel may split its work, at two widths."""
    row = each(row_of(kind))
    draw = near_one if kind == "prod" else _wide
    return ask(
        row,
        "reduction",
        "sizes",
        why=f"A {kind} that is split over lanes, blocks or threads drops or repeats a term at one length.",
        inputs={name: draw(*shape) for name, shape in SIZES.items()},
        dtypes=row.only("f64", "i64"),
        transforms=("value", "vjp"),
        widths=(1, 2),
        terms=LARGEST,
    )


def _exact(kind: str) -> Case:
    """Sums of integers are exact in every order; the derivatives of extremes are shares, which are not."""
    row = _several(kind, ("all", "first", "last"))
    shapes = {"all": (), "first": (43, 24), "last": (65, 43)}
    return ask(
        row,
        "reduction",
        "exact",
        why=f"Whatever its order, a {kind} of small integers is exact.",
        inputs={name: small_integers(65, 43, 24) for name in row.operands},
        dtypes=row.only("f32", "f64", "c128"),
        transforms=("value",) if kind in EXTREMES else ("value", "vjp", "jvp"),
        tangents={name: small_integers(65, 43, 24) for name in row.operands},
        cotangents={f"out{index}": small_integers(*shape) for index, shape in enumerate(shapes.values())},
        category="exact",
    )


def _views(kind: str) -> Case:
    row = each(row_of(kind, (1,)))
    return ask(
        row,
        "reduction",
        "views",
        why=f"The {kind} of a strided, offset, reversed or transposed array runs along its own axis.",
        inputs={name: viewed(row.draws[0](6, 5, 7), view) for name, view in VIEWS.items()},
        dtypes=row.only("f64", "i32", "c64"),
        transforms=("value", "vjp"),
        terms=7,
    )


def _lines(dtype: str) -> Array:
    """Rows of four whose sums, products and extremes are exact, infinite or NaN by IEEE 754."""
    info = np.finfo(dtype)
    inf, nan, top = np.inf, np.nan, float(info.max)
    return np.array(
        [
            [1, 2, 3, 4],
            [nan, 1, 2, 3],
            [1, 2, 3, nan],
            [inf, 1, 2, 3],
            [-inf, 1, 2, 3],
            [inf, -inf, 1, 2],
            [inf, inf, 1, 2],
            [0, inf, 1, 2],
            [0, nan, inf, 1],
            [-0.0, -0.0, -0.0, -0.0],
            [0, -0.0, 0, -0.0],
            [nan, nan, nan, nan],
            [-inf, -inf, -inf, -inf],
            [inf, nan, -inf, nan],
            [top, 0, 0, 0],
            [top, top, top, top],
            [-1, -2, -3, -4],
        ],
        dtype,
    )


def _special(kind: str) -> Case:
    return ask(
        row_of(kind, (1,)),
        "reduction",
        "special",
        why=f"NaN and ∞ reach the {kind} of their own row, from every place in it, and of no other.",
        inputs={"x": chosen(lambda dtype: _lines({"f32": "f4", "f64": "f8"}[dtype])[:-2].reshape(-1), (15, 4))},
        dtypes=FLOATS,
        transforms=("value",),
        category="exact",
    )


def _overflow(kind: str) -> Case:
    return ask(
        row_of(kind, (1,)),
        "reduction",
        "overflow",
        why=f"The {kind} of numbers near the largest overflows only where it must.",
        inputs={"x": chosen(lambda dtype: np.repeat(reals(dtype, "largest"), 2), (6, 2))},
        dtypes=FLOATS,
        transforms=("value",),
        category="relative",
    )


def _scaled(kind: str, power: int) -> Case:
    return ask(
        row_of(kind, (1,)),
        "reduction",
        f"scaled{power:+d}",
        why=f"The {kind} of numbers near 10^{power} is judged by its own size.",
        inputs={"x": scaled(20, 20, power=power, positive=True)},
        dtypes=FLOATS,
        category="relative",
        transforms=("value", "vjp", "jvp"),
    )


def _empty(kind: str) -> Iterator[Case]:
    """Over no terms; and over another axis of an empty array, beside an ordinary one: nothing alone proves nothing."""
    for name, shape, axes in (("axis", (0, 3), (0,)), ("all", (0,), None)):
        row = row_of(kind, axes)
        changes = {"refuses": MEANINGS["length"]} if kind in EXTREMES else {"category": "exact"}
        yield ask(
            row,
            "reduction",
            f"empty-{name}",
            why=f"The {kind} of no terms is its neutral element; an extreme has none.",
            inputs={"x": uniform(*shape)},
            dtypes=row.only("f64", "i64"),
            transforms=("value",),
            **changes,
        )
    yield ask(
        each(row_of(kind, (1,))),
        "reduction",
        "empty-beside",
        why=f"The {kind} over another axis of an empty array is empty.",
        inputs={"empty": uniform(0, 3), "other": small_integers(2, 4)},
        dtypes=("f64",),
        transforms=("value", "vjp"),
    )


def _tied(kind: str) -> Case:
    row = _several(kind, ("all", "middle", "ends"))
    return ask(
        row,
        "reduction",
        "ties",
        why=f"Equal terms of a {kind} share its derivative evenly, and a zero factor leaves the others theirs.",
        inputs={name: tied(4, 5, 6) for name in row.operands},
        dtypes=row.only(*FLOATS),
        transforms=("vjp", "jvp"),
        category="elementwise",
    )


def _integers(kind: str) -> Case:
    return ask(
        row_of(kind, (1,)),
        "reduction",
        "integer-edges",
        why=f"The {kind} of integers about MIN and MAX wraps, and never goes through a float.",
        inputs={"x": edges(shape=(60, 4))},
        dtypes=INTEGERS,
        transforms=("value",),
    )


def _product_with_zeros(count: int) -> Case:
    numbers = np.linspace(0.5, 2, 30).reshape(6, 5)
    numbers[:, :count] = 0
    return ask(
        row_of("prod", (1,)),
        "reduction",
        f"{count}-zeros",
        why=f"The first and second derivatives of a product with {count} zero factors, of which a quotient makes NaN.",
        inputs={"x": fixed(numbers)},
        dtypes=(*FLOATS, "c128"),
        category="elementwise",
    )


def _refused(kind: str) -> Iterator[Case]:
    why = f"The {kind} over an axis that is not there, or is named twice, is refused."
    for name, axes in (("axis", (3,)), ("axis-twice", (1, 1))):
        row = row_of(kind, axes)
        yield replace(
            refused(row, "reduction", "axis", why=why, inputs=row.drawn((2, 3, 4))),
            id=f"reduction/{kind}-refuses-{name}",
        )
    row = row_of(kind, (0,))
    yield refused(row, "reduction", "rank", why=f"A number has no axis to take the {kind} over.", inputs=row.drawn(()))
    if case := refused_dtypes(row_of(kind), "reduction"):
        yield case


CASES = (
    *(_axes(kind) for kind in KINDS),
    *(_second(kind) for kind in KINDS),
    *(_of_squares(kind) for kind in ("sum", "max", "min", "mean")),
    *(_sizes(kind) for kind in KINDS),
    *(_views(kind) for kind in KINDS),
    *(_special(kind) for kind in KINDS if kind != "mean"),
    *(_overflow(kind) for kind in KINDS),
    *(_exact(kind) for kind in ("sum", "sum-squares", "max", "min")),
    *(_scaled(kind, power) for kind in ("sum", "max", "min", "mean") for power in (150, -150)),
    *(case for kind in KINDS for case in _empty(kind)),
    *(_tied(kind) for kind in KINDS),
    *(case for kind in KINDS for case in _refused(kind)),
    *(_product_with_zeros(count) for count in (1, 2, 3)),
    *(_integers(kind) for kind in KINDS if set(INTEGERS) <= set(KINDS[kind]["dtypes"])),
)
