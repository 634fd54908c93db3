"""Baselines: what a released version answered on a kind of platform, one short line a check, compressed.

They say what moved since, and are never an expectation of a value. A line holds the id, the outcome, the distance in
ulps (empty where nothing was compared), the hash of tenferro's answer and that of its inputs.
"""

from __future__ import annotations

import lzma
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

from compare.diff import Row, Run
from compare.record import OUTCOMES, RecordError

FOLDER: Final = Path(__file__).with_name("baselines")
SUFFIX: Final = ".tsv.xz"
LIMIT: Final = 3_000_000
"""Bytes a release's baseline may have in the repository."""


def platform_kind(header: Mapping[str, Any]) -> str:
    """What a run's bits may depend on besides the release: system, machine and the widest vectors tenferro sees."""
    cpu, features = header["cpu"], header["tenferro"].get("cpu_features", ())
    vectors = next((name for name in ("avx512f", "avx2", "avx", "sve", "neon") if name in features), "scalar")
    return f"{cpu['system'].partition(' ')[0].lower()}-{cpu['machine']}-{vectors}"


def path(release: str, kind: str) -> Path:
    """Where the baseline of a release on a kind of platform is, or would be."""
    return FOLDER / release / f"{kind}{SUFFIX}"


def dump(rows: Iterable[Row]) -> bytes:
    """The baseline of these rows. The same rows give the same bytes."""
    lines = sorted("\t".join((one.id, one.outcome, _ulp(one), one.answer, one.inputs)) for one in rows)
    return lzma.compress("".join(f"{line}\n" for line in lines).encode(), preset=9 | lzma.PRESET_EXTREME)


def _ulp(one: Row) -> str:
    return "" if one.max_ulp is None else str(one.max_ulp)


def load(file: Path) -> Run:
    """The run behind a baseline. Raises RecordError where the file is none."""
    try:
        text = lzma.decompress(file.read_bytes()).decode()
    except (OSError, lzma.LZMAError, UnicodeDecodeError) as error:
        raise RecordError(f"{file}: cannot be read as a baseline: {error}") from error
    found = [_row(f"{file}: line {number}", line) for number, line in enumerate(text.splitlines(), start=1)]
    return Run(f"{file.parent.name} ({file.name.removesuffix(SUFFIX)})", {one.id: one for one in found})


def _row(where: str, line: str) -> Row:
    fields = line.split("\t")
    if len(fields) != 5 or fields[1] not in OUTCOMES:
        raise RecordError(f"{where}: no line of a baseline: id, outcome, ulps, answer, inputs")
    name, outcome, ulp, answer, inputs = fields
    return Row(name, outcome, int(ulp) if ulp else None, None, answer, inputs)
