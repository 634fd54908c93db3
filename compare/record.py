"""Records: the run in one line of JSON, then every check in one, matched or not. Described by record.schema.json."""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import time
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self, TextIO

import numpy as np

from compare.check import Comparison
from compare.measure import Array, Distance, Mismatches

SCHEMA: Final = Path(__file__).with_name("record.schema.json")
OUTCOMES: Final = ("match", "mismatch", "error", "unsupported", "crash", "timeout")
SYNC_SECONDS: Final = 1.0  # how much of a run the loss of a whole machine may cost


class RecordError(ValueError):
    """A record file that cannot be written or read; the text names the file and the line."""


def array_hash(array: Array) -> str:
    """blake2b, 8 bytes, as hex, of dtype, shape and the elements in C order, little-endian."""
    plain = np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<"))
    digest = hashlib.blake2b(f"{array.dtype.name}{array.shape}".encode(), digest_size=8)
    digest.update(plain.tobytes())
    return digest.hexdigest()


def line(
    *,
    run: str,
    id: str,
    outcome: str,
    red: bool,
    known: str | None = None,
    side: str = "",
    detail: str = "",
    comparison: Comparison | None = None,
    category: str = "",
    inputs: Mapping[str, str] | None = None,
    answers: Mapping[str, Mapping[str, str]] | None = None,
    seconds: Mapping[str, float] | None = None,
    inactive: tuple[str, ...] = (),
    arbiter: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """The record of a check, strict JSON.

    outcome: how the check ended. red: whether that fails the run. known: the kind of the entry that predicted it.
    side: whose outcome it is. detail: that side's own text. inputs, answers, seconds: by side, "tenferro" and
    "reference": the hash of what it was asked, of each array of its answer, the time it took. comparison: None where
    nothing was compared; category: then the one that would have been used.
    """
    return {
        "kind": "check",
        "run": run,
        "id": id,
        "outcome": outcome,
        "red": red,
        "known": known,
        "side": side,
        "detail": detail,
        "category": comparison.category if comparison else category,
        **_compared(comparison),
        "inputs": dict(inputs or {}),
        "answers": {side: dict(hashes) for side, hashes in (answers or {}).items()},
        "seconds": dict(seconds or {}),
        "inactive": list(inactive),
        "arbiter": None if arbiter is None else dict(arbiter),
    }


def _compared(comparison: Comparison | None) -> dict[str, Any]:
    """What a comparison adds to a record, nulls where there was none."""
    if comparison is None:
        return {"verdict": None, "reason": "", "broken": [], "bound": None, "slack": None, "totals": None,
                "array": None, "distance": None, "worst": None, "control": []}  # fmt: skip
    found = comparison.distance
    return {
        "verdict": comparison.outcome,
        "reason": comparison.reason,
        "broken": list(comparison.broken),
        "bound": None if comparison.bound is None else comparison.bound.hex(),
        "slack": comparison.slack,
        "totals": {"n": comparison.n, "bitwise_equal": comparison.bitwise_equal, "max_ulp": comparison.max_ulp},
        "array": comparison.worst,
        "distance": None if found is None else distance_json(found),
        "worst": None if comparison.place is None else asdict(comparison.place),
        "control": [asdict(trial) for trial in comparison.control],
    }


def distance_json(distance: Distance) -> dict[str, Any]:
    """A Distance in JSON: every float as hex, integers as they are, the parts of a complex one within."""
    fields = {name: _plain(getattr(distance, name)) for name in Distance._fields if name != "total_ulp"}
    return {**fields, "mean_ulp": distance.mean_ulp.hex()}


def _plain(value: Any) -> Any:
    if isinstance(value, float):
        return value.hex()
    if isinstance(value, Mismatches):
        return asdict(value)
    if isinstance(value, Distance):
        return distance_json(value)
    return [_plain(one) for one in value] if isinstance(value, tuple) else value


class Writer:
    """Appends strict JSON lines to a file, each flushed as it comes; a loss at any moment leaves whole records.

    Raises RecordError where the file cannot be opened. append: go on with a file after its last whole line; a run that
    is not in it yet gets a line of its own.
    """

    def __init__(self, path: str | Path, header: Mapping[str, Any], *, append: bool = False) -> None:
        """Open the file and tell of the run."""
        self.path = Path(path)
        self._run, self._synced = str(header["run"]), time.monotonic()
        known = append and self.path.exists() and self._run in _mend(self.path)
        self._file = _opened(self.path, append=append)
        self._claim()
        if not known:
            self._put(header)

    def _claim(self) -> None:
        """Two runs that write to one file would spoil it for both. Raises RecordError."""
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            self._file.close()
            raise RecordError(f"{self.path}: another run is writing to it: wait for its end") from None

    def write(self, line: Mapping[str, Any]) -> None:
        """Append the record of one check of this run, or, when going on, of the run it was first part of."""
        self._put(line)

    def _put(self, line: Mapping[str, Any]) -> None:
        self._file.write(json.dumps(line, sort_keys=True, allow_nan=False, separators=(",", ":")) + "\n")
        self._file.flush()
        if time.monotonic() - self._synced > SYNC_SECONDS:
            self._sync()

    def _sync(self) -> None:
        os.fsync(self._file.fileno())
        self._synced = time.monotonic()

    def close(self) -> None:
        """Make sure of the last lines and close the file; closing twice is closing once."""
        if not self._file.closed:
            self._sync()
            self._file.close()

    def __enter__(self) -> Self:
        """The writer itself."""
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        """Close, however the block ended."""
        self.close()


def _opened(path: Path, *, append: bool) -> TextIO:
    if path.exists() and not append:
        raise RecordError(f"{path}: exists already: name another file, or go on with this one")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        return path.open("a" if append else "x", encoding="utf-8")
    except OSError as error:
        raise RecordError(f"{path}: {error.strerror}: name a file that can be written") from error


def _mend(path: Path) -> set[str]:
    """Cut a last line that was not finished; the runs in the file."""
    found = read(path)
    if found.truncated:
        whole = path.read_bytes().rpartition(b"\n")[0] + b"\n"
        os.truncate(path, len(whole))
    return set(found.runs)


@dataclass(frozen=True)
class Records:
    """A file of records: its runs by name, its checks by id, and whether its last line was cut short."""

    runs: Mapping[str, Mapping[str, Any]]
    checks: Mapping[str, Mapping[str, Any]]
    truncated: bool


def read(path: str | Path) -> Records:
    """The records of a file. Raises RecordError for anything but whole records, save a last line cut short."""
    file = Path(path)
    try:
        text = file.read_bytes()
    except OSError as error:
        raise RecordError(f"{file}: {error.strerror}: name a file of records") from error
    whole, _, rest = text.rpartition(b"\n")
    runs: dict[str, Mapping[str, Any]] = {}
    checks: dict[str, Mapping[str, Any]] = {}
    for where, found in _lines(file, whole):
        if found["kind"] == "run":
            runs[found["run"]] = found
        elif found["run"] not in runs:
            raise RecordError(f"{where}: no line before it tells of run {found['run']!r}")
        elif found["id"] in checks:
            raise RecordError(f"{where}: a second record of {found['id']}")
        else:
            checks[found["id"]] = found
    if not runs:
        raise RecordError(f"{file}: holds no run: a file of records starts with one")
    return Records(runs, checks, truncated=bool(rest))


def _lines(file: Path, text: bytes) -> Iterator[tuple[str, dict[str, Any]]]:
    for number, raw in enumerate(text.split(b"\n") if text else [], start=1):
        where = f"{file}: line {number}"
        try:
            found = json.loads(raw, parse_constant=_constant)
        except ValueError as error:
            raise RecordError(f"{where}: not strict JSON: {error}") from error
        yield where, _checked(where, found)


def _constant(token: str) -> Any:
    raise ValueError(f"{token} is no JSON number")


def _checked(where: str, found: Any) -> dict[str, Any]:
    kind = found.get("kind") if isinstance(found, dict) else None
    if kind not in ("run", "check"):
        raise RecordError(f'{where}: no record: `kind` is neither "run" nor "check"')
    for key in REQUIRED[kind]:
        if key not in found:
            raise RecordError(f"{where}: {key!r} is missing")
    for key, types in TYPES[kind].items():
        if not isinstance(found[key], types):
            raise RecordError(f"{where}: {key} is {str(found[key])[:40]!r}: a run did not write that")
    if kind == "check" and found["outcome"] not in OUTCOMES:
        raise RecordError(f"{where}: outcome {found['outcome']!r} is none of {', '.join(OUTCOMES)}")
    if kind == "check" and not found["red"] and found["known"] is None and found["outcome"] != "match":
        raise RecordError(f"{where}: a {found['outcome']} that nothing predicted is red: a run did not write that")
    return dict(found)


TYPES: Final[Mapping[str, Mapping[str, tuple[type, ...]]]] = {
    "run": {"run": (str,), "versions": (dict,), "cpu": (dict,), "tenferro": (dict,), "options": (dict,)},
    "check": {
        "run": (str,),
        "id": (str,),
        "red": (bool,),
        "known": (str, type(None)),
        "category": (str,),
        "slack": (float, int, type(None)),
        "totals": (dict, type(None)),
        "answers": (dict,),
        "seconds": (dict,),
    },
}
"""What the readers of a file count on, so that a file edited by hand is refused and not stumbled over."""
REQUIRED: Final[Mapping[str, tuple[str, ...]]] = {
    "run": ("run", "started", "versions", "cpu", "tenferro", "toolchain", "options"),
    "check": tuple(name for name in line(run="", id="", outcome="", red=False) if name != "kind"),
}
