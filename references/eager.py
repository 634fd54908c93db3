"""tenferro's eager gradient slots against PyTorch's `.grad`: what adds up, what is cleared, what leaves them alone.

Each case reads slots as outputs: JAX, which has none, gives the mathematics of what PyTorch's slots should hold.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from references.case import Case, Staged
from references.dtypes import COMPLEXES, DIFFERENTIABLE, FLOATS
from references.inputs import Array, Input, normal, uniform
from references.lazy import jax, jnp, torch

Run = Callable[..., Sequence[Any]]


def slot(leaf: Any) -> Array:
    """What a leaf's slot holds, of either library; an empty one must not pass for zeros, so it fails by name."""
    held = leaf.grad() if callable(leaf.grad) else leaf.grad
    if held is None:
        raise AssertionError("the slot is empty")
    return np.asarray(held.numpy() if callable(leaf.grad) else held.resolve_conj().numpy())


def is_empty(leaf: Any) -> Array:
    """Whether a leaf's slot is empty, as an array."""
    held = leaf.grad() if callable(leaf.grad) else leaf.grad
    return np.asarray(held is None)


def on_tenferro(run: Run) -> Staged:
    """`run(runtime, *leaves)` on variables of a fresh eager runtime."""
    return Staged(lambda runtime, *arrays: (run(runtime, *map(runtime.variable, arrays)), ()))


def on_torch(run: Run) -> Run:
    """`run(*leaves)` on fresh leaves; gradients are on, whatever the caller has set."""

    def program(*tensors: Any) -> Sequence[Any]:
        with torch.enable_grad():
            found = run(*(tensor.detach().clone().requires_grad_() for tensor in tensors))
        return [torch.from_numpy(np.array(array)) for array in found]

    return program


def slots(
    name: str, why: str, inputs: dict[str, Input], *, tenferro: Run, jax: Run, torch: Run | None, **more: Any
) -> Case:
    """A case whose outputs are slots."""
    return Case(
        id=f"eager/{name}",
        why=why,
        inputs=inputs,
        tenferro=on_tenferro(tenferro),
        jax=jax,
        torch=on_torch(torch) if torch else None,
        surfaces=("eager",),
        transforms=("value",),
        **{"dtypes": FLOATS, **more},
    )


def _f(x: Any) -> Any:
    """Σ sin(x)·x on tenferro."""
    return (x.sin() * x).reduce_sum(None)


def _g(x: Any) -> Any:
    """Σ exp(x) on tenferro."""
    return x.exp().reduce_sum(None)


def _ft(x: Any) -> Any:
    return (torch.sin(x) * x).sum()


def _gt(x: Any) -> Any:
    return torch.exp(x).sum()


def _df(x: Any) -> Any:
    """The derivative of `_f`, by JAX."""
    return jax.grad(lambda x: jnp.sum(jnp.sin(x) * x))(x)


def _dg(x: Any) -> Any:
    return jax.grad(lambda x: jnp.sum(jnp.exp(x)))(x)


def _two_backwards(runtime: Any, x: Any) -> Sequence[Any]:
    _f(x).backward()
    first = slot(x)
    _g(x).backward()
    return first, slot(x)


def _two_backwards_torch(x: Any) -> Sequence[Any]:
    _ft(x).backward()
    first = slot(x).copy()
    _gt(x).backward()
    return first, slot(x)


def _same_graph_twice(runtime: Any, x: Any) -> Sequence[Any]:
    loss = _f(x)
    loss.backward()
    loss.backward()
    return (slot(x),)


def _same_graph_twice_torch(x: Any) -> Sequence[Any]:
    loss = _ft(x)
    loss.backward(retain_graph=True)
    loss.backward()
    return (slot(x),)


def _cleared(runtime: Any, x: Any, y: Any) -> Sequence[Any]:
    (_f(x) + _g(y)).backward()
    x.clear_grad()
    empty, kept = is_empty(x), slot(y)
    (_g(x) + _f(y)).backward()
    return empty, kept, slot(x), slot(y)


