"""Inputs depend on the case's id alone, and are exact."""

from hashlib import blake2b

import numpy as np
import pytest

from references.dtypes import ALL, NUMPY
from references.inputs import (
    Bits,
    binades,
    booleans,
    fixed,
    hash_arrays,
    integers,
    normal,
    uniform,
    viewed,
    well_conditioned,
)


def test_bits_are_the_published_generators() -> None:
    """PCG64 seeded by BLAKE2b; written out by hand once, so that no release of NumPy moves every case."""
    state = np.random.PCG64(int.from_bytes(blake2b(b"a/b#0", digest_size=16).digest(), "little"))
    assert Bits("a/b#0").words(3).tolist() == [int(word) for word in state.random_raw(3)]


@pytest.mark.parametrize("dtype", ALL)
def test_every_descriptor_draws_its_shape_and_dtype(dtype: str) -> None:
    for source in (uniform(3, 4), normal(5), binades(6, lowest=-3, highest=3), well_conditioned(4), fixed([1, 2, 3])):
        array = source.draw("case/x", dtype, 0)
        assert (array.shape, array.dtype) == (source.shape, NUMPY[dtype])


def test_the_second_question_asks_something_else() -> None:
    first, second = (uniform(8).draw("case/x", "f64", ordinal) for ordinal in (0, 1))
    assert not np.array_equal(first, second)
    assert fixed([1.0, 2.0, 3.0]).draw("case/x", "f64", 1).tolist() == [3.0, 1.0, 2.0]


def test_names_and_cases_draw_apart_and_repeatably() -> None:
    drawn = {key: uniform(8).draw(key, "f64", 0).tobytes() for key in ("a/x", "a/y", "b/x")}
    assert len(set(drawn.values())) == 3
    assert uniform(8).draw("a/x", "f64", 0).tobytes() == drawn["a/x"]


def test_uniform_stays_inside_and_normal_has_its_moments() -> None:
    flat = uniform(10_000, low=-2, high=3).draw("case/x", "f64", 0)
    assert flat.min() >= -2
    assert flat.max() < 3
    drawn = normal(10_000, scale=2.0).draw("case/x", "f64", 0)
    assert abs(drawn.mean()) < 0.1
    assert abs(drawn.std() - 2) < 0.1


def test_binades_cover_exponents_and_both_signs() -> None:
    drawn = binades(4000, lowest=-1022, highest=1023).draw("case/x", "f64", 0)
    assert np.isfinite(drawn).all()
    assert np.frexp(np.abs(drawn))[1].min() < -900
    assert np.frexp(np.abs(drawn))[1].max() > 900
    assert {-1.0, 1.0} == set(np.sign(drawn))


def test_an_input_may_fix_its_dtype() -> None:
    assert booleans(4).draw("case/p", "f64", 0).dtype == np.bool_
    indices = integers(50, low=0, high=7, dtype="i64").draw("case/i", "f32", 0)
    assert indices.dtype == np.int64
    assert set(indices.tolist()) <= set(range(7))


def test_a_view_shows_the_same_numbers() -> None:
    plain = uniform(6, 5).draw("case/x", "f32", 0)
    seen = viewed(uniform(6, 5), lambda a: a[::-2, 1:]).draw("case/x", "f32", 0)
    assert np.array_equal(seen, plain[::-2, 1:])
    assert seen.strides[0] < 0


def test_the_hash_tells_names_dtypes_shapes_and_bits() -> None:
    zeros = np.zeros(2)
    alike = hash_arrays([("x", zeros)])
    others = [("y", zeros), ("x", zeros.astype("f4")), ("x", zeros.reshape(2, 1)), ("x", -zeros)]
    assert alike == hash_arrays([("x", zeros.copy())])
    assert alike not in {hash_arrays([other]) for other in others}
