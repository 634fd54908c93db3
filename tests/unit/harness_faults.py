"""An answerer whose faults are the harness's own, planted behind the boundary between Python and Rust."""

import numpy as np

from references.question import Answer, Question, Stage
from tests.unit import faults

ANSWERER = f"{__name__}.answer"


def answer(question: Question, stage: Stage) -> Answer:
    """`harness/panic` panics outside of an engine, `harness-engine/panic` inside a thread of one."""
    import tenferro_harness as th

    stage("run")
    kind, _, name = question.case.partition("/")
    if kind == "innocent":
        runtime = th.Runtime(th.Engine(2))
        return Answer("ok", {"out0": (runtime.variable(np.array([float(name)])) * 1.0).numpy()})
    engine = th.Engine(2) if kind == "harness-engine" else None
    return faults.number(str(th.fault(name, AMOUNTS.get(name, 0), engine)))


AMOUNTS = {"spin-with-gil": 600, "spin-without-gil": 600, "allocate": float(1 << 30)}
