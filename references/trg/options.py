"""The command's options: every value checked before anything runs, one clear line where one is wrong."""

import argparse
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from .differences import STEPS_OF_DIFFERENCE
from .plan import BETAS, CHI, STEPS, Plan

WIDTHS = (1, 2, 8)
LARGEST_CHI, MOST_STEPS, WIDEST = 64, 100, 256
PAGE = Path("results") / "trg.html"
PARTS = ("values", "c", "onsager", "c-by-h", "jump", "scan", "chi-24", "variants", "wrong")
ANSWERS_TO_OPTIONS = ("values", "c", "onsager")
"""The parts that mean something at any β, χ and number of steps; the others are about the published ones."""


@dataclass(frozen=True)
class Options:
    """What to run."""

    betas: tuple[float, ...]
    plan: Plan
    hs: tuple[float, ...]
    widths: tuple[int, ...]
    parts: tuple[str, ...]
    page: Path


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        """One line and exit code 2, without the usage in front of it."""
        self.exit(2, f"{self.prog}: error: {message}\n")


def parse(arguments: Sequence[str] | None = None) -> Options:
    """The options of a command line. Exits with code 2 and one line where one is wrong."""
    parser = _parser()
    given = parser.parse_args(arguments)
    plan = Plan(given.chi, given.steps)
    narrowed = any(getattr(given, name) is not None for name in ("beta", "h", "width")) or plan != Plan()
    parts = tuple(given.part or (ANSWERS_TO_OPTIONS if narrowed else PARTS))
    if narrowed and not set(parts) <= set(ANSWERS_TO_OPTIONS):
        parser.error(f"argument --part: with other options only {', '.join(ANSWERS_TO_OPTIONS)} have a meaning")
    betas = tuple(given.beta or BETAS)
    hs = tuple(sorted(given.h or STEPS_OF_DIFFERENCE, reverse=True))
    if min(betas) <= max(hs):
        parser.error(f"argument --h: {max(hs):g} reaches below β = 0 from {min(betas):g}; take a smaller h or larger β")
    if given.page.is_dir():
        parser.error(f"argument --page: {given.page} is a folder; name a file in it")
    return Options(betas, plan, hs, tuple(given.width or WIDTHS), parts, given.page)


def _parser() -> _Parser:
    parser = _Parser(prog="python -m references.trg", description=__doc__.split("\n")[0], allow_abbrev=False)
    parser.description = (
        "TRG of the two-dimensional Ising model on JAX and tenferro: tables, verdicts and a page with plots. "
        "Without options: everything the publication measured, about ten minutes on two free cores. "
        "With --beta, --chi, --steps, --h or --width: values, derivatives, c and the distance to Onsager for those."
    )
    parser.add_argument("--beta", nargs="+", type=_beta, metavar="β", help="inverse temperatures, 0 < β ≤ 10")
    parser.add_argument("--chi", type=_chi, default=CHI, help=f"truncation, 2 to {LARGEST_CHI} (default {CHI})")
    parser.add_argument("--steps", type=_steps, default=STEPS, help=f"steps, 1 to {MOST_STEPS} (default {STEPS})")
    parser.add_argument("--h", nargs="+", type=_h, help="steps of the differences, 1e-9 to 0.1 (default 1e-5 1e-6)")
    parser.add_argument("--width", nargs="+", type=width, help=f"tenferro's threads, 1 to {WIDEST} (default 1 2 8)")
    parser.add_argument("--part", nargs="+", choices=PARTS, metavar="PART", help=f"only these of: {', '.join(PARTS)}")
    parser.add_argument("--page", type=Path, default=PAGE, help=f"where the page goes (default {PAGE})")
    return parser


def _number(text: str, kind: Callable[[str], float], what: str) -> float:
    try:
        value = kind(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no {what}") from None
    if not math.isfinite(value):
        raise argparse.ArgumentTypeError(f"{text!r} is no finite number")
    return value


def _within(text: str, value: float, low: float, high: float, *, open_below: bool = False) -> None:
    if value > high or value < low or (open_below and value == low):
        lower = f"above {low:g}" if open_below else f"at least {low:g}"
        raise argparse.ArgumentTypeError(f"{text} is out of range: it must be {lower} and at most {high:g}")


def _beta(text: str) -> float:
    value = _number(text, float, "number")
    _within(text, value, 0, 10, open_below=True)
    return value


def _h(text: str) -> float:
    value = _number(text, float, "number")
    _within(text, value, 1e-9, 0.1)
    return value


def _whole(text: str, low: int, high: int) -> int:
    value = _number(text, int, "whole number")
    _within(text, value, low, high)
    return int(value)


def _chi(text: str) -> int:
    return _whole(text, 2, LARGEST_CHI)


def _steps(text: str) -> int:
    return _whole(text, 1, MOST_STEPS)


def width(text: str) -> int:
    """A thread width from a command line."""
    return _whole(text, 1, WIDEST)
