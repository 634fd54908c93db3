"""Compiled programs and the engine's other forms: what is fixed when a program is compiled, and what when it runs.

Programs are traced ones whose steps matter (compile, prepare, run, derive): each returns NumPy arrays. Forms are one
operation in another dress (into a destination, from a view, of one Rust type), on the concrete surface.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from references.case import Case, Program, Staged
from references.dtypes import ALL, DIFFERENTIABLE
from references.generate import small_integers
from references.inputs import Input, normal, uniform
from references.lazy import jax, jnp, th
from references.marked import marked

Run = Callable[..., Sequence[Any]]


def _program(
    name: str, why: str, run: Run, *, jax: Program, inputs: Mapping[str, Input] | None = None, **more: Any
) -> Case:
    """A case whose tenferro side is `run(runtime, *arrays)`, a sequence of arrays."""
    return Case(
        id=f"programs/{name}",
        why=why,
        inputs=inputs or {"x": uniform(4, 3)},
        tenferro=Staged(lambda runtime, *arrays: (run(runtime, *arrays), ())),
        jax=jax,
        surfaces=("traced",),
        transforms=("value",),
        category="transforms",
        **more,
    )


def _f(x: Any) -> Any:
    """Σ sin(x)·x on tenferro."""
    return (x.sin() * x).reduce_sum(None)


def _fj(x: Any) -> Any:
    return jnp.sum(jnp.sin(x) * x)


def _leaf(runtime: Any, x: Any) -> Any:
    return runtime.placeholder(list(x.shape), "f64")


def _constants(runtime: Any, x: Any) -> Sequence[Any]:
    """The array is overwritten after it went into the graph and again after compilation."""
    leaf, constant = _leaf(runtime, x), np.array(x[::-1])
    output = leaf * constant + constant
    constant[:] = np.nan
    program = runtime.compile([output], [leaf])
    constant[:] = -1
    return (program.run([x])[0],)


def _reused(runtime: Any, x: Any) -> Sequence[Any]:
    leaf = _leaf(runtime, x)
    program = runtime.compile([leaf.sin() * leaf], [leaf])
    answers = [program.run([each])[0] for each in (x, x / 3, x)]
    return (*answers, runtime.compile([leaf.exp()], [leaf]).run([x])[0])


def _warmed(runtime: Any, x: Any) -> Sequence[Any]:
    leaf = _leaf(runtime, x)
    program = runtime.compile([leaf.sin() * leaf], [leaf])
    before = np.asarray(program.is_prepared)
    program.prepare([x / 7])
    program.warm_up([x / 5])
    return before, np.asarray(program.is_prepared), program.run([x])[0]


def _cleared(runtime: Any, x: Any) -> Sequence[Any]:
    leaf = _leaf(runtime, x)
    program = runtime.compile([leaf.sin() * leaf], [leaf])
    first = program.run([x])[0]
    runtime.clear_caches()
    return first, program.run([x])[0], runtime.compile([leaf.cos()], [leaf]).run([x])[0]


def _symbolic(runtime: Any, x: Any) -> Sequence[Any]:
    """One graph of unknown extents, compiled once, prepared anew for each shape."""
    leaf = runtime.placeholder(None, "f64", 2)
    output = (leaf * leaf).reduce_sum([0])
    return tuple(runtime.compile([output], [leaf]).run([each])[0] for each in (x, x[:, :2], x[1:]))


def _outputs(runtime: Any, x: Any) -> Sequence[Any]:
    """Two different outputs, one of them twice, the input itself, and one that no input reaches."""
    leaf = _leaf(runtime, x)
    sine = leaf.sin()
    constant = runtime.attached(np.arange(3.0)) * 2.0
    return tuple(runtime.compile([sine, sine * leaf, sine, leaf, constant], [leaf]).run([x]))


def _unused_dropped(runtime: Any, x: Any, y: Any) -> Sequence[Any]:
    leaves = [_leaf(runtime, x), _leaf(runtime, y)]
    program = runtime.compile([leaves[1].sin()], leaves, drop_unused=True)
    return program.run([x, y])[0], np.asarray(program.used)


def _unused_refused(runtime: Any, x: Any, y: Any) -> Sequence[Any]:
    leaves = [_leaf(runtime, x), _leaf(runtime, y)]
    return tuple(runtime.compile([leaves[1].sin()], leaves).run([x, y]))


def _not_given(runtime: Any, x: Any) -> Sequence[Any]:
    leaves = [_leaf(runtime, x), _leaf(runtime, x)]
    return tuple(runtime.compile([leaves[0] * leaves[1]], leaves[:1]).run([x]))


def _too_many(runtime: Any, x: Any) -> Sequence[Any]:
    leaf = _leaf(runtime, x)
    return tuple(runtime.compile([leaf.sin()], [leaf]).run([x, x]))


def _order(runtime: Any, x: Any, y: Any) -> Sequence[Any]:
    """Inputs follow the placeholders given, not the order in which the graph meets them."""
    first, second = _leaf(runtime, x), _leaf(runtime, y)
    return tuple(runtime.compile([second.exp() - first], [first, second]).run([x, y]))


def _attached(runtime: Any, x: Any) -> Sequence[Any]:
    """A leaf with data is a constant of the program and still a leaf of its gradient."""
    leaf = runtime.attached(x)
    loss = _f(leaf)
    (gradient,) = runtime.grad(loss, [leaf])
    return loss.numpy(), gradient.numpy()


def _ad_methods(runtime: Any, x: Any) -> Sequence[Any]:
    """The tensor's own grad, vjp and jvp, with tenferro's core rules alone."""
    leaf = runtime.attached(x)
    value = leaf.sin() * leaf
    ones = np.ones(x.shape)
    found = (_f(leaf).grad(leaf), value.vjp(leaf, ones), value.jvp(leaf, ones))
    return tuple(each.numpy() for each in found)


def _checkpointed(runtime: Any, x: Any) -> Sequence[Any]:
    """The checkpointed value is a constant, and so is its gradient."""
    leaf = runtime.attached(x)
    kept = (leaf.sin() * leaf).checkpoint()
    return (kept.numpy(),)


def _derivative_programs(runtime: Any, x: Any, ct: Any) -> Sequence[Any]:
    """Each derivative is compiled once and run on two seeds."""
    leaf = _leaf(runtime, x)
    program = runtime.compile([leaf.sin() * leaf], [leaf])
    back, forth = program.vjp(), program.jvp()
    return tuple(each.run([x, seed])[0] for seed in (ct, 2 * ct) for each in (back, forth))


def _derivative_jax(x: Any, ct: Any) -> Sequence[Any]:
    slope = jnp.cos(x) * x + jnp.sin(x)
    return tuple(slope * seed for seed in (ct, ct, 2 * ct, 2 * ct))


def _forward_over_reverse(runtime: Any, x: Any, ct: Any) -> Sequence[Any]:
    """The jvp program of a vjp program: inputs x and ct, tangents of x alone."""
    leaf = _leaf(runtime, x)
    back = runtime.compile([leaf.sin() * leaf], [leaf]).vjp()
    return (back.jvp([0]).run([x, ct, np.ones(x.shape)])[0],)


def _linear_gradient(runtime: Any, x: Any) -> Sequence[Any]:
    """The gradient of a linear function no longer depends on its input."""
    leaf = _leaf(runtime, x)
    (gradient,) = runtime.grad((leaf * 3.0).reduce_sum(None), [leaf])
    return tuple(runtime.compile([gradient], [leaf], drop_unused=True).run([x]))


def _without_rules(runtime: Any, x: Any) -> Sequence[Any]:
    """An AD context that was given no rules of the extensions."""
    bare = th.Runtime(th.Engine(1), rules=False)
    leaf = bare.attached(x)
    (gradient,) = bare.grad(th.einsum("ij,ij->", leaf, leaf), [leaf])
    return (gradient.numpy(),)


def _core_without_rules(runtime: Any, x: Any) -> Sequence[Any]:
    bare = th.Runtime(th.Engine(1), rules=False)
    leaf = bare.attached(x)
    (gradient,) = bare.grad(_f(leaf), [leaf])
    return (gradient.numpy(),)


def _other_runtime(runtime: Any, x: Any) -> Sequence[Any]:
    """Two eager tensors, each of a runtime of its own."""
    other = th.Runtime(th.Engine(1))
    return ((runtime.variable(x) * other.variable(x)).numpy(),)


def _moved(runtime: Any, x: Any) -> Sequence[Any]:
    """A tensor detached into another runtime is a constant there."""
    other = th.Runtime(th.Engine(1))
    leaf = runtime.variable(x)
    moved = leaf.sin().detach_into(other)
    here = other.variable(x)
    (here * moved).reduce_sum(None).backward()
    return here.grad().numpy(), np.asarray(moved.same_context(here)), np.asarray(leaf.same_context(here))


XY = {"x": uniform(4, 3), "y": uniform(4, 3)}
XCT = {"x": uniform(4, 3), "ct": normal(4, 3)}


def _slope(x: Any) -> Any:
    """The derivative of sin(x)·x."""
    return jnp.cos(x) * x + jnp.sin(x)


PROGRAMS = (
    _program(
        "constants-are-copied",
        "A NumPy array that goes into a graph is copied there: overwriting it later changes no answer.",
        _constants,
        jax=lambda x: (x * x[::-1] + x[::-1],),
    ),
    _program(
        "reused",
        "One prepared program on three inputs, the first again at the end, beside another program of the same leaf.",
        _reused,
        jax=lambda x: (jnp.sin(x) * x, jnp.sin(x / 3) * x / 3, jnp.sin(x) * x, jnp.exp(x)),
    ),
    _program(
        "prepared-and-warmed",
        "Preparing and warming up on other numbers leaves no trace in the answer.",
        _warmed,
        jax=lambda x: (jnp.array(False), jnp.array(True), jnp.sin(x) * x),
    ),
    _program(
        "caches-cleared",
        "A program compiled before the caches were cleared runs after it, and a new one compiles.",
        _cleared,
        jax=lambda x: (jnp.sin(x) * x, jnp.sin(x) * x, jnp.cos(x)),
    ),
    _program(
        "symbolic-extents",
        "A graph whose extents are open runs on three shapes.",
        _symbolic,
        jax=lambda x: tuple(jnp.sum(each * each, axis=0) for each in (x, x[:, :2], x[1:])),
    ),
    _program(
        "several-outputs",
        "Outputs that repeat, that are the input, that depend on no input.",
        _outputs,
        jax=lambda x: (jnp.sin(x), jnp.sin(x) * x, jnp.sin(x), x, 2 * jnp.arange(3.0)),
    ),
    _program(
        "unused-input-dropped",
        "A placeholder that no output uses is dropped where that is asked for, and the others keep their places.",
        _unused_dropped,
        jax=lambda x, y: (jnp.sin(y), jnp.array([False, True])),
        inputs=XY,
    ),
    _program(
        "unused-input-refused",
        "A placeholder that the output does not use is refused by default; JAX takes it.",
        _unused_refused,
        jax=lambda x, y: (jnp.sin(y),),
        inputs=XY,
        refuses="does not depend|unused",
    ),
    _program(
        "placeholder-not-given",
        "A graph with a placeholder that compilation was not told of is refused.",
        _not_given,
        jax=lambda x: (x * x,),
        refuses="placeholder.*(no|not)",
    ),
    _program(
        "too-many-inputs",
        "More arrays than the program has inputs are refused.",
        _too_many,
        jax=lambda x: (jnp.sin(x),),
        refuses="expects 1.*got 2",
    ),
    _program(
        "order-of-inputs",
        "Inputs come in the order of the placeholders.",
        _order,
        jax=lambda x, y: (jnp.exp(y) - x,),
        inputs=XY,
    ),
    _program(
        "attached-leaf",
        "A leaf that holds data needs no input, and has a gradient.",
        _attached,
        jax=lambda x: (_fj(x), _slope(x)),
    ),
    _program(
        "methods-of-the-tensor",
        "grad, vjp and jvp as the tensor's own methods are those of the context.",
        _ad_methods,
        jax=lambda x: (_slope(x), _slope(x), _slope(x)),
    ),
    _program("checkpoint", "A checkpoint keeps the value.", _checkpointed, jax=lambda x: (jnp.sin(x) * x,)),
    _program(
        "derivative-programs-reused",
        "A derivative program is compiled once and takes any cotangent or tangent.",
        _derivative_programs,
        jax=_derivative_jax,
        inputs=XCT,
    ),
    _program(
        "forward-over-reverse",
        "The jvp program of a vjp program is the second derivative.",
        _forward_over_reverse,
        jax=lambda x, ct: (ct * (2 * jnp.cos(x) - x * jnp.sin(x)),),
        inputs=XCT,
    ),
    _program(
        "gradient-of-a-linear-function",
        "A gradient that does not depend on the input is a program without inputs, and still right.",
        _linear_gradient,
        jax=lambda x: (jnp.full(x.shape, 3.0),),
    ),
    _program(
        "core-rules-need-no-extension",
        "A context without the extensions' rules differentiates the core operations.",
        _core_without_rules,
        jax=lambda x: (_slope(x),),
    ),
    _program(
        "context-without-rules-refuses",
        "A context without the extensions' rules refuses to differentiate an extension, and makes no gradient up.",
        _without_rules,
        jax=lambda x: (2 * x,),
        refuses="unsupported.*rule",
    ),
    _program(
        "two-runtimes-refused",
        "Eager tensors of two runtimes do not mix.",
        _other_runtime,
        jax=lambda x: (x * x,),
        refuses="different.*contexts",
    ),
    _program(
        "detached-into-another-runtime",
        "A tensor detached into another runtime keeps its value and belongs there.",
        _moved,
        jax=lambda x: (jnp.sin(x), jnp.array(True), jnp.array(False)),
    ),
)


def form(name: str, why: str, inputs: Mapping[str, Input], tenferro: Program, reference: Program, **more: Any) -> Case:
    """One operation in another dress. `reference` is written in what JAX and NumPy have in common."""
    return Case(
        id=f"programs/form-{name.replace('_', '-')}",
        why=why,
        inputs=inputs,
        tenferro=tenferro,
        jax=reference,
        surfaces=("concrete",),
        transforms=("value",),
        **{"category": "exact", "dtypes": DIFFERENTIABLE, **more},
    )


NUMERIC = tuple(name for name in ALL if name != "bool")
INTO = "The destination is overwritten whole, whatever it held."
PAIR = {"x": small_integers(3, 4), "y": small_integers(3, 4), "out": marked(3, 4)}
NONZERO = {**PAIR, "y": uniform(3, 4, low=1.0, high=4.0)}
MATRICES = {"a": small_integers(3, 4), "b": small_integers(4, 5), "out": small_integers(3, 5)}

FORMS = (
    form("add_into", INTO, PAIR, lambda x, y, out: x.add_into(y, out), lambda x, y, out: x + y, dtypes=NUMERIC),
    form("sub_into", INTO, PAIR, lambda x, y, out: x.sub_into(y, out), lambda x, y, out: x - y, dtypes=NUMERIC),
    form("mul_into", INTO, PAIR, lambda x, y, out: x.mul_into(y, out), lambda x, y, out: x * y, dtypes=NUMERIC),
    form(
        "div_into",
        INTO,
        NONZERO,
        lambda x, y, out: x.div_into(y, out),
        lambda x, y, out: x / y,
        category="elementwise",
    ),
    form("neg_into", INTO, PAIR, lambda x, y, out: x.neg_into(out), lambda x, y, out: -x, dtypes=NUMERIC),
    form("conj_into", INTO, PAIR, lambda x, y, out: x.conj_into(out), lambda x, y, out: jnp.conj(x)),
    form(
        "copy_read_into",
        "A strided view is copied to where it says, special numbers unchanged.",
        {"x": marked(3, 4, 2), "same": marked(3, 4, 2), "turned": marked(4, 2, 3)},
        lambda x, same, turned: (x.copy_read_into(same), x.copy_read_into(turned, [1, 2, 0])),
        lambda x, same, turned: (x, jnp.transpose(x, (1, 2, 0))),
        dtypes=ALL,
    ),
    form(
        "copy-sizes",
        "4 096 and 4 097 numbers: on either side of where a copy is checked for overlap in another way.",
        {"x": marked(64, 64), "y": marked(17, 241), "turned": marked(241, 17)},
        lambda x, y, turned: (x.copy_read_into(x, [1, 0]), y.copy_read_into(turned, [1, 0])),
        lambda x, y, turned: (x.T, y.T),
        dtypes=("f64", "i32"),
    ),
    form(
        "norm_squared_read",
        "Σ|x|² of a complex array is real.",
        {"x": small_integers(5, 7)},
        lambda x: x.norm_squared_read(),
        lambda x: jnp.sum(jnp.real(x) ** 2 + jnp.imag(x) ** 2),
    ),
    form(
        "vdot_read",
        "The left factor is conjugated, the right one is not.",
        {"x": small_integers(5, 7), "y": small_integers(5, 7)},
        lambda x, y: x.vdot_read(y),
        lambda x, y: jnp.vdot(x, y),
    ),
    form(
        "axpby_read_into_accum",
        "alpha·x + beta·out.",
        {"x": small_integers(3, 4), "out": small_integers(3, 4)},
        lambda x, out: x.axpby_read_into_accum(2, -3, out),
        lambda x, out: 2 * x - 3 * out,
    ),
    form(
        "axpby-beta-0",
        "alpha·x + 0·out is NaN where out is NaN or infinite: the destination is read, unlike that of a contraction.",
        {"x": small_integers(3, 4), "out": marked(3, 4)},
        lambda x, out: x.axpby_read_into_accum(0.5, 0, out),
        lambda x, out: x * 0.5 + out * 0,
        dtypes=("f32", "f64"),
    ),
    form(
        "dot_general_read_into",
        INTO,
        MATRICES,
        lambda a, b, out: a.dot_general_read_into(b, [1], [0], [], [], out),
        lambda a, b, out: a @ b,
    ),
    form(
        "dot_general_read_into_accum",
        "alpha·a·b + beta·out.",
        MATRICES,
        lambda a, b, out: a.dot_general_read_into_accum(b, [1], [0], 2, -3, out),
        lambda a, b, out: 2 * (a @ b) - 3 * out,
    ),
    form(
        "dot-general-beta-0",
        "With beta 0 what out held does not matter, not even NaN.",
        {**MATRICES, "out": marked(3, 5)},
        lambda a, b, out: a.dot_general_read_into_accum(b, [1], [0], 1, 0, out),
        lambda a, b, out: a @ b,
    ),
    form(
        "as_real_view",
        "A complex array's parts on a new first axis.",
        {"x": marked(3, 2)},
        lambda x: (x.as_real_view(), x.into_real()),
        lambda x: (jnp.stack([x.real, x.imag]), jnp.stack([x.real, x.imag])),
        dtypes=("c64", "c128"),
    ),
    form(
        "as_complex_view",
        "Two parts on the first axis as one complex array.",
        {"x": marked(2, 3, 4)},
        lambda x: (x.as_complex_view(), x.into_complex()),
        lambda x: (jax.lax.complex(x[0], x[1]), jax.lax.complex(x[0], x[1])),
        dtypes=("f32", "f64"),
    ),
    form(
        "duplicate",
        "A copy holds the same numbers.",
        {"x": marked(3, 4)},
        lambda x: x.duplicate(),
        lambda x: x,
        dtypes=ALL,
    ),
    form(
        "typed",
        "Tensors of one Rust type compute what the others compute.",
        {"x": small_integers(3, 4), "y": small_integers(3, 4), "b": small_integers(4, 2)},
        lambda x, y, b: (
            x.typed_add(y),
            x.typed_reduce_sum([0]),
            x.typed_reshape([4, 3]),
            x.typed_transpose([1, 0]),
            x.typed_matmul(b),
        ),
        lambda x, y, b: (x + y, jnp.sum(x, axis=0), jnp.reshape(x, (4, 3), order="F"), x.T, x @ b),
        dtypes=("f64",),
    ),
    form(
        "typed_exp",
        "A function of one Rust type is the same function.",
        {"x": uniform(3, 4)},
        lambda x: x.typed_exp(),
        lambda x: jnp.exp(x),
        category="elementwise",
        dtypes=("f64",),
    ),
)

CASES = (*PROGRAMS, *FORMS)
