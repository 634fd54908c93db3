"""Onsager's solution against high precision, against limits known in closed form, and against the publication."""

import math

import mpmath
import pytest

from references.trg import onsager, published

BETAS = (0.1, 0.3, 0.4, 0.44, 0.4406, 0.5, 0.6, 1.5)


def precise(beta: float) -> tuple[mpmath.mpf, mpmath.mpf, mpmath.mpf]:
    """lnZ/N, u and c from the free energy integral and its derivatives alone, 50 digits."""
    with mpmath.workdps(50):
        b = mpmath.mpf(beta)

        def free(x: mpmath.mpf) -> mpmath.mpf:
            modulus = 2 * mpmath.sinh(2 * x) / mpmath.cosh(2 * x) ** 2

            def inner(angle: mpmath.mpf) -> mpmath.mpf:
                return mpmath.log((1 + mpmath.sqrt(1 - (modulus * mpmath.sin(angle)) ** 2)) / 2)

            near = [mpmath.pi / 2 * (1 - mpmath.mpf(10) ** -i) for i in range(8)]
            return mpmath.log(2 * mpmath.cosh(2 * x)) + mpmath.quad(inner, [*near, mpmath.pi / 2]) / mpmath.pi

        def energy(x: mpmath.mpf) -> mpmath.mpf:
            prime = 2 * mpmath.tanh(2 * x) ** 2 - 1
            return -(1 + 2 / mpmath.pi * prime * mpmath.ellipk(1 - prime**2)) / mpmath.tanh(2 * x)

        return free(b), energy(b), -b * b * mpmath.diff(energy, b)


@pytest.mark.parametrize("beta", BETAS)
def test_agrees_with_high_precision(beta: float) -> None:
    found, (lnz, u, c) = onsager.exact(beta), precise(beta)
    assert abs(found.lnz - lnz) < 4e-15
    assert abs(found.u - u) < 4e-15
    assert abs(found.c - c) < 1e-12


@pytest.mark.parametrize("beta", [0.3, 0.44, 0.6])
def test_energy_is_the_slope_of_the_free_energy(beta: float) -> None:
    h = 1e-5
    slope = (onsager.exact(beta + h).lnz - onsager.exact(beta - h).lnz) / (2 * h)
    assert abs(slope + onsager.exact(beta).u) < 1e-7


def test_high_temperature_limit_is_two_free_states() -> None:
    assert abs(onsager.exact(1e-6).lnz - math.log(2)) < 1e-11


def test_low_temperature_limit_is_the_ground_state() -> None:
    assert abs(onsager.exact(3.0).u + 2) < 1e-8


@pytest.mark.parametrize(("beta", "c"), [(row[0], row[1]) for row in published.trg()["scan"]["rows"]])
def test_specific_heat_is_the_published_one(beta: float, c: float) -> None:
    assert round(onsager.exact(beta).c, 6) == c