def _cleared_torch(x: Any, y: Any) -> Sequence[Any]:
    (_ft(x) + _gt(y)).backward()
    x.grad = None
    empty, kept = is_empty(x), slot(y).copy()
    (_gt(x) + _ft(y)).backward()
    return empty, kept, slot(x), slot(y)


def _all_cleared(runtime: Any, x: Any, y: Any) -> Sequence[Any]:
    (_f(x) + _g(y)).backward()
    runtime.clear_grads()
    empty = is_empty(x), is_empty(y)
    _f(x).backward()
    return (*empty, slot(x), is_empty(y))


def _all_cleared_torch(x: Any, y: Any) -> Sequence[Any]:
    (_ft(x) + _gt(y)).backward()
    x.grad = y.grad = None
    empty = is_empty(x), is_empty(y)
    _ft(x).backward()
    return (*empty, slot(x), is_empty(y))


def _no_grad(runtime: Any, x: Any) -> Sequence[Any]:
    with runtime.no_grad():
        frozen = x.exp()
        with runtime.no_grad():
            inner = frozen * x
        still = inner * x
    tracked = x.sin()
    ((tracked + frozen + still) * x).reduce_sum(None).backward()
    flags = [np.asarray(t.tracks_grad()) for t in (frozen, still, tracked)]
    return (slot(x), *flags)


def _no_grad_torch(x: Any) -> Sequence[Any]:
    with torch.no_grad():
        frozen = torch.exp(x)
        with torch.no_grad():
            inner = frozen * x
        still = inner * x
    tracked = torch.sin(x)
    ((tracked + frozen + still) * x).sum().backward()
    flags = [np.asarray(t.requires_grad) for t in (frozen, still, tracked)]
    return (slot(x), *flags)


def _no_grad_jax(x: Any) -> Sequence[Any]:
    def loss(x: Any) -> Any:
        frozen = jax.lax.stop_gradient(jnp.exp(x))
        return jnp.sum((jnp.sin(x) + frozen + jax.lax.stop_gradient(frozen * x * x)) * x)

    return (jax.grad(loss)(x), jnp.array(False), jnp.array(False), jnp.array(True))


def _detached(runtime: Any, x: Any) -> Sequence[Any]:
    cut = x.sin().detach()
    (cut * x + x.detach() * x.exp()).reduce_sum(None).backward()
    return slot(x), cut.numpy(), np.asarray(cut.tracks_grad())


def _detached_torch(x: Any) -> Sequence[Any]:
    cut = torch.sin(x).detach()
    (cut * x + x.detach() * torch.exp(x)).sum().backward()
    return slot(x), cut.numpy(), np.asarray(cut.requires_grad)


def _detached_jax(x: Any) -> Sequence[Any]:
    stop = jax.lax.stop_gradient
    gradient = jax.grad(lambda x: jnp.sum(stop(jnp.sin(x)) * x + stop(x) * jnp.exp(x)))(x)
    return gradient, jnp.sin(x), jnp.array(False)


def _diamond(runtime: Any, x: Any) -> Sequence[Any]:
    y = x * x
    (y * x.sin() + y * y + x).reduce_sum(None).backward()
    return (slot(x),)


def _diamond_torch(x: Any) -> Sequence[Any]:
    y = x * x
    (y * torch.sin(x) + y * y + x).sum().backward()
    return (slot(x),)


def _diamond_jax(x: Any) -> Sequence[Any]:
    return (jax.grad(lambda x: jnp.sum(x * x * jnp.sin(x) + x**4 + x))(x),)


def _backward_with(runtime: Any, x: Any, ct: Any) -> Sequence[Any]:
    (x.sin() * x).backward_with(ct.detach())
    return slot(x), is_empty(ct)


def _backward_with_torch(x: Any, ct: Any) -> Sequence[Any]:
    (torch.sin(x) * x).backward(ct.detach())
    return slot(x), is_empty(ct)


def _backward_with_jax(x: Any, ct: Any) -> Sequence[Any]:
    """JAX's convention for complex derivatives is the conjugate of tenferro's."""
    pulled = jax.vjp(lambda x: jnp.sin(x) * x, x)[1](jnp.conj(ct))[0]
    return jnp.conj(pulled), jnp.array(True)


