"""Sums, products, extrema and sums of products of one row of elements."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any

from flint import arb

from references.arbiter import cplx, real, whole
from references.arbiter.graph import COMPLEX, Index
from references.arbiter.jet import NOT_SMOOTH, Jet, summed, value
from references.arbiter.kernels import BRANCH, arithmetic, first_undecided
from references.arbiter.rounding import BITS
from references.arbiter.rows import Contract, Fold
from references.arbiter.run import Run
from references.arbiter.special import NAN, ONE, PZERO, Undecided, ball, finite

Row = Callable[[Run, Fold, Index, list[Any]], Any]


def adder(dtype: str) -> Callable[[list[Any]], Any]:
    """The sum of scalars of a dtype."""
    if dtype in whole.WIDTH:
        add = whole.operation("add", dtype)
        return lambda values: functools.reduce(add, values)
    if dtype in COMPLEX:
        return _pair_sum
    return _real_sum


def _real_sum(values: list[Any]) -> Any:
    total = values[0]
    for x in values[1:]:
        total = total + x if type(total) is type(x) is arb else real.add(total, x)
    return total


def _pair_sum(values: list[Any]) -> Any:
    if found := first_undecided(values):
        return found
    return cplx.Pair(_real_sum([z.re for z in values]), _real_sum([z.im for z in values]))


def _total(run: Run, dtype: str, terms: list[Any]) -> Any:
    """The sum with its directions; in the noisy run with the error a float sum may have."""
    plain = [value(x) for x in terms]
    a = adder(dtype)(plain)
    if run.noisy and len(plain) > 2 and dtype in BITS:
        a = _loosened(a, plain, dtype)
    return summed(terms, a) if any(type(x) is Jet for x in terms) and not isinstance(a, Undecided) else a


def _loosened(a: Any, terms: Sequence[Any], dtype: str) -> Any:
    """max(4, √n) ε Σ|terms| around a sum."""
    if type(a) is cplx.Pair:
        parts = [[getattr(z, part) for z in terms] for part in ("re", "im")]
        return cplx.Pair(_loosened(a.re, parts[0], dtype), _loosened(a.im, parts[1], dtype))
    if type(a) is not arb or not all(map(finite, terms)):
        return a
    size = sum((abs(ball(x)) for x in terms), arb(0))
    return a + arb(0, size.abs_upper() * max(4.0, math.sqrt(len(terms)))) * arb(2) ** (1 - BITS[dtype])


def sum_row(run: Run, node: Fold, _row: Index, values: list[Any]) -> Any:
    """Σ of a row; of no element 0."""
    return _total(run, node.dtype, values) if values else _nothing(node.dtype, 0)


def _nothing(dtype: str, neutral: int) -> Any:
    if dtype in whole.WIDTH:
        return neutral
    one = PZERO if neutral == 0 else ONE
    return cplx.Pair(one, PZERO) if dtype in COMPLEX else one


def product_row(_run: Run, node: Fold, _row: Index, values: list[Any]) -> Any:
    """Π of a row; of no element 1."""
    if node.dtype in whole.WIDTH:
        return functools.reduce(whole.operation("mul", node.dtype), values, 1)
    multiply = arithmetic("mul", pairs=node.dtype in COMPLEX)[1]
    return functools.reduce(multiply, values) if values else _nothing(node.dtype, 1)


def extremum_row(*, largest: bool) -> Row:
    """The largest or smallest of a row; with directions it has to be a single one."""

    def applied(run: Run, node: Fold, row: Index, values: list[Any]) -> Any:
        if node.dtype in whole.WIDTH:
            return first_undecided(values) or (max if largest else min)(values)
        if any(type(x) is Jet for x in values):
            return _peak(run, node, row, values, largest=largest)
        return functools.reduce(real.larger if largest else real.smaller, values)

    return applied


def _peak(run: Run, node: Fold, row: Index, values: list[Any], *, largest: bool) -> Any:
    judged = values if node.arg.stored else run.noise().get(node.arg, row)
    plain = [value(x) for x in judged]
    if NAN in plain:
        return NAN
    if found := first_undecided(plain):
        return found
    best = 0
    for i in range(1, len(plain)):
        if _beats(plain[i], plain[best], largest=largest) is True:
            best = i
    for i in range(len(plain)):
        won = True if i == best else _beats(plain[best], plain[i], largest=largest)
        if won is not True:
            return BRANCH if won is None else NOT_SMOOTH
    return values[best]


def _beats(x: Any, y: Any, *, largest: bool) -> bool | None:
    order = real.order(x, y)
    return None if order is None else order == (1 if largest else -1)


def products(run: Run, node: Contract, xs: list[Any], ys: list[Any]) -> Any:
    """Σ x·y."""
    multiply = arithmetic("mul", pairs=node.dtype in COMPLEX)[1]
    if not xs:
        return _nothing(node.dtype, 0)
    return _total(run, node.dtype, list(map(multiply, xs, ys)))
