"""Builds the harness's wheel for a tenferro release, into a user cache folder that outlives the checkout.

`python -m rust_harness.builder [RELEASE]` prints the wheel's path. What was built once is found again by the hash of
its sources; a changed binding costs a relink, since Cargo's target folder stays in the cache, one per release.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
import time
import tomllib
from pathlib import Path

from references.run import cache_folder

HERE = Path(__file__).parent
SOURCES = ("Cargo.toml", "build.rs", "pyproject.toml", "src", "python")
TENFERRO = re.compile(r'(tenferro-[a-z-]+ = (?:\{ version = )?"=)0\.8\.0"')


class BuildError(RuntimeError):
    """A release that cannot be built; the text says what is missing and the remedy."""


def pinned_release() -> str:
    """The tenferro release this checkout is about (`[tool.conformance]` in pyproject.toml)."""
    table = tomllib.loads((HERE.parent / "pyproject.toml").read_text())
    return str(table["tool"]["conformance"]["tenferro"])


def wheel(release: str) -> Path:
    """The wheel of the harness over tenferro `release`, built where the cache has none. Raises BuildError."""
    compiler = rustc_version()
    folder = cache_folder() / "wheels" / f"{release}-{source_hash(release, compiler)}"
    if not (found := sorted(folder.glob("*.whl"))):
        _build(release, compiler, folder)
        found = sorted(folder.glob("*.whl"))
    return found[0]


def rustc_version() -> str:
    """`rustc --version`. Raises BuildError where there is no Rust toolchain."""
    if shutil.which("cargo") is None or shutil.which("rustc") is None:
        raise BuildError("no Rust toolchain: cargo and rustc are not on PATH; install Rust and run this again")
    return subprocess.run(["rustc", "--version"], capture_output=True, text=True, check=True).stdout.strip()


def source_hash(release: str, compiler: str) -> str:
    """Says whether a wheel is of these sources, this release, this compiler and this kind of machine."""
    digest = hashlib.blake2b(f"{release}|{compiler}|{sys.platform}|{os.uname().machine}".encode(), digest_size=8)
    for path in [*_files(), lock_of(release)]:
        digest.update(f"{path.name}:".encode() + path.read_bytes())
    return digest.hexdigest()


def _files() -> list[Path]:
    roots = [HERE / name for name in SOURCES]
    files = [path for root in roots for path in ([root] if root.is_file() else sorted(root.rglob("*")))]
    return [path for path in files if path.is_file() and path.suffix not in (".pyc", ".so")]


def lock_of(release: str) -> Path:
    """The committed lock file of a known release. Raises BuildError for another."""
    lock = HERE / "releases" / f"{release}.lock"
    if not lock.exists():
        known = ", ".join(sorted(path.stem for path in lock.parent.glob("*.lock")))
        raise BuildError(f"tenferro {release!r} has no lock file in rust_harness/releases; known releases: {known}")
    return lock


def scratch_copy(release: str) -> Path:
    """The harness's sources with tenferro pinned to `release` and its lock file beside them; unchanged files keep
    their times, so that Cargo rebuilds only what changed."""
    scratch = cache_folder() / "build" / release
    wanted = {scratch / path.relative_to(HERE): path.read_text() for path in _files()}
    wanted[scratch / "Cargo.toml"] = repin((HERE / "Cargo.toml").read_text(), release)
    wanted[scratch / "Cargo.lock"] = lock_of(release).read_text()
    for path in [path for path in scratch.rglob("*") if path.is_file() and path not in wanted]:
        path.unlink()
    for path, text in wanted.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists() or path.read_text() != text:
            path.write_text(text)
    return scratch


def repin(manifest: str, release: str) -> str:
    """Cargo.toml with every tenferro crate pinned to `release`; the pins that only 0.8.0 needs stay with 0.8.0."""
    return TENFERRO.sub(rf'\g<1>{release}"', manifest)


def _build(release: str, compiler: str, folder: Path) -> None:
    scratch = scratch_copy(release)
    target = cache_folder() / "target" / release
    _say(f"building the harness over tenferro {release}{'' if target.exists() else ' (about 9 minutes the first time)'}")
    command = [sys.executable, "-m", "maturin", "build", "--release", "--locked", "--interpreter", sys.executable]
    if ignored := older(compiler, scratch):
        _say(f"warning: tenferro {release} declares Rust {ignored}; building with {compiler} all the same")
        command.append("--ignore-rust-version")
    started = time.monotonic()
    environment = {**os.environ, "CARGO_TARGET_DIR": str(target)}
    done = subprocess.run([*command, "--out", str(folder)], cwd=scratch, env=environment, stdout=sys.stderr)
    if done.returncode:
        raise BuildError(f"the harness does not build against tenferro {release}; the compiler's errors are above")
    _say(f"built in {time.monotonic() - started:.0f} s")


DECLARED = {"0.8.0": (1, 96), "0.9.0": (1, 96)}
"""The Rust version that each release declares."""


def older(compiler: str, scratch: Path) -> str | None:
    """The declared Rust version, where the installed one is older."""
    wanted = DECLARED.get(scratch.name, (1, 96))
    found = re.search(r"(\d+)\.(\d+)", compiler)
    have = tuple(map(int, found.groups())) if found else wanted
    return ".".join(map(str, wanted)) if have < wanted else None


def _say(text: str) -> None:
    print(f"harness: {text}", file=sys.stderr, flush=True)


def main(arguments: list[str]) -> int:
    """Print the wheel's path; 0, or 2 with one line that says why not."""
    if len(arguments) > 1:
        print("usage: python -m rust_harness.builder [RELEASE]", file=sys.stderr)
        return 2
    try:
        print(wheel(arguments[0] if arguments else pinned_release()))
    except BuildError as error:
        print(f"harness: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
