"""Questions to a whole program on one surface: value, vjp, jvp, grad, hvp."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tenferro_harness._native import Concrete, Eager, Engine, Program, Runtime, Traced, Unsupported

Array = NDArray[Any]
Arrays = Mapping[str, Array]
Stage = Callable[[str], None]

SURFACES = ("traced", "eager", "concrete")


def _silent(stage: str) -> None:
    """Nobody wants to know the stage."""


class Asked:
    """One program on one surface in one fresh runtime; asked twice, it reuses what the first question built.

    `program` takes its tensors in the order of `inputs` and returns one tensor or a tuple of them. Inputs and tangents
    are NumPy arrays by name, cotangents one array an output. A derivative that tenferro calls inactive is zeros here;
    `inactive` names it (an input's name, or "out0", … where it is an output's).

    tenferro's own errors pass through: `Unsupported`, `Failed`, `Panicked`.
    """

    def __init__(
        self,
        program: Callable[..., Any],
        *,
        surface: str,
        engine: Engine,
        stage: Stage = _silent,
    ) -> None:
        if surface not in SURFACES:
            raise ValueError(f"surface {surface!r}: there are {', '.join(SURFACES)}")
        self._way: _Traced | _Eager | _Concrete
        build = {"traced": _Traced, "eager": _Eager, "concrete": _Concrete}[surface]
        self._way = build(program, Runtime(engine), stage)

    @property
    def inactive(self) -> tuple[str, ...]:
        """The inactive derivatives of the last question."""
        return self._way.inactive

    def value(self, inputs: Arrays) -> list[Array]:
        """The program's outputs."""
        return self._way.value(inputs)

    def vjp(self, inputs: Arrays, wrt: Sequence[str], cotangents: Sequence[Array]) -> dict[str, Array]:
        """Jᵀ·cotangents by input of `wrt`, added over the outputs."""
        return self._way.vjp(inputs, tuple(wrt), cotangents)

    def jvp(self, inputs: Arrays, wrt: Sequence[str], tangents: Arrays) -> list[Array]:
        """J·tangents, one array an output."""
        return self._way.jvp(inputs, tuple(wrt), tangents)

    def grad(self, inputs: Arrays, wrt: Sequence[str]) -> dict[str, Array]:
        """The gradient of a program with one rank-0 output."""
        return self._way.grad(inputs, tuple(wrt))

    def hvp(
        self, inputs: Arrays, wrt: Sequence[str], tangents: Arrays, cotangents: Sequence[Array] | None = None
    ) -> dict[str, Array]:
        """The jvp, along `tangents`, of the vjp with fixed `cotangents`; without them, of the gradient."""
        return self._way.hvp(inputs, tuple(wrt), tangents, cotangents)


def _outputs(result: Any) -> tuple[Any, ...]:
    return tuple(result) if isinstance(result, tuple | list) else (result,)


def _ordered(arrays: Arrays, names: Iterable[str]) -> list[Array]:
    return [arrays[name] for name in names]


@dataclass
class _Concrete:
    program: Callable[..., Any]
    runtime: Runtime
    stage: Stage
    inactive: tuple[str, ...] = ()

    def value(self, inputs: Arrays) -> list[Array]:
        tensors: list[Concrete] = [self.runtime.concrete(array) for array in inputs.values()]
        self.stage("run")
        return [output.numpy() for output in _outputs(self.program(*tensors))]

    def _refuse(self, *_question: Any) -> Any:
        raise Unsupported("the concrete surface has values only, no derivatives")

    vjp = jvp = grad = hvp = _refuse


