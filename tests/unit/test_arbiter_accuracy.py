"""The accuracy tables: their inputs, their figures on sides of known error, and the published counts."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from references import accuracy
from references.arbiter import ask, decide
from references.dtypes import NUMPY


@pytest.mark.parametrize("dtype", ["f64", "f32"])
def test_inputs_cover_every_binade_and_both_signs(dtype: str) -> None:
    x = accuracy.inputs(accuracy.ROWS["exp"], dtype)["x"]
    assert x.dtype == NUMPY[dtype]
    assert len(x) > 10_000
    info = np.finfo(NUMPY[dtype])
    usual = x[np.isfinite(x) & (np.abs(x) >= info.tiny)]
    for sign in (1, -1):
        binades = set(np.frexp(usual[np.sign(usual) == sign])[1].tolist())
        assert len(binades) == info.maxexp - info.minexp
    assert np.isnan(x).any()
    assert np.isin(accuracy.HARD["exp"], x).any() or dtype == "f32"


def test_figures_of_a_side_with_known_errors(monkeypatch: pytest.MonkeyPatch) -> None:
    """A side one ulp off everywhere, one of them 100, and one NaN."""
    row = accuracy.ROWS["sin"]
    arrays = {"x": np.linspace(1, 3, 1000)}
    monkeypatch.setattr(accuracy, "inputs", lambda _row, _dtype: arrays)

    def answer(side: str, *_: Any) -> Any:
        good = np.array([e.value for e in decide(ask(row.tenferro, arrays)).elements])
        if side == "numpy":
            bad = np.nextafter(good, 9.0)
            bad[500] = good[500] + 100 * np.spacing(good[500])
            bad[7] = np.nan
            return bad
        return good if side == "jax" else None

    monkeypatch.setattr(accuracy, "_answer", answer)
    right, wrong = accuracy.table(row, "f64").sides
    assert (right.side, right.max_ulp, right.right, right.other_kind) == ("jax", 0.0, 1.0, 0)
    assert (wrong.side, wrong.max_ulp, wrong.other_kind) == ("numpy", 100.0, 1)
    assert wrong.mean_ulp == (998 + 100) / 999
    assert wrong.right == 0.0
    assert float(wrong.worst) == arrays["x"][500]


def test_tenferros_published_counts_reproduce() -> None:
    lines = list(accuracy.published())
    assert "tenferro 988" in lines[0]
    assert "tenferro 976" in lines[4]


def test_what_is_unknown_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert accuracy.main(["sine"]) == 2
    assert capsys.readouterr().err == "accuracy: sine is unknown; `--help` lists all\n"
