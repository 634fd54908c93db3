"""The first line of a file of records: everything a result may depend on."""

from __future__ import annotations

import os
import platform
import subprocess
import uuid
from collections.abc import Mapping
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import Any, Final

PACKAGES: Final = ("numpy", "scipy", "jax", "jaxlib", "torch", "numba", "pytest", "hypothesis")


def header(
    *, tenferro: Mapping[str, Any], options: Mapping[str, Any], run: str | None = None, toolchain: str | None = None
) -> dict[str, Any]:
    """The record of a run, strict JSON.

    tenferro: what the harness says it is. options: what the run was asked to do. run: its name, a new one where not
    given. toolchain: the Rust compiler, asked for where not given.
    """
    return {
        "kind": "run",
        "run": run or uuid.uuid4().hex[:16],
        "started": datetime.now(UTC).isoformat(timespec="seconds"),
        "versions": versions(),
        "cpu": cpu(),
        "tenferro": dict(tenferro),
        "toolchain": toolchain or _output("rustc", "--version"),
        "options": dict(options),
    }


def versions() -> dict[str, str | None]:
    """Python's version and those of the packages a result may depend on, null where one is not installed."""
    return {"python": platform.python_version(), **{name: _version(name) for name in PACKAGES}}


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def cpu() -> dict[str, Any]:
    """The processor and the system it runs under."""
    return {
        "model": _model(),
        "count": os.cpu_count(),
        "machine": platform.machine(),
        "system": f"{platform.system()} {platform.release()}",
    }


def _model() -> str | None:
    """The processor's name as Linux or macOS tells it."""
    listing = Path("/proc/cpuinfo")
    if listing.exists():
        lines = (line.partition(":") for line in listing.read_text(encoding="utf-8", errors="replace").splitlines())
        return next((value.strip() for key, _, value in lines if key.strip() == "model name"), None)
    return _output("sysctl", "-n", "machdep.cpu.brand_string")


def _output(*command: str) -> str | None:
    """The first line a command prints; null where it cannot be run."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=10, check=True)
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.partition("\n")[0].strip() or None
