"""Messages between the asking process and a servant, over a socket; arrays travel outside the pickle (protocol 5).

`multiprocessing`'s own connections read a whole message or block; here the reader waits between the pieces, so that a
servant that dies or hangs within a message is noticed.
"""

import pickle
import socket
import struct
from collections.abc import Callable
from typing import Any

import numpy as np

_COUNT = struct.Struct("<Q")
_BUFFER_BYTES = 1 << 20


def pair() -> tuple[socket.socket, socket.socket]:
    """Two connected sockets, with buffers large enough that an array crosses in few turns."""
    ends = socket.socketpair()
    for end in ends:
        end.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _BUFFER_BYTES)
    return ends


def send(end: socket.socket, message: object) -> None:
    """Send one message. Errors: OSError where the other end is gone."""
    buffers: list[pickle.PickleBuffer] = []
    body = pickle.dumps(message, protocol=5, buffer_callback=buffers.append)
    parts = [buffer.raw() for buffer in buffers]
    sizes = [len(body), *(part.nbytes for part in parts)]
    head = _COUNT.pack(len(sizes)) + b"".join(map(_COUNT.pack, sizes))
    end.sendall(head + body)
    for part in parts:
        end.sendall(part)


def receive(end: socket.socket, wait: Callable[[], None] = lambda: None) -> Any:
    """Receive one message; `wait` is called before every read and returns when there is something to read.

    Errors: EOFError where the other end is gone, within a message or before it.
    """
    (count,) = _COUNT.unpack(_read(end, _COUNT.size, wait))
    sizes = [size for (size,) in _COUNT.iter_unpack(_read(end, count * _COUNT.size, wait))]
    body, *buffers = [_read(end, size, wait) for size in sizes]
    return pickle.loads(body, buffers=buffers)


def _read(end: socket.socket, size: int, wait: Callable[[], None]) -> memoryview:
    read = memoryview(np.empty(size, np.uint8))
    rest = read
    while rest.nbytes:
        wait()
        got = end.recv_into(rest)
        if not got:
            raise EOFError("the other end is gone")
        rest = rest[got:]
    return read
