"""A summary with the statements in it that are likeliest needed again, word for word."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from strategies.blocks import Block
from strategies.compaction.asking import Compactor
from strategies.compaction.layers import Layers, Stage, fold
from strategies.compaction.texts import Piece, told
from strategies.learned.choosing import Choosing
from strategies.learned.lines import candidates, chosen
from strategies.learned.names import Names
from strategies.learned.scorer import Scorer


@dataclass(frozen=True, slots=True)
class Telling:
    """A `terms.Fold`. lines: share of the summary for statements, names: for identifiers. The statements of the former
    summary stand for election again, with what was read since."""

    choosing: Choosing
    scorer: Scorer
    lines: float
    names: float

    def __call__(self, former: Layers, blocks: Sequence[Block], room: int, compactor: Compactor) -> Stage[Layers]:
        lines = int(self.lines * room)
        texts = [text for level in reversed(former.entries) for entry in level for text in entry.kept]
        bare = replace(former, entries=tuple(tuple(replace(e, kept=()) for e in level) for level in former.entries))
        listed = int(self.names * room)
        made = yield from fold(bare, self._pieces(blocks), room - lines, listed, compactor)
        reading, going = self.choosing.reading, {block.start for block in blocks}
        raw = [reading.pages[block.start].shown for block in self.choosing.raw if block.start not in going]
        held = {*reading.known(Names().of(made.text())).tolist(), *(word for words in raw for word in words.tolist())}
        kept = chosen([*texts, *candidates(blocks)], held, lines, compactor.size, reading, self.scorer)
        return _beside(made, kept)

    def _pieces(self, blocks: Sequence[Block]) -> list[Piece]:
        """Turns of a subtask together, as the whole history was read."""
        found: list[Piece] = []
        for subtask, run in groupby(blocks, key=self.choosing.subtasks.of):
            own = list(run)
            text = told(message for block in own for message in block.messages)
            found.append(Piece(text, tuple(name for block in own for name in block.ids), subtask))
        return found


def _beside(made: Layers, kept: tuple[str, ...]) -> Layers:
    """The statements below the newest entry of the finest level that has any."""
    level = next(n for n, entries in enumerate(made.entries) if entries)
    last = replace(made.entries[level][-1], kept=kept)
    entries = tuple((*own[:-1], last) if n == level else own for n, own in enumerate(made.entries))
    return replace(made, entries=entries)
