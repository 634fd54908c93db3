"""A family whose programs fail in planted ways, on every side; between them stand innocents."""

from typing import Any

import numpy as np

from references.case import Case
from references.inputs import fixed
from tests.unit.faults import FAULTS
from tests.unit.test_isolation_faults import HARMLESS, QUICK

SIDES = ("jax", "torch", "numpy", "tenferro")
UNRETURNED = ("no-number", "no-answer")
"""Faults of what an answerer returns; a case's program returns to the answerer, which makes arrays of it."""

LASTING = ("loop-with-gil", "loop-without-gil", "hang-with-gil", "hang-without-gil", "exit-of-c")
"""The slow faults planted here: the others differ from these by the limit they run into."""


def faulty(name: str) -> Any:
    """A program that fails as `name` says, and would otherwise return its input."""

    def program(x: Any) -> Any:
        FAULTS[name](lambda stage: None)
        return x

    return program


def case(name: str, why: str, **programs: Any) -> Case:
    """Two checks by reference on one surface: the first answer and the second."""
    same = {"numpy": lambda x: x, "tenferro": lambda x: x}
    return Case(
        id=f"planted/{name}",
        why=why,
        inputs={"x": fixed(np.array([1.0, 2.0, 3.0]))},
        surfaces=("concrete",),
        transforms=("value",),
        category="exact",
        **{**same, **programs},
    )


def planted(side: str, fault: str) -> tuple[Case, Case]:
    """A fault on one side, and the innocent that comes after it in the same servant."""
    return (
        case(f"{side}-{fault}", f"{fault} on the side of {side} is that side's outcome.", **{side: faulty(fault)}),
        case(f"{side}-after-{fault}", f"What follows {fault} is answered.", **{side: lambda x: x}),
    )


CASES = (
    *(
        one
        for fault in (*QUICK, *HARMLESS)
        if fault not in UNRETURNED
        for side in SIDES
        for one in planted(side, fault)
    ),
    *(one for place, fault in enumerate(LASTING) for one in planted(SIDES[place % len(SIDES)], fault)),
)
