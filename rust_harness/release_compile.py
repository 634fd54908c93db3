"""Which families of the harness a release can compile, and what the compiler misses in the others."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

HARNESS = "tenferro-harness"
CORE = "the harness itself"

MISSING = (
    re.compile(r"unresolved imports? (.+)"),
    re.compile(r"no (?:method|function or associated item|associated item|variant|field)[^`]* named (`[^`]+`)"),
    re.compile(r"cannot find [a-z ,]+ (`[^`]+`)"),
    re.compile(r"could not find (`[^`]+`)"),
    re.compile(r"no (`[^`]+`) in"),
    re.compile(r"no variant or associated item named (`[^`]+`)"),
    re.compile(r"use of (?:undeclared|unresolved) [a-z ]+ (`[^`]+`)"),
)


@dataclass(frozen=True)
class Failure:
    """A family, or a crate, that does not compile: the first error as the compiler prints it, and the names missing."""

    family: str
    error: str
    missing: tuple[str, ...] = ()

    @property
    def line(self) -> str:
        """One line for people."""
        missing = f" (missing: {', '.join(self.missing)})" if self.missing else ""
        return f"{self.family}: {first_line(self.error)}{missing}"


def families(manifest: str) -> tuple[str, ...]:
    """The families of a Cargo.toml: its default features."""
    return tuple(tomllib.loads(manifest)["features"]["default"])


def dependents(manifest: str, found: Iterable[Failure]) -> tuple[Failure, ...]:
    """Failures of the families that need one which does not compile, as the features of a Cargo.toml say."""
    lost = {failure.family: failure for failure in found}
    needs = {
        name: [one for one in tomllib.loads(manifest)["features"][name] if one in lost] for name in families(manifest)
    }
    return tuple(
        Failure(name, f"needs the family {wanted[0]}, which does not compile")
        for name, wanted in needs.items()
        if wanted and name not in lost
    )


def failures(stdout: str, known: Iterable[str]) -> tuple[Failure, ...]:
    """One failure a family, from the output of `cargo build --message-format=json`, in the compiler's order.

    An error counts for the family in whose file it stands, or from whose file the macro it stands in was called. One
    in a file of no family is the harness's own, and one in another crate is that crate's.
    """
    found: dict[str, list[Mapping[str, Any]]] = {}
    for where, message in _errors(stdout, frozenset(known)):
        found.setdefault(where, []).append(message)
    return tuple(_failure(where, messages) for where, messages in found.items())


def _failure(where: str, messages: list[Mapping[str, Any]]) -> Failure:
    missing = dict.fromkeys(name for message in messages for name in names_missing(str(message["message"])))
    return Failure(where, str(messages[0].get("rendered") or messages[0]["message"]).strip(), tuple(missing))


def _errors(stdout: str, known: frozenset[str]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for line in stdout.splitlines():
        entry = json.loads(line) if line.startswith("{") else {}
        message = entry.get("message", {})
        if entry.get("reason") != "compiler-message" or message.get("level") != "error" or not message.get("spans"):
            continue
        crate = re.split(r"[/#]", str(entry["package_id"]))
        ours = entry["target"]["name"] == "_native" or HARNESS in "".join(crate)
        yield (_family(message["spans"], known) if ours else f"crate {entry['target']['name']}"), message


def _family(spans: Iterable[Mapping[str, Any]], known: frozenset[str]) -> str:
    """The family whose file a primary span is in, or is expanded from."""
    for span in spans:
        if span["is_primary"]:
            for file in _files(span):
                if Path(file).stem in known:
                    return Path(file).stem
    return CORE


def _files(span: Mapping[str, Any]) -> Iterator[str]:
    """The file of a span and of every macro call around it, from the inside out."""
    yield span["file_name"]
    if expansion := span.get("expansion"):
        yield from _files(expansion["span"])


def names_missing(message: str) -> list[str]:
    """The names that an error says are not there: ``no method named `fftn` found`` gives fftn."""
    for pattern in MISSING:
        if match := pattern.search(message):
            return re.findall(r"`([^`]+)`", match.group(1))
    return []


def first_line(error: str) -> str:
    """The error's own line, without the source excerpt under it."""
    return error.splitlines()[0] if error else ""


def dump(found: Iterable[Failure]) -> list[dict[str, Any]]:
    """Failures as JSON holds them."""
    return [asdict(failure) for failure in found]


def load(found: Iterable[Mapping[str, Any]]) -> tuple[Failure, ...]:
    """Failures from their JSON."""
    return tuple(Failure(one["family"], one["error"], tuple(one["missing"])) for one in found)
