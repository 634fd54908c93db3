"""Softmax and normalisations, as their formulas."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from references.arbiter import kernels
from references.arbiter.core import RefusedError
from references.arbiter.graph import Constant, Each
from references.arbiter.jet import value
from references.arbiter.reduction import Reduction
from references.arbiter.special import NAN, NINF, PZERO, Convention, Undecided, exactly_zero

EMPTY = "softmax of a slice that is all -inf"


class Activation(Reduction):
    """Softmax and normalisations along one axis."""

    def _along(self, axis: int, reduced: Self) -> Self:
        """A reduction over `axis`, spread over it again."""
        kept = [i for i in range(self.ndim) if i != axis]
        return reduced.broadcast_in_dim(self.shape, kept)

    def _require_axis(self, axis: int) -> None:
        if not 0 <= axis < self.ndim or self.dtype not in ("f32", "f64"):
            raise RefusedError(f"axis {axis} of {self!r}")

    def softmax(self, axis: int) -> Self:
        """exp(x)/Σ exp(x)."""
        self._require_axis(axis)
        grown = self._shifted(axis).exp()
        return self._paired(grown, self._along(axis, grown.reduce_sum([axis])), _share)

    def log_softmax(self, axis: int) -> Self:
        """x − log Σ exp(x)."""
        self._require_axis(axis)
        moved = self._shifted(axis)
        return self._paired(moved, self._along(axis, moved.exp().reduce_sum([axis])), _log_share)

    def _shifted(self, axis: int) -> Self:
        """x − max x, which softmax does not tell from x: exp stays within the exponents the arbiter follows."""
        if not self.shape[axis]:
            return self
        peak = self.reduce_max([axis])
        return self.sub(self._along(axis, self._of(Constant(peak.shape, peak.dtype, _anchor, peak.node))))

    def _paired(self, first: Self, second: Self, jets: Any) -> Self:
        args = (first.node, second.node)
        return self._of(Each(self.shape, self.dtype, jets, args, jets, True))

    def masked_softmax(self, mask: Any, axis: int) -> Self:
        """Softmax over the entries where `mask` holds; 0 elsewhere."""
        return self._masked(mask, PZERO, axis, _share_of_masked)

    def masked_log_softmax(self, mask: Any, axis: int) -> Self:
        """Log-softmax over the entries where `mask` holds; −inf elsewhere."""
        return self._masked(mask, NINF, axis, _log_share_of_masked)

    def _masked(self, mask: Any, outside: Any, axis: int, share: Any) -> Self:
        self._require_axis(axis)
        held = self._of(self._lift(mask)).broadcast_to(self.shape)
        moved = held.where_select(self, self._of(_filled(self, NINF)))._shifted(axis)
        grown = moved.exp()
        shared = grown if outside is PZERO else moved
        inside = self._paired(shared, self._along(axis, grown.reduce_sum([axis])), share)
        return held.where_select(inside, self._of(_filled(self, outside)))

    def broadcast_to(self, shape: tuple[int, ...]) -> Self:
        """Repeated to a shape, as NumPy aligns axes."""
        return self._moved(lambda grid: np.broadcast_to(grid, shape))

    def _affine(self, axis: int, weight: Any, bias: Any) -> Self:
        found = self
        if weight is not None:
            found = found.mul(self._of(self._lift(weight)).broadcast_in_dim(self.shape, [axis]))
        if bias is not None:
            found = found.add(self._of(self._lift(bias)).broadcast_in_dim(self.shape, [axis]))
        return found

    def layer_norm(self, axis: int, weight: Any = None, bias: Any = None, eps: float = 1e-5) -> Self:
        """(x − mean)/√(variance + eps) · weight + bias; the variance is the biased one."""
        self._require_axis(axis)
        centred = self.sub(self._along(axis, self.reduce_mean([axis])))
        return centred._scaled(centred, axis, eps)._affine(axis, weight, bias)

    def rms_norm(self, axis: int, weight: Any = None, bias: Any = None, eps: float = 1e-5) -> Self:
        """x/√(mean x² + eps) · weight + bias."""
        self._require_axis(axis)
        return self._scaled(self, axis, eps)._affine(axis, weight, bias)

    def _scaled(self, measured: Self, axis: int, eps: float) -> Self:
        size = measured.mul(measured).reduce_mean([axis]).add(eps).rsqrt()
        return self.mul(self._along(axis, size))


def _anchor(peak: Any) -> Any:
    """The shift of a slice: of one that is all −inf none."""
    return PZERO if peak is NINF else peak


def _filled(like: Activation, scalar: Any) -> Any:
    return Each(like.shape, like.dtype, lambda _: scalar, (like._zero(),), exact=True)


def _share(x: Any, total: Any) -> Any:
    return _shared(x, total, {"0 (tenferro)": PZERO, "NaN (JAX, PyTorch)": NAN})


def _share_of_masked(x: Any, total: Any) -> Any:
    return PZERO if exactly_zero(value(total)) else _shared(x, total, {})


def _shared(x: Any, total: Any, conventions: dict[str, Any]) -> Any:
    whole = value(total)
    if exactly_zero(whole):
        return Convention(EMPTY, conventions)
    return kernels.arithmetic("div", pairs=False)[1](x, total)


def _log_share(x: Any, total: Any) -> Any:
    return _log_shared(x, total, Convention(EMPTY, {"-inf (tenferro)": NINF, "NaN (JAX, PyTorch)": NAN}))


def _log_share_of_masked(x: Any, total: Any) -> Any:
    return _log_shared(x, total, NINF)


def _log_shared(x: Any, total: Any, empty: Any) -> Any:
    whole = value(total)
    if isinstance(whole, Undecided):
        return whole
    if exactly_zero(whole):
        return empty
    logarithm = kernels.function("log", pairs=False)[1](total)
    return kernels.arithmetic("sub", pairs=False)[1](x, logarithm)
