"""The smallest relative perturbation that the checks catch: tried site by site, size by size."""

from __future__ import annotations

import random
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory

from compare.diff import Row
from rust_harness.plants.table import SWEEP_SITES, SWEEP_SIZES
from rust_harness.plants.trial import Examined, under, worse
from rust_harness.release_run import progress
from tests.plan import Check

SPREAD = 24
"""Checks that a site's perturbations are tried on, drawn from all that come by it."""

LONG = 0.05
"""Seconds from which on a check is tried only at sites that no quicker one sees, and only FEW of them."""

FEW = 3

LOUD = SWEEP_SIZES[-1]
"""A perturbation that moves the answer of every check which depends on the site: of a number in double precision by
some 1e12 ulps."""

ROUNDING = 10**8
"""Ulps that an answer is off by rounding alone: one that LOUD moves no further cancels it, as softmax does a change of
its maximum or a common factor of its exponentials."""


@dataclass(frozen=True)
class Came:
    """A check whose answer comes by a site. clean: what it says without a perturbation, after so many seconds."""

    check: Check
    clean: Row
    seconds: float


@dataclass(frozen=True)
class Trial:
    """A perturbation of one size at one site, and what one check made of it."""

    site: str
    check: str
    size: float
    regressed: bool
    moved: bool


@dataclass(frozen=True)
class Swept:
    """All trials of a sweep. unseen: sites that no check depends on. cancelled: checks left out, site by site."""

    trials: tuple[Trial, ...]
    unseen: tuple[str, ...] = ()
    cancelled: int = 0

    def shares(self, how: str) -> dict[float, float]:
        """For each size the share of trials that came out so. how: `regressed` or `moved`."""
        found: dict[float, list[bool]] = defaultdict(list)
        for one in self.trials:
            found[one.size].append(getattr(one, how))
        return {size: sum(caught) / len(caught) for size, caught in sorted(found.items())}

    def smallest(self, how: str, share: float = 0.99) -> float | None:
        """The smallest size from which on every size is caught in that share of trials."""
        shares = self.shares(how)
        return next((size for size in shares if all(shares[one] >= share for one in shares if one >= size)), None)


def sweep(checks: Sequence[Check], examined: Examined) -> Swept:
    """Perturb every element that comes by a site by a relative size, site by site, size by size.

    A trial is a site, a size, and a check whose answer depends on the site. Checks that are no match as it is are left
    out, as they cannot get worse, and those whose program cancels the perturbation.
    """
    came = visits(checks, examined)
    seen = [(site, one) for site in SWEEP_SITES for one in _seeing(site, came.get(site, ()), examined)]
    kept = [(site, one) for site, one in seen if not _cancels(site, one, examined)]
    tried = [(site, one, size) for site, one in kept for size in SWEEP_SIZES]
    trials = tuple(_trial(*one, examined) for one in progress(tried, "plant: sweep", "trials"))
    unseen = tuple(site for site in SWEEP_SITES if site not in {one.site for one in trials})
    return Swept(trials, unseen, len(seen) - len(kept))


def visits(checks: Sequence[Check], examined: Examined) -> Mapping[str, list[Came]]:
    """The matching checks whose answers come by each site."""
    found: dict[str, list[Came]] = defaultdict(list)
    with TemporaryDirectory() as folder:
        file = Path(folder) / "visits"
        for check in progress(checks, "plant: sites of", "checks"):
            file.write_text("")
            started = time.perf_counter()
            clean = under(f"visits {file}", check, examined)
            came = Came(check, clean, time.perf_counter() - started)
            for site in set(file.read_text().split()) if clean.outcome == "match" else ():
                found[site].append(came)
    return found


def _seeing(site: str, came: Sequence[Came], examined: Examined) -> list[Came]:
    """Some of the checks that come by the site whose answer depends on it, drawn at random but always the same."""
    drawn = random.Random(site).sample(came, len(came))
    quick, long = ([one for one in drawn if (one.seconds > LONG) is slow] for slow in (False, True))
    found = islice((one for one in quick if _moves(site, one, examined)), SPREAD)
    return list(found) or list(islice((one for one in long if _moves(site, one, examined)), FEW))


def _moves(site: str, one: Came, examined: Examined) -> bool:
    return under(f"{site} scale {LOUD}", one.check, examined).answer != one.clean.answer


def _cancels(site: str, one: Came, examined: Examined) -> bool:
    after = under(f"{site} scale {LOUD}", one.check, examined)
    return after.outcome == "match" and (after.max_ulp or 0) < ROUNDING


def _trial(site: str, one: Came, size: float, examined: Examined) -> Trial:
    after = under(f"{site} scale {size}", one.check, examined)
    return Trial(site, one.check.id, size, worse(one.clean, after), after.answer != one.clean.answer)
