"""Compare the numbers of two files: `python -m compare REF GOT [TOL]`."""

from __future__ import annotations

import argparse
import math
import os
import sys
from collections.abc import Iterator, Sequence
from typing import Final, NoReturn

import numpy as np

from compare.files import FileError, load
from compare.measure import Distance, Number, measure

TOLERANCE: Final = 1e-14
_HELP: Final = """\
REF and GOT are .npy files, or text files with one number a line: decimal or hex, real or complex (1+2j); blank lines
and lines that begin with # are passed over. Shapes and dtypes must be equal; text is f64, or c128 where a number is
complex. The bound is TOL·max(1, max|ref|), over finite elements, of each part of a complex number; integers and bools
must be equal. NaN agrees with NaN, an infinity with itself.

Exit: 0 for OK, 1 for MISMATCH, 2 for what cannot be compared.
"""


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        _refuse(f"{message}: see python -m compare --help")


def _refuse(text: str) -> NoReturn:
    print(f"compare: {text}", file=sys.stderr)
    raise SystemExit(2)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print how far GOT is from REF; 0 where that is within the bound, 1 where not; exits 2 where it cannot be told."""
    given = _parse(list(sys.argv[1:] if arguments is None else arguments))
    tolerance = _tolerance(given.tol)
    try:
        distance = measure(load(given.ref), load(given.got))
    except FileError as error:
        _refuse(str(error))
    for what, of_ref, of_got in _kinds(distance):
        if of_ref != of_got:
            _refuse(f"{what} of {given.ref} is {of_ref}, of {given.got} {of_got}: they must be equal")
    bound = tolerance * max(1.0, distance.max_ref) if isinstance(distance.max_ref, float) else 0
    if bound == math.inf:
        _refuse(f"the bound, {tolerance:g} times {distance.max_ref:g}, is beyond float64: give a smaller tolerance")
    agrees = distance.max_diff <= bound and not distance.nan.count and not distance.inf.count
    _tell("\n".join((*_figures(distance, bound), "OK" if agrees else "MISMATCH")))
    return 0 if agrees else 1


def _tell(text: str) -> None:
    """Print; where that cannot be done nobody learns of the figures, and the exit code must not say otherwise."""
    try:
        print(text, flush=True)
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # or Python fails once more as it ends
        _refuse(f"the figures cannot be printed: {error.strerror}")


def _parse(arguments: list[str]) -> argparse.Namespace:
    """The arguments, each of them taken as it is, so that −1 is a tolerance and not an option."""
    parser = _Parser(
        prog="python -m compare",
        usage="python -m compare [-h] REF GOT [TOL]",
        description=__doc__,
        epilog=_HELP,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("ref", metavar="REF", help="the reference")
    parser.add_argument("got", metavar="GOT", help="what is compared with it")
    parser.add_argument("tol", metavar="TOL", nargs="?", default=str(TOLERANCE), help=f"default {TOLERANCE}")
    asks_help = any(argument in ("-h", "--help") for argument in arguments)
    return parser.parse_args(arguments if asks_help else ["--", *arguments])


def _tolerance(text: str) -> float:
    try:
        tolerance = float(text if text.isascii() and "_" not in text else "") + 0.0  # which makes −0 the 0 it means
    except ValueError:
        _refuse(f"tolerance {text!r} is no number: give a finite one that is not negative, such as 1e-14")
    if not 0 <= tolerance < math.inf:
        _refuse(f"tolerance {text} is negative, infinite or NaN: give a finite one that is not negative, such as 1e-14")
    return tolerance


def _kinds(distance: Distance) -> tuple[tuple[str, object, object], ...]:
    return (
        ("shape", distance.ref_shape, distance.got_shape),
        ("dtype", distance.ref_dtype, distance.got_dtype),
    )


def _figures(distance: Distance, bound: Number) -> Iterator[str]:
    """One figure a line, its name first."""
    yield f"n              {distance.n}"
    yield f"max|ref|       {distance.max_ref!r}"
    yield f"max|diff|      {distance.max_diff!r}"
    if distance.at is not None:
        yield f"  at           {_index(distance.at, distance.ref_shape)}{_part(distance)}"
        yield f"  ref          {_both(distance.ref_at)}"
        yield f"  got          {_both(distance.got_at)}"
    yield f"bitwise equal  {distance.bitwise_equal}"
    yield f"max ulp        {distance.max_ulp}"
    for name, found in (("NaN", distance.nan), ("infinity", distance.inf), ("sign of zero", distance.zero_sign)):
        if found.at is not None:
            at = _index(found.at, distance.ref_shape)
            yield f"{name:<14} differs {found.count} times, first at {at}: ref {found.ref}, got {found.got}"
    yield f"bound          {bound!r}"


def _index(at: int, shape: tuple[int, ...]) -> str:
    """The flat index, and the one by axis where there are several."""
    by_axis = tuple(int(place) for place in np.unravel_index(at, shape)) if len(shape) > 1 else ""
    return f"{at} {by_axis}".rstrip()


def _part(distance: Distance) -> str:
    """Which part of a complex number the largest difference is in."""
    if not distance.parts:
        return ""
    return " (real part)" if distance.parts[0].max_diff >= distance.parts[1].max_diff else " (imaginary part)"


def _both(value: str | None) -> str:
    """A value in decimal and in hex."""
    text = str(value)
    return f"{float.fromhex(text)!r} ({text})" if "p" in text else f"{int(text, 16)} ({text})"


if __name__ == "__main__":
    raise SystemExit(main())
