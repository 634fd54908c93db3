"""judge, the negative control and compare_arrays: what may differ, what may not, and what proves nothing."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from compare import check
from compare.check import Comparison, compare_arrays
from compare.control import Limits, try_out
from compare.judge import Allowed, Verdict, judge
from compare.measure import Distance, measure
from compare.tolerances import RULES, Tolerance

type Array = np.ndarray[Any, Any]
SCALED = Tolerance(category="test", reason="A test.", dtype="f64", rule="scaled", factors={"f64": 1e-14, "f32": 5.4e-6})
ULPS = replace(SCALED, ulps=64)
EXACT = replace(SCALED, rule="exact")
SUMS = replace(SCALED, sums=True)
POINTS = np.linspace(-2.0, 2.0, 1000)


def one(ref: Array, got: Array, tolerance: Tolerance = SCALED, **more: Any) -> Comparison:
    return compare_arrays({"out0": ref}, {"out0": got}, tolerance=tolerance, **more)


def with_element(array: Array, at: int, value: Any) -> Array:
    changed = array.copy()
    changed[at] = value
    return changed


# The bound.


@pytest.mark.parametrize(
    ("rule", "largest", "bound"),
    [
        ("scaled", 3.0, 3e-14),
        ("scaled", 0.5, 1e-14),
        ("relative", 0.5, 0.5e-14),
        ("absolute", 3.0, 1e-14),
        ("singular-values", 3.0, 4 * 3e-14),
        ("exact", 3.0, 0.0),
    ],
)
def test_the_bound_of_a_rule(rule: str, largest: float, bound: float) -> None:
    ref = np.array([largest, -0.25, math.inf, math.nan])
    found = one(ref, ref, replace(SCALED, rule=rule), terms=16)
    assert found.bound == pytest.approx(bound, rel=1e-15, abs=0)
    assert found.outcome == "match"


def test_the_largest_difference_allowed_is_the_bound_itself() -> None:
    distance = measure(np.array([1.0]), np.array([1.0]))
    for diff, outcome in ((1e-14, "match"), (math.nextafter(1e-14, 1), "mismatch")):
        assert judge(distance._replace(max_diff=diff, at=0), SCALED).outcome == outcome


def test_the_largest_difference_allowed_of_an_element_is_its_allowance() -> None:
    for diff, outcome in ((0.5, "match"), (0.5 + 2.0**-49, "mismatch")):
        distance = measure(np.array([1.0, 9.0]), np.array([1.0, 9.0 + diff]), allowance=np.array([1e-14, 0.5]))
        assert judge(distance, SUMS, allowed=Allowed(scale=9.0, bound=0.5)).outcome == outcome


@pytest.mark.parametrize("dtype", ["float32", "complex64"])
def test_single_precision_has_its_own_factor(dtype: str) -> None:
    ref = np.ones(3, dtype)
    assert one(ref, ref, SCALED.at("f32" if dtype == "float32" else "c64")).bound == 5.4e-6


def test_an_output_of_another_dtype_is_judged_by_that_dtype() -> None:
    assert one(np.ones(3, np.float32), np.ones(3, np.float32)).bound == 5.4e-6
    assert one(np.array([1, 2]), np.array([1, 3])).outcome == "mismatch"


# Sums: what rounding may do to them, element by element.


def test_a_sum_that_cancels_is_allowed_what_its_terms_may_lose() -> None:
    ref, got = np.array([0.0, 1e-17]), np.array([1e-13, 0.0])
    assert one(ref, got, SUMS, scale={"out0": np.array([1000.0, 1000.0])}, terms=100).outcome == "match"
    assert one(ref, got, SUMS, scale={"out0": np.array([1.0, 1000.0])}, terms=100).outcome == "mismatch"


@pytest.mark.parametrize(("terms", "factor"), [(1, 4.0), (16, 4.0), (10_000, 100.0)])
def test_the_allowance_grows_with_the_root_of_the_number_of_terms(terms: int, factor: float) -> None:
    found = one(np.zeros(1), np.array([1e-300]), SUMS, scale={"out0": np.full(1, 50.0)}, terms=terms)
    assert found.bound == factor * 2.0**-52 * 50.0


@pytest.mark.parametrize(("terms_sum", "bound"), [(50.0, 4 * 2.0**-52 * 50.0), (2.0, 1e-14)])
def test_the_larger_of_the_rule_and_the_rounding_is_allowed(terms_sum: float, bound: float) -> None:
    found = one(np.ones(1), np.ones(1) + 2.0**-52, SUMS, scale={"out0": np.full(1, terms_sum)})
    assert (found.outcome, found.bound) == ("match", bound)


def test_the_element_most_over_its_own_allowance_is_the_worst() -> None:
    ref, got = np.array([1e6, 0.0]), np.array([1e6 + 1e-9, 1e-10])
    found = one(ref, got, replace(SUMS, rule="supplied"), scale={"out0": np.array([1e6, 1.0])})
    assert found.place is not None
    assert (found.outcome, found.place.at, found.bound) == ("mismatch", 1, 1e-14)


def test_a_supplied_bound_is_factor_times_unit() -> None:
    supplied = replace(SCALED, rule="supplied")
    for diff, outcome in ((0.9e-11, "match"), (1.1e-11, "mismatch")):
        assert (
            one(np.zeros(1) + 3, np.zeros(1) + 3 + diff, supplied, scale={"out0": np.full(1, 1e3)}).outcome == outcome
        )


def test_a_scale_is_needed_and_has_the_shape_of_the_array() -> None:
    for scale in (None, {"out0": np.ones(2)}):
        found = one(np.ones(3), np.ones(3), SUMS, scale=scale)
        assert found.outcome == "error"
        assert found.reason.startswith("category test needs a scale for out0, of shape (3,): there is")


def test_a_scale_that_is_infinite_is_an_error() -> None:
    found = one(np.ones(1), np.ones(1), SUMS, scale={"out0": np.full(1, math.inf)})
    assert (found.outcome, found.broken) == ("error", ("measure",))


# Ulps, NaN, infinity, zero.


def test_ulps_show_what_the_scaled_bound_hides() -> None:
    ref, got = np.array([1.0, 1e-16]), np.array([1.0, 2e-16])
    assert one(ref, got).outcome == "match"
    found = one(ref, got, ULPS)
    assert found.place is not None
    assert (found.outcome, found.broken, found.place.at) == ("mismatch", ("ulps",), 1)


def test_as_many_ulps_as_allowed_are_a_match_and_one_more_is_not() -> None:
    ref = np.array([1.0, 1e-3])
    for ulps, outcome in ((64, "match"), (65, "mismatch")):
        assert one(ref, ref + np.array([0, ulps * np.spacing(1e-3)]), ULPS).outcome == outcome


def test_ulps_of_complex_numbers_are_those_of_the_larger_part() -> None:
    ref, got = np.array([1.0 + 1e-18j]), np.array([1.0 + 1e-16j])
    assert one(ref, got, ULPS.at("c128")).outcome == "match"
    tiny = one(ref * 1e-20, np.array([1e-20 + 1e-34j]), ULPS.at("c128"))
    assert (tiny.outcome, tiny.broken) == ("mismatch", ("ulps",))


@pytest.mark.parametrize(("wrong", "rule"), [(math.nan, "nan"), (math.inf, "inf")])
def test_a_special_number_against_a_number_is_a_mismatch(wrong: float, rule: str) -> None:
    for ref, got in ((POINTS, with_element(POINTS, 7, wrong)), (with_element(POINTS, 7, wrong), POINTS)):
        found = one(ref, got)
        assert (found.outcome, found.slack, found.broken[0]) == ("mismatch", 0.0, rule)
        assert found.place is not None
        assert found.place.at == 7


def test_an_infinity_of_the_other_sign_is_a_mismatch() -> None:
    assert one(np.array([1.0, math.inf]), np.array([1.0, -math.inf])).broken == ("inf",)


def test_nan_agrees_with_nan() -> None:
    ref = with_element(POINTS, 3, math.nan)
    assert one(ref, ref.copy()).outcome == "match"


def test_the_sign_of_zero_is_judged_where_the_category_says_so() -> None:
    ref, got = np.array([0.0, 1.0]), np.array([-0.0, 1.0])
    assert one(ref, got).outcome == "match"
    assert one(ref, got, replace(SCALED, sign_of_zero=True)).broken == ("zero_sign",)


# What proves nothing.


def test_a_bound_that_is_not_below_the_reference_proves_nothing() -> None:
    tiny = POINTS * 1e-15
    found = one(tiny, tiny)
    assert (found.outcome, found.broken) == ("error", ("vacuous",))
    assert one(POINTS * 0.5e-14, POINTS * 0.5e-14).broken == ("vacuous",)  # 1e-14, the bound itself
    assert one(tiny, tiny, replace(SCALED, rule="relative")).outcome == "match"
    assert one(tiny, tiny, ULPS).outcome == "match"
    assert one(tiny, tiny, EXACT).outcome == "match"


def test_a_bound_that_is_not_below_the_terms_of_a_sum_proves_nothing() -> None:
    assert one(POINTS, POINTS, SUMS, scale={"out0": np.full(1000, 1e-15)}).broken == ("vacuous",)


def test_nothing_compared_proves_nothing_unless_it_had_to_be_exact() -> None:
    empty = np.ones((0, 3))
    assert one(empty, empty, ULPS).broken == ("vacuous",)
    assert one(empty, empty, EXACT).outcome == "match"
    assert compare_arrays({}, {}, tolerance=EXACT).broken == ("vacuous",)


def test_an_empty_array_beside_another_spoils_nothing() -> None:
    arrays = {"out0": np.ones((0, 3)), "out1": POINTS}
    found = compare_arrays(arrays, arrays, tolerance=SCALED)
    assert (found.outcome, found.worst) == ("match", "out1")


def test_an_array_that_proves_nothing_spoils_the_others() -> None:
    arrays = {"x": POINTS, "y": POINTS * 1e-15}
    found = compare_arrays(arrays, arrays, tolerance=SCALED)
    assert (found.outcome, found.worst) == ("error", "y")


def test_a_reference_of_zeros_is_compared_exactly() -> None:
    zeros = np.zeros(3)
    assert one(zeros, zeros).outcome == "match"
    assert one(zeros, np.array([0.0, 5e-324, 0.0])).broken == ("bound",)


# Names, shapes, dtypes, the worst of several.


def test_missing_and_extra_arrays_are_named() -> None:
    found = compare_arrays({"x": POINTS, "y": POINTS}, {"y": POINTS, "z": POINTS}, tolerance=SCALED)
    assert (found.outcome, found.reason) == ("mismatch", "missing: x; extra: z")


@pytest.mark.parametrize(
    ("got", "rule"), [(np.ones((3, 1)), "shape"), (np.ones(3, np.float32), "dtype"), (np.ones(3, np.int64), "dtype")]
)
def test_shape_and_dtype_are_exact(got: Array, rule: str) -> None:
    found = one(np.ones(3), got)
    assert (found.outcome, found.broken, found.control) == ("mismatch", (rule,), ())


def test_the_array_nearest_to_its_own_bound_is_the_worst() -> None:
    ref = {"large": POINTS * 1e6, "small": POINTS}
    got = {"large": POINTS * 1e6 + 1e-9, "small": POINTS + 1e-14}
    found = compare_arrays(ref, got, tolerance=SCALED)
    assert (found.worst, found.n) == ("small", 2000)
    assert found.slack == pytest.approx(2.0, rel=5e-2)


def test_a_mismatch_is_worse_than_what_proves_nothing() -> None:
    ref = {"x": POINTS, "y": POINTS * 1e-15}
    found = compare_arrays(ref, {**ref, "x": POINTS + 1}, tolerance=SCALED)
    assert (found.outcome, found.worst) == ("mismatch", "x")


def test_a_dtype_that_tenferro_has_not_is_an_error_in_one_line() -> None:
    found = one(np.ones(3, np.float16), np.ones(3, np.float16))
    assert (found.outcome, found.broken) == ("error", ("measure",))
    assert "float16" in found.reason


# Slack.


def test_slack_is_the_bound_over_what_was_observed() -> None:
    assert one(POINTS, with_element(POINTS, 9, POINTS[9] + 1e-14)).slack == pytest.approx(2.0, rel=5e-2)
    assert one(POINTS, POINTS.copy()).slack is None
    assert one(np.array([1, 2]), np.array([1, 3])).slack == 0.0


def test_slack_is_that_of_the_ulps_where_they_are_nearer() -> None:
    ref = np.array([1.0, 1e-3])
    assert one(ref, ref + np.array([0, 32 * np.spacing(1e-3)]), ULPS).slack == 2.0


def test_slack_can_always_be_written_down() -> None:
    found = one(np.array([1e300, 0.0]), np.array([1e300, 5e-324]))
    assert found.slack is not None
    assert math.isfinite(found.slack)


# The negative control.


def test_the_gradient_with_1e_13_added_to_element_500_is_a_mismatch() -> None:
    gradient = 2 * POINTS * np.sin(POINTS) + POINTS**2 * np.cos(POINTS)
    found = one(gradient, with_element(gradient, 500, gradient[500] + 1e-13))
    assert found.place is not None
    assert (found.outcome, found.place.at) == ("mismatch", 500)


@pytest.mark.parametrize("dtype", ["float64", "float32", "complex128", "complex64", "int64", "int32", "bool"])
@pytest.mark.parametrize("tolerance", [SCALED, ULPS, EXACT, replace(SCALED, rule="absolute")])
def test_every_control_is_caught(dtype: str, tolerance: Tolerance) -> None:
    ref = (POINTS * 3).astype(dtype)
    name = {"float": "f", "compl": "c"}.get(dtype[:5], "")
    found = one(ref, ref.copy(), tolerance.at(f"{name}{np.dtype(dtype).itemsize * 8}" if name else "i64"))
    floats = np.dtype(dtype).kind in "fc"
    expected = ["bound", "bound", *(["ulps"] if tolerance.ulps else [])] if floats else ["bound"]
    assert [trial.rule for trial in found.control] == expected
    assert all(trial.caught for trial in found.control)
    assert found.outcome == "match"


def test_the_control_sets_the_first_number_beyond_the_bound() -> None:
    found = one(POINTS, POINTS.copy())
    above, below = (float.fromhex(trial.value) for trial in found.control)
    at, bound = found.control[0].at, Fraction(found.bound or 0)
    ref = Fraction(float(POINTS[at]))
    assert at == 500
    for value, inwards in ((above, -math.inf), (below, math.inf)):
        assert abs(Fraction(value) - ref) > bound >= abs(Fraction(math.nextafter(value, inwards)) - ref)


def test_the_control_of_ulps_is_one_that_the_bound_does_not_see() -> None:
    trial = one(POINTS, POINTS.copy(), ULPS).control[2]
    distance = measure(POINTS, with_element(POINTS, trial.at, float.fromhex(trial.value)))
    assert (distance.max_ulp, judge(distance, SCALED).outcome) == (65, "match")


@settings(max_examples=300, deadline=None)
@given(
    st.data(),
    st.sampled_from([("float64", "f64"), ("float32", "f32"), ("complex128", "c128"), ("complex64", "c64")]),
    st.sampled_from([rule for rule in RULES if rule != "supplied"]),
    st.sampled_from([None, 0, 64]),
    st.booleans(),
)
def test_controls_are_caught_whatever_the_numbers(
    data: st.DataObject, dtype: tuple[str, str], rule: str, ulps: int | None, sums: bool
) -> None:
    ref = data.draw(hnp.arrays(dtype[0], hnp.array_shapes(max_dims=2, max_side=5)))
    tolerance = replace(SCALED.at(dtype[1]), rule=rule, ulps=ulps, sums=sums)
    scale = {"out0": np.minimum(np.nan_to_num(np.abs(ref.real)), 1e30)}
    found = one(ref, ref.copy(), tolerance, scale=scale if tolerance.needs_scale else None)
    assert found.control
    assert all(trial.caught for trial in found.control), found.control


@pytest.mark.parametrize("dtype", ["complex128", "complex64"])
@pytest.mark.parametrize("name", ["max", "tiny", "smallest_subnormal", "eps"])
def test_controls_of_complex_numbers_are_caught_at_the_ends_of_the_range(dtype: str, name: str) -> None:
    size = getattr(np.finfo(dtype), name)
    for parts in ((size, size), (size, 0), (0, -size), (-size, 1)):
        ref = np.array([complex(*parts)], dtype)
        found = one(ref, ref, ULPS.at("c128" if dtype == "complex128" else "c64"))
        assert found.outcome == "match", found
        assert [trial.rule for trial in found.control][-1] == "ulps"


def test_the_control_of_a_mismatch_is_tried_on_the_reference() -> None:
    found = one(POINTS, POINTS + 1)
    assert found.outcome == "mismatch"
    assert [trial.caught for trial in found.control] == [True, True]


def test_every_control_alters_one_element_of_what_is_right() -> None:
    got = POINTS + 1e-15
    altered: list[int] = []

    def counting(array: Array) -> Verdict:
        altered.append(int((array != got).sum()))
        return judge(measure(POINTS, array), ULPS)

    try_out("out0", POINTS, got, Limits(1e-14, 64), counting)
    assert altered == [1, 1, 1]


@pytest.mark.parametrize(("got", "base"), [(POINTS + 1e-15, POINTS + 1e-15), (POINTS + 1, POINTS)])
def test_the_control_starts_from_what_matches(monkeypatch: pytest.MonkeyPatch, got: Array, base: Array) -> None:
    seen: list[Array] = []

    def watching(name: str, ref: Array, start: Array, *more: Any) -> tuple[()]:
        seen.append(start)
        return ()

    monkeypatch.setattr(check, "try_out", watching)
    one(POINTS, got)
    assert (seen[0] == base).all()


def test_the_control_leaves_the_answer_as_it_is() -> None:
    got = POINTS.copy()
    got.flags.writeable = False
    one(POINTS, got, ULPS)
    assert (got == POINTS).all()


@pytest.mark.parametrize("blind", ["bound", "ulps"])
def test_a_judge_that_overlooks_a_rule_is_found_out(monkeypatch: pytest.MonkeyPatch, blind: str) -> None:
    def careless(distance: Distance, tolerance: Tolerance, **more: Any) -> Verdict:
        verdict = judge(distance, tolerance, **more)
        broken = tuple(rule for rule in verdict.broken if rule != blind)
        return replace(verdict, broken=broken, outcome="mismatch" if broken else "match")

    monkeypatch.setattr(check, "judge", careless)
    found = one(POINTS, POINTS.copy(), ULPS)
    assert (found.outcome, found.broken) == ("error", ("control",))
    assert found.reason.startswith("the negative control was not caught")


def test_a_measure_that_overlooks_an_element_is_found_out() -> None:
    def half(got: Array) -> Verdict:
        return judge(measure(POINTS[:500], got[:500]), SCALED)

    limits = Limits(1e-14, None)
    assert [trial.caught for trial in try_out("out0", POINTS, POINTS, limits, half)] == [False, False]


def test_an_array_of_nan_has_a_control_too() -> None:
    nans: Mapping[str, Array] = {"out0": np.full(3, math.nan), "out1": np.full(3, -math.inf)}
    found = compare_arrays(nans, nans, tolerance=SCALED)
    assert [(trial.rule, trial.caught) for trial in found.control] == [("nan", True), ("inf", True)]


def test_the_widest_allowance_decides_whether_a_sum_proves_anything() -> None:
    distance = measure(np.ones(2), np.ones(2), allowance=np.array([1e-14, 2.0]))
    assert judge(distance, SUMS, allowed=Allowed(scale=1.0, bound=2.0)).broken == ("vacuous",)
    assert judge(distance, SUMS, allowed=Allowed(scale=3.0, bound=2.0)).outcome == "match"
