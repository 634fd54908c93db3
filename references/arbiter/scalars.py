"""Change of dtype of one element."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from flint import arb, fmpz

from references.arbiter.cplx import Pair
from references.arbiter.graph import COMPLEX, FLOATING
from references.arbiter.jet import Jet, value
from references.arbiter.kernels import BRANCH, paired, real_part
from references.arbiter.rounding import nearest
from references.arbiter.special import PZERO, Special, Undecided, exactly_zero
from references.arbiter.whole import WIDTH, wrapped

NO_INTEGER = Undecided("no integer of the dtype is the truncated value")
Change = Callable[[Any], Any]
REAL_PART = {"f32": "f32", "f64": "f64", "c64": "f32", "c128": "f64"}


def changed(source: str, target: str, *, stored: bool) -> Change:
    """From dtype to dtype. stored: the element is exact in floats, so that a narrower dtype rounds it here."""
    if source in FLOATING:
        return _from_floating(source, target, stored=stored)
    if target in FLOATING:
        return lambda x: _as(target, _from_integer(x, target))
    if target == "bool":
        return lambda x: x if isinstance(x, Undecided) else x != 0
    return lambda x: x if isinstance(x, Undecided) else wrapped(int(x), target)


def _from_integer(x: Any, target: str) -> Any:
    if isinstance(x, Undecided):
        return x
    return PZERO if x == 0 else nearest(arb(fmpz(int(x))), REAL_PART[target])


def _as(target: str, x: Any) -> Any:
    return paired(x) if target in COMPLEX else x


def _from_floating(source: str, target: str, *, stored: bool) -> Change:
    if target == "bool":
        return _truth
    if target in WIDTH:
        return lambda x: _truncated(real_part(value(x)), target, stored=stored)
    rounds = stored and REAL_PART[source] == "f64" and REAL_PART[target] == "f32"

    def applied(x: Any) -> Any:
        chosen = x if target in COMPLEX else real_part(x)
        chosen = paired(chosen) if target in COMPLEX and source not in COMPLEX else chosen
        return _rounded(chosen, target) if rounds else chosen

    return applied


def _rounded(x: Any, target: str) -> Any:
    """Rounded once; the directions pass."""
    if type(x) is Jet:
        return x.each(lambda c: c, _rounded(x.a, target))
    if type(x) is Pair:
        return Pair(_rounded(x.re, target), _rounded(x.im, target))
    return x if isinstance(x, Undecided) else nearest(x, REAL_PART[target])


def _truth(x: Any) -> Any:
    """Whether an element is not zero; NaN is not zero."""
    plain = value(x)
    parts = (plain.re, plain.im) if type(plain) is Pair else (plain,)
    for part in parts:
        if isinstance(part, Undecided):
            return part
    if all(map(exactly_zero, parts)):
        return False
    sure = any((type(part) is Special and not part.zero) or (type(part) is arb and part != 0) for part in parts)
    return True if sure else BRANCH


def _truncated(x: Any, target: str, *, stored: bool) -> Any:
    if isinstance(x, Undecided):
        return x
    if not stored:
        return BRANCH
    if type(x) is Special:
        return 0 if exactly_zero(x) else NO_INTEGER
    size = int(abs(x).floor().unique_fmpz())
    found = size if x > 0 else -size
    return found if wrapped(found, target) == found else NO_INTEGER
