"""Faults inside derivative rules and the einsum: each an edited line that asks whether its fault is on."""

from __future__ import annotations

from collections.abc import Iterator

from rust_harness.plants.edits import Edit, switch

CORE = ("tenferro-ad", "src/semantic_transform.rs")
REDUCTIONS = ("tenferro-ad", "src/semantic_transform/core_reductions.rs")
INDEXING = ("tenferro-ad", "src/semantic_transform/core_indexing.rs")
LINALG = ("tenferro-linalg", "src/ad/rules/mod.rs")
EINSUM = ("tenferro-einsum", "src/extension.rs")


def rules() -> tuple[Edit, ...]:
    """All edited rules."""
    return (*_core(), *_reductions(), *_linalg(), *_einsum())


def _swapped(where: tuple[str, str], name: str, line: str, right: str, faulty: str) -> Edit:
    """In `line`, the expression `right` becomes `faulty` while the fault is on."""
    return Edit(*where, line, line.replace(right, f"({switch(name, faulty, right)})"))


def _core() -> Iterator[Edit]:
    add = "builder.add_op(CoreSemanticOp::"
    tanh = f"{add}Mul, &[tanh, tanh])?[0]"
    yield _swapped(CORE, "jvp-tanh", tanh, tanh, "tanh")
    saved = f"{add}Mul, &[y, y])?[0]"
    yield _swapped(CORE, "vjp-tanh", saved, saved, "y")
    sqrt = f"{add}Add, &[sqrt, sqrt])?[0]"
    yield _swapped(CORE, "derivative-sqrt", sqrt, sqrt, "sqrt")
    cos = f"{add}Neg, &[sin])?[0]"
    yield _swapped(CORE, "derivative-cos", cos, cos, "sin")
    log1p = f"{add}Add, &[primal_input, one])?[0]"
    yield _swapped(CORE, "derivative-log1p", log1p, log1p, "primal_input")
    erf = "std::f64::consts::FRAC_2_SQRT_PI"
    yield _swapped(CORE, "derivative-erf", erf, erf, f"{erf} * (1.0 + 1e-12)")
    div = "let rhs = unary_ad_value(builder, CoreSemanticOp::Neg, rhs)?;"
    yield _swapped(CORE, "vjp-div", div, "unary_ad_value(builder, CoreSemanticOp::Neg, rhs)?", "rhs")
    divided = f"{add}Mul, &[primal_inputs[1], primal_inputs[1]])?[0]"
    yield _swapped(CORE, "jvp-div", divided, divided, "primal_inputs[1]")
    yield Edit(*CORE, MUL, MUL.replace(CONJ, switch("vjp-mul-conjugate", "primal_inputs[1]", CONJ)))
    yield Edit(*CORE, DOT, DOT.replace(CONJ, switch("vjp-dot-conjugate", "primal_inputs[1]", CONJ)))
    tie = f"{add}Select, &[other_eq_output, half, selected])?[0]"
    yield _swapped(CORE, "derivative-tie", tie, tie, "selected")


CONJ = "conjugate_if_complex(builder, primal_inputs[1])?"
MUL = f"""let rhs_coefficient = {CONJ};
            let lhs_coefficient ="""
DOT = f"""let rhs = {CONJ};
        let (transpose_config, perm) ="""


def _reductions() -> Iterator[Edit]:
    jvp = "&[input, tangent])?[0];\n    let doubled = builder.add_op(CoreSemanticOp::Add, &[product, product])?[0];"
    yield _swapped(REDUCTIONS, "jvp-sum-squares", jvp, jvp.partition("doubled = ")[2][:-1], "product")
    prod = "let coefficient = conjugate_if_complex(builder, coefficient)?;"
    yield _swapped(REDUCTIONS, "vjp-prod-conjugate", prod, "conjugate_if_complex(builder, coefficient)?", "coefficient")
    update = "&[zero_operand, cotangent, primal_inputs[1]],"
    yield _swapped(INDEXING, "vjp-dynamic-slice", update, "cotangent", "zero_operand")


def _linalg() -> Iterator[Edit]:
    gauge = "let anti_hermitian = linear_sub(builder, ds_mat, ds_h);"
    yield _swapped(LINALG, "jvp-svd-gauge", gauge, "linear_sub(builder, ds_mat, ds_h)", "ds_mat")
    wide = "let proj = linear_sub(builder, d_av, u_ut_d_av);"
    yield _swapped(LINALG, "jvp-svd-tall", wide, "linear_sub(builder, d_av, u_ut_d_av)", "d_av")
    half = '0.5,\n        vector_shape(n.clone(), batch_shape),\n        dtype,\n        "linearize_cholesky",'
    yield _swapped(LINALG, "jvp-cholesky", half, "0.5", "0.5 + 1e-13")
    eigh = "let diff = fixed_sub(builder, ValueRef::Local(w_row), ValueRef::Local(w_col));"
    reversed_ = "fixed_sub(builder, ValueRef::Local(w_col), ValueRef::Local(w_row))"
    yield _swapped(LINALG, "jvp-eigh", eigh, eigh.partition(" = ")[2][:-1], reversed_)


def _einsum() -> Iterator[Edit]:
    right = """semantic_conjugate_if_complex(
                builder,
                primal_inputs[input_idx],
            )?"""
    conj = f"vjp_inputs.push({right});"
    yield _swapped(EINSUM, "vjp-einsum-conjugate", conj, right, "primal_inputs[input_idx]")
    diagonal = "builder.add_op(CoreSemanticOp::EmbedDiag { axis_a, axis_b }, &[extracted])?[0]"
    yield _swapped(EINSUM, "vjp-einsum-repeated", diagonal, diagonal, "result")
    terms = "builder.add_op(CoreSemanticOp::Add, &[sum, term])?[0]"
    yield _swapped(EINSUM, "vjp-einsum-repeated-operand", terms, terms, "term")
