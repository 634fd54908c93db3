"""Every differing element of a case accounted for: which source, put right, makes JAX's number tenferro's."""

from __future__ import annotations

import functools
import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from references.explain import sides
from references.explain.replay import ALONE, PLAIN, Model, operations, replay, trace
from references.explain.sides import Asked
from references.inputs import Array
from references.material import Arrays

WIDTHS = (2, 8)


@dataclass(frozen=True)
class Explanation:
    """Counts of elements (bit for bit). n: all; differing: JAX with jit against tenferro at width 1.

    alone: by source, differing elements it explains by itself; together: all sources at once. by_rule: what those leave
    where the two derivative programs are not the same operations; unexplained: what they leave where they are.
    facts: pairs of programs and how many elements they agree on. operations: the programs' lists, JAX's and tenferro's.
    """

    case: str
    transform: str
    dtype: str
    surface: str
    n: int
    differing: int
    alone: Mapping[str, int]
    together: int
    unexplained: int
    by_rule: int
    facts: Mapping[str, int]
    sums: Mapping[str, float] = field(default_factory=dict)
    operations: Mapping[str, list[str]] = field(default_factory=dict)


def explain(asked: Asked) -> Explanation:
    """The account of one question; needs JAX and the harness."""
    sides.check(asked)
    answers = Answers(*(flat(asked.answer(side)) for side in ("jax", "jax-nojit", "tenferro")))
    function, arguments = asked.jax_program()
    closed, leaves = trace(function, arguments)
    compute = functools.partial(_replayed, asked, closed, leaves)
    differing = ~alike(answers.jit, answers.ours)
    explained = {name: differing & mask for name, mask in _sources(asked, compute, answers).items()}
    together = differing & alike(compute(_all_in()), answers.ours)
    rest = int((differing & ~together & ~functools.reduce(np.logical_or, explained.values())).sum())
    lists = {"jax": operations(closed), "tenferro": sides.tenferro_operations(asked)}
    other = _other_rule(asked, lists)
    return Explanation(
        asked.case.id,
        asked.transform,
        asked.dtype,
        asked.surface,
        n=len(answers.ours),
        differing=int(differing.sum()),
        alone={name: int(mask.sum()) for name, mask in explained.items()},
        together=int(together.sum()),
        unexplained=0 if other else rest,
        by_rule=rest if other else 0,
        facts=_facts(asked, compute, answers),
        sums=_sums(asked, closed, leaves),
        operations=lists,
    )


@dataclass(frozen=True)
class Answers:
    """Each side's results as one row."""

    jit: Array
    nojit: Array
    ours: Array


def _sources(asked: Asked, compute: Any, answers: Answers) -> dict[str, Array]:
    """By source, the elements on which putting it right makes one side's number the other's.

    Where the replay does not follow jit, nobody can put one source right and leave jit's others: none is named.
    """
    jit, ours = answers.jit, answers.ours
    contraction = _contraction(compute, jit)
    followed = alike(compute(contraction), jit)
    functions = compute(replace(contraction, functions=sides.tenferro_functions()))
    flushed = sides.flushed(flat(asked.again(sides.flushed)))
    return {
        "implementation of a function": followed & alike(functions, ours),
        "jit (contraction, fused sums)": alike(answers.nojit, ours),
        "order of summation": followed & alike(compute(replace(contraction, **_orders())), ours),
        "subnormal numbers flushed to 0": alike(sides.flushed(jit), flushed),
        "sign of a zero or NaN": np.zeros(len(ours), np.bool_) if jit.dtype != ours.dtype else np.asarray(jit == ours),
        "promotion to another dtype": (jit.dtype != ours.dtype) & alike(jit, ours.astype(jit.dtype)),
    }


def flat(arrays: Arrays) -> Array:
    """All results as one row."""
    return np.concatenate([np.asarray(array).reshape(-1) for array in arrays.values()])


