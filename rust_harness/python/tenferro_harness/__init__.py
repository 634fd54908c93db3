"""tenferro from Python: three surfaces with tenferro's own method names, as thin as can be."""

from contextlib import suppress

from tenferro_harness._native import (
    CaptureTrace,
    Concrete,
    Eager,
    Engine,
    Failed,
    NoGrad,
    Panicked,
    Program,
    Runtime,
    TenferroError,
    Traced,
    Unsupported,
    build_info,
    fault,
    operations,
)
from tenferro_harness.asked import Asked

# A release in which a family does not compile is built without it: then its names are not here.
with suppress(ImportError):
    from tenferro_harness._native import where_select
with suppress(ImportError):
    from tenferro_harness._native import concatenate, stack
with suppress(ImportError):
    from tenferro_harness._native import SymDim
with suppress(ImportError):
    from tenferro_harness._native import einsum, einsum_notation, einsum_subscripts, einsum_with
with suppress(ImportError):
    from tenferro_harness._native import gradient_pair
with suppress(ImportError):
    from tenferro_harness._native import trg

Tensor = Traced | Eager | Concrete

__all__ = [
    "Asked",
    "CaptureTrace",
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
    "einsum_notation",
    "einsum_subscripts",
    "einsum_with",
    "fault",
    "gradient_pair",
    "operations",
    "stack",
    "trg",
    "where_select",
]
