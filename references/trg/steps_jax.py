"""The TRG in JAX: one program of β for all steps, under jit, with tenferro's SVD rule instead of JAX's.

JAX's own rule divides by differences of singular values and gives NaN on this chain, whose spectra are degenerate.
"""

import os
from collections.abc import Callable
from functools import cache, partial
from typing import Any

import jax
import jax.numpy as jnp

from .plan import DEFAULT, Plan

jax.config.update("jax_enable_x64", True)

# JAX decomposes with SciPy's OpenBLAS, which reads this at its first use. Its threads spin while they wait: beside any
# other load a run then takes ten to a hundred times as long, and the last bits depend on the machine's cores.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

EPSILON = 1e-12
"""What regularises 1/(s_j² − s_i²): F = d/(d² + ε²), as in tenferro's SVD rule."""

Array = Any  # jax has no types that mypy reads here
Compiled = Any
Svd = Callable[[Array], tuple[Array, Array, Array]]


def plain_svd(a: Array) -> tuple[Array, Array, Array]:
    """U, s, Vᵀ of a square matrix, with JAX's own derivative."""
    u, s, vt = jnp.linalg.svd(a, full_matrices=False)
    return u, s, vt


@jax.custom_jvp  # type: ignore[untyped-decorator]
def svd(a: Array) -> tuple[Array, Array, Array]:
    """U, s, Vᵀ of a real square matrix, with tenferro's derivative."""
    return plain_svd(a)


@svd.defjvp  # type: ignore[untyped-decorator]
def _svd_jvp(primals: tuple[Array], tangents: tuple[Array]) -> tuple[tuple[Array, ...], tuple[Array, ...]]:
    """dU = U (F ∘ (dP S + S dPᵀ)), ds = diag dP, dV = V (F ∘ (S dP + dPᵀ S)) with dP = Uᵀ dA V."""
    (a,), (da,) = primals, tangents
    u, s, vt = svd(a)
    dp = u.T @ da @ vt.T
    f = _inverse_gaps(s)
    du = u @ (f * (dp * s[None, :] + s[:, None] * dp.T))
    dv = vt.T @ (f * (s[:, None] * dp + dp.T * s[None, :]))
    return (u, s, vt), (du, jnp.diagonal(dp), dv.T)


def _inverse_gaps(s: Array) -> Array:
    """F_ij = d/(d² + ε²) with d = s_j² − s_i², and 0 on the diagonal.

    The product of sum and difference is exactly 0 on the diagonal; s_j² − s_i² becomes an FMA under jit and is not.
    """
    gap = (s[None, :] - s[:, None]) * (s[None, :] + s[:, None])
    off = ~jnp.eye(s.shape[0], dtype=bool)
    return jnp.where(off, gap / (gap * gap + EPSILON * EPSILON), 0.0)


def initial(beta: Array) -> Array:
    """T[u,l,d,r] of one site: (2, 2, 2, 2)."""
    cosh, sinh = jnp.sqrt(jnp.cosh(beta)), jnp.sqrt(jnp.sinh(beta))
    q = jnp.stack([jnp.stack([cosh, sinh]), jnp.stack([cosh, -sinh])])
    return jnp.einsum("su,sl,sd,sr->uldr", q, q, q, q)


def halves(t: Array, order: tuple[int, ...], k: int, svd: Svd, layout: str) -> tuple[Array, Array, Array]:
    """The two (D, D, k) halves of T, cut along one diagonal, and all singular values."""
    d = t.shape[0]
    u, s, vt = svd(jnp.reshape(jnp.transpose(t, order), (d * d, d * d), order=layout))
    root = jnp.sqrt(s[:k])
    left, right = u[:, :k] * root, vt[:k, :].T * root
    return jnp.reshape(left, (d, d, k), order=layout), jnp.reshape(right, (d, d, k), order=layout), s


