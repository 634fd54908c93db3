"""Activation functions of one number, and softmax and normalisation along one axis."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from references import misuses
from references.case import Case, Program
from references.dtypes import ALL, FLOATS
from references.generate import SHAPES, VIEWS, special
from references.inputs import Input, booleans, fixed, normal, positive, uniform, viewed
from references.lazy import jax, jnp, torch
from references.refuse import refusals
from references.rows import MEANINGS, Row, ask, each, grouped, method, named, refused, refused_dtypes

SIZE = 400


def _wide(*shape: int) -> Input:
    return uniform(*shape, low=-4.0, high=4.0)


def _mild(*shape: int) -> Input:
    """Away from the left tail, a kind of its own."""
    return uniform(*shape, low=-1.5, high=4.0)


def _gate(name: str, jax_twin: Program, torch_twin: Program) -> Row:
    return Row(
        name=name.replace("_", "-"),
        tenferro=method(name),
        jax=jax_twin,
        torch=torch_twin,
        dtypes=FLOATS,
        draws=(_mild,),
    )


def _torch_softplus(x: Any) -> Any:
    """PyTorch's is the identity above a threshold, 20 unless told: at 80 that is what rounding makes of it anyway."""
    return torch.nn.functional.softplus(x, threshold=80)


GATES = (
    _gate("sigmoid", named(jax, "nn", "sigmoid"), named(torch, "sigmoid")),
    _gate("silu", named(jax, "nn", "silu"), named(torch, "nn", "functional", "silu")),
    _gate("softplus", named(jax, "nn", "softplus"), _torch_softplus),
    _gate("gelu", lambda x: jax.nn.gelu(x, approximate=False), named(torch, "nn", "functional", "gelu")),
    _gate(
        "gelu_tanh",
        lambda x: jax.nn.gelu(x, approximate=True),
        lambda x: torch.nn.functional.gelu(x, approximate="tanh"),
    ),
)


def _jax_masked(function: str) -> Callable[[int], Program]:
    return lambda axis: lambda x, mask: getattr(jax.nn, function)(x, axis=axis, where=mask)


def _torch_masked(function: str, masked: float) -> Callable[[int], Program]:
    """Softmax over −∞ where masked; then what tenferro and JAX give there, for PyTorch gives NaN to a masked line."""

    def along(axis: int) -> Program:
        def call(x: Any, mask: Any) -> Any:
            found = getattr(torch, function)(torch.where(mask, x, -torch.inf), dim=axis)
            return torch.where(mask, found, masked)

        return call

    return along


def _softmax(name: str, axis: int) -> Row:
    return Row(
        name=f"{name.replace('_', '-')}-axis-{axis}",
        tenferro=method(name, axis),
        jax=lambda x: getattr(jax.nn, name)(x, axis=axis),
        torch=lambda x: getattr(torch, name)(x, dim=axis),
        dtypes=FLOATS,
        draws=(_wide,),
    )


def _masked(name: str, masked: float, axis: int) -> Row:
    return Row(
        name=f"masked-{name.replace('_', '-')}-axis-{axis}",
        tenferro=method(f"masked_{name}", axis),
        jax=_jax_masked(name)(axis),
        torch=_torch_masked(name, masked)(axis),
        dtypes=FLOATS,
        draws=(_wide, booleans),
        operands=("x", "mask"),
    )


EPS = 1e-5


def _layer(library: Any, axis: int, x: Any, weight: Any = None, bias: Any = None) -> Any:
    """(x − mean)/√(var + eps) · weight + bias along one axis, with the biased variance; in JAX's or PyTorch's words."""
    centred = x - library.mean(x, axis, keepdims=True)
    scaled = centred / library.sqrt(library.mean(centred * centred, axis, keepdims=True) + EPS)
    return _affine(scaled, axis, weight, bias)


def _rms(library: Any, axis: int, x: Any, weight: Any = None, bias: Any = None) -> Any:
    """x/√(mean(x²) + eps) · weight + bias along one axis."""
    return _affine(x / library.sqrt(library.mean(x * x, axis, keepdims=True) + EPS), axis, weight, bias)


def _affine(x: Any, axis: int, weight: Any, bias: Any) -> Any:
    shape = [-1 if index == axis else 1 for index in range(x.ndim)]
    scaled = x if weight is None else x * weight.reshape(shape)
    return scaled if bias is None else scaled + bias.reshape(shape)


