"""Lock files: crates that meet in two versions, releases that meet in one build, and what cargo says of a failure."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from rust_harness import release_pins
from rust_harness.release_lock import disagreements, mixed, packages, strays, unresolved, without_source
from rust_harness.release_pins import doubts, previous
from rust_harness.release_source import BuildError, Crate, Source

RELEASED = sorted(path.stem for path in release_pins.LOCKS.glob("*.lock"))


def package(name: str, version: str, *needs: str, path: bool = False) -> str:
    source = "" if path else 'source = "registry+x"\nchecksum = "0"\n'
    listed = "".join(f' "{need}",\n' for need in needs)
    return f'[[package]]\nname = "{name}"\nversion = "{version}"\n{source}dependencies = [\n{listed}]\n\n'


TRAP = "version = 4\n\n" + "".join(
    (
        package("tenferro-cpu", "0.8.0", "threadteam 0.2.0", "tcontract", "syn 1.0.0"),
        package("tcontract", "0.9.1", "threadteam 0.3.0 (registry+x)", "syn 2.0.0"),
        package("threadteam", "0.2.0"),
        package("threadteam", "0.3.0"),
        package("syn", "1.0.0"),
        package("syn", "2.0.0"),
    )
)


def test_crates_in_two_versions_are_told_with_who_wants_which() -> None:
    assert disagreements(packages(TRAP)) == ["threadteam: 0.2.0 for tenferro-cpu 0.8.0; 0.3.0 for tcontract 0.9.1"]


def test_two_releases_never_meet_in_one_build() -> None:
    lock = package("tenferro-cpu", "0.8.0") + package("tenferro-runtime", "0.9.0")
    found = mixed(packages(lock), Source("0.8.0", "0.8.0"))
    assert found == (
        "crates of more than one tenferro release in one build: tenferro-cpu 0.8.0, tenferro-runtime 0.9.0"
    )


def test_a_patch_release_belongs_to_its_minor_release() -> None:
    lock = (
        package("tenferro-cpu", "0.8.1") + package("tenferro-runtime", "0.8.0") + package("tenferro-harness", "0.1.0")
    )
    assert mixed(packages(lock), Source("0.8.0", "0.8.0")) == ""


def test_a_later_patch_and_a_crate_held_twice_are_told() -> None:
    lock = package("tenferro-cpu", "0.8.1") + package("tenferro-runtime", "0.8.0") + TRAP.partition("\n\n")[2]
    (one,) = strays(packages(lock), Source("0.8.0", "0.8.0"))
    assert (one.name, one.version) == ("tenferro-cpu", "0.8.1")
    assert doubts(lock, Source("0.8.0", "0.8.0")) == [
        "tenferro-cpu is 0.8.1 in the build of 0.8.0",
        "two versions in the build of 0.8.0: tenferro-cpu: 0.8.0 for the harness; 0.8.1 for the harness",
        "two versions in the build of 0.8.0: threadteam: 0.2.0 for tenferro-cpu 0.8.0; 0.3.0 for tcontract 0.9.1",
    ]


def test_a_release_is_compared_with_the_one_before_it_and_a_tree_with_what_it_says_it_is(tmp_path: Path) -> None:
    crates = {"tenferro-runtime": Crate(tmp_path, "x")}
    assert release_pins.known() == RELEASED == ["0.8.0", "0.9.0"]
    asked = [Source("x", release) for release in ("0.9.0", "0.10.0-rc.1", "0.12.0")]
    assert [previous(one) for one in asked] == ["0.8.0", "0.9.0", "0.9.0"]
    trees = [Source("x", release, crates) for release in ("0.8.0", "0.9.0-dev", "0.9.0", "0.13.0")]
    assert [previous(one) for one in trees] == ["0.8.0", "0.8.0", "0.9.0", "0.9.0"]
    with pytest.raises(BuildError, match=r"no release before 0\.8\.0 is known: name the one"):
        previous(Source("0.8.0", "0.8.0"))


def test_a_tree_and_the_registry_never_meet_in_one_build(tmp_path: Path) -> None:
    crates = {"tenferro-runtime": Crate(tmp_path, "0.9.0")}
    lock = package("tenferro-runtime", "0.9.0", path=True) + package("tenferro-linalg", "0.9.0")
    assert mixed(packages(lock), Source("t", "0.9.0", crates)) == "crates that are not of the tree t: tenferro-linalg"
    alone = package("tenferro-runtime", "0.9.0", path=True)
    assert mixed(packages(alone), Source("t", "0.9.0", crates)) == ""


@pytest.mark.parametrize("release", RELEASED)
def test_a_committed_lock_holds_one_release_and_no_disagreement(release: str) -> None:
    found = packages((release_pins.LOCKS / f"{release}.lock").read_text())
    assert mixed(found, Source(release, release)) == ""
    assert disagreements(found) == []
    assert {one.version for one in found if one.name == "tenferro-runtime"} == {release}


@pytest.mark.parametrize("release", RELEASED)
def test_a_committed_lock_is_of_this_manifest(release: str) -> None:
    """Cargo refuses a lock that misses a dependency (`--locked`); so does this, without cargo."""
    manifest = (release_pins.LOCKS.parent / "Cargo.toml").read_text()
    wanted = tomllib.loads(release_pins.manifest_text(manifest, Source(release, release)))
    found = packages((release_pins.LOCKS / f"{release}.lock").read_text())
    harness = next(one for one in found if one.name == "tenferro-harness")
    assert {need.split(" ")[0] for need in harness.needs} == set(wanted["dependencies"])


DISAGREE = """\
error: failed to select a version for `cpueinsum`.
    ... required by package `tenferro-cpu v0.9.0`
    ... which satisfies dependency `tenferro-cpu = "=0.9.0"` of package `tenferro-harness v0.1.0 (/x)`
