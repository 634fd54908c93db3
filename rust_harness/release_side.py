"""One side of a comparison: a built release in a folder of its own, run in fresh processes."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from compare import record
from compare.diff import Row, Run, rows
from references.run import cache_folder
from rust_harness import builder
from rust_harness.builder import Built, CompileError
from rust_harness.release_compile import Failure
from rust_harness.release_run import deaths_file
from rust_harness.release_source import BuildError, Source

ROOT = Path(__file__).parent.parent
PARTS = min(2, os.cpu_count() or 1)
"""How many processes a run is divided among; each has a library of its own in memory."""


@dataclass(frozen=True)
class Side:
    """A release to compare. site: the folder its harness is in; None where nothing of it compiles."""

    source: Source
    site: Path | None
    families: frozenset[str]
    failures: tuple[Failure, ...] = ()


def side(source: Source) -> Side:
    """Build a release and unpack its wheel; what does not compile is told, not raised. Raises BuildError."""
    try:
        built = builder.build(source)
    except CompileError as error:
        return Side(source, None, frozenset(), error.failures)
    return Side(source, unpacked(built), frozenset(built.families), built.failures)


def unpacked(built: Built) -> Path:
    """The wheel's content in a folder of its own, so that two releases serve one environment by PYTHONPATH."""
    folder = cache_folder() / "site" / built.wheel.parent.name
    if not folder.exists():
        partial = folder.with_name(folder.name + ".partial")
        shutil.rmtree(partial, ignore_errors=True)
        with zipfile.ZipFile(built.wheel) as wheel:
            wheel.extractall(partial)
        partial.rename(folder)
    return folder


def environment(site: Path, extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """The environment of a process that imports the harness in `site` and the suite in this checkout."""
    paths = [str(site), str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(paths), **(extra or {})}


def examined(
    one: Side, folder: Path, *, pick: str = "", widths: str = "", keep: bool = False, slow: bool = False
) -> Run:
    """Examine every check in fresh processes; records, and raw answers where kept, go into `folder`.

    pick: a pattern that ids are searched for. widths: every check at each of these, as "1,2". slow: slow cases too.
    Raises BuildError where a process ends before its checks do.
    """
    if one.site is None:
        return Run(one.source.name, {}, partial=True)
    folder.mkdir(parents=True, exist_ok=True)
    words = [
        ["--records", str(folder / f"records-{part}.jsonl"), "--pick", pick, "--widths", widths]
        for part in range(PARTS)
    ]
    for part, arguments in enumerate(words):
        arguments += ["--part", f"{part}/{PARTS}"]
        arguments += ["--slow"] if slow else []
        if keep:
            arguments += ["--raw", str(folder / f"raw-{part}.sqlite")]
    _together((one, arguments) for arguments in words)
    found: dict[str, Row] = {}
    died: dict[str, str] = {}
    for part in range(PARTS):
        found.update(rows(record.read(folder / f"records-{part}.jsonl").checks.values()))
        died.update(json.loads(deaths_file(folder / f"records-{part}.jsonl").read_text()))
    return Run(one.source.name, found, partial=bool(one.failures), died=died)


def told(one: Side) -> dict[str, Any]:
    """What the side's harness says it is, from a process of its own. Raises BuildError where there is none to ask."""
    if one.site is None:
        raise BuildError(
            f"{one.failures[0].line}; without a harness this platform's baseline cannot be told: leave --stored"
        )
    asked = [sys.executable, "-c", "import json, tenferro_harness as th; print(json.dumps(dict(th.build_info())))"]
    done = subprocess.run(asked, env=environment(one.site), cwd=ROOT, capture_output=True, text=True)
    if done.returncode:
        raise BuildError(f"the harness of {one.source.name} cannot be imported: {done.stderr.strip().splitlines()[-1]}")
    return dict(json.loads(done.stdout))


def header(folder: Path) -> Mapping[str, Any]:
    """The run line of what was examined into `folder`."""
    return next(iter(record.read(folder / "records-0.jsonl").runs.values()))


def _together(jobs: Iterable[tuple[Side, list[str]]]) -> None:
    """Run processes side by side; an interrupt ends them all."""
    command = [sys.executable, "-m", "rust_harness.release_run"]
    running = [
        subprocess.Popen([*command, *arguments], env=environment(_site(side)), cwd=ROOT) for side, arguments in jobs
    ]
    try:
        codes = [process.wait() for process in running]
    except BaseException:
        for process in running:
            process.terminate()
        raise
    if any(codes):
        raise BuildError(f"a run of the checks ended with exit code {max(map(abs, codes))}; see above")


def _site(side: Side) -> Path:
    assert side.site is not None, side.source.name
    return side.site