def _functional(runtime: Any, x: Any, y: Any) -> Sequence[Any]:
    value = x.sin() * y
    pulled = runtime.vjp([value], [x, y], [np.ones(value.shape, x.numpy().dtype)])
    pushed = runtime.jvp([value], [x], [np.ones(value.shape, x.numpy().dtype)])
    grads = runtime.grad(_f(x), [x])
    empty = is_empty(x), is_empty(y)
    _g(x).backward()
    return (*empty, slot(x), *(part.numpy() for part in (*pulled, *pushed, *grads)))


def _functional_torch(x: Any, y: Any) -> Sequence[Any]:
    value = torch.sin(x) * y
    ones = torch.ones_like(value)
    pulled = torch.autograd.grad(value, [x, y], ones, retain_graph=True)
    pushed = torch.autograd.functional.jvp(lambda x: torch.sin(x) * y.detach(), x.detach(), ones)[1]
    grads = torch.autograd.grad(_ft(x), [x])
    empty = is_empty(x), is_empty(y)
    _gt(x).backward()
    return (*empty, slot(x), *(part.detach().numpy() for part in (*pulled, pushed, *grads)))


def _functional_jax(x: Any, y: Any) -> Sequence[Any]:
    pulled = jax.vjp(lambda x, y: jnp.sin(x) * y, x, y)[1](jnp.ones_like(x))
    return jnp.array(True), jnp.array(True), _dg(x), *pulled, jnp.cos(x) * y, _df(x)


def _unreached(runtime: Any, x: Any, y: Any) -> Sequence[Any]:
    constant = runtime.constant(y.numpy())
    (x.sin() * constant).reduce_sum(None).backward()
    return slot(x), is_empty(y), is_empty(constant)


def _unreached_torch(x: Any, y: Any) -> Sequence[Any]:
    constant = y.detach().clone()
    (torch.sin(x) * constant).sum().backward()
    return slot(x), is_empty(y), is_empty(constant)


def _scalar(runtime: Any, x: Any) -> Sequence[Any]:
    (x.sin() * x).backward()
    return (slot(x),)


def _scalar_torch(x: Any) -> Sequence[Any]:
    (torch.sin(x) * x).backward()
    return (slot(x),)


def _widened(runtime: Any, x: Any) -> Sequence[Any]:
    """Two backward passes that reach the leaf through two dtypes: the slot has the leaf's own."""
    (x.cast("c128") * np.array(2 - 1j)).cast("f64").reduce_sum(None).backward()
    _f(x.cast("f64")).backward()
    return (slot(x),)


def _widened_torch(x: Any) -> Sequence[Any]:
    (x.to(torch.complex128) * (2 - 1j)).real.sum().backward()
    _ft(x.to(torch.float64)).backward()
    return (slot(x),)


def _widened_jax(x: Any) -> Sequence[Any]:
    return (2 + _df(x.astype(jnp.float64)).astype(x.dtype),)


PAIR = {"x": uniform(4, 3), "y": uniform(4, 3)}