def alike(a: Array, b: Array) -> Array:
    """Bit for bit the same number (NaN as NaN); of another dtype nothing is."""
    if a.dtype != b.dtype or a.shape != b.shape:
        return np.zeros(b.shape, dtype=np.bool_)
    parts = ((a.real, b.real), (a.imag, b.imag)) if np.iscomplexobj(a) else ((a, b),)
    found = np.ones(a.shape, dtype=np.bool_)
    for x, y in parts:
        same = (x == y) & (np.signbit(x) == np.signbit(y)) if x.dtype.kind == "f" else x == y
        found &= same | ((x != x) & (y != y))
    return found


def _replayed(asked: Asked, closed: Any, leaves: list[Array], model: Model) -> Array:
    return flat(asked.named(replay(closed, leaves, model)))


def _orders() -> dict[str, Any]:
    """tenferro's own reductions and contractions."""
    return {"sums": sides.tenferro_sum, "products": sides.tenferro_product}


def _all_in() -> Model:
    return Model(functions=sides.tenferro_functions(), **_orders())


def _contraction(compute: Any, jit: Array) -> Model:
    """The way of contracting that gives most of what JAX gives under jit."""
    models = [ALONE, Model(fma="left"), Model(fma="right")]
    return max(models, key=lambda model: int(alike(compute(model), jit).sum()))


def _other_rule(asked: Asked, lists: Mapping[str, list[str]]) -> bool:
    """Whether the programs of a derivative multiply, divide or call functions another number of times."""
    if asked.transform == "value" or asked.surface != "traced":
        return False
    counts = [Counter(_essential(name) for name in names) for names in lists.values()]
    return counts[0] != counts[1]


def _essential(name: str) -> str:
    """A common spelling; moves of elements count as one kind."""
    bare = name.lower().replace("_any", "").split("(")[0].split("{")[0].strip()
    return bare if bare in ("add", "sub", "mul", "div", "neg", *sides.METHODS) else "other"


def _facts(asked: Asked, compute: Any, answers: Answers) -> dict[str, int]:
    jit, nojit, ours = answers.jit, answers.nojit, answers.ours
    functions = sides.tenferro_functions()
    found = {
        "jit = no jit": alike(jit, nojit),
        "no jit = tenferro": alike(nojit, ours),
        "jit = tenferro": alike(jit, ours),
        "no jit = its steps one by one": alike(compute(ALONE), nojit),
        "no jit = the plain formula in NumPy": alike(compute(PLAIN), nojit),
        "tenferro = the formula with tenferro's functions": alike(compute(Model(functions=functions)), ours),
        "tenferro = that with tenferro's sums too": alike(compute(_all_in()), ours),
        "jit = an fma of the left product": alike(compute(Model(fma="left")), jit),
        "jit = an fma of the right product": alike(compute(Model(fma="right")), jit),
        "tenferro = tenferro of inputs in the other memory order": alike(flat(asked.again(sides.reordered)), ours),
    }
    for width in WIDTHS:
        found[f"width 1 = width {width}"] = alike(flat(asked.answer("tenferro", width)), ours)
    return {name: int(mask.sum()) for name, mask in found.items()}


def _sums(asked: Asked, closed: Any, leaves: list[Array]) -> dict[str, float]:
    """Of a value that is one real sum: what each order of summation makes of the same terms."""
    terms: list[Array] = []

    def kept(x: Array, axes: tuple[int, ...]) -> Array:
        terms.append(x)
        return np.asarray(np.sum(x, axis=axes))

    (first, *_) = replay(closed, leaves, Model(functions=sides.tenferro_functions(), sums=kept))
    if asked.transform != "value" or first.shape or len(terms) != 1 or terms[0].dtype.kind != "f":
        return {}
    row = terms[0].reshape(-1)
    found = {
        "fsum (the truth)": math.fsum(row.tolist()),
        "sequential": float(np.add.accumulate(row)[-1]),
        "pairwise (NumPy)": float(np.sum(row)),
    }
    for width in (1, *WIDTHS):
        found[f"tenferro, width {width}"] = float(
            sides.tenferro_sum(terms[0], tuple(range(terms[0].ndim)), width=width)
        )
    return found
