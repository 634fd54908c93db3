"""Libraries that start only where they are used: listing the cases must start no backend."""

from __future__ import annotations

import importlib
from typing import Any


class Lazy:
    """A module by name, imported at the first attribute asked of it.

    Raises:
        ModuleNotFoundError: at that first use, when the module is not installed.
    """

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, attribute: str) -> Any:
        if attribute.startswith("__"):
            raise AttributeError(attribute)
        return getattr(importlib.import_module(self._name), attribute)

    def __repr__(self) -> str:
        return f"Lazy({self._name!r})"


jax = Lazy("jax")
jnp = Lazy("jax.numpy")
lax = Lazy("jax.lax")
torch = Lazy("torch")
scipy_special = Lazy("scipy.special")
th = Lazy("tenferro_harness")
