"""A comparison as JUnit XML: a suite a family, a test case a check of the second run."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping
from typing import Final
from xml.etree import ElementTree

from compare.changes import told
from compare.diff import FAILING, Change, Difference, Row

FORBIDDEN: Final = re.compile(r"[^\t\n\r\x20-\uD7FF\uE000-\uFFFD\U00010000-\U0010FFFF]")
"""Characters that XML has no way to hold."""


def junit(found: Difference, head: Mapping[str, Row]) -> str:
    """Every check of the second run, those that got worse as failures, those that do not compile as errors.

    An answer whose process died is an error of its own. What else changed is told in the family's `system-out`.
    """
    changes = {change.id: change for change in found.changes if change.kind in FAILING}
    families: dict[str, list[Row]] = defaultdict(list)
    died = [Row(change.id, "crash") for change in changes.values() if change.id not in head]
    for one in (*head.values(), *died):
        families[one.id.partition("/")[0]].append(one)
    root = ElementTree.Element("testsuites", name=_clean(f"{found.head} against {found.base}"))
    for name, members in sorted(families.items()):
        root.append(_suite(name, members, changes, [one for one in found.changes if one.family == name]))
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def _suite(name: str, members: list[Row], failed: Mapping[str, Change], changes: list[Change]) -> ElementTree.Element:
    kinds = [failed[one.id].kind for one in members if one.id in failed]
    counts = {
        "tests": len(members),
        "failures": kinds.count("regressed"),
        "errors": len(kinds) - kinds.count("regressed"),
    }
    suite = ElementTree.Element("testsuite", {"name": name, **{key: str(count) for key, count in counts.items()}})
    for one in members:
        suite.append(_case(one, failed.get(one.id)))
    others = [f"{one.kind}  {told(one)}" for one in changes if one.kind not in FAILING]
    if others:
        ElementTree.SubElement(suite, "system-out").text = _clean("\n".join(others))
    return suite


def _case(one: Row, change: Change | None) -> ElementTree.Element:
    family, _, name = one.id.partition("/")
    case = ElementTree.Element("testcase", classname=family, name=_clean(name))
    if change:
        tag = "failure" if change.kind == "regressed" else "error"
        message = _clean(f"{change.before} → {change.after}")
        ElementTree.SubElement(case, tag, message=message).text = _clean(change.detail)
    return case


def _clean(text: str) -> str:
    return FORBIDDEN.sub("\N{REPLACEMENT CHARACTER}", text)