SLOTS = (
    slots(
        "two-backwards-add",
        "A second backward pass adds to the slots; a library that replaces them returns the second gradient alone.",
        {"x": uniform(4, 3)},
        tenferro=_two_backwards,
        torch=_two_backwards_torch,
        jax=lambda x: (_df(x), _df(x) + _dg(x)),
    ),
    slots(
        "same-graph-twice",
        "One recorded graph serves two backward passes, and counts twice.",
        {"x": uniform(4, 3)},
        tenferro=_same_graph_twice,
        torch=_same_graph_twice_torch,
        jax=lambda x: (2 * _df(x),),
    ),
    slots(
        "clear-one",
        "Clearing one leaf's slot empties that one and no other.",
        PAIR,
        tenferro=_cleared,
        torch=_cleared_torch,
        jax=lambda x, y: (jnp.array(True), _dg(y), _dg(x), _dg(y) + _df(y)),
    ),
    slots(
        "clear-all",
        "Clearing the runtime's slots empties every one; a leaf not reached since stays empty.",
        PAIR,
        tenferro=_all_cleared,
        torch=_all_cleared_torch,
        jax=lambda x, y: (jnp.array(True), jnp.array(True), _df(x), jnp.array(True)),
    ),
    slots(
        "no-grad",
        "What is computed inside no_grad is a constant, the inner context of two does not end the outer one.",
        {"x": uniform(4, 3)},
        tenferro=_no_grad,
        torch=_no_grad_torch,
        jax=_no_grad_jax,
    ),
    slots(
        "detach",
        "A detached tensor keeps its value and loses its history; the leaf itself keeps its own.",
        {"x": uniform(4, 3)},
        tenferro=_detached,
        torch=_detached_torch,
        jax=_detached_jax,
    ),
    slots(
        "leaf-reached-twice",
        "A leaf reached along four ways gets the sum of four gradients.",
        {"x": uniform(4, 3)},
        tenferro=_diamond,
        torch=_diamond_torch,
        jax=_diamond_jax,
    ),
    slots(
        "backward-with",
        "A cotangent weighs the elements of the output; its own leaf gets no gradient.",
        {"x": uniform(4, 3), "ct": normal(4, 3)},
        tenferro=_backward_with,
        torch=_backward_with_torch,
        jax=_backward_with_jax,
        dtypes=DIFFERENTIABLE,
    ),
    slots(
        "functional-leaves-slots-alone",
        "vjp, jvp and grad return their derivatives and write to no slot.",
        PAIR,
        tenferro=_functional,
        torch=_functional_torch,
        jax=_functional_jax,
    ),
    slots(
        "unreached-leaf",
        "A leaf that takes no part keeps an empty slot, not zeros; a constant has none to fill.",
        PAIR,
        tenferro=_unreached,
        torch=_unreached_torch,
        jax=lambda x, y: (jnp.cos(x) * y, jnp.array(True), jnp.array(True)),
    ),
    slots(
        "scalar-leaf",
        "A leaf of rank 0 has a slot of rank 0.",
        {"x": uniform()},
        tenferro=_scalar,
        torch=_scalar_torch,
        jax=lambda x: (_df(x),),
    ),
    slots(
        "slot-keeps-the-leafs-dtype",
        "Gradients that come back from wider dtypes add up in the leaf's own.",
        {"x": uniform(4, 3)},
        tenferro=_widened,
        torch=_widened_torch,
        jax=_widened_jax,
    ),
)


def _refused(name: str, why: str, text: str, inputs: dict[str, Input], tenferro: Run, torch: Run, jax: Run) -> Case:
    """A misuse of a backward pass, beside what PyTorch and JAX make of it."""
    return slots(f"refused-{name}", why, inputs, tenferro=tenferro, torch=torch, jax=jax, refuses=text, dtypes=("f64",))


def _pulled(x: Any, ct: Any) -> Sequence[Any]:
    return tuple(jax.vjp(lambda x: jnp.sin(x) * x, x)[1](ct))


def _after(act: Callable[..., Any]) -> Run:
    """A backward pass on tenferro and the slot it leaves."""
    return lambda runtime, *leaves: (act(*leaves), slot(leaves[0]))[1:]


def _after_torch(act: Callable[..., Any]) -> Run:
    return lambda *leaves: (act(*leaves), slot(leaves[0]))[1:]


REFUSED = (
    _refused(
        "backward-of-an-array",
        "Without a cotangent, an array of several numbers has no gradient.",
        "scalar",
        {"x": uniform(4, 3)},
        _after(lambda x: (x.sin() * x).backward()),
        _after_torch(lambda x: (torch.sin(x) * x).backward()),
        lambda x: (jax.grad(lambda x: jnp.sin(x) * x)(x),),
    ),
    _refused(
        "cotangent-shape",
        "A cotangent has the shape of the output; none is stretched.",
        "shape",
        {"x": uniform(4, 3), "ct": uniform(3)},
        _after(lambda x, ct: (x.sin() * x).backward_with(ct.detach())),
        _after_torch(lambda x, ct: (torch.sin(x) * x).backward(ct.detach())),
        _pulled,
    ),
    _refused(
        "cotangent-dtype",
        "A cotangent has the dtype of the output; none is converted.",
        "dtype",
        {"x": uniform(4, 3), "ct": uniform(4, 3, dtype="f32")},
        _after(lambda x, ct: (x.sin() * x).backward_with(ct.detach())),
        _after_torch(lambda x, ct: (torch.sin(x) * x).backward(ct.detach())),
        _pulled,
    ),
)

