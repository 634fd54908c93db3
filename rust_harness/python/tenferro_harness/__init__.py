"""tenferro from Python: three surfaces with tenferro's own method names, as thin as can be."""

from tenferro_harness._native import (
    Concrete,
    Eager,
    Engine,
    Failed,
    NoGrad,
    Panicked,
    Program,
    Runtime,
    SymDim,
    TenferroError,
    Traced,
    Unsupported,
    build_info,
    concatenate,
    einsum,
    fault,
    gradient_pair,
    operations,
    stack,
    trg,
    where_select,
)
from tenferro_harness.asked import Asked

Tensor = Traced | Eager | Concrete

__all__ = [
    "Asked",
    "Concrete",
    "Eager",
    "Engine",
    "Failed",
    "NoGrad",
    "Panicked",
    "Program",
    "Runtime",
    "SymDim",
    "TenferroError",
    "Tensor",
    "Traced",
    "Unsupported",
    "build_info",
    "concatenate",
    "einsum",
    "fault",
    "gradient_pair",
    "operations",
    "stack",
    "trg",
    "where_select",
]
