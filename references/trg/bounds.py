"""What a difference of two TRG numbers may be, as tolerances.toml says."""

import functools
from pathlib import Path

from compare import tolerances

FILE = Path(__file__).parents[2] / "tolerances.toml"


@functools.cache
def factor(category: str) -> float:
    """The factor of a category for f64: "trg.value", "trg.grad" or "trg.c"."""
    return tolerances.load(FILE).of(category, "f64").scaled


def c(beta: float, h: float) -> float:
    """β² · 1e-11 / h: what the derivative's allowed error does to a central difference."""
    return beta**2 / h * factor("trg.c")