@dataclass
class _Eager:
    program: Callable[..., Any]
    runtime: Runtime
    stage: Stage
    inactive: tuple[str, ...] = ()

    def value(self, inputs: Arrays) -> list[Array]:
        return [output.numpy() for output in self._apply(inputs, ())[1]]

    def vjp(self, inputs: Arrays, wrt: tuple[str, ...], cotangents: Sequence[Array]) -> dict[str, Array]:
        leaves, outputs = self._apply(inputs, wrt)
        return self._by_name(inputs, wrt, self._vjp(outputs, leaves, cotangents))

    def grad(self, inputs: Arrays, wrt: tuple[str, ...]) -> dict[str, Array]:
        leaves, (output,) = self._apply(inputs, wrt)
        return self._by_name(inputs, wrt, self.runtime.grad(output, leaves))

    def jvp(self, inputs: Arrays, wrt: tuple[str, ...], tangents: Arrays) -> list[Array]:
        leaves, outputs = self._apply(inputs, wrt)
        derivatives = self.runtime.jvp(outputs, leaves, _ordered(tangents, wrt))
        pairs = [
            (None if derivative is None else derivative.numpy(), output)
            for derivative, output in zip(derivatives, outputs, strict=True)
        ]
        self.inactive = tuple(f"out{index}" for index, (derivative, _) in enumerate(pairs) if derivative is None)
        return [np.zeros_like(output.numpy()) if array is None else array for array, output in pairs]

    def hvp(
        self, inputs: Arrays, wrt: tuple[str, ...], tangents: Arrays, cotangents: Sequence[Array] | None
    ) -> dict[str, Array]:
        leaves, outputs = self._apply(inputs, wrt)
        if cotangents is None:
            (output,) = outputs
            firsts = self.runtime.grad(output, leaves)
        else:
            firsts = self._vjp(outputs, leaves, cotangents)
        active = [first for first in firsts if first is not None]
        seconds = iter(self.runtime.jvp(active, leaves, _ordered(tangents, wrt)) if active else [])
        return self._by_name(inputs, wrt, [None if first is None else next(seconds) for first in firsts])

    def _vjp(self, outputs: list[Eager], leaves: list[Eager], cotangents: Sequence[Array]) -> list[Eager | None]:
        return self.runtime.vjp(outputs, leaves, list(cotangents))

    def _apply(self, inputs: Arrays, wrt: tuple[str, ...]) -> tuple[list[Eager], list[Eager]]:
        make = {True: self.runtime.variable, False: self.runtime.constant}
        leaves = {name: make[name in wrt](array) for name, array in inputs.items()}
        self.stage("run")
        self.inactive = ()
        return [leaves[name] for name in wrt], list(_outputs(self.program(*leaves.values())))

    def _by_name(self, inputs: Arrays, wrt: tuple[str, ...], derivatives: Sequence[Eager | None]) -> dict[str, Array]:
        arrays = [None if derivative is None else derivative.numpy() for derivative in derivatives]
        self.inactive, filled = _zeros_for_inactive(inputs, wrt, arrays)
        return filled


def _zeros_for_inactive(
    inputs: Arrays, wrt: tuple[str, ...], derivatives: Sequence[Array | None]
) -> tuple[tuple[str, ...], dict[str, Array]]:
    by_name = dict(zip(wrt, derivatives, strict=True))
    inactive = tuple(name for name, derivative in by_name.items() if derivative is None)
    return inactive, {
        name: np.zeros_like(inputs[name]) if derivative is None else derivative for name, derivative in by_name.items()
    }


