"""The manifest of a release, and a build that leaves out what does not compile."""

from __future__ import annotations

import json
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest

from rust_harness import builder
from rust_harness.builder import CompileError, build
from rust_harness.release_pins import manifest_text
from rust_harness.release_source import BuildError, Crate, Source

HERE = Path(__file__).parents[2] / "rust_harness"
MANIFEST = (HERE / "Cargo.toml").read_text()
NAMES = [name for name in tomllib.loads(MANIFEST)["dependencies"] if name.startswith("tenferro-")]


def pins(manifest: str) -> dict[str, str]:
    found = tomllib.loads(manifest)["dependencies"]
    return {name: one if isinstance(one, str) else one["version"] for name, one in found.items()}


def test_the_manifest_of_the_pinned_release_is_the_one_in_the_repository() -> None:
    assert manifest_text(MANIFEST, Source("0.8.0", "0.8.0")) == MANIFEST


def test_another_release_moves_every_pin_and_keeps_features() -> None:
    text = manifest_text(MANIFEST, Source("0.12.0", "0.12.0"))
    before, after = pins(MANIFEST), pins(text)
    assert {after[name] for name in NAMES} == {"=0.12.0"}
    assert set(before) - set(after) == {"cpueinsum", "tcontract", "tcontract-exec", "tlinalg"}
    assert {name: after[name] for name in after if name not in NAMES} == {
        name: before[name] for name in after if name not in NAMES
    }
    features = [tomllib.loads(one)["dependencies"]["tenferro-linalg"]["features"] for one in (MANIFEST, text)]
    assert features[0] == features[1]


def test_a_tree_is_patched_in_crate_by_crate(tmp_path: Path) -> None:
    crates = {name: Crate(tmp_path / name, "0.13.0") for name in [*NAMES, "tenferro-extra"]}
    crates["tenferro-cpu"] = Crate(tmp_path / "cpu", "0.13.1")
    found = tomllib.loads(manifest_text(MANIFEST, Source("t", "0.13.0", crates)))
    patches = found["patch"]["crates" + "-io"]
    assert {name: Path(one["path"]) for name, one in patches.items()} == {
        name: crate.folder for name, crate in crates.items()
    }
    assert found["dependencies"]["tenferro-cpu"] == "=0.13.1"
    assert found["dependencies"]["tenferro-ad"] == "=0.13.0"


def test_a_tree_without_a_crate_that_the_harness_needs_is_told(tmp_path: Path) -> None:
    crates = {name: Crate(tmp_path / name, "0.13.0") for name in NAMES if name != "tenferro-linalg"}
    with pytest.raises(BuildError, match="the tree t holds no crate tenferro-linalg"):
        manifest_text(MANIFEST, Source("t", "0.13.0", crates))


def error(family: str, text: str, *, crate: str = "_native") -> str:
    span = {"is_primary": True, "file_name": f"src/{family}.rs", "expansion": None}
    message = {"level": "error", "message": text, "spans": [span], "rendered": f"error: {text}\n"}
    package = "path+file:///x#tenferro-harness@0.1.0" if crate == "_native" else f"registry+x#{crate}@0.9.0"
    entry = {"reason": "compiler-message", "package_id": package, "target": {"name": crate}, "message": message}
    return json.dumps(entry)


class Compiler:
    """Stands in for maturin and cargo: refuses while one of the broken families is asked for."""

    def __init__(self, broken: dict[str, str], *, stop_early: bool = False, core: str = "") -> None:
        self.broken, self.stop_early, self.core = broken, stop_early, core
        self.wheels: list[str] = []

    def __call__(self, command: list[str], **options: Any) -> subprocess.CompletedProcess[str]:
        if command[0] == "rustc":
            return subprocess.CompletedProcess(command, 0, "rustc 1.96.0 (x)\n", "")
        asked = command[command.index("--features") + 1].split(",") if "--features" in command else []
        refused = [family for family in asked if family in self.broken]
        if "maturin" in command:
            return subprocess.CompletedProcess(command, int(bool(refused or self.core)) or self._wheel(command, asked))
        lines = [error(family, self.broken[family]) for family in refused[: 1 if self.stop_early else None]]
        return subprocess.CompletedProcess(command, 101, "\n".join([*lines, self.core]), "")

    def _wheel(self, command: list[str], asked: list[str]) -> int:
        folder = Path(command[command.index("--out") + 1])
        folder.mkdir(parents=True)
        (folder / "harness.whl").touch()
        self.wheels.append(",".join(asked))
        return 0


