"""The harness's manifest and lock file for a release: pins rewritten, a committed lock or a fresh resolve."""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import tempfile
from pathlib import Path

from references.run import cache_folder
from rust_harness import release_lock
from rust_harness.release_source import BuildError, Source, files, order

LOCKS = Path(__file__).parent / "releases"
TENFERRO = re.compile(r'^(tenferro-[a-z-]+)( = (?:\{ version = )?"=)[^"]+"', re.MULTILINE)
PINNED_APART = re.compile(r'^(?:cpueinsum|tcontract|tcontract-exec|tlinalg) = "=[^"]+"\n', re.MULTILINE)
"""Pins that keep a resolve of 0.8.0 from mixing two threadteam versions; other releases name their own."""


def manifest_text(manifest: str, source: Source) -> str:
    """The manifest with every tenferro crate pinned to the source, and a tree's crates patched in."""
    pinned = TENFERRO.sub(lambda found: f'{found[1]}{found[2]}{_version(found[1], source)}"', manifest)
    if source.release != "0.8.0":
        pinned = PINNED_APART.sub("", pinned)
    places = ((name, json.dumps(str(crate.folder))) for name, crate in sorted(source.crates.items()))
    patches = "".join(f"{name} = {{ path = {folder} }}\n" for name, folder in places)
    return f"{pinned}\n[patch.crates-io]\n{patches}" if patches else pinned


def _version(name: str, source: Source) -> str:
    if not source.crates:
        return source.release
    if name not in source.crates:
        raise BuildError(f"the tree {source.name} holds no crate {name}, which the harness needs")
    return source.crates[name].version


def lock_text(source: Source, manifest: str) -> str:
    """The lock file of a source: the committed one of a known release, else a resolve that the cache keeps.

    Raises BuildError where crates disagree, or two releases would meet in one build.
    """
    if not source.crates and committed(source).exists():
        return checked(committed(source).read_text(), source)
    start = source.lock.read_text() if source.lock else ""
    key = hashlib.blake2b((manifest + start).encode() + _manifests(source), digest_size=8).hexdigest()
    kept = cache_folder() / "locks" / f"{source.key}-{key}.lock"
    if not kept.exists():
        kept.parent.mkdir(parents=True, exist_ok=True)
        kept.write_text(checked(resolve(source, manifest, start=start), source))
    return kept.read_text()


def committed(source: Source) -> Path:
    """Where the lock file of a known release is."""
    return LOCKS / f"{source.release}.lock"


def known() -> list[str]:
    """The releases with a committed lock file, the oldest first."""
    return sorted((path.stem for path in LOCKS.glob("*.lock")), key=order)


def previous(source: Source) -> str:
    """The newest known release before this one; for a tree, the one it says it is, or the newest before that.

    Raises BuildError where none is known.
    """
    before = [one for one in known() if order(one) < order(source.release) or (source.crates and one == source.release)]
    if not before:
        raise BuildError(f"no release before {source.release} is known: name the one to compare with after it")
    return before[-1]


def _manifests(source: Source) -> bytes:
    """What else decides a resolve: the manifests of a tree."""
    found = [path for folder in source.folders for path in files(folder) if path.name == "Cargo.toml"]
    return b"".join(path.read_bytes() for path in found)


def resolve(source: Source, manifest: str, *, start: str = "") -> str:
    """A fresh resolve, from a tree's own lock file where it has one. Raises BuildError naming who disagrees."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        (folder / "src").mkdir()
        (folder / "src" / "lib.rs").touch()
        (folder / "Cargo.toml").write_text(manifest)
        if start:
            (folder / "Cargo.lock").write_text(start)
        done = _cargo(folder, *(["update", "--workspace"] if start else ["generate-lockfile"]))
        if done.returncode:
            reason = release_lock.unresolved(done.stderr)
            raise BuildError(f"tenferro {source.name} does not resolve: {reason}")
        for stray in release_lock.strays(release_lock.packages((folder / "Cargo.lock").read_text()), source):
            # Refused where the release itself asks for that patch, or has no crate of its own number: told by doubts.
            _cargo(folder, "update", f"{stray.name}@{stray.version}", "--precise", source.release)
        return (folder / "Cargo.lock").read_text()


def _cargo(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "CARGO_RESOLVER_INCOMPATIBLE_RUST_VERSIONS": "allow"}
    return subprocess.run(["cargo", *words], cwd=folder, env=environment, capture_output=True, text=True)


def checked(lock: str, source: Source) -> str:
    """The lock itself. Raises BuildError where two releases would meet in one build."""
    if problem := release_lock.mixed(release_lock.packages(lock), source):
        raise BuildError(f"tenferro {source.name}: {problem}")
    return lock


def doubts(lock: str, source: Source) -> list[str]:
    """What a reader of a comparison has to know of a lock: later patches in it, and crates that it holds twice."""
    found = release_lock.packages(lock)
    patches = [
        f"{stray.name} is {stray.version} in the build of {source.name}" for stray in release_lock.strays(found, source)
    ]
    twice = [f"two versions in the build of {source.name}: {line}" for line in release_lock.disagreements(found)]
    return [*patches, *twice]
