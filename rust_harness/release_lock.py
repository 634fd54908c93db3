"""What a lock file says: which releases it holds, and which crates it holds twice."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass

from rust_harness.release_source import Source

FAMILY = ("tenferro-", "tcontract", "tlinalg", "cpueinsum", "strided-", "threadteam", "t4a-", "computegraph")
"""Crates whose types pass between one another: two versions of one in a build do not fit together.

Others (syn, thiserror, hashbrown, equator) may be there twice without harm."""


@dataclass(frozen=True)
class Package:
    """One package of a lock file. source: where it comes from; empty for a path. needs: as the lock writes them."""

    name: str
    version: str
    source: str
    needs: tuple[str, ...]


def packages(lock: str) -> list[Package]:
    """The packages of a lock file's text."""
    table = tomllib.loads(lock).get("package", [])
    return [
        Package(one["name"], one["version"], one.get("source", ""), tuple(one.get("dependencies", ()))) for one in table
    ]


def strays(found: Iterable[Package], source: Source) -> list[Package]:
    """Crates of tenferro in another version than the release's: a later patch that its requirements let in."""
    return [package for package in _ours(found) if not source.crates and package.version != source.release]


def _ours(found: Iterable[Package]) -> list[Package]:
    return [one for one in found if one.name.startswith("tenferro-") and one.name != "tenferro-harness"]


def mixed(found: Iterable[Package], source: Source) -> str:
    """Says how two releases meet in one build; empty where they do not. A patch release beside its own minor is one."""
    ours = _ours(found)
    minors = {minor(package.version) for package in ours}
    if len(minors) > 1:
        held = ", ".join(sorted(f"{package.name} {package.version}" for package in ours))
        return f"crates of more than one tenferro release in one build: {held}"
    strangers = [package.name for package in ours if package.source or package.name not in source.crates]
    if source.crates and strangers:
        return f"crates that are not of the tree {source.name}: {', '.join(sorted(strangers))}"
    return ""


def minor(version: str) -> str:
    """The part of a version that compatible releases share: 0.8 of 0.8.1, 1 of 1.2.3."""
    parts = version.split(".")
    return ".".join(parts[:2]) if parts[0] == "0" else parts[0]


def disagreements(found: list[Package]) -> list[str]:
    """Crates held in two incompatible versions, each with who wants it: one line a crate."""
    versions: dict[str, set[str]] = {}
    for package in found:
        if package.name.startswith(FAMILY):
            versions.setdefault(package.name, set()).add(package.version)
    doubled = {name: held for name, held in versions.items() if len(held) > 1}
    return [f"{name}: " + "; ".join(_wanted(name, held, found)) for name, held in sorted(doubled.items())]


def _wanted(name: str, held: set[str], found: list[Package]) -> Iterable[str]:
    for version in sorted(held):
        by = sorted(f"{one.name} {one.version}" for one in found if f"{name} {version}" in _short(one.needs))
        yield f"{version} for {', '.join(by) or 'the harness'}"


def _short(needs: Iterable[str]) -> set[str]:
    """`name version` of needs that the lock writes with a source behind them."""
    return {" ".join(need.split(" ")[:2]) for need in needs}


WANTED = re.compile(r"(?:required by|satisfies dependency) .*?`([a-z0-9_-]+(?: = \"[^\"]*\")?(?: v[0-9][^` ]*)?)")
REFUSED = re.compile(r"(failed to select a version for [^\n]*|no matching package[^\n]*|[^\n]*failed to [^\n]*)")

HELPFUL = ("versions that meet the requirement", "previously selected package", "candidate versions found")


def unresolved(stderr: str) -> str:
    """What cargo says of a failed resolve, in one line: the crates that disagree and what each wants."""
    what, wanted = REFUSED.search(stderr), dict.fromkeys(WANTED.findall(stderr))
    last = next(iter(stderr.strip().splitlines()[-1:]), "cargo said nothing")
    first = (what.group(1) if what else last).strip().removeprefix("error: ").removesuffix(".")
    told = [first, *(line.strip() for line in stderr.splitlines() if line.strip().startswith(HELPFUL))]
    return "; ".join(told) + (f" (wanted by {', '.join(wanted)})" if wanted else "")


def without_source(lock: str, names: Iterable[str]) -> str:
    """The lock with packages of these names taken from paths: their source and checksum lines leave."""
    replaced = set(names)
    blocks = lock.split("[[package]]\n")
    return "[[package]]\n".join(_from_path(block) if _named(block) in replaced else block for block in blocks)


def _named(block: str) -> str:
    found = re.match(r'name = "([^"]+)"', block)
    return found.group(1) if found else ""


def _from_path(block: str) -> str:
    return re.sub(r'^(source|checksum) = "[^"]*"\n', "", block, flags=re.MULTILINE)
