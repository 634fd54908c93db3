"""Times of the TRG as ratios from interleaved runs: `python -m references.trg.bench`. Figures, never a test.

A ratio is formed within a round, where both runs see the same machine; its spread over the rounds is shown with it.
"""

import argparse
import sys
from collections.abc import Sequence
from statistics import median

from . import options, variants
from .report import Section, Table, text
from .variants import Timed

WHOLE, DRIVEN = "eager, whole in Rust", "eager, two VJPs a step"
BINDING_LIMIT = 1.05


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m references.trg.bench", description=__doc__.split("\n")[0])
    parser.add_argument(
        "--rounds", type=int, default=7, choices=range(1, 101), metavar="N", help="1 to 100 (default 7)"
    )
    parser.add_argument("--width", nargs="+", type=options.width, default=options.WIDTHS, help="default 1 2 8")
    given = parser.parse_args(arguments)
    for width in given.width:
        timed = variants.measure(variants.all_of(width), rounds=given.rounds, progress=_say)
        print(text(Section("bench", (table(timed, width), binding(timed)))), flush=True)
    return 0


def table(timed: Sequence[Timed], width: int) -> Table:
    """Every variant over JAX under jit."""
    reference = timed[0]
    rows = tuple((t.variant.name, f"{1000 * median(t.seconds):.0f}", *ratio(t, reference)) for t in timed)
    columns = ("", "ms, median", "÷ JAX, median", "lowest", "highest")
    return Table(f"A value and gradient at width {width}", columns, rows)


def binding(timed: Sequence[Timed]) -> Table:
    """What driving the program from Python costs."""
    by_name = {t.variant.name: t for t in timed}
    rows = ((f"at most {BINDING_LIMIT:g}", *ratio(by_name[DRIVEN], by_name[WHOLE])),)
    return Table("Over the binding ÷ whole in Rust", ("wanted", "median", "lowest", "highest"), rows)


def ratio(one: Timed, other: Timed) -> tuple[str, str, str]:
    """Median, lowest and highest quotient of the rounds."""
    found = [a / b for a, b in zip(one.seconds, other.seconds, strict=True)]
    return f"{median(found):.3f}", f"{min(found):.3f}", f"{max(found):.3f}"


def _say(message: str) -> None:
    print(message, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
