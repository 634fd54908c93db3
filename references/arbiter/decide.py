"""Correctly rounded results: precision is raised until the enclosure pins the float, or the budget is spent."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
from flint import arb, ctx

from references.arbiter.cplx import Pair
from references.arbiter.graph import COMPLEX
from references.arbiter.question import PULLED, Place, Question, evaluate, seeds
from references.arbiter.rounding import BITS, PART, rounded
from references.arbiter.run import BudgetError, Run
from references.arbiter.special import Convention, Special, Undecided
from references.dtypes import NUMPY

FIRST_BITS = 128
NO_OTHERS: Mapping[str, Any] = MappingProxyType({})
GRADIENTS = ("the conjugate gradient", "the conjugate cotangent", "JAX's gradient")
"""Conventions of complex derivatives: which a library has, it has at every element."""
SIGN_BITS = 2048
"""Where a number below every format may still be of either sign at this precision, it is a zero of unknown sign."""


@dataclass(frozen=True)
class Budget:
    """How far precision may be raised, and how long a decision may take."""

    bits: int = 4096
    seconds: float = 5.0


@dataclass(frozen=True, slots=True)
class Element:
    """One element's truth: the correctly rounded value, or None and the reason it is undecided.

    unsigned: whether the value's real (and imaginary) part is a zero whose sign is not decided.
    overflown: whether an infinite part is a finite number rounded. others: the value by other named conventions.
    """

    place: Place
    value: Any
    reason: str = ""
    unsigned: tuple[bool, bool] = (False, False)
    overflown: bool = False
    others: Mapping[str, Any] = NO_OTHERS
    bits: int = 0

    def at(self, place: Place, others: Mapping[str, Any], bits: int) -> Element:
        """The same at its place, with the precision it took."""
        return Element(place, self.value, self.reason, self.unsigned, self.overflown, others, bits)


@dataclass(frozen=True)
class Truth:
    """The elements asked for, in order, and the seconds it took."""

    elements: tuple[Element, ...]
    seconds: float

    @property
    def decided(self) -> tuple[Element, ...]:
        """Those with a value."""
        return tuple(element for element in self.elements if element.value is not None)


def decide(question: Question, places: Sequence[Place] | None = None, *, budget: Budget | None = None) -> Truth:
    """The truth at `places` (default: everywhere)."""
    budget, started = budget or Budget(), time.monotonic()
    asked = list(question.places() if places is None else places)
    refused = {place: question.why_not(place[0]) for place in asked}
    found = {place: Element(place, None, why) for place, why in refused.items() if why}
    bits, held = FIRST_BITS, ctx.prec
    pending = [place for place in asked if place not in found]
    try:
        while pending:
            ctx.prec = bits
            pending = _round(question, pending, found, bits, Run(seeds(question, pending), started + budget.seconds))
            bits *= 2
            if bits > budget.bits:
                break
    except BudgetError:
        pass
    finally:
        ctx.prec = held
    for place in pending:
        found.setdefault(place, Element(place, None, _exhausted(bits, budget)))
    return Truth(tuple(found[place] for place in asked), time.monotonic() - started)


def _exhausted(bits: int, budget: Budget) -> str:
    if bits > budget.bits:
        return f"not pinned at {bits // 2} bits: an exact zero by cancellation, a tie, or a singularity"
    return f"the budget of {budget.seconds:g} s is spent"


def _round(question: Question, places: list[Place], found: dict[Place, Element], bits: int, run: Run) -> list[Place]:
    """Pin what can be pinned; what is left, in order."""
    scalars = evaluate(question, run, places)
    others = _conjugates(question, run, places)
    left: list[Place] = []
    for dtype in dict.fromkeys(question.dtype(name) for name, _ in places):
        here = [i for i, (name, _) in enumerate(places) if question.dtype(name) == dtype]
        for i, element in zip(here, settle([scalars[i] for i in here], dtype), strict=True):
            if element is None:
                left.append(places[i])
            else:
                values = {**element.others, **others[i]} if others else element.others
                found[places[i]] = element.at(places[i], values, bits)
    return left


def _conjugates(question: Question, run: Run, places: list[Place]) -> list[dict[str, Any]]:
    """Complex gradients by other conventions, to the nearest float of the ball's centre."""
    if question.transform not in PULLED or not any(question.dtype(name) in COMPLEX for name, _ in places):
        return []
    plain, turned = evaluate(question, run, places), evaluate(question, run, places, conjugated=True)
    return [
        {
            GRADIENTS[0]: _central(x, question.dtype(name), conjugate=True),
            GRADIENTS[1]: _central(y, question.dtype(name)),
            GRADIENTS[2]: _central(y, question.dtype(name), conjugate=True),
        }
        for x, y, (name, _) in zip(plain, turned, places, strict=True)
    ]


