"""Every operation on every surface gives NumPy's answer, and the surfaces give one answer."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import tenferro_harness as th
from numpy.typing import NDArray

from tests.unit.harness_operations import TABLE, Row

ENGINE = th.Engine(1)
# The smallest allowance that every row needs, in units of the dtype's epsilon and the array's largest value.
EPSILONS = 64


def answers(row: Row, surface: str) -> list[NDArray[Any]]:
    asked = th.Asked(row.harness, surface=surface, engine=ENGINE)
    return asked.value({str(index): array for index, array in enumerate(row.inputs)})


def assert_close(got: NDArray[Any], expected: Any) -> None:
    expected = np.asarray(expected)
    assert (got.shape, got.dtype) == (expected.shape, expected.dtype)
    if expected.dtype.kind in "bi":
        np.testing.assert_array_equal(got, expected)
        return
    bound = EPSILONS * np.finfo(expected.dtype).eps * np.abs(expected).max()
    np.testing.assert_allclose(got, expected, rtol=0, atol=bound)


@pytest.mark.parametrize(
    ("row", "surface"), [(r, s) for r in TABLE for s in r.surfaces], ids=lambda v: getattr(v, "id", v)
)
def test_value_is_numpys(row: Row, surface: str) -> None:
    (got,) = answers(row, surface)
    assert_close(got, row.numpy(*row.inputs))


@pytest.mark.parametrize("row", [row for row in TABLE if row.bitwise and len(row.surfaces) > 1], ids=lambda row: row.id)
def test_surfaces_agree_bitwise(row: Row) -> None:
    first, *others = [answers(row, surface)[0] for surface in row.surfaces]
    for other in others:
        assert first.tobytes() == other.tobytes()


def test_every_operation_of_the_build_has_a_row() -> None:
    tested = {row.name.split("-")[0] for row in TABLE}
    symbolic = {name for name, surfaces in th.operations() if surfaces == ["traced"]}  # in test_harness_programs
    spelled = {"axpby": "axpby_read_into_accum", "copy": "copy_read_into", "dot_into": "dot_general_read_into"}
    tested = {spelled.get(name, name) for name in tested} | {"dot_general_read_into_accum", "compare"}
    assert {name for name, _ in th.operations()} - symbolic - tested == set()
