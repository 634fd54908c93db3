"""Builds the harness's wheel for a tenferro release or source tree, into a cache folder that outlives the checkout.

`python -m rust_harness.builder [RELEASE | FOLDER | FOLDER@REVISION]` prints the wheel's path. What was built once is
found again by the hash of its sources; a changed binding costs a relink, since Cargo's target folder stays in the
cache, one per release. A family that a release cannot compile is left out, and `built.json` beside the wheel says why.
"""

from __future__ import annotations

import argparse
import contextlib
import fcntl
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from references.run import cache_folder
from rust_harness import release_compile, release_pins
from rust_harness.release_compile import CORE, Failure
from rust_harness.release_pins import lock_text, manifest_text
from rust_harness.release_source import BuildError, Source, source

__all__ = ["BuildError", "Source", "source"]

HERE = Path(__file__).parent
SOURCES = ("Cargo.toml", "build.rs", "pyproject.toml", "src", "python")


class CompileError(BuildError):
    """A release over which no part of the harness compiles: a result, with the first error of each crate."""

    def __init__(self, name: str, failures: tuple[Failure, ...]) -> None:
        """Name: the source's, for people."""
        super().__init__(f"nothing compiles over tenferro {name}: " + "; ".join(failure.line for failure in failures))
        self.failures = failures


@dataclass(frozen=True)
class Built:
    """A wheel, the families compiled into it, and why the others are not."""

    source: Source
    wheel: Path
    families: tuple[str, ...]
    failures: tuple[Failure, ...] = ()


