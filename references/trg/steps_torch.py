"""The TRG in PyTorch: the same steps and the same SVD rule, in reverse mode."""

from typing import Any

import torch

from .plan import DEFAULT, Plan

EPSILON = 1e-12
"""What regularises 1/(s_j² − s_i²), as in tenferro's SVD rule."""

Tensor = Any


class Svd(torch.autograd.Function):  # type: ignore[misc]  # torch has no types that mypy reads here
    """U, s, Vᵀ of a real square matrix; backward is the transpose of the rule in `steps_jax`."""

    @staticmethod
    def forward(ctx: Any, a: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Decompose `a` and keep the factors."""
        u, s, vt = torch.linalg.svd(a, full_matrices=False)
        ctx.save_for_backward(u, s, vt)
        return u, s, vt

    @staticmethod
    def backward(ctx: Any, *cotangents: Tensor) -> Tensor:
        """Ā = U ((M + Mᵀ) S + S (N + Nᵀ) + diag s̄) Vᵀ with M = F ∘ UᵀŪ, N = F ∘ VᵀV̄."""
        (u, s, vt), (du, ds, dvt) = ctx.saved_tensors, cotangents
        f = _inverse_gaps(s)
        m, n = f * (u.T @ du), f * (vt @ dvt.T)
        inner = (m + m.T) * s[None, :] + s[:, None] * (n + n.T) + torch.diag(ds)
        return u @ inner @ vt


def _inverse_gaps(s: Tensor) -> Tensor:
    """F_ij = d/(d² + ε²) with d = (s_j − s_i)(s_j + s_i): exactly 0 on the diagonal."""
    gap = (s[None, :] - s[:, None]) * (s[None, :] + s[:, None])
    return gap / (gap * gap + EPSILON * EPSILON)


def reshape(x: Tensor, *shape: int) -> Tensor:
    """Reshape in column-major order."""
    turned = x.permute(*reversed(range(x.ndim))).reshape(tuple(reversed(shape)))
    return turned.permute(*reversed(range(len(shape))))


def initial(beta: Tensor) -> Tensor:
    """T[u,l,d,r] of one site: (2, 2, 2, 2)."""
    cosh, sinh = torch.cosh(beta).sqrt(), torch.sinh(beta).sqrt()
    q = torch.stack([torch.stack([cosh, sinh]), torch.stack([cosh, -sinh])])
    return torch.einsum("su,sl,sd,sr->uldr", q, q, q, q)


def halves(t: Tensor, order: tuple[int, ...], k: int) -> tuple[Tensor, Tensor]:
    """The two (D, D, k) halves of T, cut along one diagonal."""
    d = t.shape[0]
    u, s, vt = Svd.apply(reshape(t.permute(order), d * d, d * d))
    root = s[:k].sqrt()
    return reshape(u[:, :k] * root, d, d, k), reshape(vt[:k, :].T * root, d, d, k)


def step(t: Tensor, *, k: int) -> tuple[Tensor, Tensor]:
    """(T', ln‖T‖): one coarse-graining step."""
    norm = (t * t).sum().sqrt()
    t = t / norm
    (s1, s3), (s2, s4) = halves(t, (2, 1, 0, 3), k), halves(t, (3, 2, 1, 0), k)
    upper, lower = torch.einsum("war,abu->wrbu", s1, s2), torch.einsum("bgl,gwd->blwd", s3, s4)
    return torch.einsum("wrbu,blwd->ruld", upper, lower), norm.log()


def lnz(beta: Tensor, *, plan: Plan = DEFAULT) -> Tensor:
    """lnZ/N of the plan's lattice at inverse temperature β, both rank 0 and f64."""
    t, total = initial(beta), torch.zeros((), dtype=beta.dtype)
    for index, k in enumerate(plan.ranks):
        t, log_norm = step(t, k=k)
        total = total + plan.weight(index) * log_norm
    return (total + torch.einsum("xyxy->", t).log()) / plan.sites
