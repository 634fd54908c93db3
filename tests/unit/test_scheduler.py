"""Cases are dealt to workers whole, what is done is forgotten, and what a dead worker had is dealt again."""

from types import SimpleNamespace
from typing import Any

import pytest

from tests.scheduler import CaseScheduling

CASES = {"dtype/a": 5, "dtype/b": 4, "trg/c": 3, "trg/d": 1}
SELF = ("tests/unit/test_x.py::test_one", "tests/unit/test_x.py::test_two[a/b]")


def nodeid(case: str, number: int) -> str:
    return f"tests/test_values.py::test_value_agrees[{case}::agreement::jax::eager::value::f64::w{number}]"


TESTS = [nodeid(case, number) for number in range(5) for case, count in CASES.items() if number < count] + [*SELF]


class Node:
    """A worker that keeps what it is sent."""

    def __init__(self) -> None:
        self.sent: list[int] = []
        self.batches: list[list[int]] = []
        self.shutting_down = False
        self.gateway = SimpleNamespace(id="gw")

    def send_runtest_some(self, places: list[int]) -> None:
        self.sent += places
        self.batches.append(places)

    def shutdown(self) -> None:
        self.shutting_down = True


@pytest.fixture
def scheduling() -> tuple[Any, list[Any]]:
    """A scheduling of two nodes that have collected TESTS and hold their first cases."""
    options = {"tx": ["popen", "popen"], "loadscopereorder": True}
    config: Any = SimpleNamespace(option=SimpleNamespace(**options), getvalue=options.get, getoption=options.get)
    made, nodes = CaseScheduling(config), [Node(), Node()]
    made.numnodes = 2
    for node in nodes:
        made.add_node(node)
        made.add_node_collection(node, TESTS)
    made.schedule()
    return made, nodes


def finish(made: Any, nodes: list[Any]) -> None:
    done: set[int] = set()
    while any(set(node.sent) - done for node in nodes):
        for node in nodes:
            for place in [one for one in node.sent if one not in done][:1]:
                made.mark_test_complete(node, place)
                done.add(place)


def test_every_batch_is_one_whole_case(scheduling: tuple[Any, list[Any]]) -> None:
    made, nodes = scheduling
    finish(made, nodes)
    batches = [[TESTS[place] for place in batch] for node in nodes for batch in node.batches]
    assert sorted(batches) == sorted(
        [
            *([nodeid(case, number) for number in range(count)] for case, count in CASES.items()),
            *([one] for one in SELF),
        ]
    )


def test_everything_runs_once_and_is_then_forgotten(scheduling: tuple[Any, list[Any]]) -> None:
    made, nodes = scheduling
    finish(made, nodes)
    assert sorted(place for node in nodes for place in node.sent) == list(range(len(TESTS)))
    assert made.assigned_work == {nodes[0]: {}, nodes[1]: {}}
    assert made.tests_finished
    assert not made.has_pending


def test_what_a_dead_worker_had_goes_to_the_other_but_what_it_died_of(scheduling: tuple[Any, list[Any]]) -> None:
    made, (dead, alive) = scheduling
    first, *rest = dead.sent
    made.mark_test_complete(dead, first)
    assert made.remove_node(dead) == TESTS[rest[0]]
    finish(made, [alive])
    assert sorted(alive.sent) == sorted(set(range(len(TESTS))) - {first, rest[0]})


def test_a_worker_that_has_done_all_died_of_nothing(scheduling: tuple[Any, list[Any]]) -> None:
    made, nodes = scheduling
    finish(made, nodes)
    assert [made.remove_node(node) for node in nodes] == [None, None]