versions that meet the requirements `^0.9.1` are: 0.9.1

all possible versions conflict with previously selected packages.

  previously selected package `cpueinsum v0.9.0`
    ... which satisfies dependency `cpueinsum = "=0.9.0"` of package `tenferro-harness v0.1.0 (/x)`
"""
ABSENT = """\
error: failed to select a version for the requirement `tenferro-ad = "=0.99.0"`
candidate versions found which didn't match: 0.9.0, 0.8.0, 0.7.1, ...
required by package `tenferro-harness v0.1.0 (/x)`
"""


def test_a_failed_resolve_says_which_crates_disagree() -> None:
    assert unresolved(DISAGREE) == (
        "failed to select a version for `cpueinsum`; versions that meet the requirements `^0.9.1` are: 0.9.1;"
        " previously selected package `cpueinsum v0.9.0`"
        ' (wanted by tenferro-cpu v0.9.0, tenferro-cpu = "=0.9.0", cpueinsum = "=0.9.0")'
    )


def test_a_release_that_is_not_there_is_told_with_those_that_are() -> None:
    assert "0.99.0" in unresolved(ABSENT)
    assert "candidate versions found which didn't match: 0.9.0, 0.8.0" in unresolved(ABSENT)


def test_words_of_cargo_nobody_knows_are_passed_on() -> None:
    assert unresolved("Updating\nsomething else went wrong\n") == "something else went wrong"


def test_patched_packages_lose_their_source_and_nothing_else() -> None:
    lock = without_source(TRAP, ["tcontract"])
    before, after = ({(one.name, one.version): one for one in packages(text)} for text in (TRAP, lock))
    assert after.keys() == before.keys()
    assert {key for key in before if before[key] != after[key]} == {("tcontract", "0.9.1")}
    assert after["tcontract", "0.9.1"].source == ""
    assert after["tcontract", "0.9.1"].needs == before["tcontract", "0.9.1"].needs