NORMS: dict[str, Callable[..., Any]] = {"layer_norm": _layer, "rms_norm": _rms}
SHAPE = (5, 7, 6)


def _torch_norm(name: str, axis: int, x: Any, weight: Any = None, bias: Any = None) -> Any:
    """PyTorch's own along the last axis, the formula along another."""
    if axis != x.ndim - 1:
        return NORMS[name](torch, axis, x, weight, bias)
    scaled = getattr(torch.nn.functional, name)(x, x.shape[-1:], weight, eps=EPS)
    return scaled if bias is None else scaled + bias


def _norm(name: str, axis: int, affine: int) -> Case:
    """affine: 0 neither weight nor bias, 1 weight, 2 both."""
    along = SHAPE[axis]
    inputs = {"x": _wide(*SHAPE), "weight": positive(along), "bias": normal(along)}
    kept = dict(list(inputs.items())[: affine + 1])
    how = ("plain", "weighted", "affine")[affine]
    formula = NORMS[name]
    return Case(
        id=f"activation/{name.replace('_', '-')}-axis-{axis}-{how}",
        why=f"{name} along axis {axis} takes mean and variance of its own lines, and weights by its own index.",
        inputs=kept,
        jax=lambda *arrays: formula(jnp, axis, *arrays),
        torch=lambda *arrays: _torch_norm(name, axis, *arrays),
        tenferro=lambda x, *rest: getattr(x, name)(axis, *rest, eps=EPS),
        dtypes=FLOATS,
        category="normalisation",
    )


LINES = (
    *(_softmax(name, axis) for name in ("softmax", "log_softmax") for axis in (0, 1, 2)),
    *(_masked(name, low, axis) for name, low in (("softmax", 0.0), ("log_softmax", -np.inf)) for axis in (0, 2)),
)


def _ordinary(row: Row, *shape: int) -> Case:
    return ask(
        row,
        "activation",
        "ordinary",
        why=f"{row.name} of ordinary numbers, by value and by every derivative, is what the references compute.",
        inputs=row.drawn(shape),
    )


def _values(row: Row, kind: str, why: str, *kinds: str) -> Case:
    return ask(row, "activation", kind, why=why, inputs={"x": special(*kinds)}, dtypes=FLOATS, transforms=("value",))


def _gated(row: Row) -> Iterator[Case]:
    """What a function of one number is asked beside ordinary numbers."""
    name = row.name
    yield _values(row, "special", f"{name} of ±0, ±1 and NaN is exact or NaN.", "zeros", "units", "halves", "nan")
    yield _values(row, "infinite", f"{name} of ±∞ is its limit, or what the formula makes of ∞·0.", "infinite")
    yield _values(row, "decades", f"{name} of numbers scaled by 10^±7, ±150, ±300 is as exact.", *_DECADES)
    yield _values(row, "small", f"{name} of small numbers keeps their digits.", "small")
    yield _values(row, "largest", f"{name} near the largest number overflows only where it must.", "largest")
    yield _values(row, "subnormal", f"{name} of numbers about the smallest keeps subnormals.", "subnormal")
    yield _values(row, "left-tail", f"{name} keeps its digits where it is nearly 0.", "left-tail")
    yield _values(row, "right-tail", f"{name} goes over into its limit on the right.", "right-tail")
    yield ask(
        row,
        "activation",
        "tails-derivative",
        why=f"Derivatives of {name} far from 0, where they are nearly constant.",
        inputs={"x": special("left-tail", "right-tail")},
        transforms=("vjp", "jvp", "hvp"),
    )
    yield ask(
        each(row),
        "activation",
        "shapes",
        why=f"A kernel of {name} that is wrong at one rank, extent or length shows in the output of that shape.",
        inputs=grouped(row, {shape: (extents,) for shape, extents in SHAPES.items()}),
        dtypes=("f64",),
        transforms=("value", "vjp"),
    )


_DECADES = ("power7", "power150", "power300")


def _seen(row: Row) -> Case:
    return ask(
        each(row),
        "activation",
        "views",
        why=f"{row.name} of a strided, offset, reversed or transposed array takes its own lines.",
        inputs={
            f"{name}-{kind}": viewed(source, view)
            for kind, view in VIEWS.items()
            for name, source in row.drawn((6, 5, 7)).items()
        },
        dtypes=("f64",),
        transforms=("value", "vjp"),
    )


def _lines(*rows: list[float]) -> Input:
    return fixed(np.array(rows))


