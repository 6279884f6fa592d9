"""A summary as a tree: a root for the oldest finished subtasks, a node each for the others, a leaf for the open one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from strategies.blocks import Block
from strategies.compaction.asking import LEAST, Compactor
from strategies.compaction.layers import Entry, Layers, Stage, ask_of, frame, whole
from strategies.compaction.prompts import Level
from strategies.compaction.subtasks import Statement, Subtasks
from strategies.compaction.texts import Size, told


@dataclass(frozen=True, slots=True)
class Tree:
    """A `terms.Fold`; levels: fragment = the leaf, session = the nodes, global = the root.

    nodes: most nodes. lines: share of the summary for statements that crossed. Root, leaf and each node get an equal
    part of what is left.
    """

    subtasks: Subtasks
    nodes: int
    lines: float

    def __call__(self, former: Layers, blocks: Sequence[Block], room: int, compactor: Compactor) -> Stage[Layers]:
        lines = int(self.lines * room)
        room -= lines + frame(former.levels, compactor.size)
        most = min(self.nodes, max(1, room // LEAST - 2))
        part = max(1, room // (most + 2))
        leaf, nodes, root = ([replace(entry, kept=()) for entry in level] for level in former.entries)
        groups = [list(own) for _, own in groupby([*leaf, *self._raw(blocks)], key=lambda entry: entry.subtask)]
        finished = len(groups) - (not self.subtasks.ends(blocks))  # each but the last one is
        known = replace(former, entries=((), *former.entries[1:])).text()
        made = yield from self._told(groups, finished, part, known, compactor)
        nodes, leaf = [*nodes, *made[:finished]], made[finished:]
        if old := nodes[:-most]:
            root, nodes = (yield from whole("global", [*root, *old], part, compactor)), nodes[-most:]
        entries = [*root, *nodes, *leaf]
        covered = {name for entry in entries for name in entry.sources}
        kept = iter(beside(entries, chosen(self.subtasks.crossed(covered), entries, lines, compactor.size)))
        standing = [tuple(next(kept) for _ in level) for level in (root, nodes, leaf)]
        return Layers(former.levels, tuple(reversed(standing)))

    def _told(
        self, groups: Sequence[Sequence[Entry]], finished: int, room: int, known: str, compactor: Compactor
    ) -> Stage[list[Entry]]:
        """An entry of at most `room` tokens for each subtask, below what announced it."""
        names = [self.subtasks.name(group[0].subtask) for group in groups]
        heads = [f"{name}:\n" if name and 4 * compactor.size(name) <= room else "" for name in names]
        asks = []
        for n, (group, head) in enumerate(zip(groups, heads, strict=True)):
            bare = [replace(entry, text=entry.text.removeprefix(head)) for entry in group]  # a leaf has it already
            level: Level = "session" if n < finished else "fragment"
            asks.append(ask_of(level, bare, room - compactor.size(head), known))
        for name in names[:finished]:
            compactor.note("node", name or "by turns", ())
        texts = yield from compactor.shorten(asks)
        return [
            Entry(head + text, ask.sources, group[0].subtask)
            for head, text, ask, group in zip(heads, texts, asks, groups, strict=True)
        ]

    def _raw(self, blocks: Sequence[Block]) -> Iterator[Entry]:
        for subtask, run in groupby(blocks, key=self.subtasks.of):
            own = list(run)
            text = told(message for block in own for message in block.messages)
            yield Entry(text, tuple(name for block in own for name in block.ids), subtask)


def chosen(crossed: Sequence[Statement], entries: Sequence[Entry], room: int, size: Size) -> list[Statement]:
    """Those that the texts do not hold, as many of those taken up last as fit, in the order of the work."""
    held = "\n".join(entry.text for entry in entries)
    found: list[Statement] = []
    for statement in reversed(crossed):
        cost = size(statement.text + "\n")
        if cost <= room and statement.text not in held:
            held = f"{held}\n{statement.text}"
            room -= cost
            found.append(statement)
    return sorted(found, key=lambda statement: statement.place)


def beside(entries: Sequence[Entry], statements: Sequence[Statement]) -> Iterator[Entry]:
    """The entries, oldest first, each with the statements of its subtask and of those that were folded into it."""
    before = -1
    for entry in entries:
        own = (statement.text for statement in statements if before < statement.subtask <= entry.subtask)
        yield replace(entry, kept=tuple(own))
        before = entry.subtask
