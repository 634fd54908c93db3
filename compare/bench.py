"""How fast the comparator is, as ratios from one run: `python -m compare.bench`."""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from typing import Final

import numpy as np

from compare.measure import Array, measure

LARGE: Final = 1_000_000
SMALL: Final = 100
ROUNDS: Final = 25
_REPEATS: Final = 200


def answers(n: int, dtype: str, *, ulps: int) -> tuple[Array, Array]:
    """Normal numbers, and the same a few ulps away: what two libraries answer."""
    rng = np.random.default_rng(1)
    parts = rng.normal(size=2 * n if dtype == "complex128" else n).astype(
        "float32" if dtype == "float32" else "float64"
    )
    bits = parts.view(np.int32 if dtype == "float32" else np.int64)
    return parts.view(dtype), (bits + rng.integers(0, ulps + 1, bits.size).astype(bits.dtype)).view(dtype)


def seconds(work: Callable[[], object], repeats: int = 1) -> float:
    """The time one call takes, over so many."""
    start = time.perf_counter()
    for _ in range(repeats):
        work()
    return (time.perf_counter() - start) / repeats


def against_numpy(dtype: str, ulps: int) -> str:
    """Throughput of measure and of numpy.testing.assert_allclose, by turns, and the ratio of each turn."""
    ref, got = answers(LARGE, dtype, ulps=ulps)
    measure(ref, got)
    ours, theirs = [], []
    for _ in range(ROUNDS):
        ours.append(seconds(lambda: measure(ref, got)))
        theirs.append(seconds(lambda: np.testing.assert_allclose(got, ref, rtol=1e-3)))
    ratios = sorted(b / a for a, b in zip(ours, theirs, strict=True))
    low, middle, high = statistics.quantiles(ratios, n=4)
    return (
        f"{dtype}, n = {LARGE:.0e}, up to {ulps} ulps apart: measure {_rate(ours)}, assert_allclose {_rate(theirs)}"
        f" million elements/s; ratio {middle:.1f} (half of {ROUNDS} between {low:.1f} and {high:.1f})"
    )


def _rate(times: list[float]) -> str:
    return f"{LARGE / statistics.median(times) / 1e6:.0f}"


def one_call(dtype: str) -> str:
    """Microseconds of one call on a small array: the median and the best of the rounds."""
    ref, got = answers(SMALL, dtype, ulps=4)
    measure(ref, got)
    times = [seconds(lambda: measure(ref, got), _REPEATS) * 1e6 for _ in range(ROUNDS)]
    return f"{dtype}, n = {SMALL}: measure {statistics.median(times):.1f} µs, at best {min(times):.1f} µs"


def main() -> None:
    """Print every figure on a line of its own."""
    argparse.ArgumentParser(prog="python -m compare.bench", description=__doc__).parse_args()
    for dtype, ulps in (("float64", 1), ("float64", 4), ("float64", 45), ("float64", 10_000), ("float32", 4)):
        print(against_numpy(dtype, ulps), flush=True)
    for dtype in ("float64", "float32", "complex128"):
        print(one_call(dtype), flush=True)


if __name__ == "__main__":
    main()
