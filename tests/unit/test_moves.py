"""What rows of moves, indices and refusals are made of: special numbers, squares, windows and meanings."""

from __future__ import annotations

import itertools
import re
from typing import Any

import numpy as np
import pytest

from references.case import Case
from references.dtypes import ALL, NUMPY
from references.inputs import fixed
from references.lazy import torch
from references.marked import marked
from references.refuse import KINDS, MEANINGS, Refusal, refusals
from references.squares import with_derivatives
from references.windows import Gather, Scatter


@pytest.mark.parametrize("dtype", ALL)
def test_marked_arrays_have_special_numbers_of_their_dtype(dtype: str) -> None:
    array = marked(50).draw("planted/x", dtype, 0)
    assert array.dtype == NUMPY[dtype]
    if array.dtype.kind == "i":
        assert {np.iinfo(array.dtype).min, np.iinfo(array.dtype).max, 0, -1} <= set(array.tolist())
    if array.dtype.kind in "fc":
        parts = np.concatenate([array.real, array.imag])
        zeros = parts[parts == 0]
        assert {np.isnan(parts).any(), np.isposinf(parts).any(), np.isneginf(parts).any()} == {True}
        assert set(np.signbit(zeros)) == {False, True}


def test_marked_arrays_differ_between_the_two_questions() -> None:
    first, second = (marked(50).draw("planted/x", "f64", ordinal) for ordinal in (0, 1))
    assert not np.array_equal(first, second, equal_nan=True)


def doubled(**more: Any) -> Case:
    return Case(
        id="planted/double",
        why="Planted.",
        inputs={"x": marked(4), "indices": fixed([0, 1], dtype="i64")},
        numpy=lambda x, indices: 2 * x,
        jax=lambda x, indices: 2 * x,
        tenferro=lambda x, indices: x + x,
        dtypes=ALL,
        **more,
    )


def test_derivatives_are_asked_behind_squares_of_small_positive_integers() -> None:
    value, squared = with_derivatives([doubled()])
    assert (value.transforms, squared.transforms) == (("value",), ("vjp", "jvp", "hvp"))
    assert squared.id == "planted/double-of-squares"
    assert squared.dtypes == ("f32", "f64", "c64", "c128")
    array = squared.inputs["x"].draw("planted/x", "f64", 0)
    assert ((array >= 1) & (array <= 8) & (array == np.rint(array))).all()
    assert squared.tenferro(3.0, 5) == 18.0  # type: ignore[operator]
    assert squared.inputs["indices"] is value.inputs["indices"]


def test_a_case_by_value_alone_has_no_squares() -> None:
    assert len(tuple(with_derivatives([doubled(transforms=("value",))]))) == 1


def clamp(start: int, last: int) -> int:
    return max(0, min(start, last))


def test_gather_windows_are_those_of_the_definition() -> None:
    x = np.arange(60.0).reshape(5, 4, 3)
    starts = np.array([[0, 0], [4, 3], [-2, 1]])
    config = Gather([1, 2], [2], [0, 1], 1, [2, 3, 1])
    wanted = [x[clamp(i, 3) : clamp(i, 3) + 2, clamp(j, 1) : clamp(j, 1) + 3, 0] for i, j in starts]
    found = config.torch(torch.from_numpy(x), torch.from_numpy(starts))
    np.testing.assert_array_equal(found.numpy(), np.stack(wanted))


def test_scatter_adds_each_window_where_the_definition_says() -> None:
    x, updates = np.zeros((5, 4, 3)), np.arange(1.0, 19).reshape(2, 3, 3)
    starts = np.array([[0, 0], [4, 3], [0, 0]])
    wanted = x.copy()
    for k, (i, j) in enumerate(starts):
        for a, b in itertools.product(range(2), range(3)):
            wanted[clamp(i, 3) + a, clamp(j, 1) + b, 0] += updates[a, b, k]
    found = Scatter([0, 1], [2], [0, 1], 1).torch(*map(torch.from_numpy, (x, starts, updates)))
    np.testing.assert_array_equal(found.numpy(), wanted)


def test_a_refusal_is_named_by_operation_and_kind_and_means_its_kind() -> None:
    row = Refusal(op="take_axis", kind="index", note="far", tenferro=lambda x: x, numpy=lambda x: x)
    (case,) = refusals("planted", [row])
    assert case.id == "planted/refused-take-axis-index-far"
    assert re.search(case.refuses, "position 5 out of bounds for axis 0")
    assert not re.search(case.refuses, "axis 2 out of bounds for rank 2")
    assert set(KINDS) == set(MEANINGS)
