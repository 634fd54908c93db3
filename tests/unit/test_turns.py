"""Turns on the machine: several threads of one answer exclude every other answer, single threads share."""

import multiprocessing
from collections.abc import Iterator
from multiprocessing.synchronize import Event
from pathlib import Path

import pytest

from references.servants import turns

SOON = 0.3


def hold(width: int | None, folder: Path, held: Event, release: Event) -> None:
    turns.path = lambda: folder / "turn"  # a process of its own: nothing to undo
    with turns.turn(width):
        held.set()
        release.wait()


@pytest.fixture
def holders(tmp_path: Path) -> Iterator[list[tuple[Event, Event]]]:
    """A list to fill by `start`; whoever is in it is told to let go at the end."""
    made: list[tuple[Event, Event]] = []
    yield made
    for _, release in made:
        release.set()


def start(width: int | None, folder: Path, holders: list[tuple[Event, Event]]) -> tuple[Event, Event]:
    context = multiprocessing.get_context("spawn")
    held, release = context.Event(), context.Event()
    context.Process(target=hold, args=(width, folder, held, release), daemon=True).start()
    holders.append((held, release))
    return held, release


@pytest.mark.parametrize(("first", "second"), [(1, 2), (2, 1), (2, 2), (None, 8)])
def test_a_wide_answer_waits_for_others_and_others_for_it(
    first: int | None, second: int, tmp_path: Path, holders: list[tuple[Event, Event]]
) -> None:
    held, release = start(first, tmp_path, holders)
    assert held.wait(20)
    waits, _ = start(second, tmp_path, holders)
    assert not waits.wait(SOON + 1)
    release.set()
    assert waits.wait(20)


@pytest.mark.parametrize("width", [1, None])
def test_single_threads_share(width: int | None, tmp_path: Path, holders: list[tuple[Event, Event]]) -> None:
    first, _ = start(1, tmp_path, holders)
    second, _ = start(width, tmp_path, holders)
    assert first.wait(20)
    assert second.wait(20)


def test_a_dead_holder_holds_nothing(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    held, release = context.Event(), context.Event()
    process = context.Process(target=hold, args=(2, tmp_path, held, release), daemon=True)
    process.start()
    assert held.wait(20)
    process.kill()
    process.join()
    after, let_go = context.Event(), context.Event()
    context.Process(target=hold, args=(1, tmp_path, after, let_go), daemon=True).start()
    assert after.wait(20)
    let_go.set()


def test_an_error_lets_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, holders: list[tuple[Event, Event]]) -> None:
    monkeypatch.setattr(turns, "path", lambda: tmp_path / "turn")
    monkeypatch.setattr(turns, "_files", turns._files.__wrapped__)
    with pytest.raises(ValueError, match="planted"), turns.turn(2):
        raise ValueError("planted")
    held, _ = start(2, tmp_path, holders)
    assert held.wait(20)


def test_a_waiting_wide_answer_is_next(tmp_path: Path, holders: list[tuple[Event, Event]]) -> None:
    """However many single threads come after it, it has its turn as soon as those before it are done."""
    held, release = start(1, tmp_path, holders)
    assert held.wait(20)
    wide, done = start(2, tmp_path, holders)
    assert not wide.wait(SOON + 1)
    late, _ = start(1, tmp_path, holders)
    assert not late.wait(SOON + 1)
    release.set()
    assert wide.wait(20)
    assert not late.is_set()
    done.set()
    assert late.wait(20)
