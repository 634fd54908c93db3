"""Which elements of a check are arbitrated: the worst, the most different of each two sides, a spread of the rest."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping

import numpy as np

from references.arbiter.graph import Array, Mask
from references.arbiter.question import Place

SAMPLE = 32

Sides = Mapping[str, Mapping[str, Array]]
"""By side, by result's name, the arrays the sides answered."""


def sample(sides: Sides, worst: Place | None = None, *, limit: int = SAMPLE) -> list[Place]:
    """Elements on which sides differ in any bit, at most `limit`, in the order of the first line."""
    first, *rest = sides.values()
    differing: list[Place] = []
    for name in first:
        unequal = np.zeros(np.size(first[name]), dtype=np.bool_)
        for other in rest:
            unequal |= _bits_differ(np.asarray(first[name]), np.asarray(other[name]))
        differing.extend((name, int(i)) for i in np.flatnonzero(unequal))
    chosen = dict.fromkeys([] if worst is None else [worst])
    chosen |= dict.fromkeys(_most_different(sides))
    left = max(limit - len(chosen), 1)
    chosen |= dict.fromkeys(differing[:: max(1, math.ceil(len(differing) / left))])
    return list(chosen)[: max(limit, 1)]


def _bits_differ(a: Array, b: Array) -> Mask:
    if a.shape != b.shape or a.dtype != b.dtype:
        return np.ones(a.size, dtype=np.bool_)
    if not a.size:
        return np.zeros(0, dtype=np.bool_)
    left, right = (np.ascontiguousarray(x).reshape(-1).view(np.uint8).reshape(x.size, -1) for x in (a, b))
    found: Mask = (left != right).any(axis=1)
    return found


def _most_different(sides: Sides) -> Iterator[Place]:
    """Of each two sides and each result, the element of the largest difference and of the largest relative one."""
    for left, right in itertools.combinations(sides.values(), 2):
        for name, array in left.items():
            a, b = np.asarray(array).reshape(-1), np.asarray(right[name]).reshape(-1)
            if a.shape == b.shape and a.dtype == b.dtype and a.size and a.dtype.kind in "fc":
                yield from ((name, int(i)) for i in _peaks(a, b))


def _peaks(a: Array, b: Array) -> Iterator[int]:
    with np.errstate(all="ignore"):
        gap = np.abs(a - b)
        gap = np.where(np.isnan(gap), np.where(np.isnan(a) == np.isnan(b), 0, np.inf), gap)
        relative = gap / np.maximum(np.abs(a), np.finfo(gap.dtype).tiny)
    for measure in (gap, np.where(np.isnan(relative), 0, relative)):
        if measure.max() > 0:
            yield int(measure.argmax())
