"""judge(distance, tolerance): whether a difference is allowed. No array is known here."""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass
from typing import Final

from compare.measure import Distance
from compare.tolerances import Tolerance

BROKEN: Final = ("shape", "dtype", "nan", "inf", "zero_sign", "bound", "ulps", "vacuous")


@dataclass(frozen=True, slots=True)
class Allowed:
    """What the case itself supplies of the bound: the largest of its scale, and the largest error that allows."""

    scale: float
    bound: float


@dataclass(frozen=True, slots=True)
class Verdict:
    """outcome: match, mismatch or error (a check that can prove nothing).

    bound: the allowed |difference|, at the worst element where it differs by element. slack: allowed ÷ observed, the
    smaller of that of the bound and that of the ulps, 0 where a NaN or an infinity is wrong, None where nothing
    differs. broken: all that does not hold, by the names of BROKEN; reason says the first of it in words.
    """

    outcome: str
    reason: str
    bound: float
    slack: float | None
    broken: tuple[str, ...] = ()


def bound_of(tolerance: Tolerance, max_ref: float, terms: int = 1) -> float:
    """The allowed |difference| of a category, without what a case supplies; terms: n of √n for singular values."""
    factor = tolerance.scaled
    if tolerance.rule == "supplied" or max_ref == 0:
        return 0.0  # a reference that is zero everywhere is compared exactly
    if tolerance.rule == "absolute":
        return factor
    if tolerance.rule == "scaled":
        return factor * max(1.0, max_ref)
    return factor * max_ref * (math.sqrt(terms) if tolerance.rule == "singular-values" else 1.0)


def judge(distance: Distance, tolerance: Tolerance, *, terms: int = 1, allowed: Allowed | None = None) -> Verdict:
    """The Verdict on one pair of arrays. allowed: given where the distance was measured with an allowance."""
    if not distance.comparable:
        return _unlike(distance)
    bound = _bound(distance, tolerance, terms, allowed)
    broken = tuple(name for name in BROKEN if _breaks(name, distance, tolerance, bound, allowed))
    slack = _slack(distance, tolerance, bound, broken)
    outcome = "match" if not broken else "error" if broken == ("vacuous",) else "mismatch"
    return Verdict(outcome, _reason(broken, distance, tolerance, bound) if broken else "", bound, slack, broken)


def _unlike(distance: Distance) -> Verdict:
    """The verdict on arrays whose elements cannot be compared."""
    if distance.ref_shape != distance.got_shape:
        reason = f"shape {distance.got_shape} where the reference has {distance.ref_shape}"
        return Verdict("mismatch", reason, 0.0, 0.0, ("shape",))
    reason = f"dtype {distance.got_dtype} where the reference has {distance.ref_dtype}"
    return Verdict("mismatch", reason, 0.0, 0.0, ("dtype",))


def _bound(distance: Distance, tolerance: Tolerance, terms: int, allowed: Allowed | None) -> float:
    if allowed is None:
        return bound_of(tolerance, float(distance.max_ref), terms)
    return allowed.bound if distance.allowance is None else distance.allowance


def _breaks(name: str, distance: Distance, tolerance: Tolerance, bound: float, allowed: Allowed | None) -> bool:
    if name == "bound":
        return distance.max_diff > bound if distance.excess is None else distance.excess > 1
    if name == "ulps":
        return tolerance.ulps is not None and _ulps(distance) > tolerance.ulps
    if name == "vacuous":
        return not tolerance.exact and _vacuous(distance, tolerance, bound, allowed)
    if name == "zero_sign":
        return tolerance.sign_of_zero and distance.zero_sign.count > 0
    return name in ("nan", "inf") and bool(getattr(distance, name).count)


def _ulps(distance: Distance) -> float:
    """The ulps that are bounded: of a complex array, in those of the larger part."""
    return distance.max_ulp if distance.larger_ulp is None else distance.larger_ulp


def _vacuous(distance: Distance, tolerance: Tolerance, bound: float, allowed: Allowed | None) -> bool:
    """Nothing compared, or a bound that lets everything of the size of the reference pass and no ulps beside it."""
    if distance.n == 0:
        return True
    scale = float(distance.max_ref) if allowed is None else allowed.scale
    widest = bound if allowed is None else allowed.bound
    return tolerance.ulps is None and widest >= scale and widest > 0


def _slack(distance: Distance, tolerance: Tolerance, bound: float, broken: tuple[str, ...]) -> float | None:
    if set(broken) & {"nan", "inf", "zero_sign"}:
        return 0.0
    slacks = []
    if distance.max_diff > 0:
        slacks.append(_ratio(bound, distance.max_diff) if distance.excess is None else _ratio(1.0, distance.excess))
    if tolerance.ulps is not None and _ulps(distance) > 0:
        slacks.append(_ratio(tolerance.ulps, _ulps(distance)))
    return min(slacks, default=None)


def _ratio(allowed: float, observed: float) -> float:
    """allowed ÷ observed, finite, so that it can be written down."""
    return min(allowed / observed, sys.float_info.max) if observed > 0 else sys.float_info.max


def _reason(broken: tuple[str, ...], distance: Distance, tolerance: Tolerance, bound: float) -> str:
    """The first of what does not hold, in words."""
    name = broken[0]
    if name == "bound" and distance.excess is None:
        return f"max|diff| {distance.max_diff:.4g} at {distance.at} is above {bound:.4g}"
    if name == "bound":
        return f"|diff| at {distance.excess_at} is {distance.excess:.4g} times the allowed {bound:.4g}"
    if name == "ulps":
        return f"{_ulps(distance):.6g} ulps are more than {tolerance.ulps}"
    if name == "vacuous":
        why = "nothing was compared" if distance.n == 0 else f"the bound {bound:.4g} is not below the scale"
        return f"vacuous: {why}"
    found = getattr(distance, name)
    what = {"nan": "NaN against a number", "inf": "infinity against another value", "zero_sign": "zeros unlike in sign"}
    return f"{what[name]} {found.count} times, first at {found.at}: {found.ref} and {found.got}"
