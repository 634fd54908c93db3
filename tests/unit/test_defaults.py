"""JAX without 64-bit types, in a process of its own, halves what it is given; tenferro keeps every dtype."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import numpy as np
import pytest

from references.dtypes import NUMPY, name_of
from references.lazy import th

ASK_JAX = """
import json, warnings
import numpy as np
warnings.simplefilter("ignore")
import jax.numpy as jnp
found = {name: jnp.asarray(np.ones(2, name)) * 2 for name in json.loads(input())}
print(json.dumps({name: str(array.dtype) for name, array in found.items()}))
"""

WIDE = {"f64": "float32", "i64": "int32", "c128": "complex64"}
"""Dtypes of 64-bit numbers, and what JAX makes of them by default, without an error."""


@pytest.fixture(scope="module")
def narrow_jax() -> dict[str, str]:
    """The dtype of 2·ones of each NumPy dtype in a JAX that was not told of 64 bits."""
    environment = {**os.environ, "JAX_ENABLE_X64": "0", "JAX_PLATFORMS": "cpu"}
    asked = json.dumps([str(dtype) for name, dtype in NUMPY.items() if name != "bool"])
    done = subprocess.run(
        [sys.executable, "-c", ASK_JAX], input=asked, env=environment, capture_output=True, text=True, check=True
    )
    answer: dict[str, str] = json.loads(done.stdout)
    return answer


@pytest.mark.parametrize("name", [name for name in NUMPY if name != "bool"])
def test_jax_narrows_by_default_what_tenferro_keeps(name: str, narrow_jax: dict[str, str]) -> None:
    array = np.ones(2, NUMPY[name])
    runtime = th.Runtime(th.Engine(1))
    kept = [make(array) * array for make in (runtime.attached, runtime.constant, runtime.concrete)]
    assert {name_of(tensor.numpy()) for tensor in kept} == {name}
    assert narrow_jax[str(array.dtype)] == WIDE.get(name, str(array.dtype))
