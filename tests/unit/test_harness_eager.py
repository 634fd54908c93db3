"""Eager tensors: gradient slots, backward passes, detaching, and the functional derivatives beside them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import tenferro_harness as th

X = np.array([0.5, 1.5])


@pytest.fixture
def runtime() -> th.Runtime:
    return th.Runtime(th.Engine(1))


def test_slots_accumulate_until_they_are_cleared(runtime: Any) -> None:
    x = runtime.variable(X)
    assert x.grad() is None
    (x * x).reduce_sum().backward()
    np.testing.assert_array_equal(x.grad().numpy(), 2 * X)
    (x * x).reduce_sum().backward()
    np.testing.assert_array_equal(x.grad().numpy(), 4 * X)
    x.clear_grad()
    assert x.grad() is None


def test_a_leaf_reached_twice_gets_both_parts(runtime: Any) -> None:
    x = runtime.variable(X)
    (x * x + x).backward_with(np.array([1.0, 10.0]))
    np.testing.assert_array_equal(x.grad().numpy(), [2.0, 40.0])


def test_clear_grads_empties_every_slot(runtime: Any) -> None:
    x, y = runtime.variable(X), runtime.variable(X)
    (x * y).reduce_sum().backward()
    runtime.clear_grads()
    assert x.grad() is None
    assert y.grad() is None


def test_backward_needs_a_scalar(runtime: Any) -> None:
    with pytest.raises(th.Failed):
        runtime.variable(X).sin().backward()


def test_nothing_is_remembered_without_grad(runtime: Any) -> None:
    x = runtime.variable(X)
    with runtime.no_grad():
        inside = x * x
    outside = x * x
    assert not inside.tracks_grad()
    assert outside.tracks_grad()


def test_a_captured_trace_differentiates_what_is_no_variable(runtime: Any) -> None:
    x = runtime.constant(X)
    with runtime.capture_trace():
        inside = x * x
    (derivative,) = runtime.vjp([inside], [x], [np.ones(2)])
    np.testing.assert_array_equal(derivative.numpy(), 2 * X)
    assert runtime.vjp([x * x], [x], [np.ones(2)]) == [None]


def test_an_exception_leaves_no_grad(runtime: Any) -> None:
    x = runtime.variable(X)
    with pytest.raises(ZeroDivisionError), runtime.no_grad():
        1 / 0  # noqa: B018
    assert (x * x).tracks_grad()


def test_a_no_grad_context_is_entered_once(runtime: Any) -> None:
    context = runtime.no_grad()
    with context, pytest.raises(RuntimeError, match="entered"):
        context.__enter__()
    with context:
        assert not runtime.variable(X).sin().tracks_grad()


def test_a_detached_tensor_has_the_value_and_no_history(runtime: Any) -> None:
    x = runtime.variable(X)
    detached = x.sin().detach()
    np.testing.assert_array_equal(detached.numpy(), x.sin().numpy())
    assert not detached.tracks_grad()
    (x * detached).reduce_sum().backward()
    np.testing.assert_array_equal(x.grad().numpy(), detached.numpy())


def test_runtimes_do_not_mix(runtime: Any) -> None:
    other = th.Runtime(th.Engine(1))
    x, y = runtime.variable(X), other.variable(X)
    assert not x.same_context(y)
    with pytest.raises(th.Failed, match="different eager AD contexts"):
        x + y
    moved = y.detach_into(runtime)
    assert x.same_context(moved)
    np.testing.assert_array_equal((x + moved).numpy(), 2 * X)


def test_functional_derivatives_leave_slots_alone(runtime: Any) -> None:
    x, y = runtime.variable(X), runtime.variable(X + 1)
    dx, dy = runtime.vjp([x * y, x.sin()], [x, y], [np.ones(2), np.full(2, 3.0)])
    np.testing.assert_allclose(dx.numpy(), X + 1 + 3 * np.cos(X), rtol=1e-15)
    np.testing.assert_array_equal(dy.numpy(), X)
    product, sine = runtime.jvp([x * y, x.sin()], [x, y], [np.ones(2), np.full(2, 2.0)])
    np.testing.assert_allclose(product.numpy(), X + 1 + 2 * X)
    np.testing.assert_allclose(sine.numpy(), np.cos(X))
    assert x.grad() is None


def test_an_inactive_variable_has_none(runtime: Any) -> None:
    x, y = runtime.variable(X), runtime.variable(X)
    assert runtime.grad(x.reduce_sum(), [x, y])[1] is None


def test_each_output_needs_a_cotangent(runtime: Any) -> None:
    x = runtime.variable(X)
    with pytest.raises(ValueError, match="1 output but 2 cotangents"):
        runtime.vjp([x], [x], [X, X])


def test_a_derivative_is_taken_of_tensors_of_the_surface(runtime: Any) -> None:
    x = runtime.variable(X)
    with pytest.raises(TypeError, match="eager"):
        runtime.grad(x.reduce_sum(), [X])


def test_caches_fill_and_empty(runtime: Any) -> None:
    x = runtime.variable(X)
    runtime.grad((x * x).reduce_sum(), [x])
    assert runtime.cache_stats()["ad_transforms"][0] > 0
    runtime.clear_caches()
    assert runtime.cache_stats()["ad_transforms"][0] == 0


def test_the_complex_gradient_is_the_conjugate_of_jaxs(runtime: Any) -> None:
    z = runtime.variable(np.array(1 + 2j))
    (gradient,) = runtime.vjp([z * z], [z], [np.array(1 + 0j)])
    assert gradient.numpy() == 2 * (1 - 2j)


def test_a_variable_of_an_eager_tensor_has_its_data_and_none_of_its_history(runtime: Any) -> None:
    x = runtime.variable(X)
    leaf = runtime.variable(x.sin())
    assert leaf.numpy().tobytes() == x.sin().numpy().tobytes()
    (leaf * leaf).reduce_sum(None).backward()
    assert leaf.grad().numpy().tobytes() == (2 * np.sin(X)).tobytes()
    assert x.grad() is None