COMPLEX = slots(
    "backward-of-a-complex-number",
    "The cotangent of a complex output is 1: the gradient is that of its real part. PyTorch and JAX refuse it.",
    {"x": uniform()},
    tenferro=_scalar,
    torch=None,
    jax=lambda x: (jnp.conj(jax.vjp(lambda x: jnp.sin(x) * x, x)[1](jnp.ones((), x.dtype))[0]),),
    dtypes=COMPLEXES,
)


def _vjp(runtime: Any, value: Any, x: Any, seed: Array) -> Any:
    return runtime.vjp([value], [x], [seed])[0]


def _jvp(runtime: Any, value: Any, x: Any, seed: Array) -> Any:
    return runtime.jvp([value], [x], [seed])[0]


def _again(outer: Callable[..., Any], inner: Callable[..., Any], between: Callable[[Any], Any] = lambda _: None) -> Run:
    """The derivative of a derivative of x³·c, asked of one runtime with c and then with 10·c; the second answer."""

    def run(runtime: Any, x: Any, c: Any) -> Sequence[Any]:
        seed = np.ones(x.shape, x.numpy().dtype)
        found = []
        for factor in (c.numpy(), 10 * c.numpy()):
            leaf = runtime.variable(x.numpy())
            first = inner(runtime, leaf * leaf * leaf * runtime.constant(factor), leaf, seed)
            found.append(outer(runtime, first, leaf, seed).numpy())
            between(runtime)
        return found[1:]

    return run


def _backward(runtime: Any, value: Any, x: Any, seed: Array) -> Any:
    """What a backward pass puts into the leaf's slot."""
    value.backward_with(seed)
    return x.grad()


def _twice(name: str, why: str, tenferro: Run) -> Case:
    return slots(
        f"again-{name}",
        why,
        {"x": uniform(4, 3, low=0.5, high=2.0), "c": uniform(4, 3, low=0.5, high=2.0)},
        tenferro=tenferro,
        torch=None,
        jax=lambda x, c: (60 * x * c,),
    )


def _captured(runtime: Any, x: Any) -> Sequence[Any]:
    """Derivatives of what no leaf tracks: recorded inside the guard, and not outside it."""
    constant, ones = runtime.constant(x.numpy()), np.ones(x.shape, x.numpy().dtype)
    with runtime.capture_trace():
        value = constant.sin() * constant
    outside = runtime.vjp([constant.sin()], [constant], [ones])
    found = [_vjp(runtime, value, constant, ones), _jvp(runtime, value, constant, ones)]
    return (*(each.numpy() for each in found), np.asarray(outside == [None]), is_empty(constant))


CAPTURED = slots(
    "captured-trace",
    "Inside the guard, an operation on constants can be differentiated later; outside it cannot.",
    {"x": uniform(4, 3)},
    tenferro=_captured,
    torch=None,
    jax=lambda x: (_df(x), _df(x), jnp.array(True), jnp.array(True)),
)

AGAIN = (
    _twice(
        "jvp-of-vjp", "A second Hessian product with other constants in one runtime is its own.", _again(_jvp, _vjp)
    ),
    _twice("vjp-of-vjp", "A second gradient of a gradient with other constants is its own.", _again(_vjp, _vjp)),
    _twice("backward-of-vjp", "A second gradient of a gradient, into a slot, is its own.", _again(_backward, _vjp)),
    _twice("vjp-of-jvp", "A second gradient of a tangent with other constants is its own.", _again(_vjp, _jvp)),
    _twice("jvp-of-jvp", "A second tangent of a tangent with other constants is its own.", _again(_jvp, _jvp)),
    _twice(
        "caches-cleared",
        "Clearing the runtime's caches between two Hessian products leaves each its own.",
        _again(_jvp, _vjp, lambda runtime: runtime.clear_caches()),
    ),
)

CASES = (*SLOTS, COMPLEX, CAPTURED, *AGAIN, *REFUSED)
