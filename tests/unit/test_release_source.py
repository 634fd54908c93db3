"""What a user may name: a version, a folder, a folder at a git revision; all else is refused in one line."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from rust_harness.release_source import BuildError, source, tree


@pytest.fixture(autouse=True)
def _own_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("TENFERRO_CONFORMANCE_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A source tree of two crates, one with the workspace's version, in a git repository of two commits."""
    root = tmp_path / "tenferro-rs"
    _write(root / "Cargo.toml", '[workspace]\nmembers = ["crates/*"]\n[workspace.package]\nversion = "0.9.0"\n')
    _write(root / "crates/runtime/Cargo.toml", '[package]\nname = "tenferro-runtime"\nversion.workspace = true\n')
    _write(root / "crates/runtime/src/lib.rs", "pub fn one() {}\n")
    _write(root / "crates/cpu/Cargo.toml", '[package]\nname = "tenferro-cpu"\nversion = "0.9.1"\n')
    _write(root / "tools/Cargo.toml", '[package]\nname = "bench-tools"\nversion = "9.9.9"\n')
    _write(root / "target/package/Cargo.toml", '[package]\nname = "tenferro-linalg"\nversion = "0.1.0"\n')
    _git(root, "init", "--quiet")
    _commit(root, "first")
    _write(root / "crates/runtime/src/lib.rs", "pub fn two() {}\n")
    _commit(root, "second")
    return root


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def _git(root: Path, *words: str) -> None:
    identity = ["-c", "user.name=t", "-c", "user.email=t@localhost"]
    subprocess.run(["git", "-C", str(root), *identity, *words], check=True, capture_output=True)


def _commit(root: Path, message: str) -> None:
    _git(root, "add", ".")
    _git(root, "commit", "--quiet", "-m", message)


def test_a_version_is_the_registrys() -> None:
    found = source("0.9.0")
    assert (found.key, found.release, dict(found.crates), found.content()) == ("0.9.0", "0.9.0", {}, b"")


@pytest.mark.parametrize("version", ["0.5.0", "0.6.0", "0.7.0", "0.7.1"])
def test_releases_before_the_engines_are_unsupported_in_one_line(version: str) -> None:
    with pytest.raises(BuildError, match=f"^tenferro {version} .*unsupported$"):
        source(version)


def test_a_folder_is_read_for_its_tenferro_crates(checkout: Path) -> None:
    found = source(str(checkout))
    assert {name: crate.version for name, crate in found.crates.items()} == {
        "tenferro-runtime": "0.9.0",
        "tenferro-cpu": "0.9.1",
    }
    assert found.release == "0.9.0"


def test_a_revision_is_the_tree_as_it_was(checkout: Path) -> None:
    before, after = source(f"{checkout}@HEAD~1"), source(f"{checkout}@HEAD")
    text = [(found.crates["tenferro-runtime"].folder / "src/lib.rs").read_text() for found in (before, after)]
    assert text == ["pub fn one() {}\n", "pub fn two() {}\n"]
    assert before.key != after.key
    assert before.content() != after.content()


def test_a_changed_file_changes_the_content_and_not_the_key(checkout: Path) -> None:
    before = source(str(checkout))
    content, key = before.content(), before.key
    _write(checkout / "crates/cpu/src/lib.rs", "pub fn three() {}\n")
    assert source(str(checkout)).key == key
    assert source(str(checkout)).content() != content


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("nonsense", "'nonsense' is no version"),
        ("0.9", "'0.9' is no version"),
        ("{checkout}@no-such-branch", "no git revision 'no-such-branch'"),
        ("{checkout}/tools", "no crate tenferro-runtime"),
    ],
)
def test_what_cannot_be_built_is_named(checkout: Path, text: str, words: str) -> None:
    with pytest.raises(BuildError, match=words):
        source(text.format(checkout=checkout))


@pytest.mark.parametrize("name", ["Cargo.toml", "crates/cpu/src/table.json", "tools/src/lib.rs"])
def test_every_file_of_a_tree_may_decide_what_is_built(checkout: Path, name: str) -> None:
    content = source(str(checkout)).content()
    file = checkout / name
    _write(file, (file.read_text() if file.exists() else "") + "# another\n")
    assert source(str(checkout)).content() != content


@pytest.mark.parametrize("name", ["target/release/x", ".git/x", "crates/cpu/target/x"])
def test_what_a_build_and_git_leave_behind_decides_nothing(checkout: Path, name: str) -> None:
    content = source(str(checkout)).content()
    _write(checkout / name, "another")
    assert source(str(checkout)).content() == content


@pytest.mark.parametrize(
    ("text", "told"),
    [(b"[package\n", "not valid TOML"), (b"\xff", "not valid TOML"), (b"package = 3\n", "is no table")],
)
def test_a_broken_manifest_is_named(checkout: Path, text: bytes, told: str) -> None:
    (checkout / "crates/cpu/Cargo.toml").write_bytes(text)
    with pytest.raises(BuildError, match=rf"crates/cpu/Cargo\.toml: .*{told}"):
        tree(checkout, name="x")


def test_a_crate_may_say_no_version(checkout: Path) -> None:
    _write(checkout / "crates/cpu/Cargo.toml", '[package]\nname = "tenferro-cpu"\n')
    assert tree(checkout, name="x").crates["tenferro-cpu"].version == "0.0.0"


@pytest.mark.parametrize("text", ["workspace = 3\n", "[workspace]\npackage = 3\n"])
def test_a_workspace_that_is_none_gives_no_version(checkout: Path, text: str) -> None:
    _write(checkout / "Cargo.toml", text)
    with pytest.raises(BuildError, match="no workspace above it"):
        tree(checkout, name="x")


def test_a_workspace_version_without_a_workspace_is_named(checkout: Path) -> None:
    _write(checkout / "Cargo.toml", "[workspace]\n")
    with pytest.raises(BuildError, match="no workspace above it"):
        tree(checkout, name="x")


def test_a_folder_of_two_source_trees_is_refused(tmp_path: Path) -> None:
    for folder, version in (("a", "0.8.0"), ("b", "0.9.0")):
        crate = tmp_path / folder / "tenferro-runtime"
        crate.mkdir(parents=True)
        (crate / "Cargo.toml").write_text(f'[package]\nname = "tenferro-runtime"\nversion = "{version}"\n')
    with pytest.raises(BuildError, match="holds tenferro-runtime twice"):
        source(str(tmp_path))