@dataclass
class _Traced:
    program: Callable[..., Any]
    runtime: Runtime
    stage: Stage
    inactive: tuple[str, ...] = ()
    _graphs: dict[Any, tuple[list[Traced], list[Traced]]] = field(default_factory=dict)
    _programs: dict[Any, Program] = field(default_factory=dict)
    _active: dict[Any, list[bool]] = field(default_factory=dict)

    def value(self, inputs: Arrays) -> list[Array]:
        self.inactive = ()
        outputs = self._run(self._compiled("value", inputs), list(inputs.values()))
        return [output for output in outputs if output is not None]

    def vjp(self, inputs: Arrays, wrt: tuple[str, ...], cotangents: Sequence[Array]) -> dict[str, Array]:
        program = self._compiled("vjp", inputs, wrt)
        return self._by_name(inputs, wrt, self._run(program, [*inputs.values(), *cotangents]))

    def grad(self, inputs: Arrays, wrt: tuple[str, ...]) -> dict[str, Array]:
        program, active = self._gradient(inputs, wrt)
        found = iter(self._run(program, list(inputs.values())) if program else [])
        return self._by_name(inputs, wrt, [next(found) if each else None for each in active])

    def jvp(self, inputs: Arrays, wrt: tuple[str, ...], tangents: Arrays) -> list[Array]:
        program = self._compiled("jvp", inputs, wrt)
        derivatives = self._run(program, [*inputs.values(), *_ordered(tangents, wrt)])
        inactive = tuple(f"out{index}" for index, derivative in enumerate(derivatives) if derivative is None)
        values = self.value(inputs) if inactive else derivatives
        self.inactive = inactive
        return [
            _zeros_like(value) if found is None else found for found, value in zip(derivatives, values, strict=True)
        ]

    def hvp(
        self, inputs: Arrays, wrt: tuple[str, ...], tangents: Arrays, cotangents: Sequence[Array] | None
    ) -> dict[str, Array]:
        arguments = [*inputs.values(), *(cotangents or []), *_ordered(tangents, wrt)]
        if cotangents is not None:
            return self._by_name(inputs, wrt, self._run(self._compiled("hvp", inputs, wrt), arguments))
        program, active = self._gradient(inputs, wrt)
        found = iter(self._run(self._second(program, inputs, wrt), arguments) if program else [])
        return self._by_name(inputs, wrt, [next(found) if each else None for each in active])

    def _graph(self, inputs: Arrays) -> tuple[list[Traced], list[Traced]]:
        """The placeholders and the outputs: traced once a signature."""
        key = _signature(inputs)
        if key not in self._graphs:
            self.stage("compile")
            placeholders = [self.runtime.placeholder(array.shape, array.dtype) for array in inputs.values()]
            self._graphs[key] = placeholders, list(_outputs(self.program(*placeholders)))
        return self._graphs[key]

    def _compiled(self, transform: str, inputs: Arrays, wrt: tuple[str, ...] = ()) -> Program:
        key = (transform, _signature(inputs), wrt)
        if key not in self._programs:
            placeholders, outputs = self._graph(inputs)
            value = self.runtime.compile(outputs, placeholders, drop_unused=True)
            self._programs[key] = _transformed(value, transform, [list(inputs).index(name) for name in wrt])
        return self._programs[key]

    def _gradient(self, inputs: Arrays, wrt: tuple[str, ...]) -> tuple[Program | None, list[bool]]:
        """tenferro's own `grad`, one a variable, compiled together; and which of them are active."""
        key = ("grad", _signature(inputs), wrt)
        if key not in self._active:
            placeholders, (output,) = self._graph(inputs)
            gradients = self.runtime.grad(output, [placeholders[list(inputs).index(name)] for name in wrt])
            self._active[key] = [gradient is not None for gradient in gradients]
            active = [gradient for gradient in gradients if gradient is not None]
            if active:
                self._programs[key] = self.runtime.compile(active, placeholders, drop_unused=True)
        return self._programs.get(key), self._active[key]

    def _second(self, gradient: Program, inputs: Arrays, wrt: tuple[str, ...]) -> Program:
        key = ("hvp of grad", _signature(inputs), wrt)
        if key not in self._programs:
            self._programs[key] = gradient.jvp([list(inputs).index(name) for name in wrt])
        return self._programs[key]

    def _run(self, program: Program, arguments: list[Array]) -> list[Array | None]:
        if not program.is_prepared:
            program.prepare(arguments)
        self.stage("run")
        return program.run(arguments)

    def _by_name(self, inputs: Arrays, wrt: tuple[str, ...], derivatives: Sequence[Array | None]) -> dict[str, Array]:
        self.inactive, filled = _zeros_for_inactive(inputs, wrt, derivatives)
        return filled


def _signature(inputs: Arrays) -> tuple[Any, ...]:
    return tuple((name, array.dtype.newbyteorder("="), array.shape) for name, array in inputs.items())


def _transformed(program: Program, transform: str, wrt: list[int]) -> Program:
    match transform:
        case "vjp":
            return program.vjp(wrt)
        case "jvp":
            return program.jvp(wrt)
        case "hvp":
            return program.vjp(wrt).jvp(wrt)
        case _:
            return program


def _zeros_like(array: Array | None) -> Array:
    return np.zeros_like(array)
