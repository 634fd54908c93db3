"""How accurate each element-wise operation is on each side: `python -m references.accuracy [OPERATION…]`.

Ulps from the correctly rounded value, over all binades, near 1, at special values and at the field's known hard cases.
"""

from __future__ import annotations

import argparse
import functools
import json
import signal
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from references import run, run_tenferro
from references.activation import GATES
from references.arbiter import Budget, Question, ask, decide
from references.arbiter.distance import ulps
from references.dtypes import COMPLEXES, DIFFERENTIABLE, NUMPY
from references.elementwise import ANALYTIC, BINARY
from references.inputs import Array
from references.lazy import jax, jnp, th, torch
from references.rows import Row
from references.transforms import POINTS

ROWS = {row.name: row for row in (*ANALYTIC, *BINARY, *GATES)}
SIDES = ("tenferro", "traced", "jax", "torch", "numpy")
"""tenferro is its concrete surface, traced its traced one: activations are fused on the one, composed on the other."""
WIDE, NEAR = 4096, 6144
NEAR_BINADES = 10
LIMIT = Budget(seconds=120.0)
LARGE = 6381956970095103 * 2.0**797
"""The f64 nearest to a multiple of π/2, for its size."""
HARD: dict[str, tuple[float, ...]] = {
    "exp": (float.fromhex("0x1.9e9cbbfd6080bp-31"), -712.47, 709.782712893384, -745.13),
    "log": (float.fromhex("0x1.62a88613629b5p+678"), 5e-324, 1 + 2.0**-52, 1 - 2.0**-53),
    "log1p": (2.0**-53, -(2.0**-54), -1 + 2.0**-53, 1.7976931348623157e308),
    "expm1": (2.0**-53, -(2.0**-54), -37.5, 709.78),
    "sin": (float.fromhex("0x1.e0000000001c2p-20"), LARGE, 1e22, 3.141592653589793),
    "cos": (LARGE, 1e22, 1.5707963267948966, 2.0**-27),
    "tanh": (19.86, -19.86, 2.0**-28, 0.55),
    "sqrt": (5e-324, 1 + 2.0**-52, 2.2250738585072014e-308),
    "rsqrt": (5e-324, 1 - 2.0**-53),
    "erf": (2.0**-30, 5.9, 0.84375),
    "gelu": (-8.379229534191165, -37.5, -5e-324),
    "sigmoid": (-745.0, 36.7),
    "softplus": (-745.0, 36.7),
}
"""Worst cases of the literature (correct rounding, argument reduction) and those this project met."""


@dataclass(frozen=True)
class Accuracy:
    """One side's figures: max and mean ulps over finite results, share rounded correctly, results of another kind
    (NaN or infinity against a number), and the input of the worst."""

    side: str
    max_ulp: float
    mean_ulp: float
    right: float
    other_kind: int
    worst: str


@dataclass(frozen=True)
class Table:
    """An operation in a dtype: how many inputs, how many undecided, and each side's figures."""

    operation: str
    dtype: str
    n: int
    undecided: int
    sides: tuple[Accuracy, ...]


def _bits(n: int, seed: int) -> Array:
    return np.asarray(np.random.PCG64(seed).random_raw(n))


def _binades(n: int, part: str, seed: int, *, near: bool) -> Array:
    """n floats, as many in every binade (of those within ±NEAR_BINADES if near), both signs, random mantissas."""
    kind = np.dtype(NUMPY[part])
    width, bias, top = (52, 1023, 2047) if part == "f64" else (23, 127, 255)
    raw = _bits(n, seed)
    low, high = (bias - NEAR_BINADES, bias + NEAR_BINADES) if near else (0, top)
    exponents = low + np.arange(n, dtype=np.uint64) % (high - low)
    turn: Array = np.arange(n, dtype=np.uint64) // (high - low) % 2
    sign = turn << np.uint64(8 * kind.itemsize - 1)
    mantissa = raw & np.uint64(2**width - 1)
    bits = np.asarray(sign | exponents << np.uint64(width) | mantissa, dtype=f"u{kind.itemsize}")
    return bits.view(kind)


def _specials(part: str) -> Array:
    info = np.finfo(NUMPY[part])
    numbers = [0.0, 1.0, 0.5, 2.0, np.inf, float(info.max), float(info.tiny), float(info.smallest_subnormal)]
    return np.array([*numbers, *(-x for x in numbers), np.nan], NUMPY[part])


def _real(part: str, seed: int, hard: Sequence[float]) -> Array:
    parts = [_binades(WIDE, part, seed, near=False), _binades(NEAR, part, seed + 1, near=True), _specials(part)]
    with np.errstate(over="ignore"):
        return np.concatenate([*parts, np.array(hard, NUMPY[part])])


def inputs(row: Row, dtype: str) -> dict[str, Array]:
    """The inputs of an operation, the same on every machine. Shapes (n,), n above 10⁴."""
    part = {"c64": "f32", "c128": "f64"}.get(dtype, dtype)
    hard, found = HARD.get(row.name, ()), {}
    for i, name in enumerate(row.operands):
        array = _real(part, 100 * i, hard)
        if dtype in COMPLEXES:
            both = np.empty(array.shape, NUMPY[dtype])
            both.real, both.imag = array, _real(part, 100 * i + 50, hard)[np.arange(len(array)) - i - 1]
            array = both
        found[name] = np.roll(array, 7 * i)
    return found


