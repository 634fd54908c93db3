"""The faults: what is wrong, how wrong, and in which families a case must show it."""

from __future__ import annotations

from dataclasses import dataclass

from references import FAMILIES


@dataclass(frozen=True)
class Fault:
    """A fault and the value of TENFERRO_PLANT that switches it on.

    kind: what sort of fault it is. families: where it is looked for first; everywhere, where those do not show it.
    """

    name: str
    kind: str
    switch: str
    families: tuple[str, ...] = ()

    @property
    def waits(self) -> bool:
        """Whether no family asks of such operations yet: then there is nothing that could show the fault."""
        return bool(self.families) and not set(self.families) & set(FAMILIES)


def _site(name: str, kind: str, switch: str, *families: str) -> Fault:
    return Fault(name, kind, switch, families)


def _rule(name: str, *families: str) -> Fault:
    return Fault(name, "derivative rule", name, families)


FAULTS = (
    _site("exp off by a thousandth", "wholesale", "exp_read scale 1e-3", "elementwise"),
    _site("sin off by 1e-6", "kernel", "sin_read scale 1e-6", "elementwise"),
    _site("log off by 1e-10", "kernel", "log_read scale 1e-10", "elementwise"),
    _site("cos off by 1e-12", "kernel", "cos_read scale 1e-12", "elementwise"),
    _site("tanh off by 1e-14", "kernel", "tanh_read scale 1e-14", "elementwise"),
    _site("sqrt off by one ulp in its last element", "kernel", "sqrt_read ulp", "elementwise"),
    _site("expm1 in single precision", "kernel", "expm1_read single", "elementwise"),
    _site("erf off by 1e-13", "kernel", "erf_read scale 1e-13", "elementwise"),
    _site("pow in single precision", "kernel", "pow_read single", "elementwise"),
    _site("division's last element off by 1e-9", "kernel", "div_read last 1e-9", "elementwise"),
    _site("abs loses the sign of its last element", "kernel", "abs_read sign", "elementwise"),
    _site("negation loses the zero's sign", "kernel", "neg_read plus", "elementwise"),
    _site("maximum gives a number for NaN", "kernel", "maximum_read number", "elementwise", "comparison"),
    _site("select swaps its ends", "kernel", "select_read swap", "comparison"),
    _site("comparison swaps its ends", "kernel", "compare_read swap", "comparison"),
    _site("clamp shifted by 1e-12", "kernel", "clamp_read shift 1e-12", "elementwise"),
    _site("activations off by 1e-12", "kernel", "activation scale 1e-12", "activation"),
    _site("softmax's last element off by 1e-11", "kernel", "softmax last 1e-11", "activation"),
    _site("sum of two off by 1e-13", "kernel", "add_read scale 1e-13", "elementwise"),
    _site("complex multiplication off by 1e-13", "kernel", "mul_read scale 1e-13 complex", "complex", "elementwise"),
    _site("single-precision product off by 1e-5", "kernel", "mul_read scale 1e-5 single", "elementwise"),
    _site("sum's last element off by 1e-12", "reduction", "reduce_sum last 1e-12", "reduction", "transforms"),
    _site("sum of squares off by 1e-10", "reduction", "reduce_sum_squares scale 1e-10", "reduction"),
    _site("product off by 1e-13", "reduction", "reduce_prod scale 1e-13", "reduction"),
    _site("maximum's last element loses its sign", "reduction", "reduce_max sign", "reduction"),
    _site("minimum off by 1e-15", "reduction", "reduce_min scale 1e-15", "reduction"),
    _site("gather swaps its ends", "indexing", "gather swap", "indexing"),
    _site("scatter loses its last element", "indexing", "scatter zero", "indexing"),
    _site("dynamic update's last element off by 1e-8", "indexing", "dynamic_update_slice last 1e-8", "indexing"),
    _site("transposition swaps its ends", "layout", "transpose swap", "layout"),
    _site("contraction off by 1e-14", "contraction", "dot scale 1e-14", "contraction"),
    _site("contraction's last element off by 1e-9", "contraction", "dot last 1e-9", "contraction"),
    _site("large contraction off by 1e-12", "contraction", "dot scale 1e-12 big", "widths"),
    _site("complex contraction's last part loses its sign", "contraction", "dot sign 0 complex", "contraction"),
    _site("einsum off by 1e-13", "einsum", "einsum scale 1e-13", "einsum", "trg"),
    _site("einsum's last element is lost", "einsum", "einsum zero", "einsum", "trg"),
    _site("singular values off by 1e-13", "svd", "svd.1 scale 1e-13", "linalg", "trg"),
    _site("a left vector's last element loses its sign", "svd", "svd.0 sign", "linalg", "trg"),
    _site("right vectors off by 1e-9", "svd", "svd.2 scale 1e-9", "linalg", "trg"),
    _site("svdvals' smallest off by 1e-10", "svd", "svd_values last 1e-10", "linalg", "threads"),
    _site("Q's last element off by 1e-8", "linalg", "qr.0 last 1e-8", "linalg"),
    _site("eigenvalues off by 1e-12", "linalg", "eigh.0 scale 1e-12", "linalg"),
    _site("Cholesky factor's last element off by 1e-11", "linalg", "cholesky last 1e-11", "linalg"),
    _site("solution off by 1e-11", "linalg", "solve scale 1e-11", "linalg"),
    _site("two threads: product's last element off by 1e-13", "width", "mul_read last 1e-13 wide", "widths"),
    _site("two threads: contraction off by one ulp", "width", "dot ulp 0 wide", "widths"),
    _site("two threads: sum off by 1e-15", "width", "reduce_sum scale 1e-15 wide", "widths"),
    _site("traced sine off by one ulp", "surface", "traced-Sin ulp", "elementwise"),
    _site("traced sum off by 1e-13", "surface", "traced-ReduceSum scale 1e-13", "reduction"),
    _site("eager product's last element off by one ulp", "surface", "eager-Mul ulp", "elementwise"),
    _site("eager tanh off by 1e-12", "surface", "eager-Tanh scale 1e-12", "elementwise"),
    _site("concrete sine off by 1e-14", "surface", "concrete-sin scale 1e-14", "elementwise"),
    _site("concrete log1p in single precision", "surface", "concrete-log1p single", "elementwise"),
    _site(
        "prepared program: second run's sine off by 1e-12", "second call", "sin_read scale 1e-12 again", "elementwise"
    ),
    _site("prepared program: second run's product loses a sign", "second call", "mul_read sign 0 again", "transforms"),
    _rule("jvp-tanh", "elementwise"),
    _rule("vjp-tanh", "elementwise"),
    _rule("derivative-sqrt", "elementwise"),
    _rule("derivative-cos", "elementwise"),
    _rule("derivative-log1p", "elementwise"),
    _rule("derivative-erf", "elementwise"),
    _rule("vjp-div", "elementwise"),
    _rule("jvp-div", "elementwise"),
    _rule("vjp-mul-conjugate", "complex", "elementwise"),
    _rule("vjp-dot-conjugate", "contraction"),
    _rule("derivative-tie", "comparison", "elementwise"),
    _rule("jvp-sum-squares", "reduction"),
    _rule("vjp-prod-conjugate", "reduction"),
    _rule("vjp-dynamic-slice", "indexing"),
    _rule("jvp-svd-gauge", "linalg", "trg"),
    _rule("jvp-svd-tall", "linalg"),
    _rule("jvp-cholesky", "linalg"),
    _rule("jvp-eigh", "linalg"),
    _rule("vjp-einsum-conjugate", "einsum"),
    _rule("vjp-einsum-repeated", "einsum", "trg"),
    _rule("vjp-einsum-repeated-operand", "einsum"),
)

SWEEP_SITES = (
    "exp_read", "log_read", "sin_read", "cos_read", "tanh_read", "sqrt_read", "rsqrt_read", "expm1_read", "log1p_read",
    "erf_read", "pow_read", "add_read", "sub_read", "mul_read", "div_read", "neg_read", "abs_read", "activation",
    "softmax", "reduce_sum", "reduce_sum_squares", "reduce_prod", "reduce_max", "reduce_min", "gather", "scatter",
    "transpose", "dot", "einsum", "svd.1", "svd_values", "eigh.0", "cholesky", "qr.1", "solve",
)  # fmt: skip
"""Where a relative perturbation of every element is tried, size by size."""

SWEEP_SIZES = tuple(float(f"{m}e{e}") for e in range(-16, -3) for m in (1, 3))
