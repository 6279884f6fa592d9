"""The history cut into N blocks that are summarised at once: N is the knob for how much is told."""

from __future__ import annotations

from collections.abc import Sequence

from harness.contract import Brief, History, Kit, Message
from strategies import settings
from strategies.blocks import Block
from strategies.compaction.asking import LEAST, Ask, Compactor
from strategies.compaction.layers import Entry, Layers, Stage, frame, named
from strategies.compaction.prompts import Level
from strategies.compaction.shell import Compaction
from strategies.compaction.terms import Terms
from strategies.compaction.texts import START, Size, pieces
from strategies.compaction.triggers import Trigger, When
from strategies.overflow import Overflow

LEVEL: Level = "session"


class BlockSummary:
    """Summarises like `summary`, but all that is not raw, the former summary included, in `blocks` parts at once.

    blocks: N, parts of about equal tokens cut between turns; each gets the same share of the summary's tokens, so that
    the total is the same for every N. One part = one call over everything, the sequential baseline.
    The other arguments: as in `strategies.summary.Summary`.

    A model hardly heeds a length that it is told, so its summaries are about as long whatever they cover, and N sets
    the volume; an extractive compactor fills what it is given, and N only spreads it evenly over time.
    Source: "Parallel Context Compaction for Long-Horizon LLM Agent Serving", arXiv 2605.23296. N, the trigger and the
    shares are not from there.
    """

    asks = True  # a compactor must be set
    _compaction: Compaction

    def __init__(
        self,
        blocks: int = 4,
        trigger: Trigger = "mixed",
        share: float = 0.8,
        steps: int = 50,
        low_water: float = 0.5,
        keep_turns: int = 3,
        summary_share: float = 0.2,
        identifiers: bool = True,
        identifier_share: float = 0.2,
        templates: bool = True,
        cache: bool = True,
        compactor_window: int | None = None,
        retries: int = 1,
        pin_user: bool = False,
        overflow: Overflow = "window",
    ) -> None:
        self.blocks = blocks
        self.trigger = trigger
        self.share = share
        self.steps = steps
        self.low_water = low_water
        self.keep_turns = keep_turns
        self.summary_share = summary_share
        self.identifiers = identifiers
        self.identifier_share = identifier_share
        self.templates = templates
        self.cache = cache
        self.compactor_window = compactor_window
        self.retries = retries
        self.pin_user = pin_user
        self.overflow = overflow

    def reset(self, kit: Kit, brief: Brief, saved: bytes | None = None) -> None:
        """Raises ValueError for settings out of range."""
        settings.at_least("blocks", self.blocks, 1)
        settings.share("identifier_share", self.identifier_share)
        when = When(self.trigger, self.share, self.steps, self.low_water, self.keep_turns)
        terms = Terms(
            when, (LEVEL,), self.summary_share, self.compactor_window, self.templates, self.cache, self.retries,
            self.pin_user, self.overflow,
        )  # fmt: skip
        self._compaction = Compaction(kit, brief, terms, self._fold, saved)

    def compose(self, history: History, budget: int) -> Sequence[Message]:
        return self._compaction.view(history, budget)

    def export(self) -> bytes:
        return self._compaction.export()

    def _fold(self, former: Layers, blocks: Sequence[Block], room: int, compactor: Compactor) -> Stage[Layers]:
        size = compactor.size
        names = int(self.identifier_share * room) if self.identifiers else 0
        room -= names + frame((LEVEL,), size)
        told, _ = pieces(blocks, START, None, len(blocks), 1)
        turns = [Entry(piece.text, piece.sources, 0) for piece in told]
        parts = cut([*former.entries[0], *turns], min(self.blocks, max(1, room // LEAST)), size)
        asks = [Ask(LEVEL, part.text, room // len(parts), part.sources) for part in parts]
        texts = yield from compactor.shorten(asks)
        entries = tuple(Entry(text, ask.sources, 0) for text, ask in zip(texts, asks, strict=True))
        return Layers((LEVEL,), (entries,), named(former.names, [turn.text for turn in turns], names, size))


def cut(entries: Sequence[Entry], number: int, size: Size) -> list[Entry]:
    """At most so many parts of about equal tokens, each of whole entries."""
    sizes = [size(entry.text) for entry in entries]
    parts: list[list[Entry]] = [[] for _ in range(number)]
    total, before = max(1, sum(sizes)), 0
    for entry, tokens in zip(entries, sizes, strict=True):
        parts[min(number - 1, (before + tokens // 2) * number // total)].append(entry)
        before += tokens
    return [
        Entry("\n".join(filter(None, (e.text for e in part))), tuple(name for e in part for name in e.sources), 0)
        for part in parts
        if part
    ]
