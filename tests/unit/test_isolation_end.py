"""No servant outlives its asker, and an interrupted question leaves an asker that answers the next."""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import psutil
import pytest

from references.ask import Asker
from references.question import Question
from references.servants.limits import Limits
from tests.unit.faults import ANSWERER

LIMIT = Limits(answer_seconds=60, compile_seconds=60, idle_seconds=60, memory_mib=256)
ROOT = Path(__file__).parents[2]
ASKING = """
from tests.unit.test_isolation_end import *
asker = Asker(limit=LIMIT, answerer=ANSWERER)
asker.ask(Question("innocent/1", "torch", "value", "f64"))
print("ready", flush=True)
asker.ask(Question("fault/{fault}", "numpy", "value", "f64"))
"""


@pytest.fixture(scope="module")
def quick(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """An environment where the libraries fail to import at once: nothing here asks them."""
    folder = tmp_path_factory.mktemp("stand-ins")
    for name in ("jax", "torch", "scipy"):
        (folder / f"{name}.py").write_text("raise ImportError")
    return os.environ | {"PYTHONPATH": os.pathsep.join([str(folder), str(ROOT)])}


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
@pytest.mark.parametrize("fault", ["loop-with-gil", "hang-with-gil"])
def test_no_servant_outlives_its_asker(fault: str, number: signal.Signals, quick: dict[str, str]) -> None:
    program = [sys.executable, "-c", ASKING.format(fault=fault)]
    with subprocess.Popen(program, env=quick, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as asker:
        assert asker.stdout is not None
        assert asker.stdout.readline() == b"ready\n"
        time.sleep(0.3)
        family = psutil.Process(asker.pid).children(recursive=True)
        assert len([one for one in family if one.ppid() != asker.pid]) == 2
        os.kill(asker.pid, number)
    _, left = psutil.wait_procs(family, timeout=20)
    assert left == []


def test_an_interrupted_question_leaves_the_asker_in_order() -> None:
    with Asker(limit=LIMIT, answerer=ANSWERER) as asker:
        assert asker.ask(Question("innocent/1", "numpy", "value", "f64")).outcome == "ok"
        timer = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))
        timer.start()
        with pytest.raises(KeyboardInterrupt):
            asker.ask(Question("fault/loop-with-gil", "numpy", "value", "f64"))
        assert asker.ask(Question("innocent/2", "numpy", "value", "f64")).arrays["out0"].tolist() == [2]
        assert asker.incidents == []


def test_closing_ends_the_servants() -> None:
    asker = Asker(limit=LIMIT, answerer="tests.unit.probes.answer")
    pid = int(asker.ask(Question("probe/pid", "numpy", "value", "f64")).arrays["pid"])
    asker.close()
    assert not psutil.pid_exists(pid)
