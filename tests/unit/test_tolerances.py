"""tolerances.toml: what it says of every category, and one clear line for whatever is wrong with it."""

from __future__ import annotations

from pathlib import Path

import pytest

from compare.tolerances import FAMILIES, TRANSFORMS, Tolerances, TolerancesError, load

FILE = Path(__file__).parents[2] / "tolerances.toml"
DTYPES = ("f64", "f32", "c128", "c64", "i64", "i32", "bool")
BLANK = "".join(f'[{family}]\nreason = "Because."\n' for family in FAMILIES)
DEFAULT = '[default]\nreason = "Because."\nscaled = { f64 = 1e-14, f32 = 5.4e-6 }\n'


@pytest.fixture(scope="module")
def suite() -> Tolerances:
    return load(FILE)


def written(folder: Path, text: str) -> Tolerances:
    path = folder / "tolerances.toml"
    path.write_text(text, encoding="utf-8")
    return load(path)


def test_every_category_has_a_reason_that_is_a_sentence(suite: Tolerances) -> None:
    for name, row in suite.categories.items():
        assert row["reason"].endswith("."), name
        assert row["reason"][0].isupper() or row["reason"].startswith(("lnZ", "log", "gelu")), name


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("transform", TRANSFORMS)
def test_every_family_and_transform_has_a_tolerance_for_every_dtype(
    suite: Tolerances, family: str, transform: str
) -> None:
    for dtype in DTYPES:
        tolerance = suite.of(f"{family}.{transform}", dtype)
        assert tolerance.exact or 0 < tolerance.scaled <= 1e-5
        assert tolerance.exact or dtype[0] in "fc"


@pytest.mark.parametrize(
    ("key", "dtype", "rule", "scaled", "ulps", "sums"),
    [
        ("elementwise.value", "f64", "scaled", 1e-14, 64, False),
        ("elementwise.vjp", "f32", "scaled", 5.4e-6, None, False),
        ("activation.value", "c64", "scaled", 5.4e-6, 64, False),
        ("complex.value", "c128", "scaled", 1e-14, 64, False),
        ("reduction.grad", "f64", "scaled", 1e-14, None, True),
        ("contraction.value", "f64", "scaled", 1e-14, None, True),
        ("einsum.value", "f64", "scaled", 1e-14, None, True),
        ("threads.value", "f64", "scaled", 1e-14, None, True),
        ("transforms.value", "f64", "scaled", 1e-14, None, True),
        ("transforms.hvp", "f64", "scaled", 1e-14, None, False),
        ("trg.value", "f64", "absolute", 1e-14, None, False),
        ("trg.grad", "f64", "absolute", 1e-11, None, False),
        ("trg.c.value", "f64", "supplied", 1e-11, None, False),
        ("singular-values.value", "f64", "singular-values", 1e-14, None, False),
        ("relative.hvp", "f64", "relative", 1e-14, None, False),
        ("layout.value", "f64", "exact", 0.0, None, False),
        ("surfaces", "f64", "exact", 0.0, None, False),
        ("fft.value", "i64", "scaled", 0.0, None, False),
    ],
)
def test_what_the_suite_allows(
    suite: Tolerances, key: str, dtype: str, rule: str, scaled: float, ulps: int | None, sums: bool
) -> None:
    found = suite.of(key, dtype)
    exact = rule == "exact"
    assert (found.rule, found.scaled, found.ulps) == (rule, scaled, ulps)
    assert exact or found.sums == sums


@pytest.mark.parametrize("family", FAMILIES)
def test_the_sign_of_zero_is_judged_in_the_values_of_five_families(suite: Tolerances, family: str) -> None:
    judged = {name for name in TRANSFORMS if suite.of(f"{family}.{name}", "f64").sign_of_zero}
    assert judged == ({"value"} if family in ("elementwise", "complex", "layout", "indexing", "dtype") else set())


