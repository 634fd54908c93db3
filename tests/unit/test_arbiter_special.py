"""Signed zeros, infinities and NaN: the tables of C99 (Annex F and G) as the standard prints them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from references.arbiter import ask, decide
from tests.unit import arbiter_oracle as oracle
from tests.unit.arbiter_helpers import alike, value

INF, NAN, PI = math.inf, math.nan, math.pi
X = 2.0  # any finite x > 0; of y the standard asks cis(y)
Z = (0.0, -0.0)

F: dict[str, list[tuple[float, float]]] = {
    "exp": [(0.0, 1), (-0.0, 1), (INF, INF), (-INF, 0.0)],
    "expm1": [(INF, INF), (-INF, -1)],
    "log": [(0.0, -INF), (1.0, 0.0), (-1.0, NAN), (INF, INF), (-INF, NAN)],
    "log1p": [(-1.0, -INF), (-2.0, NAN), (INF, INF)],
    "sin": [(INF, NAN), (-INF, NAN)],
    "cos": [(0.0, 1), (INF, NAN), (-INF, NAN)],
    "tanh": [(INF, 1), (-INF, -1)],
    "sqrt": [(-1.0, NAN), (INF, INF), (-INF, NAN)],
    "rsqrt": [(0.0, INF), (INF, 0.0), (-1.0, NAN)],
    "erf": [(INF, 1), (-INF, -1)],
    "sigmoid": [(INF, 1), (-INF, 0.0), (0.0, 0.5)],
    "softplus": [(INF, INF), (-INF, 0.0)],
    "abs": [(-INF, INF), (-0.0, 0.0)],
    "sign": [(INF, 1), (-INF, -1), (0.0, 0.0), (-0.0, 0.0)],
    "silu": [(INF, INF)],
    "gelu": [(INF, INF)],
    "gelu_tanh": [(INF, INF)],
}
ODD_AT_ZERO = ("expm1", "log1p", "sin", "tanh", "sqrt", "erf", "silu", "gelu", "gelu_tanh")
"""f(±0) = ±0."""


@pytest.mark.parametrize("name", F)
def test_functions_at_special_values(name: str) -> None:
    points, expected = zip(*F[name], (NAN, NAN), strict=True)
    got = value(lambda x: getattr(x, name)(), np.array(points))
    assert alike(got, np.array(expected, dtype=float)).all(), (points, got, expected)
    if name in ODD_AT_ZERO:
        zeros = np.array(Z)
        assert alike(value(lambda x: getattr(x, name)(), zeros), zeros).all()


def test_rsqrt_and_log_at_minus_zero_are_those_of_the_pole() -> None:
    assert value(lambda x: x.log(), np.array([-0.0]))[0] == -INF
    assert value(lambda x: x.rsqrt(), np.array([-0.0]))[0] == -INF


ANY = (0.0, -0.0, 1.0, -1.0, 0.5, 2.0, -3.0, INF, -INF, NAN, 5e-324, -5e-324, 1.7e308)


@pytest.mark.parametrize(
    ("name", "operation"),
    [
        ("add", np.add),
        ("sub", np.subtract),
        ("mul", np.multiply),
        ("div", np.divide),
        ("pow", np.power),
        ("rem", np.fmod),
    ],
)
def test_operations_of_two_at_special_values(name: str, operation: Any) -> None:
    """The processor's own IEEE 754 arithmetic, and libm's pow and fmod (C99 F.9), at every pair of special values."""
    x, y = (grid.reshape(-1) for grid in np.meshgrid(ANY, ANY))
    special = ~(np.isfinite(x) & np.isfinite(y) & (x != 0) & (y != 0))
    x, y = x[special], y[special]
    with np.errstate(all="ignore"):
        expected = operation(x, y)
    got = value(lambda a, b: getattr(a, name)(b), x, y)
    wrong = ~alike(got, expected)
    assert not wrong.any(), list(zip(x[wrong], y[wrong], got[wrong], expected[wrong], strict=True))


def test_comparisons_with_nan_are_false_and_zeros_are_equal() -> None:
    x, y = (grid.reshape(-1) for grid in np.meshgrid(ANY, ANY))
    for direction, compare in {
        "eq": np.equal,
        "lt": np.less,
        "le": np.less_equal,
        "gt": np.greater,
        "ge": np.greater_equal,
    }.items():
        got = value(lambda a, b, d=direction: a.compare(b, d), x, y)
        np.testing.assert_array_equal(got, compare(x, y))


def test_extrema_pass_nan_and_infinities() -> None:
    x, y = (grid.reshape(-1) for grid in np.meshgrid(ANY, ANY))
    alone = ~((x == 0) & (y == 0))
    for name, operation in (("maximum", np.maximum), ("minimum", np.minimum)):
        got = value(lambda a, b, n=name: getattr(a, n)(b), x[alone], y[alone])
        assert alike(got, operation(x[alone], y[alone])).all()


U = "unspecified"
G: dict[str, list[tuple[complex | tuple[float, float], Any]]] = {
    # C99 G.6.3.1
    "exp": [
        ((0.0, 0.0), (1, 0.0)),
        ((-0.0, 0.0), (1, 0.0)),
        ((X, INF), (NAN, NAN)),
        ((X, NAN), (NAN, NAN)),
        ((INF, 0.0), (INF, 0.0)),
        ((-INF, X), (-0.0, 0.0)),
        ((INF, X), (-INF, INF)),
        ((-INF, INF), (U, U)),
        ((INF, INF), U),
        ((-INF, NAN), (U, U)),
        ((INF, NAN), U),
        ((NAN, 0.0), (NAN, 0.0)),
        ((NAN, X), (NAN, NAN)),
        ((NAN, NAN), (NAN, NAN)),
    ],
    # C99 G.6.3.2
    "log": [
        ((-0.0, 0.0), (-INF, PI)),
        ((0.0, 0.0), (-INF, 0.0)),
        ((X, INF), (INF, PI / 2)),
        ((X, NAN), (NAN, NAN)),
        ((-INF, X), (INF, PI)),
        ((INF, X), (INF, 0.0)),
        ((-INF, INF), (INF, 3 * PI / 4)),
        ((INF, INF), (INF, PI / 4)),
        ((INF, NAN), (INF, NAN)),
        ((-INF, NAN), (INF, NAN)),
        ((NAN, X), (NAN, NAN)),
        ((NAN, INF), (INF, NAN)),
        ((NAN, NAN), (NAN, NAN)),
        ((-1.0, 0.0), (0.0, PI)),
    ],
    # C99 G.6.4.2
    "sqrt": [
        ((0.0, 0.0), (0.0, 0.0)),
        ((-0.0, 0.0), (0.0, 0.0)),
        ((X, INF), (INF, INF)),
        ((NAN, INF), (INF, INF)),
        ((X, NAN), (NAN, NAN)),
        ((-INF, X), (0.0, INF)),
        ((INF, X), (INF, 0.0)),
        ((-INF, NAN), U),
        ((INF, NAN), (INF, NAN)),
        ((NAN, X), (NAN, NAN)),
        ((NAN, NAN), (NAN, NAN)),
        ((-4.0, 0.0), (0.0, 2.0)),
    ],
    # C99 G.6.2.6
    "tanh": [
        ((0.0, 0.0), (0.0, 0.0)),
        ((X, INF), (NAN, NAN)),
        ((X, NAN), (NAN, NAN)),
        ((INF, X), (1, -0.0)),
        ((INF, 1.0), (1, 0.0)),
        ((INF, INF), (1, U)),
        ((INF, NAN), (1, U)),
        ((NAN, 0.0), (NAN, 0.0)),
        ((NAN, X), (NAN, NAN)),
        ((NAN, NAN), (NAN, NAN)),
        ((0.0, INF), U),
    ],
    # C99 G.6.2.5 and G.6.2.4 through sin z = −i sinh(iz), cos z = cosh(iz)
    "sin": [
        ((0.0, 0.0), (0.0, 0.0)),
        ((INF, 0.0), (NAN, U)),
        ((INF, X), (NAN, NAN)),
        ((NAN, 0.0), (NAN, U)),
        ((0.0, INF), (0.0, INF)),
        ((X, INF), (INF, -INF)),
        ((INF, INF), U),
        ((NAN, INF), U),
        ((0.0, NAN), (0.0, NAN)),
        ((NAN, NAN), (NAN, NAN)),
    ],
    "cos": [
        ((0.0, 0.0), (1, -0.0)),
        ((INF, 0.0), (NAN, U)),
        ((INF, X), (NAN, NAN)),
        ((X, INF), (-INF, -INF)),
        ((0.0, INF), (INF, -0.0)),
        ((INF, INF), U),
        ((NAN, INF), (INF, NAN)),
        ((NAN, NAN), (NAN, NAN)),
    ],
}


def _number(parts: tuple[float, float]) -> Any:
    found = np.empty((), np.complex128)
    found.real, found.imag = parts
    return found


def _judged(name: str, z: Any) -> Any:
    return decide(ask(lambda x: getattr(x, name)(), {"z": np.array([z])})).elements[0]


def _assert_entry(element: Any, expected: Any, label: str, *, flip: bool) -> None:
    if expected == U:
        assert element.value is None, label
        return
    for part, unsigned, wanted, turned in zip(
        (element.value.real, element.value.imag), element.unsigned, expected, (False, flip), strict=True
    ):
        if isinstance(wanted, str):
            assert unsigned, label
            assert part == 0, label
        else:
            assert alike(part, np.float64(-wanted if turned else wanted)), (label, part, wanted)


@pytest.mark.parametrize("name", G)
def test_complex_functions_at_special_values(name: str) -> None:
    """Each printed line, and f(conj z) = conj f(z) for the lower half plane."""
    for parts, expected in G[name]:
        for flip in (False, True):
            z = _number((parts[0], -parts[1] if flip else parts[1]))  # type: ignore[index]
            _assert_entry(_judged(name, z), expected, f"{name}{parts} flipped {flip}", flip=flip)


def test_odd_and_even_functions_are_reflected() -> None:
    for name, odd in (("sin", True), ("tanh", True), ("cos", False)):
        for parts, expected in G[name]:
            if expected == U or U in expected:
                continue
            element = _judged(name, -_number(parts))  # type: ignore[arg-type]
            wanted = _number(expected)
            assert alike(element.value, -wanted if odd else wanted), (name, parts, element.value)


def test_the_sign_of_a_zero_part_chooses_the_side_of_a_cut() -> None:
    below = np.array([_number((-1.0, -0.0)), _number((-1.0, 0.0))])
    assert alike(value(lambda z: z.sqrt(), below), np.array([_number((0.0, -1.0)), _number((0.0, 1.0))])).all()
    assert alike(value(lambda z: z.log(), below).imag, np.array([-PI, PI])).all()
    assert alike(value(lambda z: z.rsqrt(), below).imag, np.array([1.0, -1.0])).all()
    half = value(lambda z: z.pow(0.5), below)
    assert alike(half.imag, np.array([-1.0, 1.0])).all()


def test_an_infinite_factor_is_a_convention() -> None:
    """G.5.1 gives an infinity where the textbook product gives NaN + NaN i."""
    z, w = np.array([_number((INF, NAN))]), np.array([_number((1.0, 1.0))])
    element = decide(ask(lambda a, b: a * b, {"a": z, "b": w})).elements[0]
    assert np.isinf(element.value.real)
    assert np.isinf(element.value.imag)
    assert np.isnan(element.others["the textbook formula"])
    zero = decide(ask(lambda a, b: a / b, {"a": w, "b": np.array([0j])})).elements[0]
    assert zero.value == complex(INF, INF)


def test_the_modulus_is_infinite_where_a_part_is() -> None:
    z = np.array([_number((INF, NAN)), _number((NAN, -INF)), _number((NAN, 1.0)), _number((-0.0, 0.0))])
    assert alike(value(lambda a: a.abs(), z), np.array([INF, INF, NAN, 0.0])).all()


def test_a_finite_value_of_an_overflowing_intermediate_is_right() -> None:
    x = np.array([800.0, 1e5, -1e5])
    np.testing.assert_array_equal(value(lambda a: a.exp().log(), x), x)
    big = np.array([1.5e308])
    np.testing.assert_array_equal(value(lambda a: (a + a) / 2.0, big), big)
    np.testing.assert_array_equal(value(lambda a: (a * a).sqrt(), big), big)


def test_subnormals_and_overflow_are_rounded_right() -> None:
    """The figures the project's references miss: JAX flushes subnormals on the CPU."""
    assert value(lambda a: a.sqrt(), np.array([5e-324]))[0] == math.sqrt(5e-324)
    assert value(lambda a: a.log(), np.array([5e-324]))[0] == -744.4400719213812
    assert value(lambda a: a.exp(), np.array([-712.47]))[0] == math.exp(-712.47)
    assert value(lambda a: a.gelu(), np.array([-8.379229534191165]))[0] == -2.232029357746413e-16
    edge = np.array([709.782712893384, 709.7827128933841])
    got = value(lambda a: a.exp(), edge)
    assert np.isfinite(got).tolist() == [True, False]
    assert alike(got, oracle.directly(oracle.REAL["exp"], edge, dtype="f64")).all()
