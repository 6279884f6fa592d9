"""Lists of message ids, packed: a view of a long history stays a few numbers.

"m0","m1","m7","mask:m2","m8" -> [[0, 1], 7, "mask:m2", 8]
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from harness.history import index_of

Packed = list[int | list[int] | str]


def pack(ids: Iterable[str]) -> Packed:
    packed: Packed = []
    for identifier in ids:
        index = index_of(identifier)
        if index is None:
            packed.append(identifier)
            continue
        last = packed[-1] if packed else None
        if isinstance(last, list) and last[1] == index - 1:
            last[1] = index
        elif isinstance(last, int) and last == index - 1:
            packed[-1] = [last, index]
        else:
            packed.append(index)
    return packed


def unpack(packed: Sequence[int | Sequence[int] | str]) -> list[str]:
    ids: list[str] = []
    for item in packed:
        if isinstance(item, str):
            ids.append(item)
        elif isinstance(item, int):
            ids.append(f"m{item}")
        else:
            ids.extend(f"m{index}" for index in range(item[0], item[1] + 1))
    return ids
