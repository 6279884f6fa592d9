"""Arithmetic on packed views: what came in, what went out, how much of the prefix stayed.

Costs grow with the changes and the number of ranges, not with the length of the view.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from harness.ranges import Packed

Range = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Change:
    """History positions and made ids that entered or left between two views."""

    added: tuple[int, ...]
    removed: tuple[int, ...]
    made_added: tuple[str, ...]
    made_removed: tuple[str, ...]


def ranges(view: Packed) -> list[Range]:
    """The history positions of a view as closed ranges, in order."""
    return [(i, i) if isinstance(i, int) else (i[0], i[1]) for i in view if not isinstance(i, str)]


def made(view: Packed) -> list[str]:
    return [item for item in view if isinstance(item, str)]


def change(old: Packed, new: Packed) -> Change:
    before, after = ranges(old), ranges(new)
    made_before, made_after = made(old), made(new)
    return Change(
        tuple(_minus(after, before)),
        tuple(_minus(before, after)),
        tuple(m for m in made_after if m not in set(made_before)) if made_after else (),
        tuple(m for m in made_before if m not in set(made_after)) if made_before else (),
    )


def contains(view: Sequence[Range], position: int) -> bool:
    index = bisect_right(view, (position, 1 << 62)) - 1
    return index >= 0 and view[index][0] <= position <= view[index][1]


def common_prefix(old: Packed, new: Packed) -> Packed:
    """The longest common start of two views, packed."""
    prefix: Packed = []
    for left, right in zip(old, new, strict=False):
        if left == right:
            prefix.append(left)
            continue
        if not isinstance(left, str) and not isinstance(right, str):
            (a, b), (c, d) = _bounds(left), _bounds(right)
            if a == c:
                prefix.append([a, min(b, d)])
        break
    return prefix


def _bounds(item: int | list[int]) -> Range:
    return (item, item) if isinstance(item, int) else (item[0], item[1])


def _minus(left: Sequence[Range], right: Sequence[Range]) -> Iterator[int]:
    """Positions of `left` that are not in `right`; both sorted and disjoint."""
    j = 0
    for start, stop in left:
        at = start
        while at <= stop:
            while j < len(right) and right[j][1] < at:
                j += 1
            if j == len(right) or right[j][0] > stop:
                yield from range(at, stop + 1)
                break
            yield from range(at, right[j][0])
            at = right[j][1] + 1
