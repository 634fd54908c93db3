"""`python -m references.explain CASE [--transform T] [--dtype D] [--surface S] [--json]`."""

from __future__ import annotations

import argparse
import json
import signal
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from itertools import zip_longest

from references import lookup, run
from references.case import Case, CaseError
from references.explain import Asked, ExplainError, Explanation, explain

WIDTH = 28


def shown(found: Explanation) -> Iterator[str]:
    """An explanation as lines."""
    asked = f"{found.case} {found.transform} {found.dtype} {found.surface}"
    yield f"{asked}: JAX (jit) and tenferro differ in {found.differing} of {found.n} elements"
    yield "explained by each source alone, by all together, and not:"
    for name, count in found.alone.items():
        yield f"  {count:8} {name}"
    yield f"  {found.together:8} all together"
    yield f"  {found.by_rule:8} derivative rule (the rest, where the two programs are not the same operations)"
    yield f"  {found.unexplained:8} unexplained"
    yield f"agreements, bit for bit, of {found.n}:"
    for name, count in found.facts.items():
        yield f"  {count:8} {name}"
    if found.sums:
        yield "the same terms in other orders:"
        yield from (f"  {value!r:24} {name}" for name, value in found.sums.items())
    yield f"operations: {'JAX':{WIDTH}} tenferro"
    for left, right in zip_longest(*found.operations.values(), fillvalue=""):
        yield f"            {left:{WIDTH}} {right}"


def _transforms(case: Case, given: str | None, surface: str, dtype: str) -> list[str]:
    """The one asked for, or all there are; a vjp where there is no gradient."""
    there = case.transforms_on(surface, dtype)
    return [given] if given is not None else [name for name in there if name != "vjp" or "grad" not in there]


def _or(given: str | None, default: str) -> str:
    return default if given is None else given


def main(arguments: Sequence[str]) -> int:
    """Print the account of a case; exit code 2 where there is none to give."""
    parser = argparse.ArgumentParser(prog="python -m references.explain", description="Why two sides differ.")
    parser.add_argument("case", metavar="CASE")
    parser.add_argument("--transform", help="value, vjp, jvp, grad or hvp (default: all of the case)")
    parser.add_argument("--dtype", help="default: the case's first")
    parser.add_argument("--surface", help="traced, eager or concrete (default: the case's first)")
    parser.add_argument("--json", action="store_true", help="one JSON line a transform")
    given = parser.parse_args(arguments)
    try:
        case = lookup(given.case)
        run.start("jax")
        surface, dtype = _or(given.surface, case.surfaces[0]), _or(given.dtype, case.dtypes[0])
        for transform in _transforms(case, given.transform, surface, dtype) or ["value"]:
            found = explain(Asked(case, transform, dtype, surface))
            print(json.dumps(asdict(found)) if given.json else "\n".join(shown(found)), flush=True)
    except (CaseError, ExplainError) as error:
        print(f"explain: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    if hasattr(signal, "SIGPIPE"):
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # a reader that has seen enough, as `| head`, is no error
    sys.exit(main(sys.argv[1:]))
