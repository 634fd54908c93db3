"""Every operation of the harness with NumPy's, or a formula's, answer: what the tests of the binding run over."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import tenferro_harness as th
from numpy.typing import NDArray

type Array = NDArray[Any]

ALL = ("traced", "eager", "concrete")
RNG = np.random.default_rng(20261129)


def real(*shape: int) -> Any:
    return RNG.standard_normal(shape)


def positive(*shape: int) -> Any:
    return RNG.uniform(0.5, 2.0, shape)


def complex_(*shape: int) -> Any:
    return real(*shape) + 1j * real(*shape)


def whole(*shape: int) -> Any:
    return RNG.integers(-9, 10, shape)


@dataclass(frozen=True)
class Row:
    """One operation: `harness(*tensors)` must give `numpy(*inputs)` (one array or a tuple of them)."""

    name: str
    inputs: tuple[Array, ...]
    harness: Callable[..., Any]
    numpy: Callable[..., Any]
    surfaces: tuple[str, ...] = ALL
    bitwise: bool = True  # whether all surfaces run the same kernel

    @property
    def id(self) -> str:
        return f"{self.name}-{self.inputs[0].dtype}"


def _named(name: str) -> Callable[..., Any]:
    return lambda x, *rest: getattr(x, name)(*rest)


def _unary(name: str, reference: Callable[..., Any], *inputs: Array) -> list[Row]:
    return [Row(name, (x,), _named(name), reference) for x in inputs]


def _binary(name: str, reference: Callable[..., Any], *pairs: tuple[Array, Array]) -> list[Row]:
    return [Row(name, pair, _named(name), reference) for pair in pairs]


def _erf(x: Array) -> Any:
    return np.vectorize(math.erf)(x)


def _sigmoid(x: Array) -> Any:
    return 1 / (1 + np.exp(-x))


def _softmax(x: Array, axis: int = 1) -> Any:
    e = np.exp(x - x.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


def _gelu_tanh(x: Array) -> Any:
    return 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


def _layer_norm(x: Array, w: Array, b: Array) -> Any:
    mean = x.mean(1, keepdims=True)
    return (x - mean) / np.sqrt(((x - mean) ** 2).mean(1, keepdims=True) + 1e-5) * w + b


def _rms_norm(x: Array, w: Array, b: Array) -> Any:
    return x / np.sqrt((x * x).mean(1, keepdims=True) + 1e-5) * w + b


def _masked(x: Array, mask: Array) -> Any:
    return _softmax(np.where(mask, x, -np.inf))


MASK = np.array([[True, False, True, True], [True, True, True, False], [False, True, True, True]])
F32 = np.float32
PAIRS = ((real(3, 4), real(3, 4)), (complex_(3, 4), complex_(3, 4)), (whole(3, 4), whole(3, 4)))
NARROW = (F32, np.complex64, np.int32)
SMALL_PAIRS: Any = tuple((a.astype(t), b.astype(t)) for (a, b), t in zip(PAIRS, NARROW, strict=True))
REALS = (real(3, 4), real(3, 4).astype(F32))
FLOATS = (*REALS, complex_(3, 4), complex_(3, 4).astype(np.complex64))
NUMBERS = (*FLOATS, whole(3, 4), whole(3, 4).astype(np.int32))
EVERY = (*NUMBERS, MASK)

ELEMENTWISE = [
    *_binary("add", np.add, *PAIRS, *SMALL_PAIRS),
    *_binary("sub", np.subtract, *PAIRS, *SMALL_PAIRS),
    *_binary("mul", np.multiply, *PAIRS, *SMALL_PAIRS),
    *_binary("div", np.divide, *((a, b + 11) for a, b in PAIRS[:2])),
    *_binary("div", lambda a, b: np.trunc(a / b).astype(a.dtype), (whole(3, 4), positive(3, 4).astype(int) + 3)),
    *_binary("rem", np.fmod, (real(3, 4), positive(3, 4)), (whole(3, 4), np.full((3, 4), 4))),
    *_binary("pow", np.power, (positive(3, 4), real(3, 4)), (whole(3, 4), abs(whole(3, 4)) % 4)),
    *_binary("maximum", np.maximum, PAIRS[0], PAIRS[2]),
    *_binary("minimum", np.minimum, PAIRS[0], PAIRS[2]),
    *_unary("neg", np.negative, *NUMBERS),
    *_unary("abs", np.abs, *NUMBERS),
    *_unary("sign", np.sign, *NUMBERS),
    *_unary("conj", np.conj, *FLOATS),
    *_unary("exp", np.exp, *FLOATS),
    *_unary("expm1", np.expm1, *FLOATS),
    *_unary("log", np.log, positive(3, 4), complex_(3, 4)),
    *_unary("log1p", np.log1p, positive(3, 4), complex_(3, 4)),
    *_unary("sin", np.sin, *FLOATS),
    *_unary("cos", np.cos, *FLOATS),
    *_unary("tanh", np.tanh, *FLOATS),
    *_unary("sqrt", np.sqrt, positive(3, 4), complex_(3, 4)),
    *_unary("rsqrt", lambda x: 1 / np.sqrt(x), positive(3, 4), complex_(3, 4)),
    *_unary("erf", _erf, real(3, 4)),
    Row("clamp", (real(3, 4), np.full((3, 4), -0.5), np.full((3, 4), 0.5)), _named("clamp"), np.clip),
    Row("scale_real", (real(3, 4),), lambda x: x.scale_real(2.5), lambda x: x * 2.5),
    Row("scale_complex", (complex_(3, 4),), lambda x: x.scale_complex(1 + 2j), lambda x: x * (1 + 2j)),
]

COMPARISON = [
    *(
        Row(f"compare-{d}", pair, lambda a, b, d=d: a.compare(b, d), getattr(np, n))
        for d, n in (("eq", "equal"), ("lt", "less"), ("le", "less_equal"), ("gt", "greater"), ("ge", "greater_equal"))
        for pair in (PAIRS[0], PAIRS[2])
    ),
    Row("where_select", (MASK, real(3, 4), real(3, 4)), th.where_select, np.where),
    Row("where_select", (MASK, whole(3, 4), whole(3, 4)), lambda p, a, b: p.where_select(a, b), np.where),
    Row("select", (MASK, real(3, 4), real(3, 4)), lambda p, a, b: p.select(a, b), np.where, ("traced", "eager")),
]

ACTIVATION = [
    *_unary("sigmoid", _sigmoid, *REALS),
    *_unary("silu", lambda x: x * _sigmoid(x), *REALS),
    *_unary("softplus", lambda x: np.log1p(np.exp(x)), *REALS),
    *_unary("gelu", lambda x: 0.5 * x * (1 + _erf(x / math.sqrt(2))), real(3, 4)),
    *_unary("gelu_tanh", _gelu_tanh, *REALS),
    Row("softmax", (real(3, 4),), lambda x: x.softmax(1), _softmax),
    Row("log_softmax", (real(3, 4),), lambda x: x.log_softmax(1), lambda x: np.log(_softmax(x))),
    Row("masked_softmax", (real(3, 4), MASK), lambda x, m: x.masked_softmax(m, 1), _masked),
    Row(
        "masked_log_softmax",
        (real(3, 4), MASK),
        lambda x, m: x.masked_log_softmax(m, 1).exp(),
        _masked,
    ),
    Row("layer_norm", (real(3, 4), real(4), real(4)), lambda x, w, b: x.layer_norm(1, w, b), _layer_norm),
    Row("rms_norm", (real(3, 4), real(4), real(4)), lambda x, w, b: x.rms_norm(1, w, b), _rms_norm),
]

REDUCTION = [
    Row(f"{name}-{axes}", (x,), lambda t, name=name, axes=axes: getattr(t, name)(axes), lambda v, f=f, a=axes: f(v, a))
    for name, f, inputs in (
        ("reduce_sum", lambda v, a: v.sum(a if a is None else tuple(a), dtype=v.dtype), NUMBERS),
        ("reduce_sum_squares", lambda v, a: (v * v).sum(a if a is None else tuple(a)), REALS),
        ("reduce_prod", lambda v, a: v.prod(a if a is None else tuple(a)), NUMBERS[:4]),
        ("reduce_max", lambda v, a: v.max(a if a is None else tuple(a)), (*REALS, *NUMBERS[4:])),
        ("reduce_min", lambda v, a: v.min(a if a is None else tuple(a)), (*REALS, *NUMBERS[4:])),
        ("reduce_mean", lambda v, a: v.mean(a if a is None else tuple(a)), FLOATS),
    )
    for x in inputs
    for axes in (None, [0], [0, 1])
]

DTYPE = [
    Row("convert", (whole(3, 4).astype(np.int32),), lambda x: x.convert("f64"), lambda x: x.astype(float)),
    Row("convert", (real(3, 4).astype(F32),), lambda x: x.convert("c128"), lambda x: x.astype(complex)),
    Row("cast", (real(3, 4) * 5,), lambda x: x.cast("i64"), lambda x: np.trunc(x).astype(np.int64)),
    Row("cast", (whole(3, 4),), lambda x: x.cast("bool"), lambda x: x != 0),
    Row("cast", (complex_(3, 4),), lambda x: x.cast(np.float32), lambda x: x.real.astype(F32)),
]


def _embedded(x: Array) -> Any:
    return np.stack([np.diag(row) for row in x])


STRUCTURAL = [
    Row(name, (x,), harness, reference)
    for x in EVERY
    for name, harness, reference in (
        ("reshape", lambda t: t.reshape([2, 6]), lambda v: v.reshape((2, 6), order="F")),
        ("transpose", lambda t: t.transpose([1, 0]), np.transpose),
        (
            "broadcast_in_dim",
            lambda t: t.broadcast_in_dim([3, 2, 4], [0, 2]),
            lambda v: np.broadcast_to(v[:, None], (3, 2, 4)),
        ),
        ("reverse", lambda t: t.reverse([1]), lambda v: v[:, ::-1]),
        ("slice", lambda t: t.slice([1, 0], [3, 4], [1, 2]), lambda v: v[1:3, 0:4:2]),
        ("pad", lambda t: t.pad([1, 0], [0, 2]), lambda v: np.pad(v, ((1, 0), (0, 2)))),
        ("tril", lambda t: t.tril(1), lambda v: np.tril(v, 1)),
        ("triu", lambda t: t.triu(), np.triu),
        ("extract_diag", lambda t: t.extract_diag(0, 1), np.diagonal),
        ("embed_diag", lambda t: t.embed_diag(1, 2), _embedded),
        ("concatenate", lambda t: th.concatenate([t, t], 1), lambda v: np.concatenate([v, v], 1)),
        ("stack", lambda t: th.stack([t, t], -1), lambda v: np.stack([v, v], -1)),
    )
] + [
    Row(name, (real(3, 4),), harness, reference, ("traced", "eager"))
    for name, harness, reference in (
        ("slice_axis", lambda t: t.slice_axis(1, 1, 3), lambda v: v[:, 1:3]),
        (
            "slice_builder",
            lambda t: t.slice_builder([(0, 0, 2), (1, [3, 0, 3])]),
            lambda v: v[:2][:, [3, 0, 3]],
        ),
        ("slice_builder-step", lambda t: t.slice_builder([(1, 0, 4, 2)]), lambda v: v[:, 0:4:2]),
    )
]

ROWS = np.array([2, 0])
GATHER = {
    "offset_dims": [1],
    "collapsed_slice_dims": [0],
    "start_index_map": [0],
    "index_vector_dim": 1,
    "slice_sizes": [1, 4],
}
SCATTER = {
    "update_window_dims": [1],
    "inserted_window_dims": [0],
    "scatter_dims_to_operand_dims": [0],
    "index_vector_dim": 1,
}


def _scattered(x: Array, at: Array, updates: Array) -> Any:
    result = x.copy()
    np.add.at(result, at[:, 0], updates)
    return result


def _updated(x: Array, update: Array, starts: Array) -> Any:
    result = x.copy()
    result[starts[0] : starts[0] + 2, starts[1] : starts[1] + 2] = update
    return result


INDEXING = [
    Row("gather", (real(3, 4), ROWS[:, None]), lambda x, i: x.gather(i, **GATHER), lambda x, i: x[i[:, 0]]),
    Row(
        "scatter",
        (real(3, 4), np.array([[2], [0], [2]]), real(3, 4)),
        lambda x, i, u: x.scatter(i, u, **SCATTER),
        _scattered,
    ),
    Row(
        "dynamic_slice",
        (real(3, 4), np.array([1, 2])),
        lambda x, i: x.dynamic_slice(i, [2, 2]),
        lambda x, i: x[1:3, 2:4],
    ),
    Row("dynamic_update_slice", (real(3, 4), real(2, 2), np.array([1, 2])), _named("dynamic_update_slice"), _updated),
    Row(
        "take_along_axis",
        (real(3, 4), np.array([[0, 3], [1, 1], [2, 0]])),
        lambda x, i: x.take_along_axis(i, 1),
        lambda x, i: np.take_along_axis(x, i, 1),
    ),
    Row("index_select", (real(3, 4),), lambda x: x.index_select(-1, [3, 1]), lambda x: x[:, [3, 1]]),
    Row("take_axis", (real(3, 4),), lambda x: x.take_axis(1, [3, 1]), lambda x: x[:, [3, 1]], ("traced", "eager")),
    Row("take_rows", (real(3, 4),), lambda x: x.take_rows([2, 0]), lambda x: x[[2, 0]], ("eager",)),
    Row("take_cols", (real(3, 4),), lambda x: x.take_cols([2, 0]), lambda x: x[:, [2, 0]], ("eager",)),
    Row("take_block", (real(3, 4),), lambda x: x.take_block([2], [0, 1]), lambda x: x[[2]][:, [0, 1]], ("eager",)),
]

FACTORS = ((real(3, 4), real(4, 5)), (complex_(3, 4), complex_(4, 5)), (real(3, 4).astype(F32), real(4, 5).astype(F32)))
CONTRACTION = [
    *(Row("matmul", pair, lambda a, b: a @ b, np.matmul) for pair in FACTORS),
    *(Row("dot_general", pair, lambda a, b: a.dot_general(b, [1], [0]), np.matmul) for pair in FACTORS),
    Row(
        "dot_general-batch",
        (real(2, 3, 4), real(2, 4, 5)),
        lambda a, b: a.dot_general(b, [2], [1], [0], [0]),
        lambda a, b: np.einsum("bij,bjk->ikb", a, b),
    ),
    Row(
        "dot_general_with_conj",
        (complex_(3, 4), complex_(4, 5)),
        lambda a, b: a.dot_general_with_conj(b, [1], [0], lhs_conj=True),
        lambda a, b: a.conj() @ b,
        ("eager", "concrete"),
    ),
    *(Row("tensordot", pair, lambda a, b: a.tensordot(b, 1), np.matmul) for pair in FACTORS),
    Row(
        "tensordot-axes",
        (real(3, 4, 2), real(2, 4, 5)),
        lambda a, b: a.tensordot(b, ([1, -1], [1, 0])),
        lambda a, b: np.tensordot(a, b, ([1, 2], [1, 0])),
    ),
    *(Row("einsum", pair, lambda a, b: th.einsum("ij,jk->ik", a, b), np.matmul) for pair in FACTORS),
    *(Row("einsum_notation", pair, lambda a, b: th.einsum_notation("ij,jk->ik", a, b), np.matmul) for pair in FACTORS),
    *(
        Row("einsum_subscripts", pair, lambda a, b: th.einsum_subscripts("ij,jk->ik", a, b), np.matmul)
        for pair in FACTORS
    ),
    *(
        Row(
            f"einsum_with-{path}",
            (real(3, 4), real(4, 5), real(5, 2)),
            lambda a, b, c, path=path: th.einsum_with("ij,jk,kl->il", a, b, c, path=path),
            lambda a, b, c: a @ b @ c,
            ("traced",),
        )
        for path in (None, [(1, 2), (0, 1)], "ij,(jk,kl)->il")
    ),
    Row(
        "einsum-three",
        (real(3, 4), real(4, 4), real(4)),
        lambda a, b, c: th.einsum("ij,jj,j->i", a, b, c),
        lambda a, b, c: np.einsum("ij,jj,j->i", a, b, c),
    ),
]


def _rebuilt(a: Any) -> Any:
    u, s, vt = a.svd()
    k = s.shape[0]
    return u.reshape([3, k]) @ (s.reshape([k, 1]) * vt.reshape([k, 4]))


LINALG = [
    *(Row("svd", (x,), _rebuilt, lambda v: v) for x in REALS),
    # Traced drops the vectors that nobody uses, and then computes the values by another algorithm.
    *(Row("svd-values", (x,), lambda t: t.svd()[1], lambda v: np.linalg.svd(v)[1], ALL, False) for x in FLOATS),
    *(Row("svdvals", (x,), lambda t: t.svdvals(), lambda v: np.linalg.svd(v)[1], ("concrete",)) for x in FLOATS),
]


def _parts(x: Array) -> Any:
    return np.stack([x.real, x.imag])


FORMS = [
    Row(name, inputs, harness, reference, ("concrete",))
    for name, inputs, harness, reference in (
        ("as_real_view", (complex_(3, 4),), lambda x: x.as_real_view(), _parts),
        ("into_real", (complex_(3, 4),), lambda x: x.into_real(), _parts),
        ("as_complex_view", (real(2, 3),), lambda x: x.as_complex_view(), lambda x: x[0] + 1j * x[1]),
        ("into_complex", (real(2, 3),), lambda x: x.into_complex(), lambda x: x[0] + 1j * x[1]),
        ("duplicate", (real(2, 3),), lambda x: x.duplicate(), lambda x: x),
        ("add_into", (*PAIRS[0], real(3, 4)), lambda x, y, o: x.add_into(y, o), lambda x, y, o: x + y),
        ("sub_into", (*PAIRS[0], real(3, 4)), lambda x, y, o: x.sub_into(y, o), lambda x, y, o: x - y),
        ("mul_into", (*PAIRS[0], real(3, 4)), lambda x, y, o: x.mul_into(y, o), lambda x, y, o: x * y),
        ("div_into", (*PAIRS[0], real(3, 4)), lambda x, y, o: x.div_into(y, o), lambda x, y, o: x / y),
        ("neg_into", (real(3, 4), real(3, 4)), lambda x, o: x.neg_into(o), lambda x, o: -x),
        ("conj_into", (complex_(3, 4), complex_(3, 4)), lambda x, o: x.conj_into(o), lambda x, o: x.conj()),
        ("norm_squared_read", (complex_(3, 4),), lambda x: x.norm_squared_read(), lambda x: (abs(x) ** 2).sum()),
        ("vdot_read", PAIRS[1], lambda x, y: x.vdot_read(y), np.vdot),
        ("axpby", PAIRS[0], lambda x, y: x.axpby_read_into_accum(2, 3, y), lambda x, y: 2 * x + 3 * y),
        ("copy", (real(3, 4), real(4, 3)), lambda x, o: x.copy_read_into(o, [1, 0]), lambda x, o: x.T),
        (
            "dot_into",
            (*FACTORS[0], real(3, 5)),
            lambda a, b, o: a.dot_general_read_into(b, [1], [0], [], [], o),
            lambda a, b, o: a @ b,
        ),
        (
            "dot_into_accum",
            (*FACTORS[0], real(3, 5)),
            lambda a, b, o: a.dot_general_read_into_accum(b, [1], [0], 2, -1, o),
            lambda a, b, o: 2 * a @ b - o,
        ),
        (
            "solve_read_into",
            (real(3, 3) + 4 * np.eye(3), real(3, 2), real(3, 2)),
            lambda a, b, o: a.solve_read_into(b, o),
            lambda a, b, o: np.linalg.solve(a, b),
        ),
        (
            "einsum_into",
            (*FACTORS[0], real(3, 5)),
            lambda a, b, o: a.einsum_into("ij,jk->ik", [b], o),
            lambda a, b, o: a @ b,
        ),
        ("typed_add", PAIRS[0], lambda x, y: x.typed_add(y), np.add),
        ("typed_exp", (real(3, 4),), lambda x: x.typed_exp(), np.exp),
        ("typed_reduce_sum", (real(3, 4),), lambda x: x.typed_reduce_sum([0]), lambda x: x.sum(0)),
        ("typed_reshape", (real(3, 4),), lambda x: x.typed_reshape([4, 3]), lambda x: x.reshape((4, 3), order="F")),
        ("typed_transpose", (real(3, 4),), lambda x: x.typed_transpose([1, 0]), np.transpose),
        ("typed_matmul", FACTORS[0], lambda x, y: x.typed_matmul(y), np.matmul),
    )
]

TABLE = [
    *ELEMENTWISE,
    *COMPARISON,
    *ACTIVATION,
    *REDUCTION,
    *DTYPE,
    *STRUCTURAL,
    *INDEXING,
    *CONTRACTION,
    *LINALG,
    *FORMS,
]
