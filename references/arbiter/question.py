"""A case's program over exact tensors, and the scalars of a transform of it: Taylor coefficients, gathered."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from flint import acb, arb

from references.arbiter.core import Core, MissingError, RefusedError
from references.arbiter.cplx import Pair
from references.arbiter.graph import COMPLEX, FLOATING, Array, Index, Node
from references.arbiter.jet import Jet
from references.arbiter.narrow import narrowed
from references.arbiter.run import Run, Seeds
from references.arbiter.special import ZERO, Undecided
from references.arbiter.tensor import free_functions, source
from references.dtypes import name_of

Place = tuple[str, int]
"""An output's (or, of a gradient, an input's) name and a flat row-major index."""
PULLED = ("vjp", "grad", "hvp")


@dataclass(frozen=True, eq=False)
class Question:
    """What is to be decided: the nodes of the outputs, and the transform with its inputs, tangents and cotangents.

    refused: why nothing of it can be decided ("" if it can); narrowed: the same by result.
    """

    outputs: tuple[Node, ...]
    transform: str
    inputs: Mapping[str, Array]
    wrt: tuple[str, ...] = ()
    tangents: Mapping[str, Array] = field(default_factory=dict)
    cotangents: tuple[Array, ...] = ()
    refused: str = ""
    narrowed: Mapping[str, str] = field(default_factory=dict)

    def why_not(self, name: str) -> str:
        """Why nothing of a result can be decided; "" if it can."""
        return self.refused or self.narrowed.get(name, "")

    @functools.cached_property
    def dtypes(self) -> dict[str, str]:
        """The dtype of each result."""
        if self.transform in PULLED:
            return {name: name_of(self.inputs[name]) for name in self.wrt}
        return {f"out{k}": node.dtype for k, node in enumerate(self.outputs)}

    @property
    def sizes(self) -> dict[str, int]:
        """The number of elements of each result; nothing where the program could not be followed."""
        if self.transform in PULLED:
            return {name: self.inputs[name].size for name in self.wrt}
        return {f"out{k}": node.size for k, node in enumerate(self.outputs)}

    def dtype(self, name: str) -> str:
        """The dtype of a result."""
        return self.dtypes[name]

    def places(self) -> list[Place]:
        """Every element of every result; of a program that could not be followed one stands for all."""
        if self.transform in PULLED:
            return [(name, i) for name in self.wrt for i in range(self.inputs[name].size)]
        if not self.outputs:
            return [("out0", 0)]
        return [(f"out{k}", i) for k, node in enumerate(self.outputs) for i in range(node.size)]


def ask(
    program: Callable[..., Any],
    inputs: Mapping[str, Array],
    *,
    transform: str = "value",
    wrt: Sequence[str] = (),
    tangents: Mapping[str, Array] | None = None,
    cotangents: Sequence[Array] = (),
) -> Question:
    """Run `program` over exact tensors of `inputs`, in order. What it cannot follow is said in `refused`."""
    given = {name: np.asarray(array) for name, array in inputs.items()}
    rest: dict[str, Any] = {"wrt": tuple(wrt), "tangents": dict(tangents or {}), "cotangents": tuple(cotangents)}
    try:
        with free_functions():
            found = program(*(source(name, array) for name, array in given.items()))
    except MissingError as missing:
        return Question((), transform, given, **rest, refused=f"an operation it lacks: {missing}")
    except (RefusedError, TypeError, ValueError, IndexError, AttributeError, KeyError) as error:
        return Question((), transform, given, **rest, refused=f"the program over exact tensors: {error!r}")
    outputs = tuple(found) if isinstance(found, tuple | list) else (found,)
    if not all(isinstance(output, Core) for output in outputs):
        return Question((), transform, given, **rest, refused="the program returns what is no tensor")
    nodes = tuple(output.node for output in outputs)
    return Question(nodes, transform, given, **rest, narrowed=narrowed(nodes, transform, given, wrt))


def seeds(question: Question, places: Sequence[Place]) -> Seeds:
    """The directions a run needs for these elements."""
    if question.transform == "value":
        return Seeds()
    names = frozenset[str | None](question.wrt)
    pushed = question.tangents if question.transform in ("jvp", "hvp") else {}
    if question.transform == "jvp":
        return Seeds(names, pushed)
    columns: dict[str, dict[int, tuple[int, ...]]] = {name: {} for name in question.wrt}
    for number, (name, index) in enumerate(places):
        both = question.dtype(name) in COMPLEX
        columns[name][index] = (2 * number, 2 * number + 1) if both else (2 * number,)
    return Seeds(names, pushed, columns)


def evaluate(question: Question, run: Run, places: Sequence[Place], *, conjugated: bool = False) -> list[Any]:
    """The scalars at `places`. conjugated: with conjugated cotangents (another convention of the gradient)."""
    if question.transform in PULLED:
        return _pulled(question, run, places, conjugated=conjugated)
    found: dict[Place, Any] = {}
    for k, node in enumerate(question.outputs):
        wanted = np.array([i for name, i in places if name == f"out{k}"], dtype=np.int64)
        if wanted.size:
            values = run.get(node, wanted)
            found.update({(f"out{k}", i): v for i, v in zip(wanted.tolist(), values, strict=True)})
    values = [found[place] for place in places]
    return (
        [_pushed(v, question.dtype(name)) for v, (name, _) in zip(values, places, strict=True)]
        if (question.transform == "jvp")
        else values
    )


def _pushed(x: Any, dtype: str) -> Any:
    """The directional derivative; of what carries no direction, 0."""
    if isinstance(x, Undecided):
        return x
    if dtype not in FLOATING:
        return 0
    found = x.dt if type(x) is Jet and x.dt is not None else ZERO
    if dtype in COMPLEX:
        found = acb(found)
        return Pair(found.real, found.imag)
    return found


def _pulled(question: Question, run: Run, places: Sequence[Place], *, conjugated: bool) -> list[Any]:
    """Re Σ conj(ct) ∂y along each direction of each element: with directions 1 and i, ∂L/∂x + i ∂L/∂y."""
    totals: dict[int, Any] = {}
    lost: list[tuple[Node, Index, Undecided]] = []
    for node, cotangent in zip(question.outputs, question.cotangents, strict=True):
        if node.dtype in FLOATING:
            _gather(question, run, node, np.conj(cotangent) if conjugated else cotangent, totals, lost)
    found = []
    for number, (name, _) in enumerate(places):
        parts = [totals.get(2 * number, ZERO), totals.get(2 * number + 1, ZERO)]
        found.append(Pair(*parts) if question.dtype(name) in COMPLEX else parts[0])
    return _without(question, run, places, found, lost) if lost else found


def _gather(
    question: Question,
    run: Run,
    node: Node,
    cotangent: Array,
    totals: dict[int, Any],
    lost: list[tuple[Node, Index, Undecided]],
) -> None:
    second = question.transform == "hvp"
    wanted = np.flatnonzero(run.reached(node))
    weights = cotangent.reshape(-1)[wanted].tolist()
    for i, x, weight in zip(wanted.tolist(), run.get(node, wanted), weights, strict=True):
        if isinstance(x, Undecided):
            lost.append((node, np.array([i]), x))
        elif type(x) is Jet and weight != 0:
            scale = acb(weight.real, -weight.imag) if isinstance(weight, complex) else arb(weight)
            for direction, c in (x.dts if second else x.ds).items():
                term = (scale * c).real
                totals[direction] = totals[direction] + term if direction in totals else term


def _without(
    question: Question, run: Run, places: Sequence[Place], found: list[Any], lost: list[tuple[Node, Index, Undecided]]
) -> list[Any]:
    """Elements on which an undecided output depends are undecided too."""
    for number, place in enumerate(places):
        run.breathe()
        alone = Run(seeds(question, [place]), run.deadline)
        reasons = [why for node, index, why in lost if alone_reaches(alone, node, index, question)]
        if reasons:
            found[number] = reasons[0]
    return found


def alone_reaches(alone: Run, node: Node, index: Index, question: Question) -> bool:
    """Whether an element of a node depends on the single element `alone` has a direction for."""
    if question.transform == "hvp":
        alone = Run(Seeds(alone.seeds.names, {}, alone.seeds.columns), alone.deadline)
    return bool(alone.reached(node)[index].any())
