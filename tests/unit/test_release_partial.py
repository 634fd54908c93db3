"""A harness in which one family does not compile, built, imported and asked: the others answer as ever."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from compare.diff import difference
from rust_harness import builder, release_side
from rust_harness.builder import Built
from rust_harness.release_compile import Failure, families
from rust_harness.release_side import Side, unpacked
from rust_harness.release_source import Source

SOURCE = Source("0.8.0", "0.8.0")
PICK = (
    r"^(elementwise/sin-ordinary|layout/stack-sizes|trg/(beta-0.40|rust-0.44))::agreement::.*::eager::value::f64::w1$"
)


@pytest.fixture(scope="module")
def partial(tmp_path_factory: pytest.TempPathFactory) -> Built:
    """The harness with a call of the einsum family to a name that the release does not have."""
    here = tmp_path_factory.mktemp("partial") / "rust_harness"
    shutil.copytree(builder.HERE, here, ignore=shutil.ignore_patterns("__pycache__"))
    einsum = here / "src" / "einsum.rs"
    einsum.write_text(einsum.read_text().replace("session.einsum(all", "session.einsum_of_tomorrow(all"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(builder, "HERE", here)
        return builder.build(SOURCE)


def test_the_family_and_what_needs_it_are_left_out_with_the_compilers_error(partial: Built) -> None:
    whole = families((builder.HERE / "Cargo.toml").read_text())
    assert partial.families == tuple(name for name in whole if name not in ("einsum", "trg"))
    einsum, trg = partial.failures
    assert (einsum.family, einsum.missing) == ("einsum", ("einsum_of_tomorrow",))
    assert trg == Failure("trg", "needs the family einsum, which does not compile")


def test_what_compiles_is_run_and_the_rest_is_build(partial: Built, tmp_path: Path) -> None:
    sides = (
        Side(SOURCE, tmp_path, frozenset()),
        Side(SOURCE, unpacked(partial), frozenset(partial.families), partial.failures),
    )
    base, head = (release_side.examined(one, tmp_path / str(place), pick=PICK) for place, one in enumerate(sides))
    assert head.rows.keys() == base.rows.keys()
    lost = {check for check in base.rows if check.startswith("trg/")}
    assert 0 < len(lost) < len(base.rows)
    found = difference(base, head)
    assert {change.id for change in found.of("build")} == lost
    assert len(found.changes) == len(lost)
    assert head.partial
