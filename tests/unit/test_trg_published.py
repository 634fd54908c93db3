"""The published figures are read as what they are, and they agree with each other as published."""

import numpy as np
import pytest

from references.trg import published
from references.trg.plan import BETAS


def test_both_notations_of_a_float_are_read() -> None:
    assert published.number("0x1.8p+0") == 1.5
    assert published.number("3ff8000000000000") == 1.5


def test_betas_are_those_of_the_cases() -> None:
    assert published.betas() == BETAS


@pytest.mark.parametrize(("other", "key"), [("jax", "agreement_w1_vs_jax"), ("w8", "agreement_w1_vs_w8")])
@pytest.mark.parametrize("name", ["lnz", "grad"])
def test_bits_differ_by_the_published_maximum(other: str, key: str, name: str) -> None:
    apart = max(abs(published.bits(b, "w1")[name] - published.bits(b, other)[name]) for b in BETAS)
    assert f"{apart:.3e}" == f"{published.trg()[key][name]:.3e}"


def test_forms_have_one_number_a_beta() -> None:
    assert published.specific_heats(("w1",))["w1"]["value"][0].shape == (len(BETAS),)
    assert published.references(0.3)["w8"]["grad"][0].dtype == np.float64


@pytest.mark.parametrize(("name", "ratio"), [("u", 8.5), ("lnz", 5.8)])
def test_error_ratios_are_the_published_ones(name: str, ratio: float) -> None:
    assert round(published.error_ratio(name, 0.44), 1) == ratio
