"""The first line: one function and its derivatives, on every surface that has them."""

from __future__ import annotations

from typing import Any

import numpy as np

from references.case import Case, Staged
from references.inputs import fixed, uniform
from references.lazy import jnp, torch

POINTS = -2 + 4 * np.arange(1000) / 999
"""The published points: x_i = −2 + 4i/999."""


def _pair(x: Any) -> Any:
    """f(x) = Σ sin(x)·x², on tenferro."""
    return (x.sin() * (x * x)).reduce_sum(None)


def _compiled(runtime: Any, x: Any) -> Any:
    leaf = runtime.placeholder(x.shape, "f64")
    program = runtime.compile([_pair(leaf)], [leaf])
    program.prepare()
    return program


def _prepared_on_new_inputs(runtime: Any, x: Any) -> tuple[Any, tuple[()]]:
    """The second of two runs of one prepared program: its answer must be that of its own inputs."""
    program = _compiled(runtime, x)
    program.run([x[::-1] / 3])
    return program.run([x]), ()


def _refused(change: Any) -> Staged:
    """One prepared program, run on inputs that `change` made unfit."""
    return Staged(lambda runtime, x: (_compiled(runtime, x).run(change(x)), ()))


def _program_case(name: str, why: str, program: Staged, refuses: str = "") -> Case:
    return Case(
        id=f"transforms/program-{name}",
        why=why,
        inputs={"x": fixed(POINTS)},
        jax=lambda x: jnp.sum(jnp.sin(x) * x**2),
        tenferro=program,
        surfaces=("traced",),
        transforms=("value",),
        refuses=refuses,
    )


CASES = (
    Case(
        id="transforms/gradient-pair",
        why="The published pair: its value cancels to 0, its derivatives show product and chain rules to the last bit.",
        inputs={"x": fixed(POINTS)},
        jax=lambda x: jnp.sum(jnp.sin(x) * x**2),
        torch=lambda x: torch.sum(torch.sin(x) * x**2),
        tenferro=_pair,
        transforms=("value", "grad", "vjp", "jvp", "hvp"),
        references=("jax", "jax-nojit", "torch"),
        tangents={"x": fixed(np.cos(np.arange(1000)))},
        widths=(1, 2, 8),
        terms=1000,
    ),
    Case(
        id="transforms/product-of-two",
        why="Two leaves, one of them used twice, show gradients that add and a second derivative that mixes.",
        inputs={"x": uniform(7, 5), "y": uniform(7, 5, low=0.5, high=2.0)},
        jax=lambda x, y: jnp.sin(x) * y + jnp.exp(x) / y,
        torch=lambda x, y: torch.sin(x) * y + torch.exp(x) / y,
        tenferro=lambda x, y: x.sin() * y + x.exp() / y,
    ),
    Case(
        id="transforms/two-outputs",
        why="Two outputs have a cotangent each, and their gradients add.",
        inputs={"x": uniform(6)},
        jax=lambda x: (jnp.sin(x) * x, jnp.cos(x)),
        torch=lambda x: (torch.sin(x) * x, torch.cos(x)),
        tenferro=lambda x: (x.sin() * x, x.cos()),
    ),
    Case(
        id="transforms/unused-leaf",
        why="A leaf that takes no part has a derivative of zeros.",
        inputs={"x": uniform(6), "y": uniform(6)},
        jax=lambda x, y: jnp.sin(x),
        torch=lambda x, y: torch.sin(x),
        tenferro=lambda x, y: x.sin(),
    ),
    _program_case(
        "new-inputs",
        "A prepared program runs on other inputs of the same shape, and answers for them.",
        Staged(_prepared_on_new_inputs),
    ),
    _program_case(
        "wrong-shape",
        "A program is bound to the shapes it was compiled for.",
        _refused(lambda x: [x[:-1]]),
        refuses="shape",
    ),
    _program_case(
        "wrong-dtype",
        "A program is bound to the dtypes it was compiled for.",
        _refused(lambda x: [x.astype(np.float32)]),
        refuses="dtype",
    ),
    _program_case(
        "missing-input",
        "A program asks for every input it declares.",
        _refused(lambda x: []),
        refuses="input",
    ),
)
