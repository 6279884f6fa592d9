"""Lists of message ids, packed: a view of a long history stays a few numbers.

"m0","m1","m7","mask:m2","m8" -> [[0, 1], 7, "mask:m2", 8]
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from harness.history import index_of

Packed = list[int | list[int] | str]


def pack(places: Iterable[int | str]) -> Packed:
    """Pack positions of history messages and ids of made ones."""
    packed: Packed = []
    start = stop = -2  # the run that is open; none yet
    for place in places:
        if place == stop + 1 and not isinstance(place, str):
            stop = place
            continue
        _close(packed, start, stop)
        if isinstance(place, str):
            packed.append(place)
            start = stop = -2
        else:
            start = stop = place
    _close(packed, start, stop)
    return packed


def pack_ids(ids: Iterable[str]) -> Packed:
    return pack(identifier if (place := index_of(identifier)) is None else place for identifier in ids)


def _close(packed: Packed, start: int, stop: int) -> None:
    if start >= 0:
        packed.append(start if start == stop else [start, stop])


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
