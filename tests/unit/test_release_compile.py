"""A release that compiles in part: the compiler's own words, from a crate shaped like the harness."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from rust_harness.release_compile import CORE, Failure, dump, failures, families, first_line, load, names_missing

MANIFEST = """\
[package]
name = "tenferro-harness"
version = "0.1.0"
edition = "2024"

[lib]
name = "_native"

[features]
default = ["elementwise", "linalg", "fft"]
elementwise = []
linalg = []
fft = []

[workspace]
"""
SOURCES = {
    "lib.rs": """
#[macro_use]
mod table;
pub struct Tensor;
impl Tensor { pub fn sin(&self) {} }
#[cfg(feature = "elementwise")]
pub mod elementwise;
#[cfg(feature = "linalg")]
pub mod linalg;
#[cfg(feature = "fft")]
pub mod fft;
""",
    "table.rs": "macro_rules! operation { ($name:ident) => { pub fn $name(x: &crate::Tensor) { x.$name() } }; }\n",
    "elementwise.rs": "operation!(sin);\n",
    "linalg.rs": "operation!(svd_with_options);\noperation!(pinv_with_rtol);\n",
    "fft.rs": "use crate::FftPlan;\npub fn plan() -> FftPlan { FftPlan }\n",
}
KNOWN = families(MANIFEST)


def compiled(folder: Path, sources: dict[str, str], features: tuple[str, ...] = KNOWN) -> tuple[Failure, ...]:
    (folder / "src").mkdir(parents=True, exist_ok=True)
    (folder / "Cargo.toml").write_text(MANIFEST)
    for name, text in sources.items():
        (folder / "src" / name).write_text(text)
    chosen = ["--no-default-features", "--features", ",".join(features)]
    environment = {**os.environ, "CARGO_TARGET_DIR": str(folder / "target")}
    command = ["cargo", "build", "--message-format=json", *chosen]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    return failures(done.stdout, features)


def test_the_families_of_the_harness_are_its_default_features() -> None:
    manifest = (Path(__file__).parents[2] / "rust_harness" / "Cargo.toml").read_text()
    assert {"elementwise", "linalg", "einsum"} <= set(families(manifest))


def test_errors_count_for_the_family_whose_file_calls_the_macro(tmp_path: Path) -> None:
    whole = compiled(tmp_path, SOURCES)
    assert [failure.family for failure in whole] == ["fft", "linalg"]
    assert whole[0].missing == ("crate::FftPlan",)
    rest = compiled(tmp_path, SOURCES, ("elementwise", "linalg"))
    assert [(failure.family, failure.missing) for failure in rest] == [
        ("linalg", ("svd_with_options", "pinv_with_rtol"))
    ]
    assert first_line(rest[0].error).startswith("error[E0599]: no method named `svd_with_options`")
    assert compiled(tmp_path, SOURCES, ("elementwise",)) == ()


def test_what_families_share_is_the_harness_itself(tmp_path: Path) -> None:
    broken = SOURCES | {"lib.rs": SOURCES["lib.rs"] + "pub fn engine() { threads(2) }\n"}
    found = compiled(tmp_path, broken, ("elementwise",))
    assert [(failure.family, failure.missing) for failure in found] == [(CORE, ("threads",))]


@pytest.mark.parametrize(
    ("message", "names"),
    [
        ("unresolved import `tenferro_linalg::SvdOptions`", ["tenferro_linalg::SvdOptions"]),
        ("unresolved imports `a::B`, `a::C`", ["a::B", "a::C"]),
        ("no method named `fftn` found for struct `TracedTensor` in the current scope", ["fftn"]),
        ("no function or associated item named `serial` found for struct `CpuEngine`", ["serial"]),
        ("no variant or associated item named `C32` found for enum `DType`", ["C32"]),
        ("cannot find function `grad` in this scope", ["grad"]),
        ("cannot find type `Pool` in crate `tenferro_cpu`", ["Pool"]),
        ("could not find `ad_support` in `tenferro_runtime`", ["ad_support"]),
        ("mismatched types", []),
    ],
    ids=lambda value: f"{len(value)}",
)
def test_missing_names_are_read_from_the_compilers_words(message: str, names: list[str]) -> None:
    assert names_missing(message) == names


def test_failures_survive_json() -> None:
    one = (Failure("linalg", "error: x\n --> y", ("svd",)),)
    assert load(dump(one)) == one
    assert one[0].line == "linalg: error: x (missing: svd)"
