"""How much memory this process holds, and a limit on how much more it may take."""

import resource
import sys
from pathlib import Path

import psutil

_STATM = Path("/proc/self/statm")
_PAGE = resource.getpagesize()
_MIB = 1 << 20
# How a refused allocation reads: Python, C++ and PyTorch, XLA, Rust.
_REFUSALS = (
    "memoryerror",
    "unable to allocate",
    "bad_alloc",
    "can't allocate memory",
    "cannot allocate memory",
    "out of memory",
    "resource_exhausted",
    "memory allocation of",
)


def resident() -> int:
    """Bytes of this process in memory."""
    return int(psutil.Process().memory_info().rss)


def allow(mib: int) -> None:
    """Let this process allocate `mib` more from now on, where the system can tell how much it holds (Linux).

    The limit is on private writable pages: libraries map far more address space than they use, so that a limit on
    address space would refuse what is never touched.
    """
    if sys.platform == "linux":
        held = int(_STATM.read_bytes().split()[5]) * _PAGE
        resource.setrlimit(resource.RLIMIT_DATA, (held + mib * _MIB, resource.RLIM_INFINITY))


def exceeded(mib: int) -> str:
    """The one text of a passed memory limit, whoever noticed it first."""
    return f"memory limit {mib} MiB exceeded"


def refused(text: str) -> bool:
    """Whether a library's text says that it got no memory."""
    lowered = text.lower()
    return any(words in lowered for words in _REFUSALS)