def pinned_release() -> str:
    """The tenferro release this checkout is about (`[tool.conformance]` in pyproject.toml). Raises BuildError."""
    try:
        table = tomllib.loads((HERE.parent / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["conformance"]
    except (KeyError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise BuildError(f"pyproject.toml cannot be read for [tool.conformance] ({error}): mend it") from None
    if unknown := set(table) - {"tenferro", "limits"}:
        raise BuildError(
            f"pyproject.toml, [tool.conformance]: unknown key {min(unknown)!r}: remove it or mend its name"
        )
    if not isinstance(release := table.get("tenferro"), str):
        raise BuildError('pyproject.toml, [tool.conformance]: add tenferro, the release it is about, such as "0.8.0"')
    return release


def wheel(release: str) -> Path:
    """The wheel of the harness over a release that must compile whole. Raises BuildError."""
    built = build(source(release))
    if built.failures:
        raise BuildError(f"tenferro {release}: " + "; ".join(failure.line for failure in built.failures))
    return built.wheel


def build(wanted: Source) -> Built:
    """The wheel over a source, built where the cache has none. Raises CompileError, BuildError."""
    compiler = rustc_version()
    folder = cache_folder() / "wheels" / f"{wanted.key}-{source_hash(wanted, compiler)}"
    if not (folder / "built.json").exists():
        with _alone(wanted):
            shutil.rmtree(folder, ignore_errors=True)
            _build(wanted, compiler, folder)
    facts = json.loads((folder / "built.json").read_text())
    failures = release_compile.load(facts["failures"])
    return Built(wanted, next(folder.glob("*.whl")), tuple(facts["families"]), failures)


@contextlib.contextmanager
def _alone(wanted: Source) -> Iterator[None]:
    """One build of a source at a time: two checkouts share the scratch copy."""
    lock = cache_folder() / "build" / f"{wanted.key}.lock"
    lock.parent.mkdir(parents=True, exist_ok=True)
    with lock.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def rustc_version() -> str:
    """`rustc --version`. Raises BuildError where there is no Rust toolchain."""
    if shutil.which("cargo") is None or shutil.which("rustc") is None:
        raise BuildError("no Rust toolchain: cargo and rustc are not on PATH; install Rust and run this again")
    return subprocess.run(["rustc", "--version"], capture_output=True, text=True, check=True).stdout.strip()


def source_hash(wanted: Source, compiler: str) -> str:
    """Says whether a wheel is of these sources, this release, this compiler and this kind of machine."""
    machine = f"{wanted.release}|{compiler}|{sys.platform}|{os.uname().machine}"
    digest = hashlib.blake2b(machine.encode() + wanted.content(), digest_size=8)
    for path in _files():
        digest.update(f"{path.name}:".encode() + path.read_bytes())
    digest.update(lock_text(wanted, _manifest(wanted)).encode())
    return digest.hexdigest()


def _files() -> list[Path]:
    roots = [HERE / name for name in SOURCES]
    files = [path for root in roots for path in ([root] if root.is_file() else sorted(root.rglob("*")))]
    return [path for path in files if path.is_file() and path.suffix not in (".pyc", ".so") and not _hidden(path)]


def _hidden(path: Path) -> bool:
    """Caches of linters and of Python itself, which are no sources."""
    return any(part.startswith((".", "__pycache__")) for part in path.relative_to(HERE).parts)


def doubts(wanted: Source) -> list[str]:
    """What a reader has to know of the crates that a build is made of. Raises BuildError."""
    return release_pins.doubts(lock_text(wanted, _manifest(wanted)), wanted)


def _manifest(wanted: Source) -> str:
    return manifest_text((HERE / "Cargo.toml").read_text(), wanted)


def scratch_copy(wanted: Source | str) -> Path:
    """The harness's sources with tenferro pinned to the source and its lock file beside them; unchanged files keep
    their times, so that Cargo rebuilds only what changed."""
    wanted = source(wanted) if isinstance(wanted, str) else wanted
    scratch = cache_folder() / "build" / wanted.key
    texts = {scratch / path.relative_to(HERE): path.read_text() for path in _files()}
    texts[scratch / "Cargo.toml"] = _manifest(wanted)
    texts[scratch / "Cargo.lock"] = lock_text(wanted, texts[scratch / "Cargo.toml"])
    for path in [path for path in scratch.rglob("*") if path.is_file() and path not in texts]:
        path.unlink()
    for path, text in texts.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists() or path.read_text() != text:
            path.write_text(text)
    return scratch


def _build(wanted: Source, compiler: str, folder: Path) -> None:
    """Build with every family; where that fails, without those that the compiler names, until what is left compiles."""
    scratch = scratch_copy(wanted)
    manifest = (scratch / "Cargo.toml").read_text()
    families = release_compile.families(manifest)
    lenient = _lenient(wanted, compiler)
    for line in doubts(wanted):
        _say(f"warning: {line}")
    started = time.monotonic()
    failures: tuple[Failure, ...] = ()
    while _maturin(wanted, scratch, families, lenient, folder):
        failures += _refused(wanted, scratch, families, lenient, failures)
        failures += release_compile.dependents(manifest, failures)
        families = tuple(name for name in families if name not in {failure.family for failure in failures})
    facts = {"families": families, "failures": release_compile.dump(failures)}
    (folder / "built.json").write_text(json.dumps(facts, indent=1))
    _say(f"built in {time.monotonic() - started:.0f} s" + "".join(f"\nwithout {failure.line}" for failure in failures))


def _lenient(wanted: Source, compiler: str) -> list[str]:
    """What a release declares is never a reason not to try; where it is known, it is told."""
    ignored = older(compiler, wanted.release)
    if ignored:
        _say(f"warning: tenferro {wanted.name} declares Rust {ignored}; building with {compiler} all the same")
    return ["--ignore-rust-version"] if ignored or wanted.release not in DECLARED else []


def _refused(
    wanted: Source, scratch: Path, families: tuple[str, ...], lenient: list[str], before: tuple[Failure, ...]
) -> tuple[Failure, ...]:
    """The families that the compiler refuses. Raises CompileError where what they share is refused."""
    command = ["cargo", "build", "--release", "--locked", "--message-format=json", *lenient, *_features(families)]
    done = subprocess.run(command, cwd=scratch, env=_environment(wanted), stdout=subprocess.PIPE, text=True)
    found = release_compile.failures(done.stdout, families)
    if not found or any(failure.family == CORE or failure.family not in families for failure in found):
        shown = (*before, *found) or (Failure(CORE, "the build stopped without a compiler's error; see above"),)
        raise CompileError(wanted.name, shown)
    return found


def _maturin(wanted: Source, scratch: Path, families: tuple[str, ...], lenient: list[str], folder: Path) -> int:
    first = "" if _target(wanted).exists() else " (about 9 minutes the first time)"
    _say(f"building the harness over tenferro {wanted.name}{first}")
    command = [sys.executable, "-m", "maturin", "build", "--release", "--locked", "--interpreter", sys.executable]
    arguments = [*lenient, *_features(families), "--out", str(folder)]
    done = subprocess.run([*command, *arguments], cwd=scratch, env=_environment(wanted), stdout=sys.stderr)
    return done.returncode


def _features(families: tuple[str, ...]) -> list[str]:
    return ["--no-default-features", "--features", ",".join(families)] if families else ["--no-default-features"]


def _target(wanted: Source) -> Path:
    return cache_folder() / "target" / wanted.key


def _environment(wanted: Source) -> dict[str, str]:
    return {**os.environ, "CARGO_TARGET_DIR": str(_target(wanted)), "PYO3_PYTHON": sys.executable}


DECLARED = {"0.8.0": (1, 96), "0.9.0": (1, 96)}
"""The Rust version that each release declares."""


def older(compiler: str, release: str) -> str | None:
    """The Rust version that a known release declares, where the installed one is older."""
    wanted, found = DECLARED.get(release), re.search(r"(\d+)\.(\d+)", compiler)
    if not wanted or not found or tuple(map(int, found.groups())) >= wanted:
        return None
    return ".".join(map(str, wanted))


def _say(text: str) -> None:
    for line in text.splitlines():
        print(f"harness: {line}", file=sys.stderr, flush=True)


def main(arguments: list[str]) -> int:
    """Print the wheel's path; 0, or 2 with one line that says why not."""
    parser = argparse.ArgumentParser(prog="python -m rust_harness.builder", description=__doc__.splitlines()[0])
    parser.add_argument("source", metavar="SOURCE", nargs="?", help="RELEASE, FOLDER or FOLDER@REVISION")
    given = parser.parse_args(arguments)
    try:
        print(wheel(pinned_release() if given.source is None else given.source))
    except BuildError as error:
        print(f"harness: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
