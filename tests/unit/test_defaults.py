"""JAX without 64-bit types, in a process of its own, halves what it is given; tenferro keeps every dtype."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any

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
far = np.array([1e300, 1e-300]), np.array([2**53 + 1, -(2**40) - 1])
numbers = {"numbers": [jnp.asarray(array).tolist() for array in far]}
print(json.dumps({**{name: str(array.dtype) for name, array in found.items()}, **numbers}))
"""

WIDE = {"f64": "float32", "i64": "int32", "c128": "complex64"}
"""Dtypes of 64-bit numbers, and what JAX makes of them by default, without an error."""


@pytest.fixture(scope="module")
def narrow_jax() -> dict[str, Any]:
    """What a JAX that was not told of 64 bits makes of 2·ones of each NumPy dtype: its dtype; and of far numbers."""
    environment = {**os.environ, "JAX_ENABLE_X64": "0", "JAX_PLATFORMS": "cpu"}
    asked = json.dumps([str(dtype) for name, dtype in NUMPY.items() if name != "bool"])
    done = subprocess.run(
        [sys.executable, "-c", ASK_JAX], input=asked, env=environment, capture_output=True, text=True, check=True
    )
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


@pytest.mark.parametrize("name", [name for name in NUMPY if name != "bool"])
def test_jax_narrows_by_default_what_tenferro_keeps(name: str, narrow_jax: dict[str, Any]) -> None:
    array = np.ones(2, NUMPY[name])
    runtime = th.Runtime(th.Engine(1))
    kept = [make(array) * array for make in (runtime.attached, runtime.constant, runtime.concrete)]
    assert {name_of(tensor.numpy()) for tensor in kept} == {name}
    assert narrow_jax[str(array.dtype)] == WIDE.get(name, str(array.dtype))


def test_jax_makes_other_numbers_of_what_32_bits_do_not_hold(narrow_jax: dict[str, Any]) -> None:
    assert narrow_jax["numbers"] == [[float("inf"), 0.0], [1, -1]]
