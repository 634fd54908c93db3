"""tolerances.toml: what a difference may be, by category, each with its reason. No array is known here."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

# fmt: off
FAMILIES: Final = (
    "transforms", "elementwise", "comparison", "activation", "reduction", "dtype", "layout", "indexing", "contraction",
    "einsum", "linalg", "fft", "complex", "eager", "threads", "trg",
)
# fmt: on
TRANSFORMS: Final = ("value", "vjp", "jvp", "grad", "hvp")
RULES: Final = ("scaled", "relative", "absolute", "singular-values", "supplied", "exact")
KEYS: Final = ("reason", "rule", "scaled", "ulps", "sums", "sign_of_zero")
_PRECISION: Final = {"f32": "f32", "c64": "f32", "f64": "f64", "c128": "f64", "i32": "", "i64": "", "bool": ""}


class TolerancesError(ValueError):
    """A malformed tolerances.toml or a category it has not; the text names file, category and remedy, in one line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tolerance:
    """What a category allows for one dtype.

    rule, with s = scaled: "scaled" allows s·max(1, max|ref|), "relative" s·max|ref|, "absolute" s, "singular-values"
    s·√n·σ₁, "supplied" s times what the case supplies element by element, "exact" nothing. sums: or, if larger, what
    rounding may do to a sum, max(4, √n)·ε·Σ|terms| per element. ulps: at most so many as well. sign_of_zero: judged.
    Integers and bools are exact in every category.
    """

    category: str
    reason: str
    dtype: str
    rule: str
    factors: Mapping[str, float]
    ulps: int | None = None
    sums: bool = False
    sign_of_zero: bool = False

    @property
    def exact(self) -> bool:
        """Whether nothing may differ."""
        return self.rule == "exact" or not _PRECISION[self.dtype]

    @property
    def scaled(self) -> float:
        """The factor of the rule; 0 where nothing may differ."""
        return 0.0 if self.exact else self.factors[_PRECISION[self.dtype]]

    @property
    def epsilon(self) -> float:
        """The distance from 1 to the next number of the dtype; 0 for integers and bools."""
        return {"f32": 2.0**-23, "f64": 2.0**-52, "": 0.0}[_PRECISION[self.dtype]]

    @property
    def needs_scale(self) -> bool:
        """Whether the bound is told by an array of the case's: Σ|terms|, or the unit of a supplied one."""
        return not self.exact and (self.sums or self.rule == "supplied")

    def at(self, dtype: str) -> Tolerance:
        """The same category for an output of another dtype."""
        return self if dtype == self.dtype else replace(self, dtype=dtype)


@dataclass(frozen=True)
class Tolerances:
    """The categories of a tolerances.toml, and which of them were asked for."""

    path: Path
    categories: Mapping[str, Mapping[str, Any]]
    _used: set[str] = field(default_factory=set, repr=False, compare=False)

    def of(self, key: str, dtype: str) -> Tolerance:
        """The tolerance of a category, or of the category and a transform ("trg.grad"), for a dtype.

        A category that says nothing of the transform is taken as it is. Raises TolerancesError for an unknown one.
        """
        category = self._find(key)
        if dtype not in _PRECISION:
            raise TolerancesError(f"{self.path.name}: no dtype is named {dtype!r}: they are {', '.join(_PRECISION)}")
        self._used.add(category)
        row = self.categories[category]
        return Tolerance(category=category, dtype=dtype, **{name: row[name] for name in _FIELDS})

    def _find(self, key: str) -> str:
        if key in self.categories:
            return key
        category, _, transform = key.rpartition(".")
        if transform in TRANSFORMS and category in self.categories:
            return category
        raise TolerancesError(f"{self.path.name}: no category {key!r}: add [{category or key}] with a reason")

    def require_meaning(self, names: Iterable[str]) -> None:
        """Raise TolerancesError for a category that is none of these names and refines none of them."""
        meant = {*FAMILIES, *names}
        for name in self.categories:
            if not {name, _refined(name)} & meant:
                raise TolerancesError(
                    f"{self.path.name}: [{name}] is no family, no property and no category of a case: mend or remove it"
                )

    @property
    def used(self) -> frozenset[str]:
        """The categories that were asked for."""
        return frozenset(self._used)

    def unused(self, selected: Iterable[str], used: Iterable[str] = ()) -> tuple[str, ...]:
        """The categories of what was selected that nobody asked for, neither here nor as `used` tells.

        selected: families and other categories all of whose cases were selected; one that says something of a
        transform ("trg.grad") goes with what it refines. One that another builds on is used with it.
        """
        wanted, asked = set(selected), self._used | set(used)
        idle = (name for name in self.categories if {name, _refined(name)} & wanted)
        return tuple(name for name in idle if not any(one == name or one.startswith(f"{name}.") for one in asked))


def _refined(name: str) -> str:
    category, _, transform = name.rpartition(".")
    return category if transform in TRANSFORMS else name


