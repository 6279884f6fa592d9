"""What every strategy keeps, whatever it does. Each law plays a script and asserts; `ALL` lists them.

A strategy says that it cannot fit by `overflow = "error"`; pinned text over the budget is nobody's fault.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from harness.context import check
from harness.contract import Event, Message, Persistent, Reply, Request, Strategy, Unlimited, Vendor
from harness.embedders import WordLlama
from harness.history import History
from harness.kit import EpisodeKit
from harness.models.extractive import Extractive
from harness.tokens import Characters, Counter, Tokenizer
from tests.conformance.scripts import Script, other

Make = Callable[[], Strategy]
Law = Callable[[Make, Script, int], None]


@dataclass(frozen=True, slots=True)
class Shown:
    """One compose: what it gave and noted, the (growing) history that it was given, the state that it could save."""

    number: int
    view: tuple[Message, ...]
    events: tuple[Event, ...]
    history: History
    saved: bytes | None


def kit(tokenizer: Tokenizer | None = None) -> EpisodeKit:
    own = tokenizer or Characters()
    ask = Extractive(own).complete
    return EpisodeKit(Counter(own), random.Random(7), ask, words(), background=Delayed(ask))


class Delayed:
    """A background whose answers are there at the third look."""

    def __init__(self, ask: Callable[[Request], Reply]) -> None:
        self._ask = ask
        self._replies: list[Reply] = []
        self._looks: list[int] = []

    def submit(self, request: Request, priority: float) -> int:
        self._replies.append(self._ask(request))
        self._looks.append(0)
        return len(self._replies) - 1

    def poll(self, ticket: int) -> Reply | None:
        if ticket >= len(self._replies):
            return None  # a fork: nothing arrives any more
        self._looks[ticket] += 1
        return self._replies[ticket] if self._looks[ticket] > 2 else None

    def waiting(self) -> int:
        return 0

    def close(self) -> None:
        """Nothing runs."""


@cache
def words() -> WordLlama:
    """Its weights are loaded once, at the first use."""
    return WordLlama()


def play(strategy: Strategy, script: Script, budget: int, tokenizer: Tokenizer | None = None) -> Iterator[Shown]:
    """An episode: reset, then a compose before each reply and at the end."""
    lent = kit(tokenizer)
    strategy.reset(lent, script.brief)
    history = script.start()
    for turn in range(len(script.turns)):
        script.append(history, turn)
        view = tuple(strategy.compose(history, budget))
        saved = strategy.export() if isinstance(strategy, Persistent) else None
        yield Shown(turn, view, lent.drain(), history, saved)


def whole(script: Script, tokenizer: Tokenizer | None = None) -> int:
    """Tokens of the whole history."""
    return Counter(tokenizer or Characters()).messages(script.grown(len(script.turns) - 1))


# ---------------------------------------------------------------- laws


def views_hold(make: Make, script: Script, budget: int, tokenizer: Tokenizer | None = None) -> None:
    """Each view fits or the strategy says that it cannot; blocks whole, roles legal, pinned text word for word, order
    kept, nothing twice, made messages with sources (harness/context.py checks)."""
    strategy = make()
    counter = Counter(tokenizer or Characters())
    shown: dict[str, Message] = {}
    for turn in play(strategy, script, budget, tokenizer):
        free = isinstance(strategy, Vendor) or (isinstance(strategy, Unlimited) and strategy.unlimited)
        limit = None if free else budget
        if getattr(strategy, "overflow", None) == "error" or counter.messages(turn.history.pinned) > budget:
            limit = None
        checked = check(turn.view, turn.history, limit, counter, shown)
        shown |= {made.id: made for made in checked.made}
        for made in checked.made:
            assert made.sources or made.role == "system", f"made message {made.id} names no sources"


def history_untouched(make: Make, script: Script, budget: int) -> None:
    lent, strategy, history = kit(), make(), script.start()
    strategy.reset(lent, script.brief)
    for turn in range(len(script.turns)):
        script.append(history, turn)
        before = list(history)
        strategy.compose(history, budget)
        assert list(history) == before, "compose changed the history"


def history_alone(make: Make, script: Script, budget: int) -> None:
    """At every cut a fresh instance (with the saved state, if the strategy saves one) gives the same view, twice."""
    for turn in play(make(), script, budget):
        fresh = make()
        fresh.reset(kit(), script.brief, turn.saved)
        for attempt in ("first", "second"):
            view = tuple(fresh.compose(turn.history, budget))
            assert view == turn.view, f"the {attempt} fresh view of turn {turn.number} differs"


def same_seed_same_view(make: Make, script: Script, budget: int) -> None:
    first, second = play(make(), script, budget), play(make(), script, budget)
    for one, two in zip(first, second, strict=True):  # interleaved: nothing is shared between two instances
        assert (one.view, one.events) == (two.view, two.events)


def nothing_leaks(make: Make, script: Script, budget: int) -> None:
    """An instance that played another episode before gives what a new one gives."""
    used = make()
    for _ in play(used, other(script), budget):
        pass
    again = [(turn.view, turn.events) for turn in play(used, script, budget)]
    assert again == [(turn.view, turn.events) for turn in play(make(), script, budget)]


def forks_leave_no_trace(make: Make, script: Script, budget: int) -> None:
    """At every cut another instance takes the state and goes another way; the run's own record stays as it is."""
    alone = [(turn.view, turn.events) for turn in play(make(), script, budget)]
    forked = []
    for turn in play(make(), script, budget):
        fork = make()
        fork.reset(kit(), script.brief, turn.saved)
        history = script.grown(turn.number)
        fork.compose(history, budget)
        for text in ("another way", "and on"):
            history.append(Message("", "assistant", text))
            history.append(Message("", "user", f"{text} " * 20))
            fork.compose(history, budget)
        forked.append((turn.view, turn.events))
    assert forked == alone


