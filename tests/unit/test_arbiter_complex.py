"""Every element-wise operation on complex numbers against MPC: 10⁴ values, over all binades and near 1."""

from __future__ import annotations

import numpy as np
import pytest

from tests.unit import arbiter_oracle as oracle
from tests.unit.arbiter_helpers import Array, assert_alike, named, value

N = 2500  # over all binades and as many near 1, in c128 and in c64
HARD = {"expm1": 2600, "log1p": 2600, "pow": 2600}
"""Formulas that cancel, or reduce an angle of 10³⁰⁰: the bits they take far from 1."""


def _column(dtype: str, seed: int, binades: int | None) -> Array:
    part = {"c64": "f32", "c128": "f64"}[dtype]
    found: Array = np.empty(N, {"c64": np.complex64, "c128": np.complex128}[dtype])
    found.real = oracle.spread(N, part, seed, binades=binades)
    found.imag = oracle.spread(N, part, seed + 1000, binades=binades)
    return found


@pytest.mark.parametrize("binades", [None, 5])
@pytest.mark.parametrize("dtype", ["c128", "c64"])
@pytest.mark.parametrize("name", [*oracle.COMPLEX, *oracle.COMPLEX_BINARY])
def test_an_operation_is_rounded_by_parts(name: str, dtype: str, binades: int | None) -> None:
    formula = oracle.COMPLEX.get(name) or oracle.COMPLEX_BINARY[name]
    columns = [_column(dtype, seed, binades) for seed in range(1 if name in oracle.COMPLEX else 2)]
    precision = HARD.get(name, 420) if binades is None else 420
    expected = oracle.complexly(formula, *columns, dtype=dtype, precision=precision)
    assert_alike(value(lambda z, *w: getattr(z, name)(*w), *columns), expected, named(columns))


@pytest.mark.parametrize("dtype", ["c128", "c64"])
def test_the_modulus_is_rounded_once(dtype: str) -> None:
    part = {"c64": "f32", "c128": "f64"}[dtype]
    z = np.concatenate([_column(dtype, 5, None), _column(dtype, 6, 5)])
    expected = oracle.closely(lambda x, y: oracle.hypot(x, y), z.real, z.imag, dtype=part, precision=4600)
    assert_alike(value(lambda a: a.abs(), z), expected, {"z": z})


def test_products_of_complex_numbers_and_reals_promote() -> None:
    z, x = _column("c64", 8, 4), oracle.spread(N, "f64", 9, binades=4)
    expected = oracle.complexly(lambda a, b: a * b, z, x.astype(np.complex128), dtype="c128")
    assert_alike(value(lambda a, b: a * b, z, x), expected, named([z, x]))
    assert_alike(value(lambda a: a.scale_complex(1j), z), -z.imag + 1j * z.real, {"z": z})
