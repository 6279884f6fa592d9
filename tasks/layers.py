"""What is known of facts while a plan is drawn."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from harness.contract import Op


@dataclass(slots=True, eq=False)
class Item:
    """A fact or a look-alike. old: the version that it superseded. id: given to facts only."""

    owner: str
    field: str
    value: str
    kind: str
    stated: int
    source: str | None = None
    old: Item | None = None
    superseded: int | None = None
    id: str = ""

    @property
    def key(self) -> str:
        return f"{self.owner}/{self.field}"

    @property
    def once(self) -> bool:
        """Told in exactly one place for good, so that order and absence are well defined."""
        return self.source is None and self.old is None and self.superseded is None

    def former(self) -> Iterator[str]:
        """The values of all versions before."""
        item = self.old
        while item is not None:
            yield item.value
            item = item.old

    def live(self, step: int) -> bool:
        """Whether it is the newest version when the action of `step` is chosen."""
        return self.stated < step and (self.superseded is None or self.superseded >= step)


@dataclass(slots=True, eq=False)
class Layer:
    """One of the equal draws of all goals; only one of the layers is asked.

    known: items by the step that states them. due: by strand a heap of (step, number, item): updates and the
    step from which a goal may ask for them. temporary, running (all versions): by subtask and field.
    reported: with the step of the report.
    """

    asked: bool
    known: dict[int, list[Item]] = field(default_factory=dict)
    due: dict[int, list[tuple[int, int, Item]]] = field(default_factory=dict)
    rules: list[Item] = field(default_factory=list)
    temporary: dict[tuple[int, str], Item] = field(default_factory=dict)
    bans: list[Item] = field(default_factory=list)
    running: dict[tuple[int, str], list[Item]] = field(default_factory=dict)
    reported: list[tuple[int, Item]] = field(default_factory=list)
    deck: list[Op] = field(default_factory=list)
