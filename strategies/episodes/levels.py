"""What is taken out of an episode before all of it goes: what the agent said, then what it asked of tools."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Literal

from harness.contract import Call, Message
from strategies.blocks import Block, Count
from strategies.episodes.tools import NAMES

Level = Literal["reasoning", "search", "output", "episode"]
LEVELS: tuple[Level, ...] = ("reasoning", "search", "output", "episode")


@dataclass(frozen=True, slots=True)
class Stripping:
    """search, output: names of tools, or of the programs that their `command` runs, as patterns for the whole word.

    placeholder: stands for an answer whose call stays; None: call and answer leave together.
    """

    count: Count
    search: re.Pattern[str]
    output: re.Pattern[str]
    placeholder: str | None

    def strip(self, block: Block, level: Level, learned: Mapping[str, str]) -> Block | None:
        """The block without what the level takes; itself where that is nothing; None where nothing would be left.

        learned: by the id of the call that ended it, the description of each exploration that ended in this block.
        """
        if learned:
            return self._ended(block, learned)
        if level == "reasoning":
            return self._said(block)
        wanted = {call.id for call in block.messages[0].calls if self._is(call, level)}
        if not wanted:
            return block
        if self.placeholder is None:
            return self._without(block, wanted)
        return self._with(block, lambda message: self._line(message) if message.answers in wanted else message)

    def _ended(self, block: Block, learned: Mapping[str, str]) -> Block:
        """Descriptions move from the calls to their answers: from here on they stand for what leaves."""
        head = block.messages[0]
        if head.sources:
            return block
        calls = tuple(_without_description(call) if call.id in learned else call for call in head.calls)
        bare = _head("end", head, "", calls)
        return self._with(block, lambda message: bare if message is head else _told(message, learned, head.id))

    def _said(self, block: Block) -> Block | None:
        head = block.messages[0]
        if head.role != "assistant" or head.sources:
            return block
        if not head.calls:
            return None
        bare = _head("said", head, "", head.calls)
        return self._with(block, lambda message: bare if message is head and self._smaller(bare, head) else message)

    def _without(self, block: Block, wanted: Collection[str]) -> Block | None:
        """Without these calls and their answers. What was signed together with them leaves too: alone it is refused."""
        head = block.messages[0]
        calls = tuple(call for call in head.calls if call.id not in wanted)
        if not calls and not head.content:
            return None
        why = "-".join(["calls" if head.content else "silent", *(call.id for call in calls)])
        answers = (message for message in block.messages[1:] if message.answers not in wanted)
        messages = (_head(why, head, head.content, calls), *answers)
        return replace(block, messages=messages, tokens=self.count(messages))

    def _with(self, block: Block, change: Callable[[Message], Message]) -> Block:
        messages = tuple(map(change, block.messages))
        if all(new is old for new, old in zip(messages, block.messages, strict=True)):
            return block
        return replace(block, messages=messages, tokens=self.count(messages))

    def _is(self, call: Call, level: Level) -> bool:
        if call.name in NAMES:
            return False
        words = list(_words(call))
        if any(self.search.fullmatch(word) for word in words):
            return level == "search"
        return level == "output" and any(self.output.fullmatch(word) for word in words)

    def _line(self, message: Message) -> Message:
        if message.sources or self.placeholder is None:
            return message
        name, text = f"cwl:out:{message.id}", self.placeholder
        line = Message(name, "tool", text, answers=message.answers, sources=(message.id,))
        return line if self._smaller(line, message) else message

    def _smaller(self, new: Message, old: Message) -> bool:
        return self.count((new,)) < self.count((old,))


def _head(why: str, head: Message, said: str, calls: tuple[Call, ...]) -> Message:
    """An assistant message with these calls. The name says which form of the original it is."""
    (source,) = head.sources or (head.id,)
    return Message(f"cwl:{why}:{source}", "assistant", said, calls, author=head.author, sources=(source,))


def _without_description(call: Call) -> Call:
    return replace(call, arguments={name: given for name, given in call.arguments.items() if name != "description"})


def _told(message: Message, learned: Mapping[str, str], head: str) -> Message:
    description = learned.get(message.answers or "")
    if description is None:
        return message
    text = f"{message.content}\n{description}"
    return Message(f"cwl:end:{message.id}", "tool", text, answers=message.answers, sources=(message.id, head))


def _words(call: Call) -> Iterator[str]:
    """The tool, and what its command runs: the first word after the last "&&" or ";"."""
    yield call.name
    command = call.arguments.get("command")
    if isinstance(command, str):
        yield from re.split(r"&&|;", command)[-1].split()[:1]
