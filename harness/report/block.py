"""A piece of the printed report, and how it is printed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from rich.console import Console
from rich.text import Text


@dataclass(frozen=True, slots=True)
class Block:
    title: str
    lines: Sequence[str]
    notes: Sequence[str] = field(default_factory=tuple)
    main: bool = False


def show(blocks: Iterable[Block], console: Console) -> None:
    """Lines are never wrapped: a table that is wider than the terminal stays a table. Notes are."""
    for block in blocks:
        console.print()
        if block.main:
            console.rule(Text(block.title, style="bold"), align="left", characters="━")
        else:
            console.print(Text(block.title, style="bold"), soft_wrap=True)
        for line in block.lines:
            console.print(Text(line), soft_wrap=True)
        for note in block.notes:
            console.print(Text(note, style="dim"), soft_wrap=not console.is_terminal)
