"""What is known to differ: `tests/known.toml` and the cases' own `raises`, predicted strictly."""

from __future__ import annotations

import fnmatch
import itertools
import platform
import re
import tomllib
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path
from typing import Any

from rust_harness.release_source import VERSION

KINDS = ("bug", "policy", "reference")
OUTCOMES = ("mismatch", "error", "unsupported", "crash", "timeout")


class KnownError(ValueError):
    """A malformed entry; the text names the file, the entry and the remedy."""


@dataclass(frozen=True)
class Known:
    """One predicted difference.

    check: pattern over check ids (`*`, `?`, `[…]` as in fnmatch), less what a pattern of `but` covers. outcome: one of
    OUTCOMES. kind: bug (tenferro against the truth), policy (a documented choice), reference (JAX or PyTorch against
    the truth). why: a sentence. right: the right value. issue: a public issue. releases, platforms: where it holds
    (empty: everywhere; a bug names its releases).
    """

    check: str
    outcome: str
    kind: str
    why: str
    right: str = ""
    issue: str = ""
    but: tuple[str, ...] = ()
    releases: tuple[str, ...] = ()
    platforms: tuple[str, ...] = ()

    def holds(self, release: str) -> bool:
        """Whether the entry speaks of this release on this platform."""
        here = f"{platform.system()}-{platform.machine()}".lower()
        return (not self.releases or release in self.releases) and (not self.platforms or here in self.platforms)

    def covers(self, check_id: str) -> bool:
        """Whether the pattern matches a check's id and no exception does."""
        return bool(_pattern(self.check).match(check_id)) and not any(_pattern(but).match(check_id) for but in self.but)

    def among(self, ordered: Sequence[str]) -> list[str]:
        """The ids it covers among sorted ones; only those that begin as the pattern does are looked at."""
        start = _WILD.split(self.check, maxsplit=1)[0]
        first, last = bisect_left(ordered, start), bisect_left(ordered, start + "\U0010ffff")
        return [check_id for check_id in ordered[first:last] if self.covers(check_id)]


_WILD = re.compile(r"[*?\[]")


def foretold(known: Sequence[Known], ids: Iterable[str]) -> dict[str, Known]:
    """The first entry that covers each id that one covers."""
    ordered, found = sorted(ids), dict[str, Known]()
    for entry in known:
        for check_id in entry.among(ordered):
            found.setdefault(check_id, entry)
    return found


@cache
def _pattern(glob: str) -> re.Pattern[str]:
    return re.compile(fnmatch.translate(glob))


def load(path: Path, *, release: str) -> tuple[Known, ...]:
    """The entries that hold for `release` here. Raises KnownError on anything malformed."""
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise KnownError(f"{path.name}: {error}; mend the file") from error
    if extra := set(table) - {"known"}:
        raise KnownError(f"{path.name}: unknown table {min(extra)!r}; entries are [[known]]")
    rows = table.get("known", [])
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise KnownError(f"{path.name}: entries are tables, each headed [[known]]")
    entries = tuple(_entry(path, row) for row in rows)
    for earlier, entry in itertools.combinations(entries, 2):
        if (earlier.check, earlier.releases, earlier.platforms) == (entry.check, entry.releases, entry.platforms):
            raise KnownError(f"{path.name}: entry {entry.check!r}: stands there twice; remove one")
    return tuple(entry for entry in entries if entry.holds(release))


def _entry(path: Path, row: dict[str, Any]) -> Known:
    where = f"{path.name}: entry {row.get('check', '?')!r}"
    names = {field.name for field in fields(Known)}
    if extra := set(row) - names:
        raise KnownError(f"{where}: unknown key {min(extra)!r}; keys are {', '.join(sorted(names))}")
    if missing := {"check", "outcome", "kind", "why"} - set(row):
        raise KnownError(f"{where}: {min(missing)!r} is missing")
    if row["kind"] not in KINDS or row["outcome"] not in OUTCOMES:
        raise KnownError(f"{where}: kind is of {', '.join(KINDS)}; outcome is of {', '.join(OUTCOMES)}")
    for key, value in row.items():
        _typed(where, key, value)
    _meant(where, row)
    values: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value for key, value in row.items()}
    return Known(**values)


def _meant(where: str, row: dict[str, Any]) -> None:
    """Releases, platforms and issues that can be such, any other would silently hold nowhere; and releases of a bug."""
    if row["kind"] == "bug" and not row.get("releases"):
        raise KnownError(f'{where}: a bug holds for the releases that have it: add releases = ["0.8.0"]')
    for key, form, example in _FORMS:
        given = row.get(key, [])
        for one in given if isinstance(given, list) else [given]:
            if not form.fullmatch(one):
                raise KnownError(f"{where}: {key} {one!r} is none: write it as {example}")


_FORMS = (
    ("releases", VERSION, '"0.8.0"'),
    ("platforms", re.compile(r"(linux|darwin|windows)-[a-z0-9_]+"), '"linux-x86_64"'),
    ("issue", re.compile(r"https://\S+"), "an address, https://…"),
)
_LISTS = ("but", "releases", "platforms")


def _typed(where: str, key: str, value: Any) -> None:
    """Lists of strings where several are meant, a string that is not empty elsewhere."""
    if key in _LISTS:
        if not isinstance(value, list) or not all(isinstance(one, str) and one for one in value):
            raise KnownError(f"{where}: {key} is a list of strings")
    elif not isinstance(value, str) or not value.strip():
        raise KnownError(f"{where}: {key} is a text")
