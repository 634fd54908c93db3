"""Two questions at once: both answers are right, whatever the other side does, and nothing is left over."""

from collections.abc import Iterator

import pytest

from references.ask import Asker
from references.question import Answer, Question
from references.servants.limits import Limits
from tests.unit.probes import ANSWERER

LIMIT = Limits(answer_seconds=2.5, compile_seconds=60, idle_seconds=10, memory_mib=256)


def question(case: str, side: str, *, width: int | None = None) -> Question:
    return Question(case, side, "value", "f64", width=width)


@pytest.fixture
def asker() -> Iterator[Asker]:
    """An asker whose servants have started."""
    with Asker(limit=LIMIT, answerer=ANSWERER) as made:
        for side in ("tenferro", "jax"):
            assert made.ask(question("probe/pid", side)).outcome == "ok"
        yield made


def span(answer: Answer) -> tuple[float, float]:
    assert answer.outcome == "ok", answer
    return float(answer.arrays["began"]), float(answer.arrays["ended"])


def overlap(pair: tuple[Answer, Answer]) -> bool:
    (began, ended), (other_began, other_ended) = map(span, pair)
    return max(began, other_began) < min(ended, other_ended)


def test_two_servants_work_at_the_same_time(asker: Asker) -> None:
    assert overlap(asker.ask_both(question("probe/slow", "tenferro", width=1), question("probe/slow", "jax")))


@pytest.mark.parametrize(("side", "width"), [("tenferro", 2), ("jax-nojit", None)])
def test_several_threads_and_one_servant_work_one_after_the_other(asker: Asker, side: str, width: int | None) -> None:
    assert not overlap(asker.ask_both(question("probe/slow", side, width=width), question("probe/slow", "jax")))


@pytest.mark.parametrize(
    ("fault", "outcome"),
    [("abort", "crash"), ("loop-in-python", "timeout"), ("flood", "ok"), ("exit", "crash")],
)
@pytest.mark.parametrize("first", [True, False])
def test_what_one_does_is_not_the_others(asker: Asker, fault: str, outcome: str, first: bool) -> None:
    well, ill = question("probe/slow", "jax"), question(f"fault/{fault}", "tenferro")
    pair = asker.ask_both(ill, well) if first else asker.ask_both(well, ill)
    failed, answered = pair if first else reversed(pair)
    assert failed.outcome == outcome, failed
    span(answered)
    assert asker.incidents == []
    for side in ("jax", "tenferro"):
        assert asker.ask(question("probe/pid", side)).outcome == "ok"


def test_an_answer_that_waited_past_its_limit_is_no_timeout(asker: Asker) -> None:
    """It was there in time; nobody came for it, since the other question used up a whole limit."""
    failed, answered = asker.ask_both(question("fault/loop-in-python", "tenferro"), question("probe/slow", "jax"))
    assert failed.outcome == "timeout"
    span(answered)


def test_an_interrupt_leaves_no_answer_for_the_next_question(asker: Asker, monkeypatch: pytest.MonkeyPatch) -> None:
    tenferro = asker._keepers["tenferro"]

    def interrupted(beside: object) -> Answer:
        tenferro.end()
        raise KeyboardInterrupt

    monkeypatch.setattr(tenferro, "take", interrupted)
    before = asker._keepers["jax"]._process.pid
    with pytest.raises(KeyboardInterrupt):
        asker.ask_both(question("probe/slow", "tenferro", width=1), question("probe/slow", "jax"))
    assert asker._keepers == {}
    (pid,) = asker.ask(question("probe/pid", "jax")).arrays.values()
    assert int(pid) != before


@pytest.mark.parametrize("busy", ["probe/slow", "fault/loop-in-python"])
def test_memory_is_watched_while_the_other_is_waited_for(asker: Asker, busy: str) -> None:
    _, greedy = asker.ask_both(question(busy, "tenferro"), question("fault/memory-shared", "jax"))
    assert (greedy.outcome, greedy.detail) == ("crash", "memory limit 256 MiB exceeded")


def test_time_is_that_of_the_stage_it_was_spent_in(asker: Asker) -> None:
    """Compiling and running each within its limit, though both together, and the other side's time, are beyond one."""
    busy, staged = asker.ask_both(question("fault/loop-in-python", "tenferro"), question("probe/stages", "jax"))
    assert busy.outcome == "timeout"
    assert staged.outcome == "ok", staged
    assert asker.incidents == []