@partial(jax.jit, static_argnames=("k", "svd", "layout"))
def step(t: Array, *, k: int, svd: Svd = svd, layout: str = "F") -> tuple[Array, Array, Array]:
    """(T', ln‖T‖, the singular values of the first cut): one coarse-graining step.

    Under jit of its own, so that the sixteen steps of one shape are traced once.
    """
    norm = jnp.sqrt(jnp.sum(t * t))
    t = t / norm
    s1, s3, spectrum = halves(t, (2, 1, 0, 3), k, svd, layout)
    s2, s4, _ = halves(t, (3, 2, 1, 0), k, svd, layout)
    return contract(s1, s2, s3, s4), jnp.log(norm), spectrum


def contract(s1: Array, s2: Array, s3: Array, s4: Array) -> Array:
    """T' = Σ S1[w,a,r] S2[a,b,u] S3[b,g,l] S4[g,w,d] as (S1·S2)(S3·S4), the order tenferro's planner takes."""
    upper, lower = jnp.einsum("war,abu->wrbu", s1, s2), jnp.einsum("bgl,gwd->blwd", s3, s4)
    return jnp.einsum("wrbu,blwd->ruld", upper, lower)


def program(beta: Array, *, plan: Plan = DEFAULT, svd: Svd = svd, layout: str = "F") -> tuple[Array, list[Array]]:
    """lnZ/N and the spectrum of every step."""
    t, total, spectra = initial(beta), jnp.zeros(()), []
    for index, k in enumerate(plan.ranks):
        t, log_norm, spectrum = step(t, k=k, svd=svd, layout=layout)
        total = total + plan.weight(index) * log_norm
        spectra.append(spectrum)
    return (total + jnp.log(jnp.einsum("xyxy->", t))) / plan.sites, spectra


def lnz(beta: Array, *, plan: Plan = DEFAULT, svd: Svd = svd, layout: str = "F") -> Array:
    """lnZ/N of the plan's lattice at inverse temperature β, both rank 0 and f64."""
    return program(beta, plan=plan, svd=svd, layout=layout)[0]


def differences(betas: Array, *, h: float, plan: Plan = DEFAULT) -> Array:
    """c = β² (g(β + h) − g(β − h)) / 2h at every β of a vector; g is the derivative of lnZ/N."""
    slopes = jax.lax.map(jax.grad(partial(lnz, plan=plan)), jnp.concatenate([betas + h, betas - h]))
    upper, lower = jnp.split(slopes, 2)
    return betas * betas * (upper - lower) / (2 * h)


def second(beta: Array, *, plan: Plan = DEFAULT) -> Array:
    """c = β² ∂²(lnZ/N)/∂β² by forward mode over reverse mode."""
    slope = jax.grad(partial(lnz, plan=plan))
    return beta * beta * jax.jvp(slope, (beta,), (jnp.ones_like(beta),))[1]


def seconds(betas: Array) -> Array:
    """`second` at every β of a vector."""
    return jax.lax.map(second, betas)


@cache
def value_and_gradient(plan: Plan = DEFAULT, layout: str = "F") -> Compiled:
    """The compiled β ↦ (lnZ/N, its derivative)."""
    return jax.jit(jax.value_and_grad(partial(lnz, plan=plan, layout=layout)))


@cache
def curvature(plan: Plan = DEFAULT) -> Compiled:
    """The compiled β ↦ c by jvp(grad)."""
    return jax.jit(partial(second, plan=plan))


@cache
def spectra(plan: Plan = DEFAULT) -> Compiled:
    """The compiled β ↦ (lnZ/N, the singular values of every step)."""
    return jax.jit(partial(program, plan=plan))


def built_in_gradient(steps: int, beta: float) -> float:
    """The derivative after so many steps by JAX's own SVD rule, NaN where that has none."""
    plan = Plan(steps=steps)
    return float(_built_in(plan)(beta))


@cache
def _built_in(plan: Plan) -> Compiled:
    return jax.jit(jax.grad(partial(lnz, plan=plan, svd=plain_svd)))
