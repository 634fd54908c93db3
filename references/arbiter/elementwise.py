"""Element-wise operations, comparison and selection, with the operators."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

import numpy as np

from references.arbiter import cplx, kernels, real, whole
from references.arbiter.core import Core, RefusedError, changed, constant, promoted, together
from references.arbiter.graph import COMPLEX, FLOATING, Each, Node, Ordered, Select
from references.arbiter.special import Undecided
from references.dtypes import NAMES, NUMPY

LACKING = Undecided("an operation it lacks: the derivative of rem")


def dtype_name(to: Any) -> str:
    """The short name of a dtype given as tenferro's harness takes it."""
    return to if to in NUMPY else NAMES[np.dtype(to)]


def _reflected(name: str) -> Callable[[Any, Any], Any]:
    """other ∘ self for an operator whose left operand is a NumPy array or a number."""

    def operator(self: Elementwise, other: Any) -> Any:
        return getattr(self._of(self._lift(other)), name)(self)

    return operator


class Elementwise(Core):
    """One result for each element."""

    def _pair(self, other: Any) -> tuple[list[Node], str]:
        right = self._lift(other)
        dtype = promoted(self.dtype, right.dtype)
        return together(changed(self.node, dtype), changed(right, dtype)), dtype

    def _arithmetic(self, name: str, other: Any) -> Self:
        args, dtype = self._pair(other)
        if dtype == "bool":
            raise RefusedError(f"{name} of bools")
        if dtype in whole.WIDTH:
            plain = whole.operation(name, dtype)
            return self._of(Each(args[0].shape, dtype, plain, tuple(args), exact=True))
        plain, jets = kernels.arithmetic(name, pairs=dtype in COMPLEX)
        if name in ("add", "sub") and all(arg.stored for arg in args):
            plain = kernels.of_stored(plain)
        return self._of(Each(args[0].shape, dtype, plain, tuple(args), jets, True))

    def add(self, other: Any) -> Self:
        """x + y; integers wrap."""
        return self._arithmetic("add", other)

    def sub(self, other: Any) -> Self:
        """x − y."""
        return self._arithmetic("sub", other)

    def mul(self, other: Any) -> Self:
        """x · y."""
        return self._arithmetic("mul", other)

    def div(self, other: Any) -> Self:
        """x / y; integers truncate."""
        return self._arithmetic("div", other)

    def pow(self, other: Any) -> Self:
        """x to the power y."""
        return self._arithmetic("pow", other)

    def rem(self, other: Any) -> Self:
        """The remainder with the sign of the dividend (C's fmod)."""
        args, dtype = self._pair(other)
        _require_order(dtype)
        if dtype in whole.WIDTH:
            return self._of(Each(args[0].shape, dtype, whole.operation("rem", dtype), tuple(args), exact=True))
        plain = real.remainder if all(arg.stored for arg in args) else _branching
        return self._of(Each(args[0].shape, dtype, plain, tuple(args), lambda _x, _y: LACKING, True, exact=True))

    def _extreme(self, name: str, other: Any) -> Self:
        args, dtype = self._pair(other)
        _require_order(dtype)
        if dtype in whole.WIDTH:
            return self._of(Each(args[0].shape, dtype, whole.operation(name, dtype), tuple(args), exact=True))
        larger = name == "maximum"
        branch, plain = (kernels.maximum, real.larger) if larger else (kernels.minimum, real.smaller)
        return self._of(Ordered(args[0].shape, dtype, branch, tuple(args), None, True, plain=plain, exact=True))

    def maximum(self, other: Any) -> Self:
        """The larger; NaN passes."""
        return self._extreme("maximum", other)

    def minimum(self, other: Any) -> Self:
        """The smaller; NaN passes."""
        return self._extreme("minimum", other)

    def clamp(self, lower: Any, upper: Any) -> Self:
        """min(upper, max(lower, x))."""
        return self.maximum(lower).minimum(upper)

    def neg(self) -> Self:
        """−x."""
        if self.dtype in whole.WIDTH:
            return self._each(whole.operation("neg", self.dtype), None, exact=True)
        return self._each(kernels.negate, kernels.negate, exact=True)

    def abs(self) -> Self:
        """|x|; of a complex number a real one."""
        if self.dtype in whole.WIDTH:
            return self._each(whole.operation("abs", self.dtype), None, exact=True)
        if self.dtype in COMPLEX:
            part = {"c64": "f32", "c128": "f64"}[self.dtype]
            return self._each(kernels.pair_magnitude, kernels.pair_magnitude, dtype=part)
        args = (self.node, self._zero())
        plain = _magnitude
        return self._of(Ordered(self.shape, self.dtype, kernels.magnitude, args, None, True, plain=plain, exact=True))

    def sign(self) -> Self:
        """−1, +0 or 1; of a complex number z/|z|, and 0 at 0."""
        if self.dtype in whole.WIDTH:
            return self._each(whole.operation("sign", self.dtype), None, exact=True)
        if self.dtype in COMPLEX:
            return self._each(kernels.pair_direction, kernels.pair_direction)
        return self._of(
            Ordered(self.shape, self.dtype, kernels.signum, (self.node, self._zero()), always=True, exact=True)
        )

    def conj(self) -> Self:
        """The complex conjugate; floats stay."""
        return self._each(kernels.conjugate, kernels.conjugate, exact=True)

    def scale_real(self, factor: float) -> Self:
        """x · factor, the factor rounded to the dtype of x."""
        return self._of(self.node).mul(self._of(changed(constant(factor), _part(self.dtype))))._changed(self.dtype)

    def scale_complex(self, factor: complex) -> Self:
        """z · factor, the factor rounded to the dtype of z."""
        if self.dtype not in COMPLEX:
            raise RefusedError("scale_complex of reals")
        return self.mul(self._of(constant(factor, self.dtype)))

    def compare(self, other: Any, dir: str) -> Self:
        """eq, lt, le, gt or ge; with NaN false."""
        args, dtype = self._pair(other)
        if dtype in COMPLEX:
            if dir != "eq":
                _require_order(dtype)  # complex numbers are equal or not
            return self._of(Each(args[0].shape, "bool", _equal_pairs, tuple(args), exact=True))
        operation = kernels.comparison(dir)
        return self._of(Ordered(args[0].shape, "bool", operation, tuple(args), always=True, exact=True))

    def where_select(self, on_true: Any, on_false: Any) -> Self:
        """Elements of `on_true` where this bool tensor holds, else of `on_false`."""
        if self.dtype != "bool":
            raise RefusedError(f"a condition of dtype {self.dtype}")
        branches = [other.node if isinstance(other, Core) else constant(other) for other in (on_true, on_false)]
        dtype = promoted(branches[0].dtype, branches[1].dtype)
        condition, first, second = together(self.node, *(changed(node, dtype) for node in branches))
        return self._of(Select(condition.shape, dtype, condition, (first, second)))

    select = where_select

    def _function(self, name: str) -> Self:
        pairs = self.dtype in COMPLEX
        if self.dtype not in FLOATING or name not in (kernels.COMPLEX if pairs else kernels.REAL):
            raise RefusedError(f"{name} of {self.dtype}")
        return self._each(*kernels.function(name, pairs=pairs))

    def convert(self, to: Any) -> Self:
        """The values in a wider dtype."""
        return self._changed(dtype_name(to))

    cast = convert

    __add__, __radd__ = add, _reflected("add")
    __sub__, __rsub__ = sub, _reflected("sub")
    __mul__, __rmul__ = mul, _reflected("mul")
    __truediv__, __rtruediv__ = div, _reflected("div")
    __mod__, __rmod__ = rem, _reflected("rem")
    __pow__, __rpow__ = pow, _reflected("pow")
    __neg__, __abs__ = neg, abs


def _require_order(dtype: str) -> None:
    if dtype in COMPLEX or dtype == "bool":
        raise RefusedError(f"{dtype} has no order")


def _part(dtype: str) -> str:
    return {"c64": "f32", "c128": "f64"}.get(dtype, dtype)


def _magnitude(x: Any, _zero: Any) -> Any:
    return real.absolute(x)


def _branching(x: Any, y: Any) -> Any:
    return next((u for u in (x, y) if isinstance(u, Undecided)), kernels.BRANCH)


def _equal_pairs(z: Any, w: Any) -> Any:
    found = cplx.stuck(z, w)
    if found is not None:
        return found
    same = cplx.equal(z, w)
    return kernels.BRANCH if same is None else same


def _named(name: str) -> Any:
    def method(self: Elementwise) -> Any:
        return self._function(name)

    method.__name__ = name
    method.__doc__ = f"{name} of each element."
    return method


for _name in kernels.REAL:
    setattr(Elementwise, _name, _named(_name))
