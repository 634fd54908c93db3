"""Layout, indexing, reductions, contractions and normalisations against NumPy on exact numbers, and exact sums."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from references.arbiter.tensor import concatenate, einsum, source, stack, where_select
from references.dtypes import NUMPY
from tests.unit import arbiter_oracle as oracle
from tests.unit.arbiter_helpers import Array, alike, values

A = np.arange(1.0, 25.0).reshape(2, 3, 4)
M = np.arange(1.0, 13.0).reshape(3, 4)
S = np.arange(1.0, 10.0).reshape(3, 3)
AT = np.array([2, 0, -5, 9])  # two of them out of range


def shaped(program: Callable[..., Any], *arrays: Array) -> Array:
    """The result in its own shape."""
    shape = program(*(source(f"x{i}", np.asarray(a)) for i, a in enumerate(arrays))).shape
    (found,) = values(program, *arrays).values()
    return np.asarray(found).reshape(shape)


MOVED: dict[str, tuple[Callable[..., Any], Callable[..., Any], tuple[Array, ...]]] = {
    "reshape": (lambda x: x.reshape([4, 6]), lambda x: x.reshape((4, 6), order="F"), (A,)),
    "transpose": (lambda x: x.transpose([2, 0, 1]), lambda x: x.transpose(2, 0, 1), (A,)),
    "broadcast_in_dim": (
        lambda x: x.broadcast_in_dim([3, 2, 4], [0, 2]),
        lambda x: np.broadcast_to(x[:, None, :], (3, 2, 4)),
        (M,),
    ),
    "broadcast_in_dim crossed": (
        lambda x: x.broadcast_in_dim([4, 2, 3], [2, 0]),
        lambda x: np.broadcast_to(x.T[:, None, :], (4, 2, 3)),
        (M,),
    ),
    "reverse": (lambda x: x.reverse([0, 2]), lambda x: x[::-1, :, ::-1], (A,)),
    "slice": (lambda x: x.slice([0, 1, 0], [2, 3, 4], [1, 1, 2]), lambda x: x[:, 1:3, ::2], (A,)),
    "slice_axis": (lambda x: x.slice_axis(2, 1, 3), lambda x: x[:, :, 1:3], (A,)),
    "pad": (lambda x: x.pad([1, 0], [0, 2]), lambda x: np.pad(x, ((1, 0), (0, 2))), (M,)),
    "pad cropping": (lambda x: x.pad([-1, 0], [0, -2]), lambda x: x[1:, :2], (M,)),
    "tril": (lambda x: x.tril(1), lambda x: np.tril(x, 1), (M,)),
    "triu": (lambda x: x.triu(-1), lambda x: np.triu(x, -1), (M,)),
    "tril below every diagonal": (lambda x: x.tril(-(2**63)), lambda x: np.tril(x, -100), (M,)),
    "tril above every diagonal": (lambda x: x.tril(2**63 - 1), lambda x: np.tril(x, 100), (M,)),
    "triu below every diagonal": (lambda x: x.triu(-(2**63)), lambda x: np.triu(x, -100), (M,)),
    "triu above every diagonal": (lambda x: x.triu(2**63 - 1), lambda x: np.triu(x, 100), (M,)),
    "tril of a batch": (lambda x: x.tril(), lambda x: np.tril(x.transpose(2, 0, 1)).transpose(1, 2, 0), (A,)),
    "extract_diag": (lambda x: x.extract_diag(0, 1), lambda x: np.diagonal(x), (S,)),
    "extract_diag of a batch": (
        lambda x: x.extract_diag(2, 0),
        lambda x: np.stack([x[i, :, i] for i in range(2)], axis=1),
        (A[:, :, :2],),
    ),
    "embed_diag": (lambda x: x.embed_diag(0, 1), np.diag, (np.arange(1.0, 4.0),)),
    "embed_diag first": (
        lambda x: x.embed_diag(1, 0),
        lambda x: np.stack([np.where(np.arange(4) == i, x, 0) for i in range(4)]),
        (M,),
    ),
    "take_along_axis": (
        lambda x: x.take_along_axis(np.array([[0, 9, -3]] * 3), 1),
        lambda x: np.take_along_axis(x, np.array([[0, 3, 0]] * 3), 1),
        (M,),
    ),
    "take_along_axis with extent 1": (
        lambda x: x.take_along_axis(np.array([[2], [0]]).T, 1),
        lambda x: x[:, [2, 0]],
        (M,),
    ),
    "index_select": (lambda x: x.index_select(-1, [3, 3, 0]), lambda x: x[:, [3, 3, 0]], (M,)),
    "take_block": (lambda x: x.take_block([2, 0], [1, 3]), lambda x: x[[2, 0]][:, [1, 3]], (M,)),
    "dynamic_slice": (lambda x: x.dynamic_slice(np.array([9, -1]), [2, 2]), lambda x: x[1:3, 0:2], (M,)),
    "dynamic_update_slice": (
        lambda x: x.dynamic_update_slice(np.full((1, 2), 7.0), np.array([1, 9])),
        lambda x: np.where((np.arange(3)[:, None] == 1) & (np.arange(4) >= 2), 7.0, x),
        (M,),
    ),
    "gather of rows": (
        lambda x: x.gather(AT, [1], [0], [0], 1, [1, 4]),
        lambda x: x[np.clip(AT, 0, 2)],
        (M,),
    ),
    "gather of columns, window first": (
        lambda x: x.gather(AT[:, None], [0], [1], [1], 1, [3, 1]),
        lambda x: x[:, np.clip(AT, 0, 3)],
        (M,),
    ),
    "gather of windows": (
        lambda x: x.gather(np.array([[0, 1], [9, 9]]), [1, 2], [], [0, 1], 1, [2, 2]),
        lambda x: np.stack([x[0:2, 1:3], x[1:3, 2:4]]),
        (M,),
    ),
    "scatter": (
        lambda x: x.scatter(np.array([0, 0, 2]), np.full((3, 4), 1.0), [1], [0], [0], 1),
        lambda x: x + np.array([2.0, 0.0, 1.0])[:, None],
        (M,),
    ),
    "scatter of windows": (
        lambda x: x.scatter(np.array([[1], [9]]), np.array([[1.0, 2.0], [3.0, 4.0]]), [1], [], [0], 1),
        lambda x: x + np.array([0.0, 1.0, 2.0 + 3.0, 4.0]),
        (np.zeros(4),),
    ),
    "slice_builder": (
        lambda x: x.slice_builder([(1, [3, 0, 0]), (0, 0, 3, 2)]),
        lambda x: x[0:3:2, [3, 0, 0]],
        (M,),
    ),
    "reshape_sym": (
        lambda x: x.reshape_sym([x.sym_size(1) // 2, 2 * x.axis_sym_dim(0)]),
        lambda x: x.reshape((2, 6), order="F"),
        (M,),
    ),
    "broadcast_in_dim_sym": (
        lambda x, y: x.broadcast_in_dim_sym([(y.sym_size(0) - 1).max(2), x.sym_size(0)], [1], [y]),
        lambda x, y: np.broadcast_to(x, (2, 3)),
        (S[0], S),
    ),
    "shape_of": (lambda x: x.shape_of(1), lambda x: np.float64(4), (M,)),
    "pad_to_match": (lambda x, y: x.pad_to_match(y, 1), lambda x, y: np.pad(x, ((0, 0), (0, 1))), (S, M)),
    "dynamic_truncate": (lambda x: x.dynamic_truncate(np.array(1.5), 0), lambda x: x[:2], (M,)),
    "dynamic_truncate clamps": (lambda x: x.dynamic_truncate(np.array(9), 1), lambda x: x, (M,)),
    "concatenate": (lambda x, y: concatenate([x, y], 1), lambda x, y: np.concatenate([x, y], 1), (M, S)),
    "stack": (lambda x: stack([x, np.ones((3, 4))], -1), lambda x: np.stack([x, np.ones((3, 4))], -1), (M,)),
    "where_select": (lambda x: where_select(M > 5, x, 0.5), lambda x: np.where(M > 5, x, 0.5), (M,)),
    "sums": (lambda x: x.reduce_sum([0, 2]), lambda x: x.sum((0, 2)), (A,)),
    "no axis": (lambda x: x.reduce_sum([]), lambda x: x, (A,)),
    "products": (lambda x: x.reduce_prod([1]), lambda x: x.prod(1), (A,)),
    "largest": (lambda x: x.reduce_max(None), lambda x: x.max(), (A,)),
    "smallest": (lambda x: x.reduce_min([0]), lambda x: x.min(0), (A,)),
    "mean": (lambda x: x.reduce_mean([2]), lambda x: x.mean(2), (A,)),
    "sum of squares": (lambda x: x.reduce_sum_squares([0]), lambda x: (x * x).sum(0), (M,)),
    "matmul": (lambda x, y: x @ y, lambda x, y: x @ y, (S, M)),
    "NumPy on the left": (lambda y: S @ y - y, lambda y: S @ y - y, (M,)),
    "dot_general": (
        lambda x, y: x.dot_general(y, [2], [0], [0], [2]),
        lambda x, y: np.einsum("bik,kjb->ijb", x, y),
        (A, np.arange(1.0, 25.0).reshape(4, 3, 2)),
    ),
    "tensordot": (lambda x, y: x.tensordot(y, 1), lambda x, y: np.tensordot(x, y, 1), (A, M.T)),
    "tensordot of axes": (
        lambda x, y: x.tensordot(y, ([-1, 1], [1, 0])),
        lambda x, y: np.tensordot(x, y, ([-1, 1], [1, 0])),
        (A, M),
    ),
}
EINSUMS = {
    "ij,jk,kl->il": (S, S, S),
    "ii->i": (S,),
    "ii->": (S,),
    "ij->ji": (M,),
    "ij->": (M,),
    "ij,kj->ik": (M, S[:, :1].repeat(4, 1)),
    "...i,ij->...j": (A[..., :3], S),
    "bij,bjk->bik": (A, A.transpose(0, 2, 1)),
    "i,j->ij": (S[0], S[1]),
    "ij,ij->": (M, M),
    "abi,bic,ca->": (A, M.reshape(3, 4, 1), np.ones((1, 2))),
}


@pytest.mark.parametrize("name", MOVED)
def test_a_program_is_numpys(name: str) -> None:
    program, numpy, arrays = MOVED[name]
    expected = np.asarray(numpy(*arrays))
    got = shaped(program, *arrays)
    assert got.shape == expected.shape
    np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize("subscripts", EINSUMS)
def test_einsum_is_numpys(subscripts: str) -> None:
    arrays = EINSUMS[subscripts]
    expected = np.einsum(subscripts, *arrays)
    got = shaped(lambda *x: einsum(subscripts, *x), *arrays)
    assert got.shape == np.shape(expected)
    np.testing.assert_array_equal(got, expected)


def test_what_numpys_einsum_refuses() -> None:
    """A repeated output label is a diagonal; parentheses say an order, which exact sums have not."""
    np.testing.assert_array_equal(shaped(lambda x: einsum("i->ii", x), S[0]), np.diag(S[0]))
    np.testing.assert_array_equal(shaped(lambda x, y: einsum("(ij,jk),kl->il", x, y, x), S, S), S @ S @ S)


def test_interior_padding_spreads_elements() -> None:
    np.testing.assert_array_equal(
        shaped(lambda x: x.pad([1], [0], [2]), np.array([1.0, 2.0, 3.0])), [0.0, 1, 0, 0, 2, 0, 0, 3]
    )


@pytest.mark.parametrize("dtype", ["f64", "f32"])
def test_sums_and_dot_products_are_exact_and_rounded_once(dtype: str) -> None:
    """Against fsum and fractions, on rows that cancel over many binades."""
    x = oracle.spread(40 * 256, dtype, 11, binades=40).reshape(40, 256)
    y = oracle.spread(40 * 256, dtype, 12, binades=40).reshape(40, 256)
    sums = values(lambda a: a.reduce_sum([1]), x)["out0"]
    np.testing.assert_array_equal(sums, [_once(map(Fraction, map(float, row)), dtype) for row in x])
    dots = values(lambda a, b: einsum("ij,ij->i", a, b), x, y)["out0"]
    terms = [
        [Fraction(float(p)) * Fraction(float(q)) for p, q in zip(*rows, strict=True)] for rows in zip(x, y, strict=True)
    ]
    np.testing.assert_array_equal(dots, [_once(row, dtype) for row in terms])
    if dtype == "f64":
        np.testing.assert_array_equal(sums, [math.fsum(row) for row in x])


def _once(terms: Any, dtype: str) -> Any:
    total = sum(terms, Fraction(0))
    (found,) = oracle.rounded([oracle.mpfr_of(total)], dtype)
    return found


@pytest.mark.parametrize("dtype", ["f64", "f32"])
def test_softmax_and_normalisations_are_their_formulas(dtype: str) -> None:
    x = oracle.spread(1250 * 8, dtype, 13, binades=4).reshape(1250, 8)
    w, b = x[0], x[1]
    np.testing.assert_array_equal(shaped(lambda a: a.softmax(1), x), oracle.by_rows(oracle.softmax, x, dtype))
    np.testing.assert_array_equal(shaped(lambda a: a.log_softmax(1), x), oracle.by_rows(oracle.log_softmax, x, dtype))
    normed = shaped(lambda a, u, v: a.layer_norm(1, u, v, 1e-3), x, w, b)
    eps = float(NUMPY[dtype].type(1e-3))
    np.testing.assert_array_equal(normed, oracle.by_rows(lambda r: oracle.layer_norm(r, w, b, eps), x, dtype))
    rms = shaped(lambda a, u: a.rms_norm(1, u, None, 1e-3), x, w)
    np.testing.assert_array_equal(rms, oracle.by_rows(lambda r: oracle.rms_norm(r, w, eps), x, dtype))


@pytest.mark.parametrize("dtype", ["f64", "f32"])
def test_a_matrix_product_is_exact_and_rounded_once(dtype: str) -> None:
    x = oracle.spread(5000, dtype, 14, binades=40).reshape(100, 50)
    y = oracle.spread(5000, dtype, 15, binades=40).reshape(50, 100)
    got = shaped(lambda a, b: a @ b, x, y)
    np.testing.assert_array_equal(got, oracle.product(x, y, dtype))


@pytest.mark.parametrize("dtype", ["f64", "f32"])
def test_the_other_reductions_are_rounded_once(dtype: str) -> None:
    """Products, means and sums of squares against MPFR; extrema, over all binades, against NumPy."""
    x = oracle.spread(2500 * 4, dtype, 16, binades=20).reshape(2500, 4)
    formulas: dict[str, Callable[..., Any]] = {
        "reduce_prod": lambda r: r[0] * r[1] * r[2] * r[3],
        "reduce_mean": lambda r: sum(r) / 4,
        "reduce_sum_squares": lambda r: sum(v * v for v in r),
    }
    for name, formula in formulas.items():
        got = shaped(lambda a, n=name: getattr(a, n)([1]), x)
        np.testing.assert_array_equal(got, oracle.by_rows(lambda r, f=formula: [f(r)], x, dtype)[:, 0])
    wide = oracle.spread(2500 * 4, dtype, 17).reshape(2500, 4)
    np.testing.assert_array_equal(shaped(lambda a: a.reduce_max([1]), wide), wide.max(1))
    np.testing.assert_array_equal(shaped(lambda a: a.reduce_min([1]), wide), wide.min(1))


@pytest.mark.parametrize("dtype", ["f64", "f32"])
def test_moves_keep_every_bit(dtype: str) -> None:
    """10⁴ numbers over all binades, with zeros of both signs, infinities and NaN among them."""
    x = oracle.spread(10_000, dtype, 18).reshape(100, 10, 10)
    x.reshape(-1)[::97] = np.resize([0.0, -0.0, np.inf, -np.inf, np.nan], 104)
    moves: dict[str, tuple[Callable[..., Any], Callable[..., Any]]] = {
        "transpose": (lambda a: a.transpose([2, 0, 1]), lambda a: a.transpose(2, 0, 1)),
        "reshape": (lambda a: a.reshape([10, 1000]), lambda a: a.reshape((10, 1000), order="F")),
        "reverse": (lambda a: a.reverse([1]), lambda a: a[:, ::-1]),
        "select": (lambda a: a.index_select(0, list(range(99, -1, -1))), lambda a: a[::-1]),
        "pad": (lambda a: a.pad([0, 1, 0], [0, 0, 0]), lambda a: np.pad(a, ((0, 0), (1, 0), (0, 0)))),
    }
    for program, numpy in moves.values():
        assert alike(shaped(program, x), numpy(x)).all()


def test_masked_softmax_leaves_the_rest_out() -> None:
    x = np.array([[1.0, math.nan, 2.0], [math.inf, 3.0, 4.0], [1.0, 2.0, 3.0]])
    mask = np.array([[True, False, True], [False, True, True], [False, False, False]])
    got = shaped(lambda a: a.masked_softmax(mask, 1), x)
    for row, (i, j) in ((0, (0, 2)), (1, (1, 2))):
        alone = shaped(lambda a: a.softmax(0), x[row, [i, j]])
        np.testing.assert_array_equal(got[row, [i, j]], alone)
    np.testing.assert_array_equal(got[~mask], 0.0)
    logarithms = shaped(lambda a: a.masked_log_softmax(mask, 1), x)
    np.testing.assert_array_equal(logarithms[~mask], -np.inf)
    np.testing.assert_array_equal(logarithms[0, [0, 2]], shaped(lambda a: a.log_softmax(0), x[0, [0, 2]]))


CASTS = [
    ("f64", "f32", [0.1, -1e300, 1e-46, 16777217.0]),
    ("f32", "f64", [0.1, -3.5]),
    ("f64", "i32", [2.9, -2.9, 0.0]),
    ("f64", "i64", [-(2.0**62), 1e-300]),
    ("i64", "f64", [2**53 + 1, -7, 0]),
    ("i64", "f32", [2**24 + 1, 2**60 + 1]),
    ("i64", "i32", [2**40 + 5, -1]),
    ("i32", "bool", [0, -1, 3]),
    ("f64", "bool", [0.0, -0.0, 1e-300, math.nan]),
    ("bool", "f32", [True, False]),
    ("f64", "c128", [1.5, -0.0]),
    ("c128", "c64", [0.1 + 0.2j]),
    ("c128", "f64", [0.1 + 0.2j]),
    ("f32", "c128", [0.1]),
]


@pytest.mark.parametrize(("dtype", "to", "numbers"), CASTS)
def test_casts_of_stored_numbers_are_numpys(dtype: str, to: str, numbers: list[Any]) -> None:
    x = np.array(numbers, NUMPY[dtype])
    with np.errstate(all="ignore"):
        plain = x.real if to[0] != "c" and dtype[0] == "c" else x
        expected = plain.astype(NUMPY[to])
    got = values(lambda a: a.cast(to), x)["out0"]
    assert got.dtype == NUMPY[to]
    np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize(
    ("left", "right", "result"),
    [
        ("f32", "f64", "f64"),
        ("i32", "f32", "f64"),
        ("i64", "c64", "c128"),
        ("f64", "c64", "c128"),
        ("f32", "c64", "c64"),
        ("i32", "i64", "i64"),
        ("bool", "i32", "i32"),
        ("f32", "f32", "f32"),
    ],
)
def test_operands_are_promoted_as_tenferros_lattice_says(left: str, right: str, result: str) -> None:
    x, y = source("x", np.ones(2, NUMPY[left])), source("y", np.ones(2, NUMPY[right]))
    assert (x + y).dtype == (y + x).dtype == result


def test_python_numbers_have_the_tensors_dtype() -> None:
    x = source("x", np.ones(2, np.float32))
    assert (x + 0.1).dtype == "f32"
    assert (0.1 * x).dtype == "f32"
    assert (x + np.float64(0.1)).dtype == "f64"
    np.testing.assert_array_equal(values(lambda a: a + 0.1, np.zeros(1, np.float32))["out0"], np.float32(0.1))
