"""Sessions of the suite; `nox -l` lists them. All share one environment, `.venv`."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import nox

nox.needs_version = ">=2025.2.9"
nox.options.default_venv_backend = "none"
nox.options.sessions = ["conformance"]

ROOT = Path(__file__).parent
VENV = ROOT / ".venv"
BIN = VENV / ("Scripts" if os.name == "nt" else "bin")
PYTHON = str(BIN / "python")


def environment(session: nox.Session, *, harness: bool = True) -> None:
    """Make `.venv` as pyproject.toml says and put the harness of the pinned release into it."""
    if sys.version_info < (3, 12):
        session.error(
            f"JAX 0.12 needs Python 3.12 or later and this is {sys.version.split()[0]}: run nox with a newer one"
        )
    uv = (sys.executable, "-m", "uv")
    if not VENV.exists():
        session.run(*uv, "venv", "--python", sys.executable, str(VENV), silent=True)
    session.log("packages: a first time fetches some 5 GB and takes minutes")
    into = (*uv, "pip", "install", "-q", "--python", PYTHON)
    # Every process of a run imports JAX and PyTorch: compiled, in half the time.
    session.run(*into, "--compile-bytecode", "-r", "pyproject.toml", "--group", "dev")
    if harness:
        wheel = session.run(PYTHON, "-m", "rust_harness.builder", silent=True, stderr=None)
        session.run(*into, "--no-deps", "--reinstall", str(wheel).strip())


def pytest(session: nox.Session, *arguments: str) -> None:
    """Run pytest in the environment; what follows `--` goes to it."""
    session.run(PYTHON, "-m", "pytest", *arguments, *session.posargs)


def module(session: nox.Session, name: str) -> None:
    """Run a module of the suite with what follows `--`; where it fails, its exit code is nox's, which knows only 1."""
    command = [PYTHON, "-m", name, *session.posargs]
    session.log(" ".join(command))
    if code := subprocess.run(command).returncode:
        sys.exit(code)


@nox.session
def conformance(session: nox.Session) -> None:
    """The main job: build the harness, run every pair against tenferro, print the summary, write the records."""
    environment(session)
    pytest(session, "--ignore=tests/unit", "-q", "-n", "2", "-m", "slow or not slow", "--arbitrate=differing")


@nox.session
def tests(session: nox.Session) -> None:
    """All that CI asks: style, types, stubs, the Rust lints, the suite's own tests and the conformance run."""
    environment(session)
    session.run(PYTHON, "-m", "ruff", "check", ".")
    session.run(PYTHON, "-m", "ruff", "format", "--check", ".")
    session.run(PYTHON, "-m", "mypy")
    session.run(PYTHON, "-m", "mypy.stubtest", "tenferro_harness._native")
    session.run(PYTHON, "-m", "rust_harness.stub", "--check")
    session.run(PYTHON, "-m", "rust_harness.lint")
    session.run(PYTHON, "-m", "pytest", "tests/unit", "-q")  # alone: it measures time limits
    pytest(session, "--ignore=tests/unit", "-q", "-n", "2")


@nox.session
def grad(session: nox.Session) -> None:
    """The gradient pair alone: value, grad, vjp, jvp and hvp against JAX and PyTorch."""
    environment(session)
    pytest(session, "--ignore=tests/unit", "-k", "gradient-pair", "-q")


@nox.session
def trg(session: nox.Session) -> None:
    """The TRG line, whole: tables and a page with plots; `-- --help` lists beta, chi, steps, h and width."""
    environment(session)
    module(session, "references.trg")


@nox.session
def accuracy(session: nox.Session) -> None:
    """Who rounds correctly how often: every elementwise operation, tenferro, JAX, PyTorch and NumPy side by side."""
    environment(session)
    module(session, "references.accuracy")


@nox.session
def explain(session: nox.Session) -> None:
    """Why two sides differ, element by element: `-- transforms/gradient-pair`."""
    environment(session)
    module(session, "references.explain")


@nox.session
def coverage(session: nox.Session) -> None:
    """Which operations, dtypes, surfaces and derivatives the cases ask about, and which they do not."""
    environment(session)
    module(session, "references.coverage")


@nox.session
def widths(session: nox.Session) -> None:
    """Which operations move bits with the number of threads, as a table; `-- RECORDS` reads those of an earlier run."""
    environment(session)
    if session.posargs:
        module(session, "compare.widths")
        return
    records = ROOT / "results" / f"widths-{time.strftime('%Y-%m-%dT%H-%M-%S', time.gmtime())}.jsonl"
    asked = ("--ignore=tests/unit", "-q", "-n", "2", "-k", "::widths::", f"--records={records}")
    # A width that is red is what the table is for: it is printed all the same, and fails the session itself.
    session.run(PYTHON, "-m", "pytest", *asked, success_codes=[0, 1])
    session.run(PYTHON, "-m", "compare.widths", str(records))


@nox.session
def known(session: nox.Session) -> None:
    """How tenferro differs from JAX and PyTorch, as a page for a newcomer."""
    environment(session)
    module(session, "tests.known_page")


@nox.session
def bench(session: nox.Session) -> None:
    """Ratios from one run: the comparator against NumPy's, isolated against not, tenferro against JAX."""
    environment(session)
    for name in ("compare.bench", "tests.bench", "references.trg.bench"):
        session.run(PYTHON, "-m", name)


@nox.session
def release(session: nox.Session) -> None:
    """What a release changes: `-- 0.9.0`, or a source tree, or TREE@REVISION; then the one to compare it with."""
    environment(session, harness=False)
    module(session, "rust_harness.release")


@nox.session
def plant(session: nox.Session) -> None:
    """Faults of our own in 0.8.0: which of them the checks catch, and the smallest perturbation they do."""
    environment(session, harness=False)
    module(session, "rust_harness.plants")
