"""Messages cross a socket whole, or their reader learns that they do not."""

import socket
import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from references.servants import wire

Pair = tuple[socket.socket, socket.socket]


@pytest.fixture
def pair() -> Iterator[Pair]:
    ends = wire.pair()
    with ends[0], ends[1]:
        yield ends


def across(pair: Pair, message: Any) -> Any:
    sender = threading.Thread(target=wire.send, args=(pair[0], message))
    sender.start()
    received = wire.receive(pair[1])
    sender.join()
    return received


@pytest.mark.parametrize("shape", [(), (0,), (3,), (2, 0, 3), (1000, 1000)])
@pytest.mark.parametrize("dtype", ["?", "<i4", "<i8", "<f4", "<f8", "<c8", "<c16"])
def test_arrays_keep_shape_dtype_and_bytes(pair: Pair, shape: tuple[int, ...], dtype: str) -> None:
    array = np.arange(np.prod(shape, dtype=int)).reshape(shape).astype(dtype)
    received = across(pair, ("answer", {"out0": array}))[1]["out0"]
    assert (received.shape, received.dtype, received.tobytes()) == (array.shape, array.dtype, array.tobytes())
    assert received.flags.writeable


def test_messages_keep_their_order(pair: Pair) -> None:
    for message in ("stage", {"b": np.ones(3)}, None):
        wire.send(pair[0], message)
    assert wire.receive(pair[1]) == "stage"
    assert wire.receive(pair[1])["b"].tolist() == [1, 1, 1]
    assert wire.receive(pair[1]) is None


@pytest.mark.parametrize("kept", [0, 3, 8, 20, 40])
def test_a_message_that_breaks_off_is_the_end(pair: Pair, kept: int) -> None:
    wire.send(pair[0], {"out0": np.ones(100)})
    whole = pair[1].recv(1 << 16)
    left, right = wire.pair()
    with left, right:
        left.sendall(whole[:kept])
        left.close()
        with pytest.raises(EOFError):
            wire.receive(right)


def test_what_cannot_be_pickled_leaves_the_wire_clean(pair: Pair) -> None:
    with pytest.raises(TypeError):
        wire.send(pair[0], threading.Lock())
    wire.send(pair[0], "next")
    assert wire.receive(pair[1]) == "next"


def test_waiting_comes_before_every_read(pair: Pair) -> None:
    wire.send(pair[0], "message")
    waits: list[None] = []
    wire.receive(pair[1], lambda: waits.append(None))
    assert len(waits) >= 3
