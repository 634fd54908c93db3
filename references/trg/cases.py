"""The cases of the TRG: values and derivatives, c by difference, the variants, the scan, χ = 24, and what must fail."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from references.case import Case, Staged
from references.inputs import fixed
from references.lazy import Lazy

from . import programs, published
from .differences import BETAS_OF_SCAN
from .plan import BETAS, DEFAULT, Plan

jax = Lazy("references.trg.steps_jax")
torch = Lazy("references.trg.steps_torch")

VALUE_AND_GRADIENT = ("value", "grad")
VARIANT_BETA = 0.44
CHI_24 = Plan(chi=24)


def jax_lnz(beta: Any, **options: Any) -> Any:
    """lnZ/N by JAX."""
    return jax.lnz(beta, **options)


def torch_lnz(beta: Any) -> Any:
    """lnZ/N by PyTorch."""
    return torch.lnz(beta)


def jax_differences(betas: Any, *, h: float, plan: Plan = DEFAULT) -> Any:
    """c at every β by central difference, by JAX."""
    return jax.differences(betas, h=h, plan=plan)


def jax_seconds(betas: Any) -> Any:
    """c at every β by jvp(grad), by JAX."""
    return jax.seconds(betas)


def allowance(h: float) -> Any:
    """β²/h, the unit a difference of derivatives is judged in."""
    return lambda betas: (np.asarray(betas) ** 2 / h,)


def beta_case(beta: float, *, slow: bool) -> Case:
    """lnZ/N and its derivative at one β: narrow widths every day, width 8 (and PyTorch at every β) where asked for."""
    figures = published.references(beta)
    keys = ("jax", "w8") if slow else ("jax", "w1")
    return Case(
        id=f"trg/beta-{beta:.2f}{'-wide' if slow else ''}",
        why="Twenty steps of SVD and contraction pass every rounding and every derivative on to the next.",
        inputs={"beta": fixed(beta)},
        jax=jax_lnz,
        torch=torch_lnz if slow or beta == VARIANT_BETA else None,
        tenferro=Staged(programs.eager),
        surfaces=("eager",),
        transforms=VALUE_AND_GRADIENT,
        widths=(1, 8) if slow else (1, 2),
        published={key: figures[key] for key in keys},
        slow=slow,
    )


def variant(name: str, why: str, program: Any, *, surface: str = "eager", **options: Any) -> Case:
    """lnZ/N and its derivative at β = 0.44 by another way to the same numbers."""
    return Case(
        **{
            "id": f"trg/{name}-{VARIANT_BETA}",
            "why": why,
            "inputs": {"beta": fixed(VARIANT_BETA)},
            "jax": jax_lnz,
            "tenferro": Staged(program),
            "surfaces": (surface,),
            "transforms": VALUE_AND_GRADIENT,
            "published": {"jax": published.references(VARIANT_BETA)["jax"]},
            **options,
        }
    )


VARIANTS = (
    variant("proxy", "One backward of a scalar proxy a step gives what two VJPs give.", programs.proxy),
    variant("chain", "The contraction as a chain of pairs rounds differently and means the same.", programs.chain),
    variant(
        "traced",
        "One prepared program a shape, reused over the steps, computes what the eager steps compute.",
        programs.traced,
        surface="traced",
        widths=(1, 2),
    ),
    variant(
        "traced-wide",
        "Threads move last bits of the prepared programs no further than those of the eager steps.",
        programs.traced,
        surface="traced",
        widths=(1, 8),
        slow=True,
    ),
    variant(
        "whole-graph",
        "All steps in one traced graph, derived as a program: what grad on the traced tensor cannot do in time.",
        programs.whole,
        surface="traced",
    ),
    variant(
        "row-major",
        "JAX without column-major matricisation has other signs in its SVD and the same result.",
        programs.eager,
        jax=partial(jax_lnz, layout="C"),
    ),
    variant("rust", "The whole program in Rust, without Python between its operations.", programs.rust),
)


def difference_case(name: str, betas: Sequence[float], *, h: float, slow: bool = False, **options: Any) -> Case:
    """c at several β by central difference of the derivative, the same difference on each side."""
    return Case(
        **{
            "id": f"trg/{name}",
            "why": "The difference of two derivatives divided by a small h shows what a tolerance of each would hide.",
            "inputs": {"beta": fixed(np.array(betas))},
            "jax": partial(jax_differences, h=h),
            "tenferro": Staged(partial(programs.differences, h=h)),
            "surfaces": ("eager",),
            "transforms": ("value",),
            "category": "trg.c",
            "scale": allowance(h),
            "slow": slow,
            **options,
        }
    )


SECOND_WHY = "A third way to c, forward mode over reverse mode, has no step size that could hide a crossing."
DIFFERENCES = (
    difference_case("c-1e-5", BETAS, h=1e-5, published=published.specific_heats(("jax", "w1"))),
    difference_case("c-1e-6-0.44", (VARIANT_BETA,), h=1e-6, published=published.beside_the_crossing()),
    difference_case(
        "c-1e-5-wide", BETAS, h=1e-5, slow=True, widths=(1, 2, 8), published=published.specific_heats(("jax", "w8"))
    ),
    difference_case("c-1e-6", BETAS, h=1e-6, slow=True, published=published.second_derivatives()),
    difference_case("c-second", BETAS, h=1e-6, slow=True, jax=jax_seconds, why=SECOND_WHY),
    difference_case("scan", BETAS_OF_SCAN, h=1e-6, slow=True, published=published.scan()),
)


CHI_24_CASES = (
    variant(
        "chi-24",
        "A larger truncation has other shapes and, at β = 0.44, no crossing nearby.",
        partial(programs.eager, plan=CHI_24),
        jax=partial(jax_lnz, plan=CHI_24),
        published=published.chi_24(),
        slow=True,
    ),
    difference_case(
        "chi-24-c-0.44",
        (VARIANT_BETA,),
        h=1e-6,
        slow=True,
        jax=partial(jax_differences, h=1e-6, plan=CHI_24),
        tenferro=Staged(partial(programs.differences, h=1e-6, plan=CHI_24)),
    ),
)


def holds(name: str, why: str, count: int, program: Any, **options: Any) -> Case:
    """A statement about tenferro alone: each of `count` numbers is exactly 0 where it holds."""
    return Case(
        **{
            "id": f"trg/{name}",
            "why": why,
            "inputs": {"beta": fixed(np.array(BETAS))},
            "numpy": lambda betas: (np.zeros((len(betas), count)),),
            "tenferro": Staged(program),
            "surfaces": ("eager",),
            "transforms": ("value",),
            "category": "exact",
            **options,
        }
    )


STATEMENTS = (
    holds(
        "rust-is-eager",
        "Over the binding and whole in Rust the numbers are bit for bit the same, so the binding adds nothing.",
        2,
        programs.rust_minus_eager,
        inputs={"beta": fixed(np.array([0.4, VARIANT_BETA]))},
    ),
    holds(
        "nan-where-kept-zero",
        "Without the structural rank the derivative is NaN exactly when a kept singular value is exactly 0.",
        programs.UNRESTRICTED_STEPS,
        programs.nan_without_kept_zero,
    ),
)

CASES = (
    *(beta_case(beta, slow=False) for beta in BETAS),
    *(beta_case(beta, slow=True) for beta in BETAS),
    *DIFFERENCES,
    *VARIANTS,
    *CHI_24_CASES,
    *STATEMENTS,
)
