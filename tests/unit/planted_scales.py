"""A family whose scales fail: code of a case like its programs, and asked for where it can do no harm."""

from dataclasses import replace
from typing import Any

import numpy as np

from tests.unit.planted import case, faulty


def raises(x: Any) -> Any:
    """A scale that cannot be computed."""
    raise ValueError("planted")


EXPECTED = {"abort": "crash", "exit-at-once": "crash", "raises": "error", "wrong-shape": "error", "well": "match"}
SCALES = {
    "abort": faulty("abort"),
    "exit-at-once": faulty("exit-at-once"),
    "raises": raises,
    "wrong-shape": lambda x: (np.ones(7),),
    "well": lambda x: (np.abs(x),),
}
CASES = tuple(
    replace(case(name, f"A scale of the kind {name} is an outcome."), category="reduction", scale=scale)
    for name, scale in SCALES.items()
)
