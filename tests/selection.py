"""What pytest's -k leaves of the checks, told before pytest makes a test of each: most runs want a few of them.

Only what -k drops in any case is left out here: a word that every selected test must hold (all of `-k "trg and w1"`)
and that neither a check's id nor any of the other names pytest looks at has. pytest itself decides on the rest.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

_WORDS = re.compile(r"\s*[\w./:+-]+(\s+and\s+[\w./:+-]+)*\s*")
_GRAMMAR = {"and", "or", "not", "true", "false", "none"}
_MARKS = ("parametrize", "pytestmark", "slow")
_required: tuple[str, ...] = ()


def narrow(expression: str) -> None:
    """Leave out, from now on, what this -k expression drops in any case; an empty one leaves out nothing."""
    global _required
    plain = expression.lower().strip()
    found = re.split(r"\s+and\s+", plain) if _WORDS.fullmatch(plain) else []
    _required = () if _GRAMMAR & set(found) else tuple(word for word in found if word not in _names())


def may_select(check_id: str) -> bool:
    """Whether -k may select the check of this id."""
    return not _required or all(word in check_id.lower() for word in _required)


@cache
def _names() -> str:
    """All that pytest looks at beside a check's id, for any test: folder, file, function, marks."""
    files = sorted(Path(__file__).parent.glob("test_*.py"))
    functions = [name for file in files for name in re.findall(r"def (test_\w+)", file.read_text(encoding="utf-8"))]
    return "\n".join(("tests", *_MARKS, *(file.name for file in files), *functions)).lower()
