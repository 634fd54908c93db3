"""Where a float program rounds to f32 on the way to an f64 result: the exact program does not, and would blame all."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from references.arbiter.graph import Array, Node, Source
from references.arbiter.scalars import REAL_PART
from references.dtypes import name_of

VALUE = "a rounding to f32 on the way to f64"
DERIVATIVE = "a derivative rounded to f32 on the way to f64"


def narrowed(nodes: Sequence[Node], transform: str, inputs: Mapping[str, Array], wrt: Sequence[str]) -> dict[str, str]:
    """The results that cannot be decided for that, with the reason."""
    if transform in ("value", "jvp"):
        found = {f"out{k}": VALUE for k, node in enumerate(nodes) if node.coarse}
    else:
        found = dict.fromkeys(wrt, VALUE) if any(node.coarse for node in nodes) else {}
    if transform == "value":
        return found
    order = _ancestors(nodes)
    for name in wrt:
        if REAL_PART.get(name_of(inputs[name])) == "f64":
            found |= _of_input(name, order, nodes, transform)
    return found


def _of_input(name: str, order: Sequence[Node], outputs: Sequence[Node], transform: str) -> dict[str, str]:
    """Results in f64 whose derivative passes through f32 on the way from, or back to, an f64 input."""
    reached = _after(order, lambda node: isinstance(node, Source) and node.name == name)
    narrow = {node for node in reached if REAL_PART.get(node.dtype) == "f32"}
    beyond = _after(order, lambda node: node in narrow) - narrow
    widened = {node for node in beyond if REAL_PART.get(node.dtype) == "f64"}
    if transform == "jvp":
        return {f"out{k}": DERIVATIVE for k, node in enumerate(outputs) if node in widened}
    return {name: DERIVATIVE} if widened or any(not node.exact for node in narrow) else {}


def _after(order: Sequence[Node], starts: Callable[[Node], bool]) -> set[Node]:
    """The nodes that hold, and all that read them."""
    found: set[Node] = set()
    for node in order:
        if starts(node) or any(parent in found for parent in node.parents):
            found.add(node)
    return found


def _ancestors(nodes: Sequence[Node]) -> list[Node]:
    """Everything the outputs read, each after what it reads."""
    done: dict[Node, None] = {}
    waiting: list[tuple[Node, bool]] = [(node, False) for node in nodes]
    while waiting:
        node, ready = waiting.pop()
        if ready:
            done[node] = None
        elif node not in done:
            waiting.append((node, True))
            waiting.extend((parent, False) for parent in node.parents)
    return list(done)
