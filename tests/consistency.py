"""Derivatives held against tenferro itself: the adjoint identity, and the order of a Taylor remainder.

Two libraries may be wrong alike; these two identities know no library. They are asked in f64 at smooth points.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from compare.check import Comparison, compare_arrays
from compare.tolerances import Tolerances
from references import material
from references.case import Case, Staged
from references.inputs import Array
from references.question import Answer, Question

Ask = Callable[[Question], Answer]
Arrays = Mapping[str, Array]

PROPERTIES = ("adjoint", "taylor")

KINKS = re.compile(
    r"/(.*-)?(at-zero|modulus-at-zero|sign-of-zero|ties|at-bounds|special|nan|zero-base|second-zero-base"
    r"|zero-base-exponent|zero-exponent|cut|scaled[+-]\d+|infinite|all-excluded|all-masked|shelters-no-derivative"
    r"|nan-in-other-branch|from-comparison|[123]-zeros|empty-.*|broadcast-empty|constant|small)|/masked-log-softmax"
)
"""Cases asked at kinks, poles, ties or extreme magnitudes: no tangent plane, or none that 2^-16 is small for."""

BALANCED = ("transforms/gradient-pair",)
"""Sums whose curvature along the tangent cancels, as an odd function's does over −2 … 2: no h² is left to fall with."""

STEP = 16
"""The larger step is 2^-16: its remainder is near 1e-10, far above rounding and far below the distance to a kink."""


def of(case: Case, got: Question) -> Iterator[tuple[str, str]]:
    """The properties an answer of tenferro is asked for, each with what it is held against."""
    smooth = not (KINKS.search(case.id) or case.refuses or isinstance(case.tenferro, Staged))
    narrow = any(case.inputs[name].dtype not in (None, "f64") for name in case.active("f64"))  # steps would be rounded
    if not smooth or narrow or got.dtype != "f64" or got.width != case.widths[0] or got.protocol != "first":
        return
    if got.transform == "vjp" and "jvp" in case.transforms:
        yield "adjoint", "jvp"
    observed = case.observe is not None  # then a value is no longer what a jvp is the slope of
    if (got.transform == "jvp" and not observed and case.id not in BALANCED) or got.transform == "hvp":
        yield "taylor", "moved"


def compared(name: str, case: Case, got: Question, ask: Ask, tolerances: Tolerances) -> Comparison | Answer:
    """What the property `name` came to for an answer of tenferro; the first answer that failed, where one did."""
    value = ask(replace(got, transform="value"))
    asked = {label: ask(question) for label, question in _questions(name, got, value).items()}
    for answer in asked.values():
        if answer.outcome != "ok":
            return answer
    found = {label: answer.arrays for label, answer in asked.items()}
    return (_adjoint if name == "adjoint" else _taylor)(case, got, found, tolerances)


def _questions(name: str, got: Question, value: Answer) -> dict[str, Question]:
    """All that the property is made of, by what it is in the formula; `value` tells the shapes of the outputs."""
    if name == "adjoint":
        return {"pulled": got, "pushed": replace(got, transform="jvp")}
    plain = replace(got, transform="value" if got.transform == "jvp" else _first(value))
    return {
        "slope": got,
        "here": plain,
        "far": replace(plain, protocol=f"moved-{STEP}"),
        "near": replace(plain, protocol=f"moved-{STEP + 1}"),
    }


def _first(value: Answer) -> str:
    """The first derivative whose slope an hvp is: with the drawn cotangent; with 1 where the output is one number."""
    return "grad" if [output.shape for output in value.arrays.values()] == [()] else "vjp"


def _adjoint(case: Case, got: Question, found: Mapping[str, Arrays], tolerances: Tolerances) -> Comparison:
    """⟨ct, J·v⟩ = ⟨Jᵀ·ct, v⟩, within what rounding of the terms may do."""
    tangents, cotangents = _companions(case, got, found["pushed"])
    left = [_product(found["pushed"][name], cotangent) for name, cotangent in cotangents.items()]
    right = [_product(found["pulled"][name], tangent) for name, tangent in tangents.items()]
    return compare_arrays(
        {"inner": _total(left)},
        {"inner": _total(right)},
        tolerance=tolerances.of("adjoint", got.dtype),
        scale={"inner": _total(_size(term) for term in (*left, *right))},
    )


def _taylor(case: Case, got: Question, found: Mapping[str, Arrays], tolerances: Tolerances) -> Comparison:
    """φ(h) − φ(0) − h·φ′ falls with h², φ the answer contracted with fixed weights: halving h quarters it."""
    weights = _weights(case, got, found)
    value = {label: [_product(found[label][name], weight) for name, weight in weights.items()] for label in found}
    noise = 64 * 2.0**-52 * float(_total(map(np.abs, value["here"])))
    far, near = (_remainder(value, label, step) for label, step in (("far", STEP), ("near", STEP + 1)))
    order = 2.0 if max(abs(far), 4 * abs(near)) <= noise else float(np.log2(abs(far) / max(abs(near), noise / 64)))
    return compare_arrays(
        {"order": np.array(2.0)}, {"order": np.array(order)}, tolerance=tolerances.of("taylor", got.dtype)
    )


def _remainder(value: Mapping[str, list[Array]], label: str, step: int) -> float:
    """Σ over elements of the change less the linear part; the difference of neighbours is exact, so it comes first."""
    parts = zip(value[label], value["here"], value["slope"], strict=True)
    return float(_total((moved - here) - 2.0**-step * slope for moved, here, slope in parts))


def _weights(case: Case, got: Question, found: Mapping[str, Arrays]) -> dict[str, Array]:
    """Of outputs their cotangents, of gradients the tangents of their inputs: irregular, and the same at every step."""
    tangents, cotangents = _companions(case, got, found["slope"])
    return cotangents if got.transform == "jvp" else tangents


def _companions(case: Case, got: Question, outputs: Arrays) -> tuple[dict[str, Array], dict[str, Array]]:
    """Tangents by input, and cotangents by output where `outputs` holds those."""
    pushed = material.make(case, transform="jvp", dtype=got.dtype, ordinal=0, outputs=lambda _: [])
    if "out0" not in outputs:
        return pushed.tangents, {}
    pulled = material.make(case, transform="vjp", dtype=got.dtype, ordinal=0, outputs=lambda _: list(outputs.values()))
    return pushed.tangents, dict(zip(outputs, pulled.cotangents, strict=True))


def _product(array: Array, weight: Array) -> Array:
    """Terms of Re⟨weight, array⟩."""
    found: Array = np.real(np.conj(weight) * array)
    return found


def _size(term: Array) -> Array:
    """Absolute values of the finite numbers: a NaN is for the comparison to find, not for its allowance."""
    return np.where(np.isfinite(term), np.abs(term), 0)


def _total(terms: Any) -> Array:
    return np.asarray(sum((float(np.sum(term)) for term in terms), 0.0))