def _central(x: Any, dtype: str, *, conjugate: bool = False) -> Any:
    if type(x) is not Pair or type(x.re) is not arb or type(x.im) is not arb:
        return None
    number = complex(float(x.re), float(x.im))
    return NUMPY[dtype].type(number.conjugate() if conjugate else number)


def settle(scalars: Sequence[Any], dtype: str) -> list[Element | None]:
    """Elements of scalars of one dtype; None where the enclosure does not pin the float yet."""
    if dtype not in BITS:
        return [_whole(x, dtype) for x in scalars]
    parts = _parts(scalars, dtype in COMPLEX)
    balls = [part for part in parts if type(part) is arb]
    low, high = rounded(balls, dtype)
    pins = iter(zip(balls, low.tolist(), high.tolist(), strict=True))
    pinned = [_pin(part, pins) for part in parts]
    if dtype not in COMPLEX:
        return [_element(x, (p,), dtype) for x, p in zip(scalars, pinned, strict=True)]
    return [_element(x, pinned[2 * i : 2 * i + 2], dtype) for i, x in enumerate(scalars)]


def _parts(scalars: Sequence[Any], pairs: bool) -> list[Any]:
    if not pairs:
        return list(scalars)
    found: list[Any] = []
    for x in scalars:
        found.extend((x.re, x.im) if type(x) is Pair else (x, x))
    return found


Pin = tuple[float, bool, bool] | Undecided | None
"""A part's value, whether it is a zero of unknown sign, whether it is finite and rounds to an infinity."""


def _pin(part: Any, pins: Any) -> Pin:
    if type(part) is Special:
        return part.value, False, part.soft and part.value != 0
    if type(part) is not arb:
        return part if isinstance(part, Undecided) else None
    ball, low, high = next(pins)
    if low != high:  # NaN too: a ball that says nothing
        return None
    if low == 0:
        return _zero(ball)
    return low, False, low in (float("inf"), float("-inf"))


def _zero(ball: Any) -> Pin:
    """A number that rounds to zero: its sign is worth precision, up to SIGN_BITS."""
    if ball > 0 or ball < 0:
        return (0.0 if ball > 0 else -0.0), False, False
    return (0.0, True, False) if ball.is_exact() or ctx.prec >= SIGN_BITS else None


def _element(x: Any, pins: Sequence[Pin], dtype: str) -> Element | None:
    if isinstance(x, Convention):
        return _by_convention(x, dtype)
    stuck = next((pin for pin in pins if isinstance(pin, Undecided)), None)
    if stuck is not None:
        return Element(("", 0), None, stuck.reason)
    known = [pin for pin in pins if isinstance(pin, tuple)]
    if len(known) < len(pins):
        return None
    unsigned = tuple(pin[1] for pin in known)
    overflown = any(pin[2] for pin in known)
    return Element(("", 0), _number([pin[0] for pin in known], dtype), "", (unsigned[0], unsigned[-1]), overflown)


def _number(parts: Sequence[float], dtype: str) -> Any:
    if len(parts) == 1:
        return PART[dtype](parts[0])
    found = np.empty((), NUMPY[dtype])
    found.real, found.imag = parts  # complex(…) would lose a zero's sign
    return found[()]


def _by_convention(x: Convention, dtype: str) -> Element | None:
    """The first convention's value is the truth, the others are named."""
    settled = {name: settle([scalar], dtype)[0] for name, scalar in x.values.items()}
    if any(element is None for element in settled.values()):
        return None
    values = {name: element.value for name, element in settled.items() if element is not None}
    return Element(("", 0), next(iter(values.values())), x.reason, others=values)


def _whole(x: Any, dtype: str) -> Element:
    if isinstance(x, Undecided):
        return Element(("", 0), None, x.reason)
    return Element(("", 0), NUMPY[dtype].type(x))