def _answer(side: str, row: Row, arrays: Mapping[str, Array]) -> Array | None:
    """One side's results; None where it has no such operation."""
    if side in ("tenferro", "traced"):
        surface = "concrete" if side == "tenferro" else "traced"
        return np.asarray(th.Asked(row.tenferro, surface=surface, engine=_engine()).value(arrays)[0])
    program = getattr(row, side)
    if program is None:
        return None
    run.start(side)
    with np.errstate(all="ignore"):
        if side == "jax":
            return np.asarray(jax.jit(program)(*map(jnp.asarray, arrays.values())))
        if side == "torch":
            return np.asarray(program(*map(torch.from_numpy, arrays.values())).numpy())
        return np.asarray(program(*arrays.values()))


def _known(side: str, row: Row, arrays: Mapping[str, Array]) -> Array:
    """Results of a side that has the operation."""
    found = _answer(side, row, arrays)
    assert found is not None, (side, row.name)
    return found


@functools.cache
def _engine() -> Any:
    return run_tenferro.engine(1)


def table(row: Row, dtype: str) -> Table:
    """The figures of one operation in one dtype, of all sides."""
    arrays = inputs(row, dtype)
    question = ask(row.tenferro, arrays)
    elements = decide(question, budget=LIMIT).elements
    known = [element for element in elements if element.value is not None]
    figures = []
    for side in SIDES:
        answer = _answer(side, row, arrays)
        if answer is not None:
            figures.append(_figures(side, known, answer, arrays, question))
    return Table(row.name, dtype, len(elements), len(elements) - len(known), tuple(figures))


def _figures(side: str, known: Sequence[Any], answer: Array, arrays: Mapping[str, Array], asked: Question) -> Accuracy:
    dtype, worst, at = asked.dtype("out0"), -1.0, 0
    total, right, kinds, counted = 0.0, 0, 0, 0
    for element in known:
        index = element.place[1]
        distance = ulps(element, answer[index], dtype)
        if distance == float("inf"):
            kinds += 1
            continue
        right += distance == 0
        total, counted = total + distance, counted + 1
        if distance > worst:
            worst, at = distance, index
    shown = ", ".join(repr(array[at].item()) for array in arrays.values())
    return Accuracy(side, worst, total / max(counted, 1), right / max(len(known), 1), kinds, shown)


def shown(found: Table) -> Iterator[str]:
    """A table as lines."""
    undecided = f", {found.undecided} undecided" if found.undecided else ""
    yield f"{found.operation} {found.dtype}: {found.n} inputs{undecided}"
    yield f"  {'side':9} {'max ulp':>12} {'mean ulp':>10} {'right':>8} {'other kind':>10}  worst input"
    for a in found.sides:
        yield f"  {a.side:9} {a.max_ulp:12.6g} {a.mean_ulp:10.4g} {a.right:8.2%} {a.other_kind:10}  {a.worst}"


def published() -> Iterator[str]:
    """On the published 1000 points: who rounds sine and cosine correctly, and who is right where two sides differ."""
    for name in ("sin", "cos"):
        row, arrays = ROWS[name], {"x": POINTS}
        truth = np.array([element.value for element in decide(ask(row.tenferro, arrays)).elements])
        right = {side: np.equal(_known(side, row, arrays), truth) for side in SIDES if side != "traced"}
        yield f"{name} on the published 1000 points, correctly rounded: {_pairs(_counts(right))}"
        ours = _known("tenferro", row, arrays)
        for side in ("jax", "torch", "numpy"):
            differ = np.not_equal(ours, _known(side, row, arrays))
            split = _counts({name: right[name][differ] for name in ("tenferro", side)})
            yield f"  tenferro and {side} differ in {np.sum(differ)}; right there: {_pairs(split)}"


def _counts(right: Mapping[str, Array]) -> dict[str, int]:
    return {side: int(np.sum(array)) for side, array in right.items()}


def _pairs(counts: Mapping[str, Any]) -> str:
    return ", ".join(f"{side} {count}" for side, count in counts.items())


def main(arguments: Sequence[str]) -> int:
    """Print the tables; exit code 2 where an operation or dtype is not known."""
    parser = argparse.ArgumentParser(prog="python -m references.accuracy", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("operations", nargs="*", metavar="OPERATION", help=f"of: {', '.join(ROWS)} (default: all)")
    parser.add_argument("--dtypes", default=",".join(DIFFERENTIABLE), help="of f32, f64, c64, c128, with commas")
    parser.add_argument("--json", metavar="PATH", help="write the figures as JSON lines too")
    given = parser.parse_args(arguments)
    unknown = [name for name in given.operations if name not in ROWS]
    dtypes = given.dtypes.split(",")
    if unknown or not set(dtypes) <= set(DIFFERENTIABLE):
        print(f"accuracy: {', '.join(unknown) or given.dtypes} is unknown; `--help` lists all", file=sys.stderr)
        return 2
    try:  # what cannot be written is known before the work is done
        if given.json:
            Path(given.json).write_text("")
    except OSError as error:
        print(f"accuracy: --json {given.json}: {error.strerror}: name a file that can be written", file=sys.stderr)
        return 2
    tables = []
    for name in given.operations or ROWS:
        for dtype in [d for d in dtypes if d in ROWS[name].dtypes]:
            tables.append(table(ROWS[name], dtype))
            print("\n".join(shown(tables[-1])), flush=True)
    if not given.operations or {"sin", "cos"} & set(given.operations):
        print("\n".join(published()))
    if given.json:
        with open(given.json, "w", encoding="utf-8") as out:
            out.writelines(json.dumps(asdict(found)) + "\n" for found in tables)
    return 0


if __name__ == "__main__":
    if hasattr(signal, "SIGPIPE"):
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # a reader that has seen enough, as `| head`, is no error
    sys.exit(main(sys.argv[1:]))
