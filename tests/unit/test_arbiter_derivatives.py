"""Derivatives: the arbiter's power series against the rules of calculus in MPFR, exact fractions, and JAX."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import gmpy2
import numpy as np
import pytest
from gmpy2 import mpfr

from references.arbiter import ask, decide
from references.arbiter.tensor import einsum
from tests.unit import arbiter_oracle as oracle
from tests.unit.arbiter_helpers import Array, assert_alike, named, reasons, value, values

N = 2000
W = ("x0",)


def _points(name: str, dtype: str) -> tuple[Array, Array, Array]:
    """Points over ±20 binades, tangents and cotangents, all irregular."""
    x = oracle.spread(N, dtype, 21, binades=20)
    if name in oracle.POSITIVE:
        x = np.abs(x)
    return x, oracle.spread(N, dtype, 22, binades=3), oracle.spread(N, dtype, 23, binades=3)


def _asked(transform: str, tangent: Array, cotangent: Array) -> dict[str, Any]:
    return {"transform": transform, "wrt": W, "tangents": {"x0": tangent}, "cotangents": [cotangent]}


@pytest.mark.parametrize("dtype", ["f64", "f32"])
@pytest.mark.parametrize("name", oracle.DERIVATIVES)
def test_the_series_of_a_function_has_the_derivatives_of_calculus(name: str, dtype: str) -> None:
    first, second = oracle.DERIVATIVES[name]
    x, v, w = _points(name, dtype)
    expected = {
        "vjp": oracle.closely(lambda a, c: first(a) * c, x, w, dtype=dtype),
        "jvp": oracle.closely(lambda a, t: first(a) * t, x, v, dtype=dtype),
        "hvp": oracle.closely(lambda a, t, c: second(a) * t * c, x, v, w, dtype=dtype),
    }
    for transform, truth in expected.items():
        got = value(lambda a: getattr(a, name)(), x, **_asked(transform, v, w))
        assert_alike(got + 0.0, truth + 0.0, {"x": x, "v": v, "w": w})


def test_composed_functions_and_quotients() -> None:
    """d/dx of exp(sin x)/(1 + x²), second derivatives too."""

    def first(x: Any) -> Any:
        s, c, q = gmpy2.sin(x), gmpy2.cos(x), 1 + x * x
        return gmpy2.exp(s) * (c * q - 2 * x) / q**2

    def second(x: Any) -> Any:
        s, c, q = gmpy2.sin(x), gmpy2.cos(x), 1 + x * x
        top, slope = c * q - 2 * x, -s * q + 2 * x * c - 2
        return gmpy2.exp(s) * ((c * top + slope) / q**2 - 4 * x * top / q**3)

    x, v, w = _points("sin", "f64")

    def program(a: Any) -> Any:
        return a.sin().exp() / (a * a + 1.0)

    assert_alike(
        value(program, x, **_asked("jvp", v, w)), oracle.closely(lambda a, t: first(a) * t, x, v, dtype="f64"), {"x": x}
    )
    curved = oracle.closely(lambda a, t, c: second(a) * t * c, x, v, w, dtype="f64")
    assert_alike(value(program, x, **_asked("hvp", v, w)), curved, {"x": x})


@pytest.mark.parametrize("exponent", [2.0, 3.0, -1.0, 0.5, 2.7])
def test_powers(exponent: float) -> None:
    x, v, w = _points("sqrt", "f64")
    if exponent == int(exponent):
        x = x * np.where(np.arange(N) % 2, 1, -1)
    expected = oracle.closely(lambda a, c: mpfr(exponent) * a ** (mpfr(exponent) - 1) * c, x, w, dtype="f64")
    assert_alike(value(lambda a: a**exponent, x, **_asked("vjp", v, w)), expected, {"x": x})


def test_powers_of_two_variables() -> None:
    x, _, w = _points("sqrt", "f64")
    y = oracle.spread(N, "f64", 31, binades=2)
    asked: dict[str, Any] = {"transform": "vjp", "wrt": ("x0", "x1"), "cotangents": [w]}
    got = values(lambda a, b: a**b, x, y, **asked)
    by_base = oracle.closely(lambda a, b, c: b * a ** (b - 1) * c, x, y, w, dtype="f64")
    by_exponent = oracle.closely(lambda a, b, c: gmpy2.log(a) * a**b * c, x, y, w, dtype="f64")
    assert_alike(got["x0"], by_base, named([x, y]))
    assert_alike(got["x1"], by_exponent, named([x, y]))


def _fraction(x: Any) -> Fraction:
    return Fraction(float(x))


def test_polynomials_in_exact_fractions() -> None:
    """vjp and hvp of Σ_k (a_ik b_kj)² c_ij by hand, in fractions."""
    a, b = oracle.spread(6, "f64", 41, binades=3).reshape(2, 3), oracle.spread(12, "f64", 42, binades=3).reshape(3, 4)
    c = oracle.spread(8, "f64", 43, binades=3).reshape(2, 4)
    v = oracle.spread(6, "f64", 44, binades=3).reshape(2, 3)

    def program(x: Any) -> Any:
        return (x @ b) * (x @ b)

    A, B, C, V = ([[_fraction(e) for e in row] for row in m] for m in (a, b, c, v))
    inner = [[sum(A[i][k] * B[k][j] for k in range(3)) for j in range(4)] for i in range(2)]
    along = [[sum(V[i][k] * B[k][j] for k in range(3)) for j in range(4)] for i in range(2)]
    for transform, mid in (("vjp", inner), ("hvp", along)):
        expected = [sum(2 * C[i][j] * mid[i][j] * B[k][j] for j in range(4)) for i in range(2) for k in range(3)]
        asked: dict[str, Any] = {"transform": transform, "wrt": W, "cotangents": [c], "tangents": {"x0": v}}
        got = value(program, a, **asked)
        assert_alike(got, oracle.rounded([oracle.mpfr_of(e) for e in expected], "f64"), {})


def test_several_outputs_add_and_each_is_found_in_a_sample() -> None:
    x = oracle.spread(20, "f64", 51, binades=2)
    ct = [oracle.spread(20, "f64", 52, binades=2), np.array(0.75)]
    question = ask(lambda a: (a * a, a.reduce_sum(None)), {"x": x}, transform="vjp", wrt=("x",), cotangents=ct)
    (element,) = decide(question, [("x", 7)]).elements
    exact = 2 * _fraction(x[7]) * _fraction(ct[0][7]) + Fraction(3, 4)
    assert element.value == oracle.rounded([oracle.mpfr_of(exact)], "f64")[0]


def _by_jax(f: Callable[..., Any], transform: str, z: Array, v: Array, s: Any) -> Any:
    import jax
    import jax.numpy as jnp

    vjp: Any = jax.vjp

    def pulled(x: Any) -> Any:
        return jnp.conj(vjp(f, x)[1](jnp.asarray(np.conj(s)))[0])

    return pulled(z) if transform == "vjp" else jax.jvp(f if transform == "jvp" else pulled, (z,), (v,))[1]


COMPLEX: dict[str, tuple[Callable[..., Any], Callable[..., Any]]] = {
    "sin": (lambda z: z.sin(), lambda jnp, z: jnp.sin(z)),
    "log": (lambda z: z.log(), lambda jnp, z: jnp.log(z)),
    "tanh": (lambda z: z.tanh(), lambda jnp, z: jnp.tanh(z)),
    "rsqrt": (lambda z: z.rsqrt(), lambda jnp, z: 1 / jnp.sqrt(z)),
    "quotient": (lambda z: z.exp() / (z * z + 1.0), lambda jnp, z: jnp.exp(z) / (z * z + 1)),
    "modulus": (lambda z: z.abs(), lambda jnp, z: jnp.abs(z)),
    "conjugate": (lambda z: z.conj() * z * z, lambda jnp, z: jnp.conj(z) * z * z),
    "direction": (lambda z: z.sign(), lambda jnp, z: z / jnp.abs(z)),
    "power": (lambda z: z**3.0, lambda jnp, z: z**3),
    "real part": (lambda z: z.cast("f64"), lambda jnp, z: jnp.real(z)),
    "einsum": (lambda z: einsum("i,j->ij", z, z.conj()), lambda jnp, z: jnp.einsum("i,j->ij", z, jnp.conj(z))),
}


@pytest.mark.parametrize("transform", ["vjp", "jvp", "hvp"])
@pytest.mark.parametrize("name", COMPLEX)
def test_complex_derivatives_are_jaxs_with_conjugated_cotangents(name: str, transform: str) -> None:
    """jax_vjp(s) = conj(vjp(conj s)); the same holds for the hvp, whose tangent is taken as it is."""
    import jax
    import jax.numpy as jnp

    jax.config.update("jax_enable_x64", True)
    program, twin = COMPLEX[name]
    rng = np.random.default_rng(61)
    z, v = (rng.standard_normal(5) + 1j * rng.standard_normal(5) for _ in range(2))
    f: Callable[..., Any] = lambda x: twin(jnp, x)  # noqa: E731
    out = np.asarray(f(z))
    s = rng.standard_normal(out.shape) + (1j * rng.standard_normal(out.shape) if np.iscomplexobj(out) else 0)
    asked: dict[str, Any] = {"transform": transform, "wrt": W, "tangents": {"x0": v}, "cotangents": [np.asarray(s)]}

    expected = _by_jax(f, transform, z, v, s)
    got = value(program, z, **asked)
    np.testing.assert_allclose(got.reshape(np.shape(expected)), np.asarray(expected), rtol=1e-12, atol=1e-13)


def test_a_gradient_is_the_vjp_with_cotangent_one() -> None:
    x = oracle.spread(50, "f64", 71, binades=2)
    asked: dict[str, Any] = {"transform": "grad", "wrt": W, "cotangents": [np.ones(())]}
    got = value(lambda a: (a.sin() * a.cos()).reduce_sum(None), x, **asked)
    assert_alike(got, oracle.closely(lambda a: gmpy2.cos(2 * a), x, dtype="f64"), {"x": x})


def test_an_input_the_output_does_not_depend_on_has_derivative_zero() -> None:
    asked: dict[str, Any] = {"transform": "vjp", "wrt": ("x0", "x1"), "cotangents": [np.ones(3)]}
    got = values(lambda a, b: a.sin() + b.sign() * 0.0, np.ones(3), np.ones(3), **asked)
    np.testing.assert_array_equal(got["x1"], 0.0)


@pytest.mark.parametrize(
    ("program", "at"),
    [
        (lambda a: a.abs(), 0.0),
        (lambda a: a.sqrt(), 0.0),
        (lambda a: a.maximum(1.0), 1.0),
        (lambda a: a.minimum(1.0), 1.0),
        (lambda a: a.clamp(0.0, 1.0), 1.0),
        (lambda a: a.abs().pow(0.5), 0.0),
        (lambda a: a.log(), 0.0),
    ],
)
def test_non_smooth_points_are_undecided_and_their_neighbours_are_not(program: Any, at: float) -> None:
    for transform in ("vjp", "jvp", "hvp"):
        x = np.array([at, at + 0.25])
        asked = _asked(transform, np.ones(2), np.ones(2))
        elements = decide(ask(program, named([x]), **asked)).elements
        assert elements[0].value is None
        assert "derivative" in elements[0].reason
        assert elements[1].value is not None


def test_ties_of_an_extremum_are_undecided() -> None:
    x = np.array([[1.0, 3.0, 3.0], [1.0, 2.0, 3.0]])
    asked: dict[str, Any] = {"transform": "vjp", "wrt": W, "cotangents": [np.ones(2)]}
    elements = decide(ask(lambda a: a.reduce_max([1]), named([x]), **asked)).elements
    assert [element.value for element in elements] == [None, None, None, 0.0, 0.0, 1.0]


def test_a_derivative_at_an_infinity_is_undecided() -> None:
    asked = _asked("vjp", np.ones(1), np.ones(1))
    assert reasons(lambda a: a.exp(), np.array([np.inf]), **asked) == {"a derivative at an infinity or NaN"}


def test_the_branch_not_taken_has_no_derivative() -> None:
    """where(x > 0, √x, 0) at −1 has derivative 0, not NaN."""
    x = np.array([-1.0, 4.0])
    got = value(
        lambda a: a.compare(0.0, "gt").where_select(a.sqrt(), np.zeros(2)), x, **_asked("vjp", np.ones(2), np.ones(2))
    )
    np.testing.assert_array_equal(got, [0.0, 0.25])


@pytest.mark.parametrize("name", ["sqrt", "rsqrt", "log", "log1p", "power"])
def test_on_a_branch_cut_the_sign_of_the_zero_chooses_the_side(name: str) -> None:
    """The derivative at −3 ± 0i is the limit from that side: that of points beside the axis."""
    program: Callable[..., Any] = (lambda z: z.pow(0.3)) if name == "power" else (lambda z: getattr(z, name)())
    on = np.empty(2, np.complex128)
    on.real, on.imag = -3.0, [0.0, -0.0]
    beside = np.array([complex(-3, 1e-12), complex(-3, -1e-12)])
    asked: dict[str, Any] = {"transform": "vjp", "wrt": W, "cotangents": [np.ones(2, np.complex128)]}
    got, near = value(program, on, **asked), value(program, beside, **asked)
    np.testing.assert_allclose(got, near, rtol=1e-11)
    assert abs(got[0] - got[1]) > 0.1 or name in ("log", "log1p")
    hvp = asked | {"transform": "hvp", "tangents": {"x0": np.full(2, 0.5 + 0.25j)}}
    np.testing.assert_allclose(value(program, on, **hvp), value(program, beside, **hvp), rtol=1e-10)
