"""What is to be built: a released version, a source tree, or a git revision of one."""

from __future__ import annotations

import hashlib
import re
import subprocess
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from references.run import cache_folder

OLDEST = (0, 8)
"""The first minor release with the engine API that the harness is written for."""

VERSION = re.compile(r"(\d+)\.(\d+)\.(\d+)(-[0-9A-Za-z.-]+)?")
UNWRITTEN = "0.0.0"
"""The version that Cargo gives a crate without one."""


class BuildError(RuntimeError):
    """A release that cannot be built; the text says what is missing and the remedy."""


@dataclass(frozen=True)
class Crate:
    """One crate of a source tree: its folder and its version."""

    folder: Path
    version: str


@dataclass(frozen=True)
class Source:
    """A tenferro to build the harness over.

    name: what the user called it, for people. release: the version of its crates.
    crates: where a tree's crates are, by name; empty for what the registry holds.
    lock: the tree's own lock file, the best start for a resolve of it. root: the tree's folder.
    """

    name: str
    release: str
    crates: Mapping[str, Crate] = field(default_factory=dict)
    lock: Path | None = None
    root: Path | None = None

    @property
    def key(self) -> str:
        """A folder name: the version, or for a tree its folder and where that is (two trees share nothing)."""
        if not self.crates:
            return self.release
        places = "|".join(f"{name}={crate.folder}" for name, crate in sorted(self.crates.items()))
        return f"{re.sub(r'[^0-9A-Za-z.]+', '-', Path(self.name).name)}-{_digest(places.encode())}"

    def content(self) -> bytes:
        """What of a tree decides what is built; nothing for a registry's release, whose crates never change.

        Every file: a build may include any of them, and members that are no crate of tenferro's are built too.
        """
        digest = hashlib.blake2b(digest_size=16)
        for folder in self.folders:
            for path in files(folder):
                digest.update(f"{path.relative_to(folder)}:".encode() + path.read_bytes())
        return digest.digest() if self.crates else b""

    @property
    def folders(self) -> list[Path]:
        """The tree, or its crates one by one where there is no folder around them; none for a registry's release."""
        return [self.root] if self.root else [crate.folder for _, crate in sorted(self.crates.items())]


def source(text: str) -> Source:
    """The source a user named: a version, a folder, or FOLDER@REVISION. Raises BuildError with the remedy."""
    if VERSION.fullmatch(text) and not Path(text).exists():
        return Source(text, supported(text))
    if text and Path(text).is_dir():
        return tree(Path(text), name=text)
    folder, found, revision = text.rpartition("@")
    if found and Path(folder).is_dir():
        return tree(checkout(Path(folder), revision), name=text)
    raise BuildError(f"{text!r} is no version (0.9.0), no folder of sources, no FOLDER@REVISION: give one of these")


def supported(version: str) -> str:
    """The version itself. Raises BuildError for the releases before the engine API."""
    match = VERSION.fullmatch(version)
    if match and (int(match[1]), int(match[2])) >= OLDEST:
        return version
    raise BuildError(f"tenferro {version} has another API than 0.8.0 and later (no engines): unsupported")


def tree(folder: Path, *, name: str) -> Source:
    """The tenferro crates under a folder. Raises BuildError where there are none, or of more than one release."""
    crates: dict[str, Crate] = {}
    for found, path, version in _crates(folder.resolve()):
        if found in crates:
            raise BuildError(
                f"{name!r} holds {found} twice, in {crates[found].folder} and {path}: give one source tree"
            )
        crates[found] = Crate(path, version)
    if "tenferro-runtime" not in crates:
        raise BuildError(f"{name!r} holds no crate tenferro-runtime: give the root of a tenferro source tree")
    lock = folder.resolve() / "Cargo.lock"
    release = supported(crates["tenferro-runtime"].version)
    return Source(name, release, crates, lock if lock.exists() else None, folder.resolve())


def _crates(folder: Path) -> Iterator[tuple[str, Path, str]]:
    for manifest in sorted(folder.rglob("Cargo.toml")):
        package = {} if _aside(manifest.relative_to(folder)) else _package(manifest)
        if str(package.get("name", "")).startswith("tenferro-"):
            yield package["name"], manifest.parent, _version(package.get("version", UNWRITTEN), manifest, folder)


def _package(manifest: Path) -> dict[str, Any]:
    found = _table(manifest).get("package", {})
    if not isinstance(found, dict):
        raise BuildError(f"{manifest}: `package` is no table: mend it")
    return found


def _version(written: Any, manifest: Path, top: Path) -> str:
    """A version as written, or the workspace's where the crate says `version.workspace = true`."""
    if isinstance(written, str):
        return written
    for folder in manifest.parent.parents:
        root = folder / "Cargo.toml"
        if root.exists() and (found := _at(_table(root), "workspace", "package", "version")):
            return str(found)
        if folder == top:
            break
    raise BuildError(f"{manifest}: the version is the workspace's, and no workspace above it gives one")


def _at(table: Any, *keys: str) -> Any:
    """What stands in tables within tables; None where it does not."""
    for key in keys:
        table = table.get(key) if isinstance(table, dict) else None
    return table


def _table(manifest: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(manifest.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BuildError(f"{manifest}: not valid TOML: {error}") from None


def checkout(repository: Path, revision: str) -> Path:
    """The files of a git revision, in the cache. Raises BuildError where git knows no such revision."""
    found = _git(repository, "rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}")
    if found.returncode:
        raise BuildError(f"{repository} has no git revision {revision!r}; `git -C {repository} log` lists them")
    commit = found.stdout.decode().strip()
    folder = cache_folder() / "trees" / f"{repository.resolve().name}-{commit[:12]}"
    if not folder.exists():
        _unpack(_git(repository, "archive", "--format=tar", commit).stdout, folder)
    return folder


def _unpack(archive: bytes, folder: Path) -> None:
    """Unpack beside the place and move there, so that an interruption leaves no half tree."""
    import io
    import tarfile

    partial = folder.with_name(folder.name + ".partial")
    with tarfile.open(fileobj=io.BytesIO(archive)) as packed:
        packed.extractall(partial, filter="data")
    partial.rename(folder)


def _git(repository: Path, *words: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(["git", "-C", str(repository), *words], capture_output=True)


def files(folder: Path) -> list[Path]:
    """The files under a folder that a build may read: all but what a build or git itself puts there."""
    found = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return [path for path in found if not _aside(path.relative_to(folder))]


def _aside(path: Path) -> bool:
    """Whether a path lies in a target folder or a hidden one."""
    return any(part == "target" or part.startswith(".") for part in path.parts[:-1])


def order(version: str) -> tuple[tuple[int, ...], bool, str]:
    """What versions are ordered by; one with a suffix comes before the one without."""
    numbers, _, suffix = version.partition("-")
    return tuple(int(part) for part in numbers.split(".")), not suffix, suffix


def _digest(data: bytes) -> str:
    return hashlib.blake2b(data, digest_size=4).hexdigest()
