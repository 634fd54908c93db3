"""The shape of a TRG run: which bond dimensions meet at which step, and what each step weighs."""

from dataclasses import dataclass

CAPS = (2, 4, 4)
"""The rank the first three steps really have. Beyond it the spectrum is exactly 0 and √s has no derivative."""

BETAS = (0.3, 0.4, 0.44, 0.5, 0.6)
CHI = 16
STEPS = 20


@dataclass(frozen=True)
class Plan:
    """One TRG run: the truncation ``chi``, ``steps`` (N = 2^steps sites) and whether the structural rank caps k."""

    chi: int = CHI
    steps: int = STEPS
    capped: bool = True

    @property
    def ranks(self) -> tuple[int, ...]:
        """The truncation k of every step."""
        bond, ranks = 2, []
        for step in range(self.steps):
            bond = min(bond * bond, self.chi, *self._cap(step))
            ranks.append(bond)
        return tuple(ranks)

    @property
    def bonds(self) -> tuple[tuple[int, int], ...]:
        """(D, k) of every step: the bond dimension that goes in and the one that comes out."""
        return tuple(zip((2, *self.ranks[:-1]), self.ranks, strict=True))

    @property
    def sites(self) -> float:
        """N, the number of lattice sites."""
        return 2.0**self.steps

    def weight(self, step: int) -> float:
        """The factor of ln‖T_step‖ in ln Z: how many tensors of that step tile the torus."""
        return 2.0 ** (self.steps - step)

    def _cap(self, step: int) -> tuple[int, ...]:
        return CAPS[step : step + 1] if self.capped else ()


DEFAULT = Plan()
