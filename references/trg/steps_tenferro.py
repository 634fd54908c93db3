"""The TRG in tenferro: one step over the harness's tensors, the same function on the eager and the traced surface."""

from collections.abc import Callable, Sequence
from typing import Any

from references.lazy import th

Tensor = Any
Contraction = Callable[[Tensor, Tensor, Tensor, Tensor], Tensor]


def four_operands(s1: Tensor, s2: Tensor, s3: Tensor, s4: Tensor) -> Tensor:
    """T' as one einsum; tenferro's planner takes (S1·S2)(S3·S4)."""
    return th.einsum("war,abu,bgl,gwd->ruld", s1, s2, s3, s4)


def chain(s1: Tensor, s2: Tensor, s3: Tensor, s4: Tensor) -> Tensor:
    """T' as the chain ((S1·S2)·S3)·S4 of pairs."""
    pair = th.einsum("war,abu->wrbu", s1, s2)
    return th.einsum("wrugl,gwd->ruld", th.einsum("wrbu,bgl->wrugl", pair, s3), s4)


def initial(beta: Tensor) -> Tensor:
    """T[u,l,d,r] of one site, (2, 2, 2, 2); cosh and sinh by exponentials, as tenferro has neither."""
    grow, shrink = beta.exp(), (-beta).exp()
    cosh, sinh = ((grow + shrink) / 2.0).sqrt(), ((grow - shrink) / 2.0).sqrt()
    q = th.stack([th.stack([cosh, sinh], 0), th.stack([cosh, -sinh], 0)], 0)
    return th.einsum("su,sl,sd,sr->uldr", q, q, q, q)


def decompose(matrix: Tensor, *, concrete: bool = True) -> tuple[Tensor, Tensor, Tensor]:
    """U, s, Vᵀ. Their extents are min(m, m) until a reshape says m; slices of them have no derivative before."""
    u, s, vt = matrix.svd()
    if not concrete:
        return u, s, vt
    m = matrix.shape[0]
    return u.reshape([m, m]), s.reshape([m]), vt.reshape([m, m])


def normalise(t: Tensor) -> tuple[Tensor, Tensor]:
    """T/‖T‖ and ‖T‖ = √Σ T²."""
    norm = (t * t).reduce_sum(None).sqrt()
    return t / norm.broadcast_in_dim(list(t.shape), []), norm


def matricise(t: Tensor, order: Sequence[int]) -> Tensor:
    """T as a D² × D² matrix, in tenferro's column-major order."""
    d = t.shape[0]
    return t.transpose(list(order)).reshape([d * d, d * d])


def halves(t: Tensor, order: Sequence[int], *, k: int, concrete: bool = True) -> tuple[Tensor, Tensor]:
    """The two (D, D, k) halves of T, cut along one diagonal."""
    d = t.shape[0]
    u, s, vt = decompose(matricise(t, order), concrete=concrete)
    root = s.slice([0], [k]).sqrt().broadcast_in_dim([d * d, k], [1])
    left = u.slice([0, 0], [d * d, k]) * root
    right = vt.slice([0, 0], [k, d * d]).transpose([1, 0]) * root
    return left.reshape([d, d, k]), right.reshape([d, d, k])


def step(t: Tensor, *, k: int, contract: Contraction = four_operands, concrete: bool = True) -> tuple[Tensor, Tensor]:
    """(T', ln‖T‖): one coarse-graining step of T, (D, D, D, D), to (k, k, k, k)."""
    t, norm = normalise(t)
    s1, s3 = halves(t, (2, 1, 0, 3), k=k, concrete=concrete)
    s2, s4 = halves(t, (3, 2, 1, 0), k=k, concrete=concrete)
    return contract(s1, s2, s3, s4), norm.log()


def log_trace(t: Tensor) -> Tensor:
    """ln Σ_xy T[x,y,x,y]: the last tensor closed on itself."""
    return th.einsum("xyxy->", t).log()
