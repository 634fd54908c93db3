"""Copies of a release's crates with the faults in them, as a source tree for the builder."""

from __future__ import annotations

import hashlib
import shutil
from pathlib import Path

from references.run import cache_folder
from rust_harness import release_lock
from rust_harness.plants.edits import RELEASE, Edit, sites
from rust_harness.plants.rules import rules
from rust_harness.release_operations import crate_folders
from rust_harness.release_pins import LOCKS
from rust_harness.release_source import BuildError, Crate, Source

MODULE = Path(__file__).with_name("plant.rs")
HOME = ("tenferro-tensor", "src/plant.rs")
"""The crate that every other one depends on: there the faults' module is."""


def planted() -> Source:
    """The crates of 0.8.0 with every fault in them, all off. Raises BuildError where an anchor is not found."""
    edits = (*sites(), *rules())
    folder = cache_folder() / "plants" / _digest(edits)
    if not folder.exists():
        _plant(edits, folder)
    crates = {path.name: Crate(path, RELEASE) for path in sorted(folder.iterdir()) if path.is_dir()}
    return Source(f"{RELEASE} with faults", RELEASE, crates, folder / "Cargo.lock")


def _digest(edits: tuple[Edit, ...]) -> str:
    return hashlib.blake2b(repr(edits).encode() + MODULE.read_bytes(), digest_size=8).hexdigest()


def _plant(edits: tuple[Edit, ...], folder: Path) -> None:
    """Copy and edit beside the place and move there, so that an interruption leaves nothing half planted."""
    partial = folder.with_name(folder.name + ".partial")
    shutil.rmtree(partial, ignore_errors=True)
    found = crate_folders(Source(RELEASE, RELEASE))
    for name, place in found.items():
        shutil.copytree(place, partial / name)
    for edit in edits:
        apply(edit, partial / edit.crate / edit.file)
    shutil.copyfile(MODULE, partial / HOME[0] / HOME[1])
    lock = (LOCKS / f"{RELEASE}.lock").read_text()
    (partial / "Cargo.lock").write_text(release_lock.without_source(lock, found))
    partial.rename(folder)


def apply(edit: Edit, file: Path) -> None:
    """Edit one file. Raises BuildError where the anchor does not stand there as often as it has to."""
    text = file.read_text()
    if (found := text.count(edit.anchor)) != edit.times:
        raise BuildError(f"{edit.crate} {edit.file}: {edit.anchor!r} stands there {found} times and not {edit.times}")
    file.write_text(text.replace(edit.anchor, edit.replacement))