@pytest.fixture
def compiler(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    """Puts a Compiler in the place of the real one, with a cache of its own."""
    monkeypatch.setenv("TENFERRO_CONFORMANCE_CACHE", str(tmp_path))

    def use(**words: Any) -> Compiler:
        found = Compiler(**words)
        monkeypatch.setattr(subprocess, "run", found)
        return found

    return use


def test_a_release_that_compiles_is_built_once(compiler: Any) -> None:
    used = compiler(broken={})
    first, second = build(Source("0.8.0", "0.8.0")), build(Source("0.8.0", "0.8.0"))
    assert first == second
    assert first.failures == ()
    assert len(used.wheels) == 1


@pytest.mark.parametrize("stop_early", [False, True])
def test_families_that_do_not_compile_are_left_out_and_told(compiler: Any, stop_early: bool) -> None:
    broken = {"linalg": "no method named `svd_with_options` found", "einsum": "unresolved import `a`"}
    used = compiler(broken=broken, stop_early=stop_early)
    built = build(Source("0.8.0", "0.8.0"))
    assert {failure.family: failure.missing for failure in built.failures} == {
        "linalg": ("svd_with_options",),
        "einsum": ("a",),
        "trg": (),
    }
    assert {*broken, "trg"}.isdisjoint(built.families)
    assert "elementwise" in built.families
    assert used.wheels == [",".join(built.families)]
    assert build(Source("0.8.0", "0.8.0")) == built


@pytest.mark.parametrize(
    ("release", "compiler", "told", "lenient"),
    [("0.8.0", "1.95.0", "1.96", True), ("0.8.0", "1.96.0", None, False), ("0.13.0", "1.99.0", None, True)],
)
def test_what_rust_a_release_declares_is_no_reason_not_to_try(
    release: str, compiler: str, told: str | None, lenient: bool
) -> None:
    assert builder.older(f"rustc {compiler} (x)", release) == told
    assert builder._lenient(Source(release, release), f"rustc {compiler} (x)") == ["--ignore-rust-version"] * lenient


def test_what_all_families_share_leaves_nothing_to_run(compiler: Any) -> None:
    compiler(broken={}, core=error("engine", "cannot find function `x` in this scope"))
    with pytest.raises(CompileError, match=r"the harness itself: .*missing: x"):
        build(Source("0.8.0", "0.8.0"))


def test_a_crate_of_the_release_that_does_not_compile_is_named(compiler: Any) -> None:
    compiler(broken={}, core=error("lib", "mismatched types", crate="tenferro_cpu"))
    with pytest.raises(CompileError, match="crate tenferro_cpu: error: mismatched types"):
        build(Source("0.8.0", "0.8.0"))


def test_a_wheel_that_has_to_be_whole_says_which_family_is_not(compiler: Any) -> None:
    compiler(broken={"linalg": "no method named `svd` found"})
    with pytest.raises(BuildError, match=r"tenferro 0\.8\.0: linalg: .*missing: svd"):
        builder.wheel("0.8.0")


@pytest.mark.parametrize("words", [["0.7.1"], ["nonsense"]])
def test_the_command_says_in_one_line_why_not(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert builder.main(words) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[tool.other]\n", "cannot be read for"),
        ("[tool.conformance]\ntenfero = '0.8.0'\n", "unknown key 'tenfero'"),
        ("[tool.conformance]\n", "add tenferro"),
        ("[tool.conformance]\ntenferro = 8\n", "add tenferro"),
        ("[tool", "mend it"),
    ],
)
def test_a_slip_in_the_pinned_release_is_named(
    text: str, told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "pyproject.toml").write_text(text)
    monkeypatch.setattr(builder, "HERE", tmp_path / "rust_harness")
    with pytest.raises(BuildError, match=told):
        builder.pinned_release()


@pytest.mark.parametrize("arguments", [["--help"], ["a", "b"], ["--nope"]])
def test_the_builder_explains_itself(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        builder.main(arguments)
    told = capsys.readouterr()
    assert ended.value.code == (0 if arguments == ["--help"] else 2)
    assert "rust_harness.builder" in told.out + told.err


def test_an_empty_source_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert builder.main([""]) == 2
    assert "is no version" in capsys.readouterr().err