INF, NAN = np.inf, np.nan

ORDINARY_LINES = _lines(
    [1.0, 1.0, 1.0, 1.0],
    [0.0, -0.0, 0.0, -0.0],
    [-INF, 0.0, 1.0, -INF],
    [NAN, 0.0, 1.0, 2.0],
    [0.0, 1.0, 2.0, NAN],
    [3e38, 3e38, 0.0, -3e38],
    [-3e38, -3e38, -3e38, -3e38],
    [1000.0, 999.0, 0.0, -1000.0],
    [-1000.0, -1001.0, -1002.0, -1003.0],
    [1e-30, 2e-30, -1e-30, 0.0],
)
"""Lines of a softmax: equal, excluded by −∞, with NaN, and so large that exp overflows unless the maximum is off."""


def _softmaxes(name: str) -> Iterator[Case]:
    row = _softmax(name, 1)
    settings: dict[str, Any] = {"transforms": ("value", "vjp", "jvp")}
    yield ask(
        row,
        "activation",
        "special",
        why=f"{name} of equal, excluded, enormous and NaN entries; a NaN stays in its own line.",
        inputs={"x": ORDINARY_LINES},
        **settings,
    )
    for kind, line in (("all-excluded", [-INF] * 4), ("infinite", [INF, 0.0, 1.0, 2.0]), ("all-infinite", [INF] * 4)):
        yield ask(
            row,
            "activation",
            kind,
            why=f"{name} of a line that is {kind}: a choice, where the formula gives ∞ − ∞.",
            inputs={"x": _lines(line, [1.0, 2.0, 3.0, 4.0])},
            transforms=("value",),
        )


def _masks(name: str, masked: float) -> Iterator[Case]:
    row = _masked(name, masked, 1)
    mask = np.array([[1, 1, 0, 1], [0, 1, 0, 0], [1, 0, 1, 1]], bool)
    spoiled = np.array([[1.0, 2.0, NAN, 0.5], [INF, 3.0, NAN, -INF], [0.0, 3e38, -1.0, -INF]])
    cotangent = np.array([[0.5, -1.5, 2.0, 1.0], [1.0, 2.0, 3.0, 4.0], [-1.0, 0.25, 2.5, 1.5]])
    yield ask(
        row,
        "activation",
        "special",
        why=f"What is masked does not matter to masked {name}, be it NaN or infinite.",
        inputs={"x": fixed(spoiled), "mask": fixed(mask, dtype="bool")},
        transforms=("value", "vjp"),
        cotangents={"out0": fixed(np.where(mask, cotangent, 0))},
    )
    yield ask(
        row,
        "activation",
        "all-masked",
        why=f"masked {name} of a line that is masked throughout: a choice, and its neighbour is not touched by it.",
        inputs={"x": fixed(spoiled[::2, :2]), "mask": fixed(np.array([[0, 0], [1, 1]], bool), dtype="bool")},
        transforms=("value",),
    )


def _unmasked(name: str) -> Case:
    """Smooth everywhere: what is masked is −∞ in a log-softmax, and no slope is taken of that."""
    return Case(
        id=f"activation/nothing-masked-{name.replace('_', '-')}",
        why=f"A masked {name} that masks nothing is {name} itself, and so are its derivatives.",
        inputs={"x": _wide(4, 5), "mask": fixed(np.ones((4, 5), bool), dtype="bool")},
        jax=lambda x, mask: getattr(jax.nn, name)(x, axis=1),
        torch=lambda x, mask: getattr(torch, name)(x, dim=1),
        tenferro=method(f"masked_{name}", 1),
        dtypes=FLOATS,
    )


def _norms(name: str) -> Iterator[Case]:
    formula = NORMS[name]
    fields: dict[str, Any] = {
        "jax": lambda x: formula(jnp, 1, x),
        "torch": lambda x: _torch_norm(name, 1, x),
        "tenferro": lambda x: getattr(x, name)(1, eps=EPS),
        "dtypes": FLOATS,
        "category": "normalisation",
    }
    kinds: dict[str, tuple[str, Input]] = {
        "constant": ("a line without variance is divided by √eps", _lines([2.0] * 4, [0.0] * 4, [-1.5] * 4)),
        "nan": ("NaN and ∞ stay in their own line", _lines([1.0, 2, 3, 4], [NAN, 1, 2, 3], [4.0, 3, 2, 1])),
        "offset": ("a mean far above the deviation does not swallow it", _lines([4096.5, 4097, 4096, 4098.25])),
        "small": ("eps matters where the variance is below it", _lines([1e-4, -2e-4, 3e-4, 0.0])),
        "one": ("a line of one number", _lines([3.0], [-2.0])),
    }
    for kind, (why, source) in kinds.items():
        if (name, kind) == ("rms_norm", "offset"):
            continue  # nothing cancels there, and its second derivative is below any bound
        transforms = ("value",) if kind in ("nan", "one") else ("value", "vjp", "jvp", "hvp")
        identity = f"activation/{name.replace('_', '-')}-{kind}"
        yield Case(id=identity, why=f"{name}: {why}.", inputs={"x": source}, transforms=transforms, **fields)


