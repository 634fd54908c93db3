"""`cargo fmt --check` and `cargo clippy -D warnings` on the harness, in the target folder of the pinned release."""

from __future__ import annotations

import os
import subprocess
import sys

from references.run import cache_folder
from rust_harness.builder import HERE, BuildError, older, pinned_release, rustc_version, scratch_copy


def main() -> int:
    """0 where both are clean; 1 with the tool's own words above; 2 without a Rust toolchain."""
    release = pinned_release()
    try:
        ignored, scratch = older(rustc_version(), release), scratch_copy(release)
    except BuildError as error:
        print(f"lint: {error}", file=sys.stderr)
        return 2
    lenient = ["--ignore-rust-version"] if ignored else []
    target = {**os.environ, "CARGO_TARGET_DIR": str(cache_folder() / "target" / release), "PYO3_PYTHON": sys.executable}
    clippy = ["cargo", "clippy", "--release", "--locked", "--all-targets", *lenient, "--", "-D", "warnings"]
    formatted = subprocess.run(["cargo", "fmt", "--check"], cwd=HERE)
    linted = subprocess.run(clippy, cwd=scratch, env=target)
    return int(bool(formatted.returncode or linted.returncode))


if __name__ == "__main__":
    sys.exit(main())
