"""The shape of a TRG run."""

from itertools import pairwise

import pytest

from references.trg import published
from references.trg.plan import Plan


def test_ranks_are_those_published() -> None:
    assert list(Plan().ranks) == published.trg()["schedule"]


def test_larger_truncation_starts_as_published() -> None:
    assert list(Plan(chi=24).ranks[:5]) == published.trg()["chi24"]["schedule_head"]


def test_without_cap_the_ranks_square_until_chi() -> None:
    unrestricted = published.trg()["variants"]["unrestricted_schedule"]
    assert list(Plan(steps=unrestricted["steps"], capped=False).ranks) == unrestricted["schedule"]


def test_every_bond_is_the_rank_before_it() -> None:
    bonds = Plan(steps=6).bonds
    assert bonds[0] == (2, 2)
    assert all(before[1] == after[0] for before, after in pairwise(bonds))


@pytest.mark.parametrize("steps", [1, 2, 20])
def test_weights_count_the_tensors_of_a_step(steps: int) -> None:
    plan = Plan(steps=steps)
    assert plan.weight(0) == plan.sites
    assert plan.weight(steps - 1) == 2
