"""The forkserver: one process that has imported the libraries, started no backend, and forks servants."""

import contextlib
import os
import sys
import types
from collections.abc import Callable, Iterator
from multiprocessing import forkserver, get_context
from multiprocessing.context import ForkServerProcess
from pathlib import Path
from typing import Any

_ROOT = str(Path(__file__).parents[2])


def prepare() -> None:
    """Start the forkserver, which imports while the caller goes on; a second call does nothing."""
    get_context("forkserver").set_forkserver_preload(["references.servants.imports"])
    with _importable(), _no_main():
        forkserver.ensure_running()


def fork(target: Callable[..., None], *args: Any) -> ForkServerProcess:
    """Start `target(*args)` in a fork; it ends with this process at the latest.

    Errors: EOFError where the forkserver itself died.
    """
    prepare()
    process = get_context("forkserver").Process(target=target, args=args, daemon=True)
    with _no_main():
        process.start()
    return process


@contextlib.contextmanager
def _importable() -> Iterator[None]:
    """Hand on where this package lies: the forkserver of Python 3.12 and 3.13 imports before it is told."""
    before = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, (_ROOT, before)))
    try:
        yield
    finally:
        os.environ.pop("PYTHONPATH")
        if before is not None:
            os.environ["PYTHONPATH"] = before


@contextlib.contextmanager
def _no_main() -> Iterator[None]:
    """Hide the main module, which `multiprocessing` would import (pytest, a script) in every servant."""
    main, sys.modules["__main__"] = sys.modules["__main__"], types.ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = main
