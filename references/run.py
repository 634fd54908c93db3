"""Answers a question in this process: the one place that knows which library answers which side."""

from __future__ import annotations

import functools
import os
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from references import lookup, material, run_jax, run_tenferro, run_torch
from references.case import Case, Staged
from references.material import Arrays, Material
from references.moved import moved
from references.question import Answer, Question

Stage = Callable[[str], None]


def cache_folder() -> Path:
    """The user's cache folder of this project; it outlives the checkout."""
    if named := os.environ.get("TENFERRO_CONFORMANCE_CACHE"):
        return Path(named)
    base = Path.home() / "Library" / "Caches" if sys.platform == "darwin" else Path.home() / ".cache"
    return Path(os.environ.get("XDG_CACHE_HOME") or base) / "tenferro-conformance"


@functools.cache
def start(side: str) -> None:
    """Configure the library behind `side` before its first question; once a process."""
    if side.startswith("jax"):
        run_jax.start(cache_folder() / "jax")
    elif side == "torch":
        run_torch.start()


def answer(question: Question, stage: Stage = lambda _: None) -> Answer:
    """What `question.side` returns; a typed refusal is the outcome `unsupported`. Errors: whatever a library raises."""
    started = time.perf_counter()
    start(question.side)
    try:
        found = _ask(lookup(question.case), question, stage)
    except Exception as error:
        if not _refuses(error):
            raise
        found = Answer("unsupported", {}, f"{type(error).__name__}: {error}")
    return replace(found, seconds=time.perf_counter() - started)


def _refuses(error: Exception) -> bool:
    """Whether an exception is a typed refusal: the harness's own, or Python's word for "not here"."""
    return isinstance(error, NotImplementedError) or type(error).__name__ == "Unsupported"


def _ask(case: Case, question: Question, stage: Stage) -> Answer:
    if question.side != "tenferro":
        return _reference(case, question, stage)
    stage("run")
    if isinstance(case.tenferro, Staged):
        return _staged(case, question)
    return _tenferro(case, question)


def _reference(case: Case, question: Question, stage: Stage) -> Answer:
    ordinal = 1 if question.protocol.endswith("second") else 0
    if question.protocol.startswith("scale"):
        return _scale(case, question, ordinal)
    outputs, ask = _library(question.side, stage)
    asked = _material(case, question, ordinal, functools.partial(outputs, case))
    used = asked.hash
    if question.protocol == "magnitude":
        asked = asked.magnitudes()
    return Answer("ok", _observed(case, question, ask(case, question.transform, asked)), inputs=used)


def _scale(case: Case, question: Question, ordinal: int) -> Answer:
    """The case's own scale: code of a case like any other, which may fail or end its process."""
    assert case.scale is not None, case.id
    inputs = material.inputs_of(case, dtype=question.dtype, ordinal=ordinal)
    return Answer("ok", material.named(material.as_outputs(case.scale(*inputs.values()))))


def _library(side: str, stage: Stage) -> tuple[Callable[..., Any], Callable[..., Arrays]]:
    """The functions of a reference: output shapes, and the answer."""
    if side.startswith("jax"):
        wide = side != "jax-x32"
        ask = functools.partial(run_jax.ask, jit=side != "jax-nojit", stage=stage, wide=wide)
        return functools.partial(run_jax.outputs, wide=wide), ask
    stage("run")
    return (run_torch.outputs, run_torch.ask) if side == "torch" else (_numpy, _numpy_ask)


def _numpy(case: Case, inputs: Arrays) -> list[Any]:
    assert case.numpy is not None, case.id
    return list(material.as_outputs(case.numpy(*inputs.values())))


def _numpy_ask(case: Case, transform: str, asked: Material) -> Arrays:
    if transform != "value":
        raise NotImplementedError(f"NumPy has no derivatives ({case.id}, {transform})")
    return material.named(_numpy(case, asked.inputs))


def _tenferro(case: Case, question: Question) -> Answer:
    """Protocol "second" asks two different questions of one runtime and answers with the second."""
    where: dict[str, Any] = {"surface": question.surface, "width": question.width}
    shapes = functools.partial(run_tenferro.outputs, case, **where)
    program, arrays, used = run_tenferro.program(case, **where), {}, ""
    for ordinal in (0, 1) if question.protocol == "second" else (0,):
        asked = _material(case, question, ordinal, shapes)
        arrays, used = run_tenferro.ask(program, question.transform, asked), asked.hash
    return Answer("ok", _observed(case, question, arrays), inactive=tuple(program.inactive), inputs=used)


@functools.lru_cache(maxsize=4)
def _staged_run(case: Case, dtype: str, width: int, protocol: str) -> tuple[dict[str, Arrays], str]:
    asked = Material(material.inputs_of(case, dtype=dtype, ordinal=0))
    return run_tenferro.staged(case, asked.inputs, width=width), asked.hash


def answer_anew(question: Question, stage: Stage) -> Answer:
    """The answer with nothing kept of an earlier one: what times are taken of. As `answer` otherwise."""
    forget()
    return answer(question, stage)


def forget() -> None:
    """Drop what is kept of staged programs' runs: the next ones may be of another tenferro."""
    _staged_run.cache_clear()


def _staged(case: Case, question: Question) -> Answer:
    """Value and gradient come from one run: the second of the two questions reads the first one's answer."""
    found, used = _staged_run(case, question.dtype, question.width or 1, question.protocol)
    return Answer("ok", found[question.transform], inputs=used)


def _material(case: Case, question: Question, ordinal: int, outputs: material.Outputs) -> Material:
    asked = material.make(case, transform=question.transform, dtype=question.dtype, ordinal=ordinal, outputs=outputs)
    return moved(case, question, asked)


def _observed(case: Case, question: Question, arrays: Arrays) -> Arrays:
    """Values reduced to what is mathematically defined, where the case says how."""
    if case.observe is None or question.transform != "value":
        return arrays
    return material.named(material.as_outputs(case.observe(*arrays.values())))
