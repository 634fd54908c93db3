"""Keeps `_native.pyi` in step with the operation tables: `python -m rust_harness.stub` rewrites what they say.

The stub is written by hand but for its regions between `# table:` and `# end of table`, one in each surface's class:
those come from the lines of every `ops! { … }` in `src/`. With `--check` nothing is written, and the exit code says
whether anything would be.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
STUB = HERE / "python" / "tenferro_harness" / "_native.pyi"

TABLE = re.compile(r"^ops! \{ \[([a-z ]+)\] \{(.*?)^\}\}", re.MULTILINE | re.DOTALL)
LINE = re.compile(r"fn (\w+)\((.*?)\)\s*(?:=>.*?)?(?:-> (\w+))?;", re.DOTALL)
REGION = re.compile(r"(    # table: (\w+)\n)(.*?)(    # end of table\n)", re.DOTALL)

TYPES = {
    "Operand<'_>": "{operand}",
    "Dtype<'_>": "DTypeLike",
    "Direction": "_Direction",
    "Axes": "int | tuple[Sequence[int], Sequence[int]]",
    "Complex64": "complex",
    "usize": "int",
    "isize": "int",
    "i64": "int",
    "f64": "float",
    "bool": "bool",
    "String": "str",
}
WIDTH = 120
COUNTS = {"": 1, "One": 1, "Two": 2, "Three": 3, "Four": 4, "Five": 5}


@dataclass(frozen=True)
class Operation:
    """One line of a table. arguments: (name, Rust type, whether it has a default)."""

    name: str
    surfaces: tuple[str, ...]
    arguments: tuple[tuple[str, str, bool], ...]
    count: int

    def stub(self, surface: str) -> str:
        """The method's text in the class of a surface, broken into lines as the formatter would."""
        given = [f"{name}: {python(rust, surface)}{' = ...' * default}" for name, rust, default in self.arguments]
        result = "Self" if self.count == 1 else f"tuple[{', '.join(['Self'] * self.count)}]"
        arguments = ", ".join(["self", *given])
        if fits(line := f"    def {self.name}({arguments}) -> {result}: ..."):
            return line + "\n"
        inner = f"        {arguments}" if fits(f"        {arguments}") else _one_a_line(["self", *given])
        return f"    def {self.name}(\n{inner}\n    ) -> {result}: ...\n"


def fits(line: str) -> bool:
    """Whether a line stays within the project's line length."""
    return len(line) <= WIDTH


def _one_a_line(arguments: list[str]) -> str:
    return "\n".join(f"        {argument}," for argument in arguments)


def python(rust: str, surface: str) -> str:
    """The Python annotation of a Rust argument type."""
    if rust.startswith("Option<"):
        return f"{python(rust[7:-1], surface)} | None"
    if rust.startswith("Vec<"):
        return f"Sequence[{python(rust[4:-1], surface)}]"
    return TYPES[rust].format(operand=f"_{surface.capitalize()}Operand")


def tables(text: str) -> Iterator[Operation]:
    """The operations that one Rust file declares."""
    for surfaces, body in TABLE.findall(text):
        for name, arguments, count in LINE.findall(body):
            yield Operation(name, tuple(surfaces.split()), tuple(_arguments(arguments)), COUNTS[count])


def _arguments(text: str) -> Iterator[tuple[str, str, bool]]:
    for argument in filter(None, re.split(r",\s*(?![^<]*>)", " ".join(text.split()))):
        name, rust = argument.split(": ", 1)
        rust, _, default = rust.partition(" = ")
        yield name, rust, bool(default)


def operations() -> list[Operation]:
    """Every operation of every table, by name."""
    files = sorted((HERE / "src").glob("*.rs"))
    return sorted((op for file in files for op in tables(file.read_text())), key=lambda op: op.name)


def rewritten(stub: str) -> str:
    """The stub's text with its regions as the tables say."""
    all_of_them = operations()

    def region(match: re.Match[str]) -> str:
        lines = [op.stub(match[2]) for op in all_of_them if match[2] in op.surfaces]
        return match[1] + "".join(lines) + match[4]

    return REGION.sub(region, stub)


def main() -> int:
    """0 where the stub is in step, or was brought in step; 1 where `--check` finds that it is not."""
    before = STUB.read_text()
    after = rewritten(before)
    if "--check" in sys.argv[1:]:
        return int(before != after)
    STUB.write_text(after)
    return 0


if __name__ == "__main__":
    sys.exit(main())
