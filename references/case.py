"""A case: one question with its inputs, asked of JAX, PyTorch, NumPy/SciPy and tenferro."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from references.dtypes import ALL, DIFFERENTIABLE
from references.inputs import Array, Input

Program = Callable[..., Any]
TRANSFORMS = ("value", "vjp", "jvp", "grad", "hvp")
DERIVATIVES = ("vjp", "jvp", "hvp")
SURFACES = ("traced", "eager", "concrete")
LIBRARIES = ("jax", "torch", "numpy")
FAILURES = ("mismatch", "error", "unsupported", "crash", "timeout")
REFERENCES = ("jax", "jax-nojit", "jax-x32", "torch", "numpy")
PROPERTIES = ("agreement", "second-answer", "widths", "run-twice", "surfaces", "adjoint", "taylor")
WIDEST = 256
_ID = re.compile(r"[a-z0-9-]+/[a-z0-9][a-z0-9.+-]*")


class CaseError(ValueError):
    """A case that contradicts itself; the text names the case and the field."""


@dataclass(frozen=True)
class Staged:
    """A tenferro program that brings its own derivative.

    `program(runtime, *arrays)` returns (value, gradient), NumPy arrays, from one run; both transforms read that answer.
    """

    program: Callable[..., tuple[Any, Any]]


Published = Mapping[str, Mapping[str, tuple[Array, ...]]]


@dataclass(frozen=True, kw_only=True, eq=False)  # a case is itself: programs have no equality
class Case:
    """One question. Of `jax`, `torch`, `numpy` at least one is given; a missing one means: no such operation there.

    wrt: inputs differentiated (default: those of the case's dtype). transforms: default value, vjp, jvp, hvp.
    tangents, cotangents: fixed ones by name of input ("x") or output ("out0"); drawn where not given.
    observe: NumPy function of a value's outputs, both sides alike. scale: NumPy function of the inputs, allowed error
    units Σ|terms| by output (default: the transform asked of |inputs|). terms: n of the longest sum.
    raises: predicted outcome by surface, dtype or "surface/dtype" ("*": all). published: others' figures, key →
    transform → arrays. refuses: pattern of tenferro's text where refusing is right: then the refusal is the check.
    slow: runs only where asked for. properties: what is asked of it, where that is not all.
    """

    id: str
    why: str
    inputs: Mapping[str, Input]
    tenferro: Program | Staged
    jax: Program | None = None
    torch: Program | None = None
    numpy: Program | None = None
    wrt: tuple[str, ...] | None = None
    dtypes: tuple[str, ...] = ("f64",)
    surfaces: tuple[str, ...] = SURFACES
    transforms: tuple[str, ...] = ("value", *DERIVATIVES)
    widths: tuple[int, ...] = (1,)
    references: tuple[str, ...] | None = None
    tangents: Mapping[str, Input] = field(default_factory=dict)
    cotangents: Mapping[str, Input] = field(default_factory=dict)
    observe: Program | None = None
    scale: Program | None = None
    terms: int = 1
    category: str | None = None
    raises: Mapping[str, str] = field(default_factory=dict)
    published: Published = field(default_factory=dict)
    refuses: str = ""
    slow: bool = False
    properties: tuple[str, ...] = PROPERTIES

    def __post_init__(self) -> None:
        self._require(bool(_ID.fullmatch(self.id)), "id is family/name in lower case")
        self._require(self.why.endswith("."), "why is a sentence")
        self._require(any(self.program(name) for name in LIBRARIES), "of jax, torch, numpy one is given")
        self._require(set(self.dtypes) <= set(ALL) and bool(self.dtypes), f"dtypes are of {', '.join(ALL)}")
        self._require(
            set(self.surfaces) <= set(SURFACES) and bool(self.surfaces), "surfaces are traced, eager, concrete"
        )
        self._require(set(self.transforms) <= set(TRANSFORMS), f"transforms are of {', '.join(TRANSFORMS)}")
        self._require(set(self.asked) <= set(REFERENCES), f"references are of {', '.join(REFERENCES)}")
        self._require(all(self.program(name.split("-")[0]) for name in self.asked), "a reference has its program")
        self._require(set(self.wrt or ()) <= set(self.inputs), "wrt names inputs")
        self._require(self.terms >= 1, "terms is at least 1")
        self._require(set(self.raises.values()) <= set(FAILURES), f"raises predicts {', '.join(FAILURES)}")
        self._require(all(self._place(key) for key in self.raises), "raises is keyed by surface, dtype, both or *")
        self._require(_figures(self.published), "published gives, by key and transform, a sequence of arrays")
        self._require(_pattern(self.refuses), "refuses is a regular expression")
        self._require(set(self.properties) <= set(PROPERTIES), f"properties are of {', '.join(PROPERTIES)}")
        self._require_each()

    def _require_each(self) -> None:
        """What holds of several fields alike."""
        known = all(type(width) is int and 1 <= width <= WIDEST for width in self.widths)
        self._require(known, f"widths are whole numbers from 1 to {WIDEST}")
        for name in ("dtypes", "surfaces", "transforms", "widths", "properties"):
            self._require(bool(getattr(self, name)), f"{name} names one at least")
        for name in ("dtypes", "surfaces", "transforms", "widths", "properties", "wrt", "references"):
            given = getattr(self, name)
            self._require(given is None or len(set(given)) == len(given), f"{name} names each once")
        for name in (*LIBRARIES, "observe", "scale"):
            self._require(getattr(self, name) is None or callable(getattr(self, name)), f"{name} is a function")

    @staticmethod
    def _place(key: str) -> bool:
        """Whether a key of `raises` names a surface, a dtype, "surface/dtype" or everything."""
        surface, _, dtype = key.partition("/")
        return key == "*" or key in ALL or (surface in SURFACES and (not dtype or dtype in ALL))

    def _require(self, holds: bool, rule: str) -> None:
        if not holds:
            raise CaseError(f"case {self.id}: {rule}")

    @property
    def family(self) -> str:
        """The part of the id before the slash."""
        return self.id.partition("/")[0]

    @property
    def asked(self) -> tuple[str, ...]:
        """The references this case is compared with: those it names, else every library that has a program."""
        return self.references or tuple(name for name in LIBRARIES if self.program(name))

    def program(self, library: str) -> Program | None:
        """The twin written for "jax", "torch" or "numpy"."""
        found: Program | None = getattr(self, library)
        return found

    def active(self, dtype: str) -> tuple[str, ...]:
        """The inputs differentiated when the case is asked in `dtype`."""
        if self.wrt is not None:
            return self.wrt
        return tuple(name for name, source in self.inputs.items() if (source.dtype or dtype) in DIFFERENTIABLE)

    def transforms_on(self, surface: str, dtype: str) -> tuple[str, ...]:
        """Values everywhere; derivatives of floats on traced and eager, where an input is active."""
        smooth = dtype in DIFFERENTIABLE and surface != "concrete" and self.active(dtype)
        return tuple(name for name in self.transforms if name == "value" or smooth)

    def predicted(self, surface: str, dtype: str) -> str | None:
        """The outcome `raises` predicts on a surface for a dtype."""
        for key in (f"{surface}/{dtype}", surface, dtype, "*"):
            if key in self.raises:
                return self.raises[key]
        return None


def _figures(published: object) -> bool:
    """Whether these are published figures: by key and transform, one sequence of arrays."""
    return isinstance(published, Mapping) and all(
        isinstance(by, Mapping) and all(name in TRANSFORMS and isinstance(found, tuple) for name, found in by.items())
        for by in published.values()
    )


def _pattern(text: str) -> bool:
    try:
        re.compile(text)
    except (re.error, TypeError):
        return False
    return True
