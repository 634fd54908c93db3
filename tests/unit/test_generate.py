"""Generated inputs hold the numbers they name, in every dtype, and never fewer than they list."""

import numpy as np
import pytest

from references.dtypes import NUMPY
from references.generate import KINDS, LENGTH, chosen, edge_pairs, numbers, pairs, reals, scaled, special

REAL = ("f32", "f64")


@pytest.mark.parametrize("dtype", REAL)
@pytest.mark.parametrize("kind", sorted(KINDS))
def test_a_kind_is_a_list_of_numbers_of_the_dtype_each_once(kind: str, dtype: str) -> None:
    listed = reals(dtype, kind)
    assert listed.dtype == NUMPY[dtype]
    assert len({number.tobytes() for number in listed}) == listed.size > 0


@pytest.mark.parametrize("dtype", REAL)
def test_subnormal_numbers_are_subnormal_and_not_zero(dtype: str) -> None:
    listed = np.abs(reals(dtype, "subnormal"))
    assert (listed > 0).all()
    assert (listed < np.finfo(dtype.replace("f", "float")).tiny).all()


def test_complex_numbers_keep_signed_zeros_beside_infinite_parts() -> None:
    found = {(str(z.real), str(z.imag)) for z in numbers("c128", "zeros", "infinite")}
    assert ("-0.0", "inf") in found
    assert len(found) == 16


def test_pairs_meet_in_every_order() -> None:
    x, y = (source.draw("", "f64", 0) for source in pairs("zeros", "units"))
    met = {(a.tobytes(), b.tobytes()) for a, b in zip(x, y, strict=True)}
    assert len(met) == reals("f64", "zeros", "units").size ** 2


def test_every_complex_number_meets_another() -> None:
    x, y = (source.draw("", "c64", 0) for source in pairs("units", "infinite"))
    assert len({z.tobytes() for z in y}) == len({z.tobytes() for z in x})
    assert (x.view(np.uint64) != y.view(np.uint64)).any()


@pytest.mark.parametrize("dtype", ["i32", "i64"])
def test_a_divisor_is_never_zero_nor_minus_one_of_the_least(dtype: str) -> None:
    x, y = (source.draw("", dtype, 0) for source in edge_pairs(divisor=True))
    assert (y != 0).all()
    assert not ((x == np.iinfo(NUMPY[dtype]).min) & (y == -1)).any()


def test_more_numbers_than_fit_are_an_error_that_says_so() -> None:
    crowded = chosen(lambda dtype: np.arange(LENGTH + 1.0))
    with pytest.raises(ValueError, match="do not fit"):
        crowded.draw("some/case", "f64", 0)


def test_the_second_question_holds_the_same_numbers_elsewhere() -> None:
    source = special("units", "nan")
    first, second = source.draw("", "f64", 0), source.draw("", "f64", 1)
    np.testing.assert_array_equal(np.roll(first, 1), second)


@pytest.mark.parametrize("power", [150, -150, 300])
def test_scaled_numbers_are_of_their_power(power: int) -> None:
    found = np.log10(np.abs(scaled(100, power=power).draw("", "f64", 0)))
    assert abs(found - power).max() < 1.5
    narrow = scaled(100, power=power).draw("", "f32", 0)
    assert np.isfinite(narrow).all()
    assert (np.abs(narrow) >= np.finfo(np.float32).tiny).all()
