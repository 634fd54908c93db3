"""What a dead process died of, from its exit code and the last it wrote."""

import re
import signal
from pathlib import PurePath

from references.servants import memory

_REPORT = "Fatal Python error: "
_NAMES = {number.value: number.name for number in signal.Signals}
# How Rust, absl (JAX) and C++ say why they abort.
_LAST_WORDS = re.compile(r"panicked at [^\n]*(?:\n[^\n]+)?|Check failed: [^\n]*|what\(\): [^\n]*")
_FRAME = re.compile(r'^  File "([^"]+)", line \d+ in (.+)$', re.MULTILINE)
_SOURCES = re.compile(r"(?:/[^\s/]+)*/registry/src/[^\s/]+/")


def exited(code: int) -> str:
    """The cause where a process ended by itself."""
    return f"exited with code {code} without answering"


def cause(code: int | None, written: str, *, memory_mib: int) -> str:
    """One line: signal or exit code, the innermost Python function, the library's last words.

    code: as `multiprocessing` gives it, negative for a signal; None for a process that lives but closed its pipe.
    """
    if code is None:
        return "closed its pipe without answering"
    if code >= 0:
        return exited(code)
    if code == -signal.SIGABRT and memory.refused(written):
        return memory.exceeded(memory_mib)
    return " ".join(filter(None, (_signal(code, written), _where(written), _words(written))))


def _signal(code: int, written: str) -> str:
    name = _NAMES.get(-code, f"signal {-code}")
    if code == -signal.SIGKILL:
        return f"{name} from outside, perhaps for memory"
    if code == -signal.SIGSEGV and _REPORT not in written:
        return f"{name} (stack overflow)"  # faulthandler's report needs a stack: see servant.py
    return f"{name} (abort)" if code == -signal.SIGABRT else name


def _where(written: str) -> str:
    frame = _FRAME.search(written, max(written.rfind(_REPORT), 0))
    return f"in {frame[2]} ({PurePath(frame[1]).name})" if frame else ""


def _words(written: str) -> str:
    found = _LAST_WORDS.findall(written)
    return "— " + _SOURCES.sub("", " ".join(found[-1].split())) if found else ""
