"""The stub says what the module has, and its tables what the Rust sources declare."""

from __future__ import annotations

import subprocess
import sys

import pytest
import tenferro_harness as th

from rust_harness import stub


def test_the_tables_of_the_stub_are_in_step() -> None:
    text = stub.STUB.read_text()
    assert stub.rewritten(text) == text


def test_a_table_out_of_step_is_seen() -> None:
    text = stub.STUB.read_text()
    line = "    def tanh(self) -> Self: ...\n"
    assert stub.rewritten(text.replace(line, "")) == text != text.replace(line, "")


def test_the_sources_declare_the_operations_of_the_module() -> None:
    declared = {(operation.name, operation.surfaces) for operation in stub.operations()}
    built = {(name, tuple(surfaces)) for name, surfaces in th.operations()}
    assert declared <= built
    assert len(declared) > 70


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("fn exp();", "    def exp(self) -> Self: ...\n"),
        ("fn add(other: Operand<'_>) => (&other);", "    def add(self, other: _EagerOperand) -> Self: ...\n"),
        ("fn svd() -> Three;", "    def svd(self) -> tuple[Self, Self, Self]: ...\n"),
        (
            "fn reduce_sum(axes: Option<Vec<usize>> = None) => (axes.as_deref());",
            "    def reduce_sum(self, axes: Sequence[int] | None = ...) -> Self: ...\n",
        ),
    ],
)
def test_a_line_becomes_a_method(line: str, expected: str) -> None:
    (operation,) = stub.tables("ops! { [eager] {\n    " + line + "\n}}\n")
    assert operation.stub("eager") == expected


def test_the_stub_fits_the_module() -> None:
    command = [sys.executable, "-m", "mypy.stubtest", "tenferro_harness._native"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=stub.HERE.parent)
    assert done.returncode == 0, done.stdout
