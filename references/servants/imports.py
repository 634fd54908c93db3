"""What the forkserver imports once, so that a new servant has it: the libraries, all cases, and no backend.

A fork keeps one thread: nothing imported here may start another. NumPy's and SciPy's OpenBLAS does, unless told
before its import to use one.
"""

import atexit
import contextlib
import gc
import importlib
import os

MODULES = (
    "numpy",
    "scipy.fft",
    "scipy.linalg",
    "scipy.special",
    "jax",
    "jax.numpy",
    "jax.scipy.linalg",
    "jax.scipy.special",
    "torch",
    "tenferro_harness",
    "references",
    "references.run",
    "references.servants.servant",
)


def import_all() -> None:
    """Import what can be imported; the garbage collector leaves it alone, so that servants share its pages."""
    os.environ["OPENBLAS_NUM_THREADS"] = "1"
    os.environ.setdefault("JAX_PLATFORMS", "cpu")
    for module in MODULES:
        # What cannot be imported fails again in the answer that needs it, which can name it; here nothing can.
        with contextlib.suppress(Exception):
            importlib.import_module(module)
    with contextlib.suppress(Exception):
        importlib.import_module("references").cases()
    gc.collect()
    gc.freeze()
    atexit.register(
        os._exit, 0
    )  # taking the libraries down in order takes seconds, which whoever reads its output waits


import_all()
