"""How much memory this process holds, and a limit on how much more it may take."""

import re
import resource
import sys
from pathlib import Path

import psutil

_STATM = Path("/proc/self/statm")
_PAGE = resource.getpagesize()
_MIB = 1 << 20
_OWN = re.compile(rb"^Rss(?:Anon|Shmem):\s*(\d+) kB$", re.MULTILINE)
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


def held(pid: int) -> int:
    """Bytes of memory that are the process's own: not the pages of files (libraries), which it maps as it runs.

    Errors: psutil.NoSuchProcess.
    """
    if sys.platform != "linux":
        return int(psutil.Process(pid).memory_info().rss)
    try:
        status = Path(f"/proc/{pid}/status").read_bytes()
    except (FileNotFoundError, ProcessLookupError):
        raise psutil.NoSuchProcess(pid) from None
    return sum(map(int, _OWN.findall(status))) << 10


def allow(mib: int) -> None:
    """Let this process allocate `mib` more from now on, where the system can tell how much it holds (Linux).

    The limit is on private writable pages: libraries map far more address space than they use, so that a limit on
    address space would refuse what is never touched.
    """
    if sys.platform == "linux":
        data = int(_STATM.read_bytes().split()[5]) * _PAGE
        resource.setrlimit(resource.RLIMIT_DATA, (data + mib * _MIB, resource.RLIM_INFINITY))


def exceeded(mib: int) -> str:
    """The one text of a passed memory limit, whoever noticed it first."""
    return f"memory limit {mib} MiB exceeded"


def refused(text: str) -> bool:
    """Whether a library's text says that it got no memory."""
    lowered = text.lower()
    return any(words in lowered for words in _REFUSALS)