def _refused() -> Iterator[Case]:
    """Axes, ranks, shapes, dtypes and options that no line of a normalisation or softmax has."""
    for name in ("softmax", "log_softmax"):
        row = _softmax(name, 2)
        yield refused(
            row, "activation", "axis", why=f"{name} along an axis that is not there.", inputs=row.drawn((3, 2))
        )
        row = _softmax(name, 0)
        yield refused(row, "activation", "rank", why=f"A number has no axis for {name}.", inputs=row.drawn(()))
    for name, low in (("softmax", 0.0), ("log_softmax", -np.inf)):
        row = _masked(name, low, 0)
        why = f"The mask of masked {name} has another shape."
        yield refused(row, "activation", "shape", why=why, inputs=row.drawn((3,), (4,)))
        numbers = {"x": _wide(3), "mask": _wide(3)}
        yield refused(row, "activation", "mask", why=f"The mask of masked {name} is no bool.", inputs=numbers)
    lines = (_softmax("softmax", 0), _softmax("log_softmax", 0), _masked("softmax", 0, 0), _masked("log_softmax", 0, 0))
    for row in (*GATES, *lines):
        if case := refused_dtypes(row, "activation"):
            yield case


def _refused_norms() -> Iterator[Case]:
    wrongs: dict[str, tuple[str, str, dict[str, Input], dict[str, Any]]] = {
        "axis": ("an axis that is not there", MEANINGS["axis"], {"x": _wide(3, 2)}, {"axis": 2}),
        "shape": ("weights of another length", MEANINGS["shape"], {"x": _wide(3, 2), "w": _wide(3)}, {}),
        "rank": ("weights of rank 2", MEANINGS["rank"], {"x": _wide(3, 2), "w": _wide(1, 2)}, {}),
        "eps": ("a negative eps", "eps must be finite and non-negative", {"x": _wide(3, 2)}, {"eps": -1.0}),
        "dtype": ("integers, bools or complex numbers", MEANINGS["dtype"], {"x": _wide(3, 2)}, {}),
    }
    for name, formula in NORMS.items():
        for wrong, (what, refuses, inputs, options) in wrongs.items():
            yield Case(
                id=f"activation/{name.replace('_', '-')}-refuses-{wrong}",
                why=f"{name} with {what} is refused.",
                inputs=inputs,
                jax=functools.partial(formula, jnp, 1),
                tenferro=functools.partial(_tenferro_norm, name, options),
                dtypes=tuple(name for name in ALL if name not in FLOATS) if wrong == "dtype" else ("f64",),
                transforms=("value",),
                refuses=refuses,
            )


def _tenferro_norm(name: str, options: dict[str, Any], x: Any, weight: Any = None) -> Any:
    settings = {"axis": 1, "eps": EPS, **options}
    return getattr(x, name)(settings["axis"], weight, eps=settings["eps"])


CASES = (
    *(_ordinary(row, SIZE) for row in GATES),
    *(_ordinary(row, *SHAPE) for row in LINES),
    *(case for row in GATES for case in _gated(row)),
    *(_seen(row) for row in (*GATES, _softmax("softmax", 1), _masked("log_softmax", -np.inf, 1))),
    *(case for name in ("softmax", "log_softmax") for case in _softmaxes(name)),
    *(case for name, low in (("softmax", 0.0), ("log_softmax", -np.inf)) for case in _masks(name, low)),
    *(_unmasked(name) for name in ("softmax", "log_softmax")),
    *(_norm(name, axis, affine) for name in NORMS for axis in (0, 1, 2) for affine in (0, 1, 2)),
    *(case for name in NORMS for case in _norms(name)),
    *_refused(),
    *_refused_norms(),
    *refusals("activation", misuses.ACTIVATION),
)
