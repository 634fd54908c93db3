"""The daily look for a new release, and the one issue that tells of it.

`python -m rust_harness.release_watch newest` prints the newest release in the crate registry if it is newer than the
pinned one, else nothing. `python -m rust_harness.release_watch tell RELEASE FILE` opens the issue of that release with
the Markdown of FILE, or updates it where it is open already; it speaks through GitHub's own client, `gh`.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile

from compare.markdown import shortened
from rust_harness.builder import pinned_release

CRATE = "tenferro-runtime"
INFO = re.compile(r"^version: (?P<version>\S+)(?: \(latest (?P<latest>[^\s)]+)\))?", re.MULTILINE)


class WatchError(RuntimeError):
    """The registry or GitHub did not answer as expected; the text says who and what."""


def newest() -> str:
    """The newest release in the registry, as cargo tells it. Raises WatchError."""
    with tempfile.TemporaryDirectory() as elsewhere:  # inside a workspace cargo speaks of that workspace's version
        found = INFO.search(_run(["cargo", "info", CRATE, "--color", "never"], cwd=elsewhere))
    if not found:
        raise WatchError(f"cargo tells no version of {CRATE}")
    return found["latest"] or found["version"]


def newer(found: str, known: str) -> bool:
    """Whether a version comes after another; a version before 1.0.0 with a suffix comes before the one without."""
    return _key(found) > _key(known)


def _key(version: str) -> tuple[tuple[int, ...], bool, str]:
    numbers, _, suffix = version.partition("-")
    return tuple(int(part) for part in numbers.split(".")), not suffix, suffix


def title(release: str) -> str:
    """The issue's title, by which it is found again."""
    return f"tenferro {release}: what it changes"


def tell(release: str, text: str) -> str:
    """Open the release's issue, or update it; what was done. Raises WatchError where gh fails."""
    listed = _run(["gh", "issue", "list", "--state", "open", "--limit", "200", "--json", "number,title"])
    open_ = {one["title"]: str(one["number"]) for one in json.loads(listed)}
    body = ["--body-file", "-"]
    if number := open_.get(title(release)):
        _run(["gh", "issue", "edit", number, *body], text=shortened(text))
        return f"updated issue {number}"
    return _run(["gh", "issue", "create", "--title", title(release), *body], text=shortened(text)).strip()


def _run(command: list[str], *, cwd: str | None = None, text: str | None = None) -> str:
    try:
        done = subprocess.run(command, cwd=cwd, input=text, capture_output=True, text=True)
    except FileNotFoundError:
        raise WatchError(f"{command[0]} is not installed") from None
    if done.returncode:
        raise WatchError(f"{' '.join(command[:3])} failed: {done.stderr.strip()[-300:]}")
    return done.stdout


def main(arguments: list[str]) -> int:
    """0 when done, 2 with one line when not."""
    try:
        match arguments:
            case ["newest"]:
                found = newest()
                print(found if newer(found, pinned_release()) else "")
            case ["tell", release, file]:
                with open(file, encoding="utf-8") as report:
                    print(tell(release, report.read()))
            case _:
                raise WatchError("usage: python -m rust_harness.release_watch newest | tell RELEASE FILE")
    except (WatchError, OSError) as error:
        print(f"watch: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
