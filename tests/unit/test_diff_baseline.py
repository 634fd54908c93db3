"""Baselines: what was written is what is read, the same bytes each time, and small."""

from __future__ import annotations

import hashlib
import lzma
from pathlib import Path

import pytest

from compare import baseline
from compare.diff import Row, Run, difference
from compare.record import RecordError
from rust_harness.release_run import picked

ROWS = [
    Row("b/x::agreement::jax::eager::value::f64::w1", "match", 3, (9, 10), "00ff00ff00ff00ff", "1122334455667788"),
    Row("a/y::agreement::jax::eager::value::f64::w1", "crash", None, None, "", "99"),
]


def test_a_baseline_keeps_what_the_join_needs(tmp_path: Path) -> None:
    file = tmp_path / "0.8.0" / f"linux-x86_64-avx2{baseline.SUFFIX}"
    file.parent.mkdir()
    file.write_bytes(baseline.dump(ROWS))
    read = baseline.load(file)
    assert read.name == "0.8.0 (linux-x86_64-avx2)"
    assert difference(read, Run("now", {one.id: one for one in ROWS})).changes == ()
    assert read.rows[ROWS[0].id].max_ulp == 3


def test_the_order_of_the_checks_does_not_matter() -> None:
    assert baseline.dump(ROWS) == baseline.dump(reversed(ROWS))


def test_fifty_thousand_checks_fit_into_the_limit() -> None:
    rows = [
        Row(f"linalg/case-{n // 8}::agreement::jax::eager::vjp::f64::w{n % 8}", "match", n % 5, None, *_hashes(n))
        for n in range(50_000)
    ]
    assert len(baseline.dump(rows)) < baseline.LIMIT


def _hashes(number: int) -> tuple[str, str]:
    """An answer's own hash, and one of inputs that eight answers share."""
    return tuple(hashlib.blake2b(str(n).encode(), digest_size=8).hexdigest() for n in (number, -(number // 8)))  # type: ignore[return-value]


@pytest.mark.parametrize("text", [b"not compressed", lzma.compress(b"a\tmatch\n"), lzma.compress(b"a\tfine\t\t\t\n")])
def test_what_is_no_baseline_is_refused_by_name(tmp_path: Path, text: bytes) -> None:
    file = tmp_path / f"x{baseline.SUFFIX}"
    file.write_bytes(text)
    with pytest.raises(RecordError, match=r"x\.tsv\.xz"):
        baseline.load(file)


def test_a_platform_is_told_by_system_machine_and_vectors() -> None:
    cpu = {"system": "Linux 6.1.0", "machine": "x86_64"}
    assert baseline.platform_kind({"cpu": cpu, "tenferro": {"cpu_features": ["avx", "avx2"]}}) == "linux-x86_64-avx2"
    assert baseline.platform_kind({"cpu": cpu, "tenferro": {}}) == "linux-x86_64-scalar"


def test_committed_baselines_are_read_and_small() -> None:
    for file in baseline.FOLDER.rglob(f"*{baseline.SUFFIX}"):
        assert baseline.load(file).rows, file
    for release in baseline.FOLDER.glob("*"):
        assert sum(file.stat().st_size for file in release.iterdir()) < baseline.LIMIT, release


def test_a_committed_baseline_speaks_of_the_checks_there_are() -> None:
    """Made anew with `python -m rust_harness.release baseline RELEASE` when cases come or go."""
    asked = {check.id for check in picked()}
    for file in baseline.FOLDER.rglob(f"*{baseline.SUFFIX}"):
        assert set(baseline.load(file).rows) == asked, file
