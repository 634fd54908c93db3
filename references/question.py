"""A question put to one side, and its answer: all that passes between the suite and a library."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

Arrays = Mapping[str, np.ndarray[Any, np.dtype[Any]]]
Stage = Callable[[str], None]
"""How an answer tells that its work passes on: called with "compile" or "run"."""


@dataclass(frozen=True)
class Question:
    """One case asked of one side; picklable and hashable.

    case: the case's id. side: jax, jax-nojit (one operation at a time), jax-x32 (without types of 64
    bits), torch, numpy or tenferro.
    transform: value, vjp, jvp, grad or hvp. dtype: f32 f64 i32 i64 bool c64 c128 (NumPy's c64 and c128).
    surface (traced, eager, concrete) and width (threads): tenferro's alone.
    protocol: "first" asks the case's inputs (ordinal 0) in a fresh runtime; "again" asks the same once more in another
    fresh runtime; "second" asks tenferro ordinals 0 and 1 in one runtime and returns the answer to 1, where a
    reference answers 1 alone. Of a reference alone: "magnitude" asks of |inputs|, |tangents| and |cotangents|; "scale"
    and "scale-second" ask for the case's own scale of ordinal 0 and 1.
    """

    case: str
    side: str
    transform: str
    dtype: str
    surface: str | None = None
    width: int | None = None
    protocol: str = "first"

    @property
    def key(self) -> str:
        """An answer of tenferro's by name: case::surface::transform::dtype::width::protocol."""
        return "::".join((self.case, str(self.surface), self.transform, self.dtype, f"w{self.width}", self.protocol))


@dataclass(frozen=True)
class Answer:
    """What one side returned, or how it failed to.

    outcome: ok, error, unsupported, crash or timeout.
    arrays: of a value or jvp "out0", "out1", …; of a vjp, grad or hvp one array per input's name.
    detail: the library's own text, the signal's name, the limit passed.
    inactive: inputs whose derivative tenferro called inactive (their arrays hold zeros).
    inputs: hash of the inputs, tangents and cotangents used.
    """

    outcome: str
    arrays: Arrays = field(default_factory=dict)
    detail: str = ""
    seconds: float = 0.0
    inactive: tuple[str, ...] = ()
    inputs: str = ""
