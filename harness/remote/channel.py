"""One JSON object a line, over a socket, with a limit on how long the other side may be silent."""

from __future__ import annotations

import json
import socket
import time
from typing import Any

Frame = dict[str, Any]


class Closed(Exception):
    """The other side has gone."""


class Garbled(Exception):
    """What the other side said is no frame."""


class Channel:
    """`seconds`: most that one `send` or `receive` may take; None = for ever.

    Both raise Closed, and TimeoutError past the limit; `receive` raises Garbled.
    """

    def __init__(self, end: socket.socket, seconds: float | None = None) -> None:
        self._socket = end
        self._seconds = seconds
        self._rest = b""  # what came after the last whole line

    def send(self, frame: Frame) -> None:
        # Escaped to ASCII: lone surrogates pass too, so that the check of a view sees what the strategy made.
        line = json.dumps(frame, separators=(",", ":")).encode() + b"\n"
        self._socket.settimeout(self._seconds)
        try:
            self._socket.sendall(line)
        except TimeoutError:
            raise
        except OSError as error:
            raise Closed(str(error)) from None

    def receive(self) -> Frame:
        chunks = [self._rest]
        deadline = None if self._seconds is None else time.monotonic() + self._seconds
        while b"\n" not in chunks[-1]:
            chunks.append(self._more(deadline))
        line, _, self._rest = b"".join(chunks).partition(b"\n")
        try:
            frame = json.loads(line)
        except ValueError:
            raise Garbled(f"{line[:60]!r}, which is no JSON") from None
        if not isinstance(frame, dict):
            raise Garbled(f"{line[:60]!r}, which is no frame")
        return frame

    def close(self) -> None:
        self._socket.close()

    def _more(self, deadline: float | None) -> bytes:
        if deadline is not None:
            left = deadline - time.monotonic()
            if left <= 0:
                raise TimeoutError
            self._socket.settimeout(left)
        try:
            chunk = self._socket.recv(1 << 16)
        except TimeoutError:
            raise
        except OSError as error:
            raise Closed(str(error)) from None
        if not chunk:
            raise Closed("the end")
        return chunk
