"""The TRG line from live runs: `python -m references.trg`.

Exit code 0 where every statement holds, 1 where one does not, 2 where it cannot run, 130 where it was interrupted.
"""

import sys
import time
from collections.abc import Callable, Iterator, Sequence

from . import options, page, report

Progress = Callable[[str], None]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run what the options say, print it, write the page."""
    chosen = options.parse(arguments)
    try:
        return _run_and_report(chosen)
    except KeyboardInterrupt:
        return _stopped("interrupted", 130)
    except ModuleNotFoundError as error:
        return _stopped(f"{error.name} is not installed: run `nox -s trg`, which installs it", 2)
    except OSError as error:
        return _stopped(f"{error.filename}: {error.strerror}; choose another --page", 2)


def _stopped(text: str, code: int) -> int:
    print(f"python -m references.trg: error: {text}", file=sys.stderr)
    return code


def _run_and_report(chosen: options.Options) -> int:
    chosen.page.parent.mkdir(parents=True, exist_ok=True)  # a page that cannot be written is known before the run
    started = time.perf_counter()
    sections = []
    for section in run(chosen, _progress(started)):
        print(report.text(section), flush=True)
        sections.append(section)
        page.write(chosen.page, sections, subtitle=_subtitle(chosen))  # an interrupt leaves what was done
    verdicts = [verdict for section in sections for verdict in section.verdicts]
    held = sum(verdict.holds for verdict in verdicts)
    print(f"{held} of {len(verdicts)} statements hold, {time.perf_counter() - started:.0f} s; page: {chosen.page}")
    return 0 if held == len(verdicts) else 1


def run(chosen: options.Options, progress: Progress) -> Iterator[report.Section]:
    """Every part the options ask for, one after the other."""
    from . import chi24, curvature, jumps, values, variants, wrong
    from .sides import jax_side, tenferro_side

    jax = jax_side(chosen.plan)
    tenferros = [tenferro_side(chosen.plan, width=width) for width in chosen.widths]
    pair = (jax, tenferros[0])
    parts: dict[str, Callable[[], report.Section]] = {
        "values": lambda: values.section(jax, tenferros, chosen.betas, progress),
        "c": lambda: curvature.section((jax, *tenferros), chosen.betas, chosen.hs, progress),
        "onsager": lambda: values.against_onsager(pair, chosen.betas, chosen.hs),
        "c-by-h": lambda: curvature.over_h(pair, progress),
        "jump": lambda: jumps.section(pair, progress),
        "scan": lambda: curvature.scan(pair, progress),
        "chi-24": lambda: chi24.section(progress),
        "variants": lambda: variants.section(progress),
        "wrong": lambda: wrong.section(progress),
    }
    for name in chosen.parts:
        yield parts[name]()


def _progress(started: float) -> Progress:
    """Says on the error stream what is being worked on, so that a table may be piped away."""

    def say(text: str) -> None:
        print(f"[{time.perf_counter() - started:6.1f} s] {text}", file=sys.stderr, flush=True)

    return say


def _subtitle(chosen: options.Options) -> str:
    import jax
    import tenferro_harness as th

    build = th.build_info()
    return (
        f"JAX {jax.__version__} and tenferro {build['tenferro']}, widths {', '.join(map(str, chosen.widths))}; "
        f"χ = {chosen.plan.chi}, {chosen.plan.steps} steps, β = {', '.join(f'{beta:g}' for beta in chosen.betas)}"
    )


if __name__ == "__main__":
    sys.exit(main())
