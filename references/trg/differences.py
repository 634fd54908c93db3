"""c by central difference of the derivative, and what two step sizes say about each other."""

from collections.abc import Callable
from dataclasses import dataclass

from . import bounds

STEPS_OF_DIFFERENCE = (1e-5, 1e-6)
BETAS_OF_SCAN = (0.40, 0.42, 0.43, 0.435, 0.44, 0.445, 0.45, 0.46, 0.48)
STEPS_OF_TABLE = (1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7)

ValueAndGradient = Callable[[float], tuple[float, float]]


@dataclass(frozen=True)
class Difference:
    """Central differences at one β with one step h: the slope of the value and the slope of the gradient."""

    beta: float
    h: float
    slope: float
    curvature: float

    @property
    def c(self) -> float:
        """The specific heat β² ∂²(lnZ/N)/∂β²."""
        return self.beta**2 * self.curvature

    @property
    def error(self) -> float:
        """What c may be off by through the derivative's rounding: β² · 1e-11 / h."""
        return bounds.c(self.beta, self.h)


def difference(run: ValueAndGradient, beta: float, *, h: float) -> Difference:
    """Both central differences from two runs, at β + h and β − h."""
    (value_up, slope_up), (value_down, slope_down) = run(beta + h), run(beta - h)
    return Difference(beta, h, (value_up - value_down) / (2 * h), (slope_up - slope_down) / (2 * h))


def crossing(coarse: Difference, fine: Difference) -> bool:
    """Whether singular values cross within the coarse step: the two differ by more than both errors together."""
    return abs(coarse.c - fine.c) > coarse.error + fine.error


def chosen(coarse: Difference, fine: Difference) -> Difference:
    """The c to report: the coarse step's, whose rounding is smaller, unless a crossing lies within it."""
    return fine if crossing(coarse, fine) else coarse