def a_probe_leaves_no_trace(make: Make, script: Script, budget: int) -> None:
    """A compose that no reply followed (a retry, a look) changes no later view of a strategy without saved state."""
    if isinstance(make(), Persistent):
        return
    strategy, history = make(), script.start()
    strategy.reset(kit(), script.brief)
    for turn in play(make(), script, budget):
        for entry in script.turns[turn.number]:
            if not isinstance(entry, str) and entry.role == "user":
                strategy.compose(history, budget)
            before = len(history)
            Script(script.task, ((entry,),)).append(history, 0)
            assert len(history) == before + 1
        assert tuple(strategy.compose(history, budget)) == turn.view


def what_left_is_named(make: Make, script: Script, budget: int) -> None:
    """Each history message that was in a view, or came and never was in one, is named by an event once it is out."""
    named: set[str] = set()
    for turn in play(make(), script, budget):
        for event in turn.events:
            named.update(event.detail["sources"])
        seen = {message.id for message in turn.view}
        out = {m.id for m in turn.history if m.role != "system"} - seen
        assert out <= named, f"{sorted(out - named)} left the view without an event"


def prefix_stays_between_events(make: Make, script: Script, budget: int) -> None:
    """Without an event, a view begins with the whole view before it: a cached prefix lives on (FAULTS C8)."""
    last: tuple[Message, ...] = ()
    for turn in play(make(), script, budget):
        new_task = any(isinstance(entry, str) for entry in script.turns[turn.number])
        if not turn.events and not new_task:
            assert turn.view[: len(last)] == last, f"turn {turn.number} rewrote its prefix without an event"
        last = turn.view


def cost_is_new_text_and_view(make: Make, script: Script, budget: int) -> None:
    """A compose takes from the history what is new and what it shows, never all of it again."""
    strategy, history = make(), Watched()
    script.start(history)
    strategy.reset(kit(), script.brief)
    seen = 0
    for turn in range(len(script.turns)):
        script.append(history, turn)
        new, seen = len(history) - seen, len(history)
        history.taken = 0
        task = history.pinned[1]
        view = strategy.compose(history, budget)
        if turn and any(isinstance(entry, str) for entry in script.turns[turn]):
            continue  # a new task message: reading anew is allowed
        assert history.taken <= 2 * (new + len(view)) + 4, f"turn {turn} took {history.taken} messages for {task.id}"


class Watched(History):
    """Counts the messages that it hands out."""

    taken = 0

    def __getitem__(self, index: Any, /) -> Any:
        found = super().__getitem__(index)
        self.taken += 1 if isinstance(found, Message) else len(found)
        return found

    def __iter__(self) -> Iterator[Message]:
        for message in super().__iter__():
            self.taken += 1
            yield message


ALL: tuple[Law, ...] = (
    views_hold,
    history_untouched,
    history_alone,
    same_seed_same_view,
    nothing_leaks,
    forks_leave_no_trace,
    a_probe_leaves_no_trace,
    what_left_is_named,
    prefix_stays_between_events,
    cost_is_new_text_and_view,
)
