"""Every element-wise operation on reals against MPFR: 10⁴ values a dtype, over all binades and near 1, both signs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.unit import arbiter_oracle as oracle
from tests.unit.arbiter_helpers import Array, assert_alike, named, value

N = 5000  # over all binades, and as many near 1
SMALL = 2.0**-250


def _columns(dtype: str, seed: int, count: int) -> list[Array]:
    return [
        np.concatenate([oracle.spread(N, dtype, seed + i), oracle.spread(N, dtype, seed + 50 + i, binades=6)])
        for i in range(count)
    ]


def _method(name: str) -> Any:
    return lambda x, *others: getattr(x, name)(*others)


@pytest.mark.parametrize("dtype", ["f64", "f32"])
@pytest.mark.parametrize("name", oracle.REAL)
def test_a_function_is_rounded_as_mpfr_rounds_it(name: str, dtype: str) -> None:
    columns = _columns(dtype, 1, 1)
    expected = oracle.directly(oracle.REAL[name], *columns, dtype=dtype)
    assert_alike(value(_method(name), *columns), expected, named(columns))


@pytest.mark.parametrize("dtype", ["f64", "f32"])
@pytest.mark.parametrize("name", oracle.FORMULAS)
def test_an_activation_is_its_formula_rounded_once(name: str, dtype: str) -> None:
    """Near 0 these halve x: a tie among subnormals is broken only beyond 1074 bits."""
    (x,) = _columns(dtype, 2, 1)
    tiny = np.abs(x) < SMALL
    expected = np.empty_like(x)
    for chosen, precision in ((tiny, 1300), (~tiny, 160)):
        expected[chosen] = oracle.closely(oracle.FORMULAS[name], x[chosen], dtype=dtype, precision=precision)
    assert_alike(value(_method(name), x), expected, {"x": x})


@pytest.mark.parametrize("dtype", ["f64", "f32"])
@pytest.mark.parametrize("name", oracle.BINARY)
def test_an_operation_of_two_is_rounded_as_mpfr_rounds_it(name: str, dtype: str) -> None:
    columns = _columns(dtype, 3, 2)
    expected = oracle.directly(oracle.BINARY[name], *columns, dtype=dtype)
    assert_alike(value(_method(name), *columns), expected, named(columns))


@pytest.mark.parametrize("dtype", ["f64", "f32"])
def test_the_other_operations_of_reals(dtype: str) -> None:
    """Closed forms: NumPy selects, compares and rounds a product of two floats as IEEE 754 says."""
    x, y = _columns(dtype, 4, 2)
    low, high = np.minimum(x, y), np.maximum(x, y)
    assert_alike(value(lambda a, b, c: a.clamp(b, c), x[::-1], low, high), np.clip(x[::-1], low, high), named([x, y]))
    assert_alike(value(lambda a: a.sign(), x), np.sign(x), {"x": x})
    assert_alike(value(lambda a: a.conj(), x), x, {"x": x})
    with np.errstate(all="ignore"):
        assert_alike(value(lambda a: a.scale_real(0.1), x), x * np.asarray(0.1, x.dtype), {"x": x})
    for direction, compare in (("eq", np.equal), ("lt", np.less), ("le", np.less_equal), ("gt", np.greater)):
        assert_alike(value(lambda a, b, d=direction: a.compare(b, d), x, y), compare(x, y), named([x, y]))
    assert_alike(value(lambda a, b: a.compare(b, "ge"), x, x), np.ones(len(x), np.bool_), {"x": x})
    chosen = value(lambda a, b: a.compare(b, "lt").where_select(a, b), x, y)
    assert_alike(chosen, np.where(x < y, x, y), named([x, y]))


@pytest.mark.parametrize("exponent", [2.0, 3.0, -1.0, 0.5, 2.5, 1.25, -2.0])
def test_powers_that_are_exact_or_ties_are_decided(exponent: float) -> None:
    x = np.abs(oracle.spread(2000, "f64", 9, binades=400))
    x[:500] = np.ldexp(1.0, np.arange(-250, 250))
    expected = oracle.directly(oracle.BINARY["pow"], x, np.full_like(x, exponent), dtype="f64")
    assert_alike(value(lambda a: a**exponent, x), expected, {"x": x})


def test_double_rounding_does_not_pass_to_f32() -> None:
    """Products whose f64 rounding is a tie of f32: rounding twice would go to even, once goes to the true side."""
    rng = np.random.default_rng(7)
    x = rng.uniform(1, 2, 200_000).astype(np.float32)
    y = rng.uniform(1, 2, 200_000).astype(np.float32)
    z = np.full(200_000, 2.0**-60, np.float32)
    product = x.astype(np.float64) * y  # exact: 48 bits
    ties = np.flatnonzero((product.view(np.int64) & 0x1FFFFFFF) == 0x10000000)[:50]
    assert len(ties)
    x, y, z = x[ties], y[ties], z[ties]
    up, down = value(lambda a, b, c: a * b + c, x, y, z), value(lambda a, b, c: a * b - c, x, y, z)
    spacing = np.spacing(down)
    np.testing.assert_array_equal(up, down + spacing)
    np.testing.assert_array_equal(product[ties], (up.astype(np.float64) + down) / 2)


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_integers_wrap(dtype: type) -> None:
    rng, info = np.random.default_rng(3), np.iinfo(dtype)
    x: Array = rng.integers(info.min, info.max, 10_000, dtype=dtype, endpoint=True)
    y: Array = rng.integers(info.min, info.max, 10_000, dtype=dtype, endpoint=True)
    x[:3], y[:3] = info.min, [-1, 1, info.min]
    y[y == 0] = 1
    with np.errstate(all="ignore"):
        exact = x.astype(object), y.astype(object)
        quotients = [abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1) for a, b in zip(*exact, strict=True)]
        quotient = np.array(quotients, dtype=object)
        rest = exact[0] - exact[1] * quotient
        wrapped = {"add": x + y, "sub": x - y, "mul": x * y, "maximum": np.maximum(x, y), "minimum": np.minimum(x, y)}
        wrapped |= {"div": _wrap(quotient, dtype), "rem": _wrap(rest, dtype)}
        for name, expected in wrapped.items():
            assert_alike(value(_method(name), x, y), expected, named([x, y]))
        for name, expected in {"neg": -x, "abs": np.abs(x), "sign": np.sign(x)}.items():
            assert_alike(value(_method(name), x), expected, named([x]))
        small = y % 40
        powers = _wrap(np.array([int(a) ** int(b) for a, b in zip(x, small, strict=True)], dtype=object), dtype)
        assert_alike(value(_method("pow"), x, small), powers, named([x, small]))


def _wrap(exact: Array, dtype: type) -> Array:
    bits = np.iinfo(dtype).bits
    return np.array([(int(v) + 2 ** (bits - 1)) % 2**bits - 2 ** (bits - 1) for v in exact], dtype=dtype)
