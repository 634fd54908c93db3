"""Functions on Arb's power series (real and complex alike), from the series Arb has: exp, log, sin, cos, sqrt, erf."""

from __future__ import annotations

from typing import Any

from flint import arb, fmpq


def _sigmoid(z: Any) -> Any:
    """1/(1 + exp(−z)): its coefficients keep their relative precision in both tails."""
    return 1 / (1 + (-z).exp())


def _tanh(z: Any) -> Any:
    """1 − 2/(exp(2z) + 1), whose constant alone cancels."""
    return 1 - 2 / ((2 * z).exp() + 1)


def _gelu(z: Any) -> Any:
    return z * (-z / arb(2).sqrt()).erfc() / 2


def _gelu_tanh(z: Any) -> Any:
    """As the function: z times the sigmoid of 2√(2/π)(z + 0.044715 z³)."""
    cubic = arb(fmpq(44715, 1_000_000)) * z * z * z
    return z * _sigmoid(2 * (2 / arb.pi()).sqrt() * (z + cubic))


SERIES: dict[str, Any] = {
    "exp": lambda z: z.exp(),
    "expm1": lambda z: z.exp(),
    "log": lambda z: z.log(),
    "log1p": lambda z: (1 + z).log(),
    "sin": lambda z: z.sin(),
    "cos": lambda z: z.cos(),
    "tanh": _tanh,
    "sqrt": lambda z: z.sqrt(),
    "rsqrt": lambda z: z.rsqrt(),
    "erf": lambda z: z.erf(),
    "sigmoid": _sigmoid,
    "silu": lambda z: z * _sigmoid(z),
    "softplus": lambda z: (1 + z.exp()).log(),
    "gelu": _gelu,
    "gelu_tanh": _gelu_tanh,
    "inverse": lambda z: 1 / z,
}