def test_a_category_has_what_the_one_above_it_has(tmp_path: Path) -> None:
    more = '[fft.long]\nreason = "Because."\nulps = 9\n[fft.long.jvp]\nreason = "Because."\nscaled = { f64 = 1.0 }\n'
    table = written(tmp_path, DEFAULT + BLANK + more)
    found = table.of("fft.long.jvp", "c128")
    assert (found.scaled, found.ulps, found.category) == (1.0, 9, "fft.long.jvp")
    assert table.of("fft.long.jvp", "f32").scaled == 5.4e-6
    assert table.of("fft.long.vjp", "f64").category == "fft.long"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (BLANK, "no [default]"),
        (DEFAULT.replace(", f32 = 5.4e-6", "") + BLANK, "[default] gives no `scaled.f32`"),
        (DEFAULT + BLANK.replace('[fft]\nreason = "Because."\n', ""), "no category 'fft': add [fft] with a reason"),
        (DEFAULT + BLANK + "[more]\nulps = 3\n", "[more] gives no reason"),
        (DEFAULT + BLANK + '[more]\nreason = ""\n', "[more] has reason = ''"),
        (DEFAULT + BLANK + '[more]\nreason = "Because."\nulp = 3\n', "[more] has an unknown key 'ulp': keys are"),
        (DEFAULT + BLANK + '[more]\nreason = "Because."\nulps = 3.5\n', "[more] has ulps = 3.5"),
        (DEFAULT + BLANK + '[more]\nreason = "Because."\nulps = -1\n', "[more] has ulps = -1"),
        (DEFAULT + BLANK + '[more]\nreason = "Because."\nulps = true\n', "[more] has ulps = True"),
        (DEFAULT + BLANK + '[more]\nreason = "Because."\nscaled = 1e-14\n', "[more] has scaled = 1e-14"),
        (DEFAULT + BLANK + '[more]\nreason = "Because."\nscaled = { f16 = 1.0 }\n', "[more] has scaled ="),
        (DEFAULT + BLANK + '[more]\nreason = "Because."\nscaled = { f64 = nan }\n', "has scaled.f64 = nan"),
        (DEFAULT + BLANK + '[more]\nreason = "Because."\nscaled = { f64 = inf }\n', "has scaled.f64 = inf"),
        (DEFAULT + BLANK + '[more]\nreason = "Because."\nscaled = { f64 = -1.0 }\n', "has scaled.f64 = -1.0"),
        (DEFAULT + BLANK + '[more]\nreason = "Because."\nscaled = { f64 = 0 }\n', "has scaled.f64 = 0"),
        (DEFAULT + BLANK + '[more]\nreason = "Because."\nscaled = { f64 = "1" }\n', "has scaled.f64 = '1'"),
        (DEFAULT + BLANK + '[more]\nreason = "Because."\nrule = "loose"\n', "[more] has rule = 'loose': it is one of"),
        (DEFAULT + BLANK + '[more]\nreason = "Because."\nsums = 1\n', "[more] has sums = 1"),
        (DEFAULT + BLANK + '[more]\nreason = "Because."\nsign_of_zero = true\n', "[more] has sign_of_zero = True"),
        ("more = 3\n" + DEFAULT + BLANK, "unknown key 'more'"),
        ("[fft\n", "not valid TOML"),
        (DEFAULT + BLANK + BLANK, "not valid TOML"),
    ],
)
def test_whatever_is_wrong_is_told_in_one_line(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(TolerancesError) as caught:
        written(tmp_path, text)
    told = str(caught.value)
    assert told.startswith("tolerances.toml: ")
    assert words in told
    assert "\n" not in told


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(TolerancesError, match=r"nowhere\.toml: No such file"):
        load(tmp_path / "nowhere.toml")


@pytest.mark.parametrize("key", ["fftt", "fftt.value", "fft.backwards", "trg.d", ""])
def test_an_unknown_category_is_refused(suite: Tolerances, key: str) -> None:
    with pytest.raises(TolerancesError, match=r"tolerances\.toml: no category"):
        suite.of(key, "f64")


def test_an_unknown_dtype_is_refused(suite: Tolerances) -> None:
    with pytest.raises(TolerancesError, match="no dtype is named 'f16'"):
        suite.of("fft", "f16")


def test_a_category_that_nobody_asked_for_is_told(tmp_path: Path) -> None:
    table = written(tmp_path, DEFAULT + BLANK + '[fft.hvp]\nreason = "Because."\n[odd]\nreason = "Because."\n')
    assert table.unused(["fft", "linalg", "odd"]) == ("linalg", "fft", "fft.hvp", "odd")
    table.of("fft.value", "f64")
    assert table.unused(["fft", "linalg"]) == ("linalg", "fft.hvp")
    assert table.unused(["fft", "linalg"], used=["linalg"]) == ("fft.hvp",)
    assert table.unused(["einsum"]) == ("einsum",)
    assert table.used == {"fft"}


def test_a_category_that_another_builds_on_is_used_with_it(tmp_path: Path) -> None:
    table = written(tmp_path, DEFAULT + BLANK + '[fft.value]\nreason = "Because."\n')
    table.of("fft.value", "f64")
    assert table.unused(["fft"]) == ()


@pytest.mark.parametrize("name", ["nope", "linalg.zzz"])
def test_a_category_that_means_nothing_is_named(tmp_path: Path, name: str) -> None:
    table = written(tmp_path, DEFAULT + BLANK + f'[{name}]\nreason = "Because."\n')
    with pytest.raises(TolerancesError, match=rf"\[{name}\] is no family, no property and no category of a case"):
        table.require_meaning(["odd"])


@pytest.mark.parametrize("name", ["odd", "fft.hvp", "trg.c"])
def test_categories_of_families_properties_and_cases_mean_something(tmp_path: Path, name: str) -> None:
    table = written(tmp_path, DEFAULT + BLANK + f'[{name}]\nreason = "Because."\n')
    table.require_meaning(["odd", "trg.c"])
    assert name in table.categories
    assert table.of(name, "f64").category == name
