"""What must go wrong with the TRG, and does."""

import numpy as np
import pytest

from references.lazy import Lazy, th
from references.trg import kept, steps_tenferro, whole_graph, wrong
from references.trg.plan import BETAS, Plan

steps_jax = Lazy("references.trg.steps_jax")


def runtime() -> object:
    return th.Runtime(th.Engine(1))


@pytest.mark.parametrize("beta", BETAS)
def test_unrestricted_derivative_is_nan_exactly_where_a_kept_value_is_zero(beta: float) -> None:
    assert [run for run in kept.unrestricted(runtime(), beta, steps=4) if run.nan != run.zero] == []


@pytest.mark.parametrize(("k", "is_nan"), [(1, False), (2, True)])
def test_an_exact_zero_makes_the_derivative_nan_once_it_is_kept(k: int, is_nan: bool) -> None:
    """One element alone: every singular value but the first is exactly 0, on every platform."""
    run = th.Runtime(th.Engine(1))
    alone = np.zeros((2, 2, 2, 2))
    alone[0, 0, 0, 0] = 1.5
    leaf = run.variable(alone)
    image, _ = steps_tenferro.step(leaf, k=k)
    (gradient,) = run.grad((image * image).reduce_sum(None), [leaf])
    assert np.isnan(gradient.numpy()).any() == is_nan


def test_built_in_svd_rule_of_jax_gives_nan_from_step_5() -> None:
    numbers = [steps_jax.built_in_gradient(steps, 0.44) for steps in (4, 5)]
    assert np.isnan(numbers).tolist() == [False, True]


@pytest.mark.parametrize("surface", ["eager", "traced"])
def test_derivative_through_a_slice_without_reshape_is_refused(surface: str) -> None:
    assert "slice input requires constant" in wrong.refusal(runtime(), surface)


def test_traced_grad_of_the_whole_graph_grows_exponentially_and_the_derivative_program_does_not() -> None:
    grown = [whole_graph.growth(runtime(), steps) for steps in (1, 2, 3)]
    assert grown[2].grad_seconds > wrong.GROWTH**2 * grown[0].grad_seconds
    programs = [growth.program for growth in grown]
    assert programs[2] - programs[1] == programs[1] - programs[0]


def test_whole_graph_is_one_program() -> None:
    beta, total = whole_graph.graph(runtime(), Plan(steps=2))
    assert beta.shape == []
    assert total.shape == []
