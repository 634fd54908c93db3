"""The smallest relative perturbation that the checks catch: tried site by site, size by size."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
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

LOUD = SWEEP_SIZES[-1]
"""A perturbation that moves the answer of every check which depends on the site."""

Seen = tuple[str, Check, Row]
"""A site, a check whose answer depends on it, and what the check says without a perturbation."""


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
    """All trials of a sweep. unseen: sites that no check sees, where nothing could be tried."""

    trials: tuple[Trial, ...]
    unseen: tuple[str, ...] = ()

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
    out: they cannot get worse.
    """
    came = visits(checks, examined)
    seen = [one for site in SWEEP_SITES for one in _seeing(site, came.get(site, ()), examined)]
    tried = [(one, size) for one in seen for size in SWEEP_SIZES]
    trials = tuple(_trial(one, size, examined) for one, size in progress(tried, "plant: sweep", "trials"))
    return Swept(trials, tuple(site for site in SWEEP_SITES if site not in {one[0] for one in seen}))


def visits(checks: Sequence[Check], examined: Examined) -> Mapping[str, list[tuple[Check, Row]]]:
    """The matching checks whose answers come by each site, each with what it says without a perturbation."""
    found: dict[str, list[tuple[Check, Row]]] = defaultdict(list)
    with TemporaryDirectory() as folder:
        file = Path(folder) / "visits"
        for check in progress(checks, "plant: sites of", "checks"):
            file.write_text("")
            clean = under(f"visits {file}", check, examined)
            for site in set(file.read_text().split()) if clean.outcome == "match" else ():
                found[site].append((check, clean))
    return found


def _seeing(site: str, came: Sequence[tuple[Check, Row]], examined: Examined) -> Iterator[Seen]:
    """A few of the checks that come by the site whose answer depends on it, drawn at random but always the same."""
    drawn = random.Random(site).sample(came, len(came))
    moved = ((site, check, clean) for check, clean in drawn if _moves(site, check, clean, examined))
    return islice(moved, SPREAD)


def _moves(site: str, check: Check, clean: Row, examined: Examined) -> bool:
    return under(f"{site} scale {LOUD}", check, examined).answer != clean.answer


def _trial(seen: Seen, size: float, examined: Examined) -> Trial:
    site, check, clean = seen
    after = under(f"{site} scale {size}", check, examined)
    return Trial(site, check.id, size, worse(clean, after), after.answer != clean.answer)
