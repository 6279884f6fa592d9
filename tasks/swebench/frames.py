"""The two outputs of a process in a container, as the Docker daemon sends them: frames of eight bytes and a load."""

from __future__ import annotations

import select
import socket
import struct

_HEAD = struct.Struct(">BxxxL")


class Frames:
    """Reads one connection. Outputs: 1 and 2. owner: what must stay alive as long as it is read."""

    def __init__(self, connection: socket.socket, owner: object = None) -> None:
        self.connection = connection
        self.owner = owner
        self._held = b""

    def send(self, data: bytes) -> None:
        self.connection.sendall(data)

    def read(self, seconds: float) -> list[tuple[int, bytes]] | None:
        """The whole frames that came; None when nothing came in time, [] when the process has ended."""
        if not select.select([self.connection], [], [], max(seconds, 0))[0]:
            return None
        data = self.connection.recv(1 << 16)
        if not data:
            return []
        self._held += data
        found: list[tuple[int, bytes]] = []
        while len(self._held) >= _HEAD.size:
            output, size = _HEAD.unpack_from(self._held)
            if len(self._held) < _HEAD.size + size:
                break
            found.append((output, self._held[_HEAD.size : _HEAD.size + size]))
            self._held = self._held[_HEAD.size + size :]
        return found or None

    def close(self) -> None:
        self.connection.close()
