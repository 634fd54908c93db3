"""The daily look for a new release, and the one issue that tells of it.

`python -m rust_harness.release_watch due` prints the newest release in the crate registry if it is newer than every
known one (those with a lock file) and nobody has closed its issue yet, else nothing. `python -m
rust_harness.release_watch tell RELEASE FILE` opens the issue of that release with the Markdown of FILE, or updates it
where it is open already; a closed one stays as it is. Both speak through GitHub's own client, `gh`.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile

from compare.markdown import shortened
from rust_harness.release_pins import known
from rust_harness.release_source import order

CRATE = "tenferro-runtime"
CLOSED = "CLOSED"
"""How gh writes the state of an issue that somebody has dealt with."""
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
    """Whether a version comes after another; one with a suffix comes before the one without."""
    return order(found) > order(known)


def due() -> str:
    """The newest release, where it is not known here and still to be told of; else empty. Raises WatchError."""
    found = newest()
    return found if newer(found, known()[-1]) and _issues().get(title(found), ("", ""))[1] != CLOSED else ""


def title(release: str) -> str:
    """The issue's title, by which it is found again."""
    return f"tenferro {release}: what it changes"


def tell(release: str, text: str) -> str:
    """Open the release's issue, or update it; what was done. Raises WatchError where gh fails."""
    body = ["--body-file", "-"]
    number, state = _issues().get(title(release), ("", ""))
    if state == CLOSED:
        return f"issue {number} is closed and stays so"
    if number:
        _run(["gh", "issue", "edit", number, *body], text=shortened(text))
        return f"updated issue {number}"
    return _run(["gh", "issue", "create", "--title", title(release), *body], text=shortened(text)).strip()


def _issues() -> dict[str, tuple[str, str]]:
    """Number and state of the issues by title; of two with one title the open one, else the newer."""
    words = ["--state", "all", "--limit", "500", "--json", "number,title,state"]
    listed = json.loads(_run(["gh", "issue", "list", *words]))
    ordered = sorted(listed, key=lambda one: (one["state"] != CLOSED, one["number"]))
    return {one["title"]: (str(one["number"]), one["state"]) for one in ordered}


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
            case ["due"]:
                print(due())
            case ["tell", release, file]:
                with open(file, encoding="utf-8") as report:
                    print(tell(release, report.read()))
            case _:
                raise WatchError("usage: python -m rust_harness.release_watch due | tell RELEASE FILE")
    except (WatchError, OSError) as error:
        print(f"watch: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