_FIELDS: Final = ("reason", "rule", "factors", "ulps", "sums", "sign_of_zero")


def load(path: str | Path) -> Tolerances:
    """Read a tolerances.toml. Raises TolerancesError for whatever is missing, unknown or malformed in it."""
    file = Path(path)
    try:
        table = tomllib.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise TolerancesError(f"{file}: {error.strerror}: the suite reads its tolerances there") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise TolerancesError(f"{file.name}: not valid TOML: {error}") from error
    default = _default(file.name, table)
    rows = {name: row for key, raw in table.items() for name, row in _rows(file.name, key, raw, default)}
    for family in FAMILIES:
        if family not in rows:
            raise TolerancesError(f"{file.name}: no category {family!r}: add [{family}] with a reason")
    return Tolerances(file, rows)


def _default(file: str, table: dict[str, Any]) -> dict[str, Any]:
    """What every category starts from: [default], which is no category itself."""
    blank: dict[str, Any] = {
        "reason": "",
        "rule": "scaled",
        "factors": {},
        "ulps": None,
        "sums": False,
        "sign_of_zero": False,
    }
    if "default" not in table:
        raise TolerancesError(f"{file}: no [default]: it gives `scaled` for f64 and f32")
    default = _row(file, "default", table.pop("default"), blank)
    for precision in ("f64", "f32"):
        if precision not in default["factors"]:
            raise TolerancesError(f"{file}: [default] gives no `scaled.{precision}`: add one")
    return default


def _rows(file: str, name: str, raw: Any, above: dict[str, Any]) -> Iterable[tuple[str, dict[str, Any]]]:
    """A category and those below it, each built on the one above."""
    if not isinstance(raw, dict):
        raise TolerancesError(f"{file}: unknown key {name!r}: a category is a table, [{name}]")
    below = {key: value for key, value in raw.items() if isinstance(value, dict) and key not in KEYS}
    own = _row(file, name, {key: value for key, value in raw.items() if key not in below}, above)
    yield name, own
    for key, value in below.items():
        yield from _rows(file, f"{name}.{key}", value, own)


def _row(file: str, name: str, raw: Any, above: dict[str, Any]) -> dict[str, Any]:
    where = f"{file}: [{name}]"
    if not isinstance(raw, dict):
        raise TolerancesError(f"{where} is not a table")
    if extra := set(raw) - set(KEYS):
        raise TolerancesError(f"{where} has an unknown key {min(extra)!r}: keys are {', '.join(KEYS)}")
    given: dict[str, Any] = {str(_NAMES.get(key, key)): _CHECKS[key](where, key, raw[key]) for key in raw}
    if "reason" not in given:
        raise TolerancesError(f"{where} gives no reason: add `reason`, a sentence")
    factors = {**above["factors"], **given.get("factors", {})}
    return {**above, **given, "factors": factors}


def _reason(where: str, key: str, value: Any) -> str:
    if not isinstance(value, str) or not value.strip():
        raise TolerancesError(f"{where} has {key} = {value!r}: it is a sentence")
    return value


def _rule(where: str, key: str, value: Any) -> str:
    if value not in RULES:
        raise TolerancesError(f"{where} has {key} = {value!r}: it is one of {', '.join(RULES)}")
    return str(value)


def _factors(where: str, key: str, value: Any) -> dict[str, float]:
    if not isinstance(value, dict) or not value or not set(value) <= {"f64", "f32"}:
        raise TolerancesError(f"{where} has {key} = {value!r}: it is a table such as {{ f64 = 1e-14, f32 = 5.4e-6 }}")
    return {name: _number(where, f"{key}.{name}", number) for name, number in value.items()}


def _number(where: str, key: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value) or value <= 0:
        raise TolerancesError(f"{where} has {key} = {value!r}: it is a positive finite number")
    return float(value)


_MOST_ULPS: Final = 1 << 32
"""More would be no bound: even a float32 has no more neighbours."""


def _count(where: str, key: str, value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= _MOST_ULPS:
        raise TolerancesError(f"{where} has {key} = {value!r}: it is a whole number of ulps, at most {_MOST_ULPS}")
    return value


def _flag(where: str, key: str, value: Any) -> bool:
    if not isinstance(value, bool):
        raise TolerancesError(f"{where} has {key} = {value!r}: it is true or false")
    return value


def _zero(where: str, key: str, value: Any) -> bool:
    if value not in ("judged", "counted"):
        raise TolerancesError(f'{where} has {key} = {value!r}: it is "judged" or "counted"')
    return bool(value == "judged")


_NAMES: Final = {"scaled": "factors"}
_CHECKS: Final[Mapping[str, Callable[[str, str, Any], Any]]] = {
    "reason": _reason,
    "rule": _rule,
    "scaled": _factors,
    "ulps": _count,
    "sums": _flag,
    "sign_of_zero": _zero,
}
