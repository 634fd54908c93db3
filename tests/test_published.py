"""The published figures of the gradient pair and of sine and cosine, met by a run here."""

import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import mpmath
import numpy as np
import pytest

from compare.measure import measure
from references.inputs import Array
from references.question import Question
from tests.examine import Ask

ROOT = Path(__file__).parents[1]
PUBLISHED: dict[str, Any] = tomllib.loads((ROOT / "references" / "published.toml").read_text())
PAIR = PUBLISHED["gradient_pair"]
POINTS = -2 + 4 * np.arange(1000) / 999


def tenferro(ask: Ask, case: str, transform: str, *, surface: str = "eager", width: int = 1) -> Array:
    answer = ask(Question(case, "tenferro", transform, "f64", surface, width))
    assert answer.outcome == "ok", answer.detail
    return next(iter(answer.arrays.values()))


def reference(ask: Ask, case: str, side: str, transform: str) -> Array:
    answer = ask(Question(case, side, transform, "f64"))
    assert answer.outcome == "ok", answer.detail
    return next(iter(answer.arrays.values()))


@pytest.mark.parametrize("transform", ["grad", "hvp"])
@pytest.mark.parametrize("surface", ["traced", "eager"])
def test_the_pair_is_as_close_as_published(ask: Ask, transform: str, surface: str) -> None:
    """The size of the reference to its published digits; the difference no larger than the document's own."""
    ref = reference(ask, "transforms/gradient-pair", "jax", transform)
    found = measure(ref, tenferro(ask, "transforms/gradient-pair", transform, surface=surface))
    assert f"{found.max_ref:.3f}" == f"{PAIR[transform]['max_abs_ref']:.3f}"
    assert float(f"{found.max_diff:.3e}") <= PAIR[transform]["max_abs_diff"]
    assert found.bitwise_equal > PAIR["n"] // 2


def test_the_gradient_has_the_same_bits_at_every_width(ask: Ask) -> None:
    narrow, wide = (tenferro(ask, "transforms/gradient-pair", "grad", width=width) for width in (1, 8))
    assert measure(narrow, wide).bitwise_equal == PAIR["grad"]["bitwise_equal_at_widths_1_and_8"]


def test_the_published_negative_control_fails(ask: Ask, tmp_path: Path) -> None:
    """1e-13 added to element 500 of tenferro's gradient is a MISMATCH and exit code 1; without it, OK and 0."""
    control = PAIR["negative_control"]
    paths = [tmp_path / name for name in ("ref.npy", "right.npy", "wrong.npy")]
    wrong = (right := tenferro(ask, "transforms/gradient-pair", "grad")).copy()
    wrong[control["element"]] += control["add"]
    for path, array in zip(
        paths, (reference(ask, "transforms/gradient-pair", "jax", "grad"), right, wrong), strict=True
    ):
        np.save(path, array)
    assert compared(*paths[:2]) == (0, "OK")
    assert compared(paths[0], paths[2]) == (control["exit_code"], control["verdict"])


def compared(ref: Path, got: Path) -> tuple[int, str]:
    command = [sys.executable, "-m", "compare", str(ref), str(got)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    return done.returncode, next(word for word in ("MISMATCH", "OK") if word in done.stdout)


@pytest.mark.parametrize("function", ["sin", "cos"])
def test_sine_and_cosine_of_the_published_points(ask: Ask, function: str) -> None:
    """tenferro's count of correctly rounded values reproduces on x86-64, where its kernels are the document's."""
    got = tenferro(ask, f"elementwise/{function}-published-points", "value")
    with mpmath.workdps(60):
        exact = [float(getattr(mpmath, function)(mpmath.mpf(float(x)))) for x in POINTS]
    assert int(np.sum(got == np.array(exact))) == PUBLISHED["sin_cos"]["correctly_rounded"][function]["tenferro"]
