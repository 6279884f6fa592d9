"""The agent itself folds finished work: a focus that is completed leaves an entry of knowledge, and its messages go."""

from __future__ import annotations

from collections.abc import Sequence

from harness.contract import Brief, Call, History, Kit, Message, Tool
from strategies import settings
from strategies.blocks import Block, newest_first, size
from strategies.eviction import Eviction
from strategies.focus_added import Added, Place, in_place
from strategies.focus_calls import Calls, acts
from strategies.focus_knowledge import Entry
from strategies.focus_texts import Prompting, Prompts, go_on, prompt, reminder
from strategies.focus_tools import COMPLETE, START, Closing, reply, said
from strategies.kept import Kept, Room
from strategies.overflow import Overflow, last_resort


class Focus:
    """`start_focus` sets a checkpoint, `complete_focus` closes the newest open one: all blocks from the checkpoint on
    leave the view, a numbered entry (description, goal, attempted, learnings, outcome) and a short "continue" stay.

    knowledge: where entries stand: below the system text (system, as published: each completion breaks the whole
    cached prefix), or each where its focus was (tail: the prefix holds up to the checkpoint).
    prompting: passive = the model is told what the tools do; directive = also when to use them, and reminded.
    prompts: matched = nothing beyond Focus; paper = also what else the paper's agent was told.
    remind_after: tool calls since the last completion from which each step brings a reminder; 0 = none.
    pin_user: user messages inside a focus stay.
    knowledge_share: most that prompt and entries may take, as a share of the budget. Beyond it entries are shortened,
    then dropped, the oldest first (not in the paper).
    low_water, overflow: the last resort when the rest does not fit (strategies/overflow.py); entries outlive it.

    Which focuses are open follows from the calls and answers in the history, so there is no state to save.
    Source: Verma 2026, "Active Context Compression" (arXiv 2601.07190), Focus loop and prompting.
    """

    _eviction: Eviction
    _kit: Kit

    def __init__(
        self,
        knowledge: Place = "system",
        prompting: Prompting = "directive",
        prompts: Prompts = "matched",
        remind_after: int = 15,
        pin_user: bool = False,
        knowledge_share: float = 0.5,
        low_water: float = 1.0,
        overflow: Overflow = "window",
    ) -> None:
        self.knowledge = knowledge
        self.prompting = prompting
        self.prompts = prompts
        self.remind_after = remind_after
        self.pin_user = pin_user
        self.knowledge_share = knowledge_share
        self.low_water = low_water
        self.overflow = overflow

    def reset(self, kit: Kit, brief: Brief, saved: bytes | None = None) -> None:
        """Raises ValueError for settings out of range."""
        settings.one_of("knowledge", self.knowledge, ("system", "tail"))
        settings.one_of("prompting", self.prompting, ("passive", "directive"))
        settings.one_of("prompts", self.prompts, ("matched", "paper"))
        settings.at_least("remind_after", self.remind_after, 0)
        settings.share("knowledge_share", self.knowledge_share)
        settings.eviction(self.low_water, self.overflow)
        self._kit = kit
        self._told: set[tuple[str, str]] = set()  # events of our own, which a history read anew must not repeat
        self._calls = Calls()
        self._turned = 0  # focuses opened less those closed since the last compose
        # The last resort is our own: there is less room beside prompt and entries than an eviction knows.
        self._eviction = Eviction(kit, self._turn, self.low_water, "error", self._begin)

    def compose(self, history: History, budget: int) -> Sequence[Message]:
        self._base, self._budget, self._turned = history.pinned[0], budget, 0
        view = self._eviction.view(history, budget)
        return [self._added.system, *view[1:]]

    # ------------------------------------------------------------ tools

    @property
    def tools(self) -> tuple[Tool, ...]:
        return START, COMPLETE

    def answer(self, call: Call) -> Message:
        text = reply(call, len(self._calls.open) + self._turned)
        if not text.startswith("error"):
            self._turned += 1 if call.name == START.name else -1
        return Message("", "tool", text, answers=call.id)

    def calls_in(self, text: str) -> Sequence[Call]:
        """Focuses are opened and closed by native calls alone."""
        return ()

    def find(self, key: str) -> Sequence[Message]:
        """Nothing is held outside of the view."""
        return ()

    # ------------------------------------------------------------ turns

    def _begin(self) -> None:
        self._calls = Calls()
        self._places: dict[int, int] = {}  # by number of an entry, where its own block stands (tail)
        self._added = Added(self._kit.count, self._base, prompt(self.prompting, self.prompts), self.knowledge)
        self._limit = int(self.knowledge_share * self._budget)
        if self.overflow == "window":
            self._limit = min(self._limit, self._eviction.room.limit)
            if self._added.tokens > self._limit:
                self._added.prompt = ""
                self._added.write()
                self._event("overflow", "prompt", (), "")

    def _turn(self, kept: Kept, room: Room) -> None:
        head = next((b for b in reversed(kept.blocks) if b.turn == kept.turn and not b.user), None)
        if head is not None:
            closings = self._calls.follow(head)
            if closings:
                self._fold(kept, head, closings)
            elif acts(head.messages[0].calls):
                self._remind(kept, head.messages[0])
        if self.overflow == "window":
            self._last_resort(kept, room)

    def _fold(self, kept: Kept, head: Block, closings: Sequence[Closing]) -> None:
        """Drop what the closed focuses cover, and put entries and a continuation there.

        The block of the call goes too, unless it holds other calls, whose answers nobody has read yet.
        """
        message, stays = head.messages[0], self._calls.lasting(head)
        entries: list[Entry] = []
        for closing in closings:
            end = head.start + (closing is closings[-1] and not stays)
            left = [b for b in kept.blocks if not closing.begun.start <= b.start < end or self._lasts(b)]
            kept.retain(left, closing.outcome, "focus", also=(closing.answer,))
            entries.append(self._added.knowledge.add(closing, message.id))
        place = head.start + stays  # of the block's own messages; there are enough of them
        for entry in entries if self.knowledge == "tail" else ():
            self._places[entry.number] = place
            kept.insert(self._block(in_place(entry), kept.turn, place))
            place += 1
        answer = closings[-1].answer
        text = go_on(entries[-1].number, closings[-1])
        made = Message(f"focus:next:{answer}", "user", text, sources=tuple(dict.fromkeys((message.id, answer))))
        kept.insert(self._block(made, kept.turn, place))
        self._bound(kept, message.id)

    def _lasts(self, block: Block) -> bool:
        """Entries, and under `pin_user` what the user said."""
        own = block.messages[0]
        return block.start in self._places.values() or (self.pin_user and block.user and not own.sources)

    def _bound(self, kept: Kept, closed: str) -> None:
        """Make the entries fit their share, and note whose words that cost. closed: the message that added to them."""
        added = self._added
        added.write()
        shortened, dropped = added.knowledge.shrink(self._fits)
        added.write()
        for trigger, entries in (("shortened", shortened), ("dropped", dropped)):
            self._event("knowledge", trigger, [s for entry in entries for s in entry.sources], closed)
        gone = {self._places.pop(entry.number, None) for entry in dropped}
        kept.retain([b for b in kept.blocks if b.start not in gone], "dropped", "knowledge")
        now = {self._places.get(entry.number): entry for entry in added.knowledge.entries if entry.cut}
        for at, block in enumerate(kept.blocks):
            if block.start in now:
                kept.rewrite(at, self._block(in_place(now[block.start]), block.turn, block.start))

    def _fits(self) -> bool:
        self._added.write()
        return self._added.tokens <= self._limit

    def _remind(self, kept: Kept, message: Message) -> None:
        """Append a reminder to the newest block: it goes where that goes, and no earlier text changes."""
        calls = self._calls
        if self.prompting == "passive" or not self.remind_after or calls.others < self.remind_after:
            return
        text = reminder(calls.others, said(calls.open[-1].call, "description") if calls.open else None)
        made = Message(f"focus:reminder:{message.id}", "user", text, sources=(message.id,))
        last = kept.blocks[-1]
        messages = (*last.messages, made)
        kept.rewrite(len(kept.blocks) - 1, Block(messages, self._kit.count(messages), last.turn, last.start))

    def _last_resort(self, kept: Kept, room: Room) -> None:
        """The newest blocks that fit beside prompt and entries.

        The checkpoints of open focuses stay too while they take at most half of that room: an agent must see what it
        has begun.
        """
        limit, target = room.limit - self._added.in_system, room.target - self._added.in_system
        if kept.tokens <= limit:
            return
        entries = [b for b in kept.blocks if b.start in self._places.values()]
        begun = [b for b in kept.blocks if b.start in {point.start for point in self._calls.open}]
        held = [*entries, *newest_first(begun, (limit - size(entries)) // 2)]
        limit, target = limit - size(held), target - size(held)
        starts = {block.start for block in held}
        free = [b for b in kept.blocks if b.start not in starts]
        small = [b for b in free if b.turn < kept.turn or b.tokens <= limit]
        stay = last_resort(small, limit, target) if size(small) > limit else small
        # Of what stands for messages that left long ago the eviction takes no note.
        starts |= {block.start for block in stay}
        made = [b for b in free if b.start not in starts and b.messages[0].sources]
        self._event("overflow", "continuation", [name for block in made for name in block.ids], f"{kept.turn}")
        if len(small) < len(free):
            kept.retain([*held, *small], "oversize", "overflow")
        kept.retain([*held, *stay], "budget", "overflow")

    # ------------------------------------------------------------ the rest

    def _block(self, made: Message, turn: int, start: int) -> Block:
        return Block((made,), self._kit.count((made,)), turn, start)

    def _event(self, kind: str, trigger: str, sources: Sequence[str], when: str) -> None:
        """Note what the eviction does not know of, once."""
        if (trigger, when) not in self._told and (sources or trigger == "prompt"):
            self._told.add((trigger, when))
            self._kit.event(kind, trigger, list(dict.fromkeys(sources)))
