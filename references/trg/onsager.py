"""Onsager's exact solution of the square-lattice Ising model in the infinite limit, by SciPy's elliptic integrals.

Source: L. Onsager, Phys. Rev. 65, 117 (1944), in the form of McCoy and Wu, The Two-Dimensional Ising Model.
The modulus goes in as its complement (`ellipkm1`): near β_c the modulus itself has lost the digits that matter.
"""

import math
from dataclasses import dataclass

from scipy.integrate import quad
from scipy.special import ellipe, ellipkm1

BETA_C = math.log1p(math.sqrt(2.0)) / 2
"""The critical inverse temperature."""


@dataclass(frozen=True)
class Exact:
    """lnZ/N, u = −∂(lnZ/N)/∂β and c = β² ∂²(lnZ/N)/∂β² of the infinite lattice."""

    lnz: float
    u: float
    c: float

    @property
    def all(self) -> tuple[float, float, float]:
        """lnZ/N, u and c in this order."""
        return self.lnz, self.u, self.c


def exact(beta: float) -> Exact:
    """Onsager's values at β > 0; c diverges at β_c."""
    return Exact(_lnz(beta), _u(beta), _c(beta))


def _modulus(beta: float) -> tuple[float, float]:
    """κ = 2 sinh 2β / cosh² 2β and κ' = 2 tanh² 2β − 1, so that κ² + κ'² = 1."""
    return 2 * math.sinh(2 * beta) / math.cosh(2 * beta) ** 2, 2 * math.tanh(2 * beta) ** 2 - 1


def _lnz(beta: float) -> float:
    """ln(2 cosh 2β) + (1/π) ∫₀^{π/2} ln((1 + √(1 − κ² sin²φ))/2) dφ."""
    complement = _modulus(beta)[1] ** 2

    def integrand(angle: float) -> float:
        """1 − κ² sin²φ written as cos²φ + κ'² sin²φ, which does not cancel."""
        return math.log((1 + math.sqrt(math.cos(angle) ** 2 + complement * math.sin(angle) ** 2)) / 2)

    integral: float = quad(integrand, 0, math.pi / 2, epsabs=1e-13, epsrel=1e-13, limit=500)[0]
    return math.log(2 * math.cosh(2 * beta)) + integral / math.pi


def _u(beta: float) -> float:
    """−coth 2β (1 + (2/π) κ' K(κ))."""
    prime = _modulus(beta)[1]
    return -(1 + 2 / math.pi * prime * float(ellipkm1(prime**2))) / math.tanh(2 * beta)


def _c(beta: float) -> float:
    """(2/π)(β coth 2β)² (2K(κ) − 2E(κ) − (1 − κ')(π/2 + κ' K(κ)))."""
    modulus, prime = _modulus(beta)
    k, e = float(ellipkm1(prime**2)), float(ellipe(modulus**2))
    bracket = 2 * k - 2 * e - (1 - prime) * (math.pi / 2 + prime * k)
    return 2 / math.pi * (beta / math.tanh(2 * beta)) ** 2 * bracket
