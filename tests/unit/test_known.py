"""known.toml is read strictly, and predicts strictly."""

from pathlib import Path

import pytest

from tests.known import Known, KnownError, load

ENTRY = '[[known]]\ncheck = "a/*"\noutcome = "mismatch"\nkind = "policy"\nwhy = "It is."\n'


def write(folder: Path, text: str) -> Path:
    path = folder / "known.toml"
    path.write_text(text)
    return path


def test_an_entry_is_read(tmp_path: Path) -> None:
    (entry,) = load(write(tmp_path, ENTRY + 'but = ["a/b::*"]'), release="0.8.0")
    assert entry.covers("a/c::agreement")
    assert not entry.covers("a/b::agreement")
    assert not entry.covers("b/c::agreement")


def test_an_entry_holds_for_its_releases_and_platforms(tmp_path: Path) -> None:
    path = write(tmp_path, ENTRY + 'releases = ["0.8.0"]')
    assert len(load(path, release="0.8.0")) == 1
    assert load(path, release="0.9.0") == ()
    assert load(write(tmp_path, ENTRY + 'platforms = ["windows-pdp11"]'), release="0.8.0") == ()


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("[[known]", "known.toml"),
        ("[known_issue]\n", "known_issue"),
        (ENTRY + 'rigth = "x"', "rigth"),
        (ENTRY.replace('why = "It is."\n', ""), "'why' is missing"),
        (ENTRY.replace("policy", "feature"), "kind is of"),
        (ENTRY.replace("mismatch", "match"), "outcome is of"),
        ("[known]\n", "are tables"),
        ("known = [1]\n", "are tables"),
        (ENTRY.replace('"a/*"', "5"), "check is a text"),
        (ENTRY.replace("It is.", " "), "why is a text"),
        (ENTRY + 'but = "a/b"', "but is a list"),
        (ENTRY + 'releases = "0.8.0"', "releases is a list"),
        (ENTRY.replace("policy", "bug"), "a bug holds for the releases that have it"),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, text: str, named: str) -> None:
    with pytest.raises(KnownError, match=named):
        load(write(tmp_path, text), release="0.8.0")


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(KnownError, match=r"known\.toml"):
        load(tmp_path / "known.toml", release="0.8.0")


def test_the_suites_own_entries_speak_of_checks_there_are() -> None:
    from tests.plan import plan

    ids = [check.id for check in plan()]
    idle = [entry.check for entry in load(Path("tests/known.toml"), release="0.8.0") if not any(map(entry.covers, ids))]
    assert idle == []
    assert Known("a", "error", "bug", "It is.").covers("a")


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ('releases = ["nonsense"]', "releases 'nonsense' is none"),
        ('platforms = ["linux"]', "platforms 'linux' is none"),
        ('issue = "no address"', "issue 'no address' is none"),
        (f"\n{ENTRY}", "stands there twice"),
    ],
)
def test_what_would_silently_hold_nowhere_is_named(tmp_path: Path, text: str, named: str) -> None:
    with pytest.raises(KnownError, match=named):
        load(write(tmp_path, ENTRY + text), release="0.8.0")
