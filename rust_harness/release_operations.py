"""Which operations a release has, read from its own sources: the public methods of tensors, sessions and traits."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from rust_harness import builder
from rust_harness.release_source import BuildError, Source

TYPES = ("TracedTensor", "EagerTensor", "EagerSession", "TraceContext", "FftExecutor")
"""Types whose own public methods are operations; the traits whose names end in Ext hold the rest."""

NOISE = re.compile(r'"(?:[^"\\]|\\.)*"|//[^\n]*|/\*.*?\*/', re.DOTALL)
IMPL = re.compile(r"^impl(?:<[^{]*?>)?\s+(\w+)(?:<[^{]*?>)?\s*(?:where[^{]*)?\{", re.MULTILINE)
TRAIT = re.compile(r"^pub trait (\w+Ext)\b[^{]*\{", re.MULTILINE)
METHOD = re.compile(r"((?:#\[[^\n]*\]\s*)*)(pub (?:const )?)?fn (\w+)")


def operations(crates: Mapping[str, Path]) -> dict[str, frozenset[str]]:
    """Method names by surface: `TracedTensor`, `TensorLinalgExt`, …"""
    found: dict[str, set[str]] = {}
    for folder in crates.values():
        for path in sorted((folder / "src").rglob("*.rs")):
            if "test" not in path.stem and "tests" not in path.parts:
                for name, methods in surfaces(path.read_text()):
                    found.setdefault(name, set()).update(methods)
    return {name: frozenset(methods) for name, methods in found.items()}


def surfaces(text: str) -> Iterator[tuple[str, set[str]]]:
    """The surfaces of one file, each with the public methods of one block."""
    plain = NOISE.sub(lambda noise: '""' if noise[0].startswith('"') else "", text)
    for match in IMPL.finditer(plain):
        if match[1] in TYPES:
            yield match[1], set(_methods(_block(plain, match.end()), public=True))
    for match in TRAIT.finditer(plain):
        yield match[1], set(_methods(_block(plain, match.end()), public=False))


def _block(text: str, start: int) -> str:
    """What stands between the brace before `start` and its partner, without what is nested in it."""
    depth, kept = 1, []
    for char in text[start:]:
        depth += {"{": 1, "}": -1}.get(char, 0)
        if depth == 0:
            break
        if depth == 1:
            kept.append(char)
    return "".join(kept)


def _methods(block: str, *, public: bool) -> Iterator[str]:
    for attributes, visible, name in METHOD.findall(block):
        if (visible or not public) and "doc(hidden)" not in attributes and "cfg(test)" not in attributes:
            yield name


def changed(before: Mapping[str, frozenset[str]], after: Mapping[str, frozenset[str]]) -> list[str]:
    """One line a surface whose operations differ: what it adds, what it drops."""
    lines = []
    for name in sorted({*before, *after}):
        old, new = before.get(name, frozenset()), after.get(name, frozenset())
        parts = [_listed("adds", new - old), _listed("drops", old - new)]
        if any(parts):
            lines.append(f"{name} " + ", ".join(part for part in parts if part))
    return lines


def _listed(verb: str, names: Iterable[str]) -> str:
    told = ", ".join(sorted(names))
    return f"{verb} {told}" if told else ""


def crate_folders(wanted: Source) -> dict[str, Path]:
    """The folder of each tenferro crate of a source, as cargo has unpacked it. Raises BuildError."""
    if wanted.crates:
        return {name: crate.folder for name, crate in wanted.crates.items()}
    command = ["cargo", "metadata", "--format-version=1", "--locked"]
    done = subprocess.run(command, cwd=builder.scratch_copy(wanted), capture_output=True, text=True)
    if done.returncode:
        raise BuildError(f"cargo does not find the sources of tenferro {wanted.name}: {done.stderr.strip()[-300:]}")
    packages = json.loads(done.stdout)["packages"]
    ours = [one for one in packages if one["name"].startswith("tenferro-") and one["source"]]
    return {one["name"]: Path(one["manifest_path"]).parent for one in ours}
