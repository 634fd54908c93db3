"""The explanation closes on the gradient pair, and its replays are what they say."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from references import lookup, run
from references.explain import Asked, ExplainError, explain
from references.explain.__main__ import main
from references.explain.replay import Model, fma, replay, trace
from tests.unit import arbiter_oracle as oracle


@pytest.fixture(scope="module", autouse=True)
def jax_started() -> None:
    run.start("jax")


@pytest.fixture(scope="module")
def gradient() -> Any:
    return explain(Asked(lookup("transforms/gradient-pair"), "grad", "f64", "traced"))


def test_the_gradient_pair_closes(gradient: Any) -> None:
    assert gradient.n == 1000
    assert gradient.differing == 1000 - gradient.facts["jit = tenferro"] > 0
    assert (gradient.unexplained, gradient.by_rule) == (0, 0)
    assert gradient.facts["no jit = the plain formula in NumPy"] == 1000
    assert gradient.facts["tenferro = the formula with tenferro's functions"] == 1000
    assert gradient.facts["width 1 = width 8"] == 1000
    contracted = max(gradient.facts[f"jit = an fma of the {side} product"] for side in ("left", "right"))
    assert contracted >= 993  # the document's platform; all 1000 on x86-64


def test_no_source_is_named_for_what_it_does_not_change(gradient: Any) -> None:
    assert gradient.alone["order of summation"] == 0
    assert gradient.alone["implementation of a function"] < gradient.differing
    assert gradient.together == gradient.differing


def test_a_value_that_is_one_sum_is_shown_in_every_order() -> None:
    found = explain(Asked(lookup("transforms/gradient-pair"), "value", "f64", "traced"))
    assert set(found.sums) >= {"fsum (the truth)", "sequential", "pairwise (NumPy)", "tenferro, width 1"}
    assert abs(found.sums["fsum (the truth)"]) < 1e-14
    assert found.facts["tenferro = that with tenferro's sums too"] == 1


@pytest.mark.parametrize("dtype", ["f64", "f32"])
def test_the_fma_is_rounded_once(dtype: str) -> None:
    x, y, z = (oracle.spread(3000, dtype, seed, binades=30) for seed in (1, 2, 3))
    z[::2] = -(x * y)[::2]  # the error of the product alone
    exact = [Fraction(float(a)) * Fraction(float(b)) + Fraction(float(c)) for a, b, c in zip(x, y, z, strict=True)]
    expected = oracle.rounded([oracle.mpfr_of(value) for value in exact], dtype)
    np.testing.assert_array_equal(fma(x, y, z), expected)


def test_a_replay_is_the_program_and_takes_what_is_put_in() -> None:
    import jax
    import jax.numpy as jnp

    def program(x: Any) -> Any:
        return jnp.sum(jnp.sin(x) * x**3 - x / 3)

    x = np.linspace(-1, 2, 50)
    closed, leaves = trace(jax.jit(program), [x])
    (plain,) = replay(closed, leaves, Model(numpy=True))
    assert plain == np.sum(np.sin(x) * (x * (x * x)) - x / 3)
    (changed,) = replay(closed, leaves, Model(numpy=True, functions={"sin": np.cos}))
    assert changed == np.sum(np.cos(x) * (x * (x * x)) - x / 3)
    (ordered,) = replay(closed, leaves, Model(numpy=True, sums=lambda a, _axes: np.asarray(a[7])))
    assert ordered == (np.sin(x) * (x * (x * x)) - x / 3)[7]


def test_what_cannot_be_explained_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["transforms/no-such-case"]) == 2
    assert capsys.readouterr().err.startswith("explain: no case 'transforms/no-such-case'")
    assert main(["transforms/gradient-pair", "--surface", "nowhere"]) == 2
    assert "it has no nowhere surface" in capsys.readouterr().err
    assert main(["transforms/gradient-pair", "--transform", "spin"]) == 2
    assert "no spin on traced in f64" in capsys.readouterr().err
    assert main(["transforms/gradient-pair", "--dtype", "f16"]) == 2
    assert "it has no dtype f16" in capsys.readouterr().err
    with pytest.raises(ExplainError, match="stages its own derivative"):
        explain(Asked(lookup("transforms/program-new-inputs"), "value", "f64", "traced"))
