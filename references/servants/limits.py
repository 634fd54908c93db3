"""What an answer may take: read from one place, `[tool.conformance.limits]` in `pyproject.toml`."""

import tomllib
from dataclasses import dataclass, fields
from pathlib import Path

PYPROJECT = Path(__file__).parents[2] / "pyproject.toml"
TABLE = "[tool.conformance.limits]"


LEAST, MOST = 1e-3, 1e9
"""A limit beyond these is a slip of the hand: nothing would ever pass, or nothing ever stop."""


class LimitsError(ValueError):
    """The limits cannot be read; the text names file, key and remedy."""


@dataclass(frozen=True)
class Limits:
    """Limits of one answer.

    answer_seconds: wall time without compiling. compile_seconds: wall time of compiling, a servant's start included.
    idle_seconds: wall time without progress (processor time), after which an answer hangs.
    memory_mib: what the process may grow by while it answers.
    """

    answer_seconds: float
    compile_seconds: float
    idle_seconds: float
    memory_mib: int


def load(path: Path = PYPROJECT) -> Limits:
    """Read the limits. Errors: LimitsError on a missing table, a missing or unknown key, or a value not above 0."""
    try:
        table = dict(tomllib.loads(path.read_text(encoding="utf-8"))["tool"]["conformance"]["limits"].items())
    except (KeyError, TypeError, AttributeError):
        raise LimitsError(f"{path.name} has no table {TABLE}: add it with {_names()}") from None
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise LimitsError(f"{path.name} cannot be read for {TABLE}: {error}") from None
    if set(table) != {key.name for key in fields(Limits)}:
        raise LimitsError(f"{path.name}, {TABLE}: give exactly {_names()}, not {', '.join(table) or 'nothing'}")
    for key, value in table.items():
        _positive(path, key, value)
    return Limits(**table)


def _positive(path: Path, key: str, value: object) -> None:
    whole = key == "memory_mib"
    number = isinstance(value, int if whole else int | float) and not isinstance(value, bool)
    if not number or not LEAST <= value <= MOST:  # type: ignore[operator]  # a number by now
        kind = "whole number" if whole else "number"
        raise LimitsError(
            f"{path.name}, {TABLE}: {key} = {value!r} is not a {kind} above 0, at most {MOST:g}: correct it"
        )


def _names() -> str:
    return ", ".join(key.name for key in fields(Limits))
