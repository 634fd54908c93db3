"""What tenferro refuses, fails in or panics over becomes a typed exception, and the engine goes on."""

from __future__ import annotations

import threading
import time
from typing import Any

import numpy as np
import pytest
import tenferro_harness as th

MATRIX = np.arange(6.0).reshape(2, 3)


@pytest.fixture(params=[1, 2])
def engine(request: pytest.FixtureRequest) -> th.Engine:
    return th.Engine(request.param)


@pytest.mark.parametrize("width", [0, -1, 100_000])
def test_a_width_that_no_engine_has_is_refused(width: int) -> None:
    with pytest.raises(ValueError, match=str(width)):
        th.Engine(width)


def test_the_engine_has_the_width_asked_for(engine: th.Engine) -> None:
    assert engine.num_threads() == engine.width == th.Runtime(engine).width


@pytest.mark.parametrize("make", ["attached", "constant", "concrete"])
def test_a_wrong_shape_fails_with_tenferros_text(make: str, engine: th.Engine) -> None:
    tensor = getattr(th.Runtime(engine), make)(MATRIX)
    with pytest.raises(th.Failed, match="shape") as caught:
        tensor.add(np.ones((2, 2)))
    assert "ShapeMismatch" in caught.value.kind


def test_an_unsupported_dtype_is_a_refusal(engine: th.Engine) -> None:
    runtime = th.Runtime(engine)
    with pytest.raises(th.Unsupported):
        runtime.concrete(MATRIX.astype(np.int64)).exp()
    with pytest.raises(th.Unsupported):
        runtime.constant(MATRIX.astype(np.int64)).exp()


def test_an_operation_of_other_surfaces_is_a_refusal() -> None:
    runtime: Any = th.Runtime(th.Engine(1))
    with pytest.raises(th.Unsupported, match=r"svdvals.*traced"):
        runtime.attached(MATRIX).svdvals  # noqa: B018
    with pytest.raises(th.Unsupported, match=r"take_rows.*concrete.*eager"):
        runtime.concrete(MATRIX).take_rows  # noqa: B018
    assert not hasattr(runtime.concrete(MATRIX), "no_such_operation")


def test_the_concrete_surface_has_no_derivatives() -> None:
    asked = th.Asked(lambda x: x.sin(), surface="concrete", engine=th.Engine(1))
    with pytest.raises(th.Unsupported, match="no derivatives"):
        asked.grad({"x": np.array(1.0)}, ["x"])


def test_linalg_has_no_derivative_without_its_rules() -> None:
    runtime = th.Runtime(th.Engine(1), rules=False)
    x = runtime.variable(np.eye(2) + MATRIX[:, :2])
    with pytest.raises(th.Unsupported):
        runtime.grad(x.svd()[1].reduce_sum(), [x])


def test_all_are_tenferro_errors() -> None:
    for kind in (th.Unsupported, th.Failed, th.Panicked):
        assert issubclass(kind, th.TenferroError)


@pytest.mark.parametrize("kind", ["panic", "panic-in-thread"])
def test_a_panic_is_an_exception_and_the_engine_goes_on(kind: str, engine: th.Engine) -> None:
    runtime = th.Runtime(engine)
    x = runtime.variable(MATRIX)
    with pytest.raises(th.Panicked, match="planted"):
        th.fault(kind, engine=engine)
    np.testing.assert_array_equal(x.add(MATRIX).numpy(), 2 * MATRIX)
    np.testing.assert_allclose(x.matmul(MATRIX.T).numpy(), MATRIX @ MATRIX.T)
    assert engine.num_threads() == engine.width


def test_a_prepared_program_survives_a_panic(engine: th.Engine) -> None:
    runtime: Any = th.Runtime(engine)
    p = runtime.placeholder([2, 3], "f64")
    program = runtime.compile([p.sin()], [p])
    program.prepare()
    with pytest.raises(th.Panicked):
        th.fault("panic", engine=engine)
    np.testing.assert_allclose(program.run([MATRIX])[0], np.sin(MATRIX))


def longest_silence(work: threading.Thread) -> float:
    """Seconds that this thread was kept from running while `work` ran."""
    longest, before, alive = 0.0, time.perf_counter(), True
    work.start()
    while alive:
        alive = work.is_alive()
        now = time.perf_counter()
        longest, before = max(longest, now - before), now
    return longest


def test_the_gil_is_released_while_tenferro_works() -> None:
    size = 1200
    x = th.Runtime(th.Engine(1)).concrete(np.ones((size, size)))
    seconds: list[float] = []

    def work() -> None:
        started = time.perf_counter()
        x.matmul(x)
        seconds.append(time.perf_counter() - started)

    silence = longest_silence(threading.Thread(target=work))
    assert silence < seconds[0] / 2


def test_the_measure_sees_a_held_gil() -> None:
    held = threading.Thread(target=th.fault, args=("spin-with-gil", 0.3))
    assert longest_silence(held) > 0.25


def test_two_threads_may_share_an_engine() -> None:
    runtime = th.Runtime(th.Engine(2))
    results: list[float] = []

    def work() -> None:
        for _ in range(50):
            results.append(float(runtime.constant(np.ones(100)).reduce_sum().numpy()))

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [100.0] * 100


def test_an_unknown_fault_is_refused() -> None:
    with pytest.raises(ValueError, match="no-such-fault"):
        th.fault("no-such-fault")


def test_the_binary_says_what_it_is() -> None:
    info = th.build_info()
    assert info["tenferro"].count(".") == 2
    assert info["profile"] == "release"
    assert info["rustc"].startswith("rustc ")
    assert info["threads"] >= 1
    assert "linalg" in info["families"]
    assert isinstance(info["cpu_features"], list)
