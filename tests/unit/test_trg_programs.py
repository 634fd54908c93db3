"""The TRG programs against a lattice small enough to count: while nothing is truncated they are exact."""

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from references.lazy import Lazy, th
from references.trg import kept, programs, staged, traced_staged, whole_graph
from references.trg.plan import Plan

jax = Lazy("jax")
steps_jax = Lazy("references.trg.steps_jax")
torch = Lazy("torch")
steps_torch = Lazy("references.trg.steps_torch")
Pair = tuple[float, float]
EXACT_STEPS = (2, 4)
"""Lattices of 2 × 2 and 4 × 4 sites; after these numbers of steps the torus is a square again."""


@functools.cache
def energies(side: int) -> np.ndarray[Any, Any]:
    """−E of every configuration of a periodic side × side lattice."""
    count = side * side
    spins = 1 - 2 * ((np.arange(2**count)[:, None] >> np.arange(count)) & 1).reshape(-1, side, side)
    bonds = sum(np.sum(spins * np.roll(spins, 1, axis), axis=(1, 2)) for axis in (1, 2))
    return np.asarray(bonds)


def counted(beta: float, steps: int) -> Pair:
    """lnZ/N and its derivative by adding up all configurations."""
    minus_energy = energies(2 ** (steps // 2)).astype(float)
    largest = minus_energy.max()
    weights = np.exp(beta * (minus_energy - largest))
    total = weights.sum()
    sites = 2**steps
    return (beta * largest + np.log(total)) / sites, (weights @ minus_energy) / total / sites


def by_jax(beta: float, plan: Plan) -> Pair:
    value, slope = steps_jax.value_and_gradient(plan)(beta)
    return float(value), float(slope)


def by_torch(beta: float, plan: Plan) -> Pair:
    x = torch.tensor(beta, dtype=torch.float64, requires_grad=True)
    value = steps_torch.lnz(x, plan=plan)
    (slope,) = torch.autograd.grad(value, x)
    return value.item(), slope.item()


def in_tenferro(run: Callable[..., Any]) -> Callable[[float, Plan], Pair]:
    def pair(beta: float, plan: Plan) -> Pair:
        value, slope = run(th.Runtime(th.Engine(1)), beta, plan)
        return float(value), float(slope)

    return pair


WAYS: dict[str, Callable[[float, Plan], Pair]] = {
    "jax": by_jax,
    "torch": by_torch,
    "eager": in_tenferro(lambda runtime, beta, plan: staged.run(runtime, beta, plan=plan)),
    "proxy": in_tenferro(lambda runtime, beta, plan: staged.run(runtime, beta, plan=plan, pull=staged.scalar_proxy)),
    "traced": in_tenferro(lambda runtime, beta, plan: traced_staged.Programs(runtime).run(beta, plan=plan)),
    "whole graph": in_tenferro(lambda runtime, beta, plan: whole_graph.run(runtime, beta, plan=plan)),
    "rust": in_tenferro(lambda runtime, beta, plan: programs.rust(runtime, beta, plan=plan)),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("steps", EXACT_STEPS)
@pytest.mark.parametrize("beta", [0.3, 0.44])
def test_is_exact_while_nothing_is_truncated(way: str, steps: int, beta: float) -> None:
    value, slope = WAYS[way](beta, Plan(steps=steps))
    exact_value, exact_slope = counted(beta, steps)
    assert abs(value - exact_value) < 2e-15
    assert abs(slope - exact_slope) < 2e-13


def test_prepared_programs_are_reused_over_steps_and_betas() -> None:
    prepared = traced_staged.Programs(th.Runtime(th.Engine(1)))
    plan = Plan(chi=4, steps=8)
    for beta in (0.3, 0.5):
        prepared.run(beta, plan=plan)
    assert set(prepared.steps) == set(plan.bonds) == {(2, 2), (2, 4), (4, 4)}
    assert all(compiled.forward.is_prepared and compiled.backward.is_prepared for compiled in prepared.steps.values())


def test_sums_go_from_left_to_right() -> None:
    assert staged.added(1.0, 1e-16, 1e-16) == 1.0
    assert staged.added(1e-16, 1e-16, 1.0) > 1.0


def test_spectra_of_both_sides_agree() -> None:
    plan = Plan(steps=6)
    of_jax = steps_jax.spectra(plan)(0.44)[1]
    of_tenferro = kept.spectra(th.Runtime(th.Engine(1)), 0.44, plan=plan)
    assert [s.shape for s in of_tenferro] == [s.shape for s in of_jax]
    assert all(np.max(np.abs(a - np.asarray(b))) < 1e-14 for a, b in zip(of_tenferro, of_jax, strict=True))


def turned(values: list[float]) -> np.ndarray[Any, Any]:
    """A matrix with the given singular values between irregular rotations."""
    left, right = (np.linalg.qr(np.sin(np.arange(16.0).reshape(4, 4) ** 2 * k + 1))[0] for k in (1.3, 2.7))
    return np.asarray(left @ np.diag(values) @ right)


def test_svd_rule_has_a_derivative_where_singular_values_meet() -> None:
    a = np.diag([3.0, 1.0, 1.0, 0.5])  # equal to the last bit
    u, s, vt = np.linalg.svd(a)
    slope = np.asarray(jax.grad(lambda matrix: (steps_jax.svd(matrix)[1] ** 3).sum())(a))
    assert np.max(np.abs(slope - 3 * (u * s**2) @ vt)) < 1e-12


def test_svd_rule_differentiates_the_factors() -> None:
    """The factors multiply back to the matrix, so weights on it are its derivative."""
    a, weights = turned([3.0, 1.7, 1.1, 0.5]), np.cos(np.arange(16.0).reshape(4, 4))

    def weighted(matrix: Any) -> Any:
        u, s, vt = steps_jax.svd(matrix)
        return (((u * s) @ vt) * weights).sum()

    assert np.max(np.abs(np.asarray(jax.grad(weighted)(a)) - weights)) < 1e-12


def test_inverse_gap_is_exactly_zero_on_the_diagonal_under_jit() -> None:
    gaps = np.asarray(jax.jit(steps_jax._inverse_gaps)(np.array([3.0, 1.1, 1.1, 0.7])))
    assert not np.diagonal(gaps).any()
    assert gaps[1, 2] == 0
    assert gaps[0, 1] == pytest.approx(1 / (1.1**2 - 9.0), rel=1e-15)


def test_transposed_rule_of_torch_is_that_of_jax() -> None:
    a = turned([3.0, 1.7, 1.1, 0.5])
    weights = [np.sin(np.arange(16.0).reshape(4, 4)), np.sin(np.arange(4.0)), np.cos(np.arange(16.0).reshape(4, 4))]
    x = torch.tensor(a, requires_grad=True)
    found = steps_torch.Svd.apply(x)
    signs = np.sign(found[0].detach().numpy() * np.asarray(steps_jax.svd(a)[0]))[0]
    seeds = [torch.tensor(w) for w in weights]
    (by_torch_rule,) = torch.autograd.grad(found, x, seeds)
    seeds_of_jax = (weights[0] * signs, weights[1], weights[2] * signs[:, None])
    _, pull = jax.vjp(steps_jax.svd, a)
    (by_jax_rule,) = pull(seeds_of_jax)
    assert np.max(np.abs(by_torch_rule.numpy() - np.asarray(by_jax_rule))) < 1e-12
