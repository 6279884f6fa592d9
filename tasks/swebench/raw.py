"""What a command printed, byte for byte, beside the record: kept where the agent was shown something else.

Noise is cleaned and long output is cut before the agent sees it, and only that stands in the record. Nobody can tell
later whether a bar or a colour was all that went, unless the bytes are there.
"""

from __future__ import annotations

import gzip
import zlib
from pathlib import Path

MOST = 20_000_000  # bytes of a command; what follows is counted in the record and kept nowhere


class Raw:
    """Bytes in pieces into a compressed file. Memory does not grow with them."""

    def __init__(self, path: Path, most: int = MOST) -> None:
        self.path = path
        self.most = most
        self.size = 0
        self._sum = 0
        self._file: gzip.GzipFile | None = None

    def add(self, data: bytes) -> None:
        if self._file is None and data:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._file = gzip.open(self.path, "wb", 1)  # noqa: SIM115 - closed by `close`
        if self._file is not None and self.size < self.most:
            self._file.write(data[: self.most - self.size])
        self._sum = zlib.crc32(data, self._sum)
        self.size += len(data)

    def close(self, shown: str) -> None:
        """Keep the file unless `shown` is what was printed."""
        if self._file is None:
            return
        self._file.close()
        told = shown.encode(errors="replace")
        if (len(told), zlib.crc32(told)) == (self.size, self._sum):
            self.path.unlink()
