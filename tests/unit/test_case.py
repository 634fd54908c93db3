"""A case that contradicts itself is refused with its id and the rule."""

import sys
import types
from pathlib import Path
from typing import Any

import pytest

import references
from references.case import Case, CaseError
from references.inputs import fixed, integers, uniform
from tests.plan import plan


def case(**changes: Any) -> Case:
    row: dict[str, Any] = {
        "id": "family/name",
        "why": "It is a sentence.",
        "inputs": {"x": uniform(3), "i": integers(3, low=0, high=2, dtype="i64")},
        "jax": lambda x, i: x,
        "tenferro": lambda x, i: x,
    }
    return Case(**{**row, **changes})


@pytest.mark.parametrize(
    ("changes", "rule"),
    [
        ({"id": "Family/name"}, "id is"),
        ({"id": "name"}, "id is"),
        ({"why": "no sentence"}, "why is"),
        ({"jax": None}, "one is given"),
        ({"dtypes": ("f16",)}, "dtypes are"),
        ({"dtypes": ()}, "dtypes are"),
        ({"surfaces": ("lazy",)}, "surfaces are"),
        ({"transforms": ("hessian",)}, "transforms are"),
        ({"references": ("torch",)}, "has its program"),
        ({"references": ("mpmath",)}, "references are"),
        ({"wrt": ("z",)}, "wrt names"),
        ({"widths": (0,)}, "widths are"),
        ({"terms": -1}, "terms is"),
        ({"raises": {"traced": "mach"}}, "raises predicts"),
        ({"raises": {"tracd": "error"}}, "raises is keyed"),
        ({"widths": (1, 1)}, "widths names each once"),
        ({"widths": (True,)}, "widths are whole numbers"),
        ({"widths": (1.5,)}, "widths are whole numbers"),
        ({"widths": (100_000,)}, "widths are whole numbers"),
        ({"widths": ()}, "widths names one at least"),
        ({"transforms": ()}, "transforms names one at least"),
        ({"properties": ("agreements",)}, "properties are of"),
        ({"properties": ()}, "properties names one at least"),
        ({"transforms": ("vjp", "vjp")}, "transforms names each once"),
        ({"wrt": ("x", "x")}, "wrt names each once"),
        ({"jax": 3}, "jax is a function"),
        ({"scale": 3}, "scale is a function"),
        ({"refuses": "("}, "refuses is a regular expression"),
        ({"published": 5}, "published gives"),
        ({"published": {"jax": {"value": 3}}}, "published gives"),
    ],
)
def test_contradictions_are_named(changes: dict[str, Any], rule: str) -> None:
    with pytest.raises(CaseError, match=rule) as error:
        case(**changes)
    assert str(changes.get("id", "family/name")) in str(error.value)


def test_defaults_follow_dtype_and_surface() -> None:
    found = case(dtypes=("f64", "i32"))
    assert found.family == "family"
    assert found.asked == ("jax",)
    assert found.active("f64") == ("x",)
    assert found.transforms_on("eager", "f64") == ("value", "vjp", "jvp", "hvp")
    assert found.transforms_on("concrete", "f64") == ("value",)
    assert found.transforms_on("eager", "i32") == ("value",)


def test_raises_is_read_from_the_narrowest_key() -> None:
    found = case(raises={"traced": "error", "traced/f32": "unsupported", "*": "crash"})
    assert [found.predicted(*where) for where in (("traced", "f32"), ("traced", "f64"), ("eager", "f64"))] == [
        "unsupported",
        "error",
        "crash",
    ]


def test_ids_are_unique_and_lookup_names_its_neighbours() -> None:
    ids = [check.id for check in plan()]
    assert len(ids) == len(set(ids))
    with pytest.raises(CaseError, match="transforms/gradient-pair"):
        references.lookup("transforms/none")


def test_every_case_has_a_check() -> None:
    assert {check.got.case for check in plan()} == {case.id for case in references.cases()}


def test_a_case_is_asked_for_the_properties_it_names_alone() -> None:
    asked = {check.name for check in plan() if check.family == "widths"}
    assert asked == {"agreement", "surfaces", "widths"}


def test_fixed_inputs_keep_their_numbers() -> None:
    assert fixed([0.1, -0.0]).draw("case/x", "f64", 0).tolist() == [0.1, -0.0]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("CASES = (", "SyntaxError"),
        ("from references.case import Case\nCASES = (Case(id='x/y', jaxx=1),)", "jaxx"),
        ("import nowhere_at_all", "nowhere_at_all"),
        ("CASE = ()", "CASES"),
    ],
)
def test_a_slip_in_a_table_of_cases_is_one_line_that_names_the_file(
    text: str, told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "slipped.py").write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "slipped", raising=False)
    with pytest.raises(CaseError, match=told) as error:
        references._cases("slipped")
    assert "slipped" in str(error.value)


def test_a_case_stands_in_the_module_of_its_family(monkeypatch: pytest.MonkeyPatch) -> None:
    stray = types.ModuleType("references.elsewhere")
    stray.CASES = (case(id="family/name"),)  # type: ignore[attr-defined]  # made here
    monkeypatch.setitem(sys.modules, "references.elsewhere", stray)
    with pytest.raises(CaseError, match=r"family/name: stands in references.elsewhere"):
        references._cases("references.elsewhere")


def test_an_unknown_family_is_told_which_there_are() -> None:
    with pytest.raises(CaseError, match=r"families are: .*elementwise"):
        references.lookup("nonsense")
