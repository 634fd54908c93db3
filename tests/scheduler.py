"""Cases dealt to workers whole, so that each answer of a case is asked for once, by one worker.

pytest-xdist's own loadgroup marks the group in the test's id, which pytest since 9.2 takes no notice of: every check
went alone, and both workers compiled everything. It also counts all that a worker was ever given after every report:
with some 58 000 checks its process took longer than the two workers together.
"""

from __future__ import annotations

from typing import Any

from xdist.scheduler import LoadScopeScheduling
from xdist.workermanage import WorkerController

from tests.ledger import check_id


class CaseScheduling(LoadScopeScheduling):  # type: ignore[misc]  # pytest-xdist has no types
    """pytest-xdist's loadscope with the case as scope, which forgets what is done and knows where each test is."""

    def __init__(self, config: Any, log: Any = None) -> None:
        """Start as loadscope does."""
        super().__init__(config, log)
        self._places: dict[WorkerController, dict[str, int]] = {}

    def _split_scope(self, nodeid: str) -> str:
        """The case of a check; a test of the suite itself goes alone."""
        found = check_id(nodeid)
        return found.partition("::")[0] if found else nodeid

    def add_node_collection(self, node: WorkerController, collection: Any) -> None:
        """Note the place of each test beside the collection itself."""
        super().add_node_collection(node, collection)
        self._places[node] = {nodeid: place for place, nodeid in enumerate(collection)}

    def mark_test_complete(self, node: WorkerController, item_index: int, duration: float = 0) -> None:
        """Drop the test from what the node was given, and its case with the last one."""
        nodeid = self.registered_collections[node][item_index]
        case, given = self._split_scope(nodeid), self.assigned_work[node]
        del given[case][nodeid]
        if not given[case]:
            del given[case]
        self._reschedule(node)

    def remove_node(self, node: WorkerController) -> str | None:
        """The test a dead worker died of, which is not dealt again; all else it had is."""
        given = self.assigned_work.pop(node)
        if not given:
            return None
        case, unit = next(iter(given.items()))
        crashed: str = next(iter(unit))
        del unit[crashed]
        if not unit:
            del given[case]
        self.workqueue.update(given)
        for other in self.assigned_work:
            self._reschedule(other)
        return crashed

    def _assign_work_unit(self, node: WorkerController) -> None:
        case, unit = self.workqueue.popitem(last=False)
        self.assigned_work.setdefault(node, {})[case] = unit
        node.send_runtest_some([self._places[node][nodeid] for nodeid in unit])
