"""Probes: does the agent still know a fact? One question a fact, on a fork at a checkpoint, after the episode.

The view is the one that chose the action at the checkpoint; what is asked and answered stays out of the run's record,
and is billed apart. Scored without a judge: values are unique, so that an answer is right, stale, wrong or an
abstention by the values that it holds.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from harness.contract import Fact, MemoryTools, Message, Model, Request, Verdict
from harness.episode import Episode
from harness.facts import live
from harness.forks import Fork
from harness.tokens import Counter

ANSWER = 60  # most tokens of an answer
LOOKS = 3  # most calls of the strategy's tools before an answer
ABSTAINED = re.compile(r"\b(?:unknown|not (?:sure|known|stated|given)|do(?:es)?n[o']t know|no idea|n/?a|none)\b")
QUESTION = "Leave the work for one question. What is the value of {key}? Answer with the value alone, or: unknown."


@dataclass(frozen=True, slots=True)
class Probe:
    """A question and what came of it. tools: whether the strategy's tools could be used. tokens: of all its calls."""

    checkpoint: int
    fact: str
    kind: str
    tools: bool
    verdict: Verdict
    answer: str
    tokens: int


def probe(episode: Episode, model: Model, facts: Sequence[Fact], each: int) -> Iterator[Probe]:
    """each: most facts of a kind at a checkpoint. Without tools, and with them where the strategy has some."""
    for step, export in sorted(episode.exports.items()):
        alive = [fact for fact in facts if live(fact, step)]
        for fact in _chosen(alive, each, f"{episode.setup.seed}/{step}"):
            offers = (False, True) if isinstance(Fork(episode, export).strategy, MemoryTools) else (False,)
            for tools in offers:
                answer, tokens = _ask(Fork(episode, export), model, fact, tools, episode.setup.seed)
                verdict = judge(answer, fact, facts)
                yield Probe(step, fact.id, fact.kind, tools, verdict, answer, tokens)


def judge(answer: str, fact: Fact, facts: Iterable[Fact]) -> Verdict:
    """By the values that the answer holds as whole tokens, letter case aside."""
    said = answer.casefold()
    table = list(facts)
    held = {other.value for other in table if _holds(said, other.value)}
    former = {other.value for other in table if other.key == fact.key} - {fact.value}
    if held == {fact.value}:
        return "right"
    if held and held <= former:
        return "stale"
    if not held and (not said.strip() or ABSTAINED.search(said)):
        return "abstained"
    return "wrong"


def _ask(fork: Fork, model: Model, fact: Fact, tools: bool, seed: int) -> tuple[str, int]:
    view = [*fork.view(), Message(f"probe:{fact.id}", "user", QUESTION.format(key=fact.key))]
    strategy = fork.strategy
    offered = strategy.tools if tools and isinstance(strategy, MemoryTools) else ()
    counter, tokens = Counter(fork.tokenizer), 0
    for look in range(LOOKS + 1):
        now = offered if look < LOOKS else ()
        reply = model.complete(Request(tuple(view), now, seed, ANSWER))
        tokens += counter.messages(view) + counter.overhead(now) + counter.message(reply.message)
        own = [call for call in reply.message.calls if call.name in {tool.name for tool in now}]
        if not own or not isinstance(strategy, MemoryTools):
            return reply.message.content.strip(), tokens
        asked = Message(f"probe:{look}", "assistant", reply.message.content, tuple(own))
        view.append(asked)
        view += [Message(f"found:{c.id}:{look}", "tool", strategy.answer(c).content, answers=c.id) for c in own]
    return "", tokens


def _chosen(facts: Sequence[Fact], each: int, seed: str) -> Iterator[Fact]:
    """At most so many of each kind, drawn by a hash so that every arm is asked the same."""
    seen: dict[str, int] = {}
    for fact in sorted(facts, key=lambda fact: hashlib.sha256(f"{seed}/{fact.id}".encode()).digest()):
        seen[fact.kind] = seen.get(fact.kind, 0) + 1
        if seen[fact.kind] <= each:
            yield fact


def _holds(text: str, value: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(value.casefold())}(?!\w)", text) is not None


def row(instance: str, one: Probe) -> dict[str, Any]:
    """A row of the table `probes`."""
    return {"instance": instance, **{name: getattr(one, name) for name in Probe.__slots__}}
