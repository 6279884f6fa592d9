"""A simulated summariser: it writes down the facts that it finds, each with a stated probability.

An instrument, not a model: with `fidelity` as a dial a sweep shows how good a summariser must be to be worth its cost.
What it writes is what the scripted reader notes, so any reader and any grammar can read it back.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from harness.contract import Claim, Environment, Reply, Request, Task
from harness.models.luck import chance
from harness.models.shortening import form_of, refuse_over, said, text_of
from harness.models.texts import note, parse
from harness.tokens import Tokenizer


@dataclass(frozen=True, slots=True)
class Noting:
    """A source of noting summarisers.

    fidelity: probability that a fact is written down. Luck hangs on the episode's seed, the key and the value: equal in
    every arm, and the same in each later summary, so the share holds however often a text is summarised.
    window: most tokens of a request, its answer included; None = no limit.
    """

    tokenizer: Tokenizer
    fidelity: float = 1.0
    window: int | None = None

    def open(self, task: Task, environment: Environment, seed: int) -> Notes:
        """Raises ValueError if the task has no grammar, or the fidelity is no probability."""
        if task.grammar is None:
            raise ValueError(f"{type(task).__name__} has no grammar to find facts by: set compactor=extractive")
        if not 0 <= self.fidelity <= 1:
            raise ValueError(f"compactor.fidelity={self.fidelity}: give a probability, 0 to 1")
        grammar = task.grammar

        def claims(text: str) -> list[Claim]:
            # by line, for `parse` puts notes after the claims of the same text
            return [claim for line in text.splitlines() for claim in parse(grammar, line).claims]

        return Notes(self, claims, seed)


@dataclass(frozen=True, slots=True)
class Notes:
    """A `contract.Model` for one episode."""

    source: Noting
    claims: Callable[[str], Sequence[Claim]]
    seed: int

    def complete(self, request: Request) -> Reply:
        """Notes of the facts in the last user message, in its order, within `request.max_output` tokens.

        Where they do not all fit, the newest value of each key goes first, and of those the ones stated last.
        """
        source = self.source
        refuse_over(source.window, request, source.tokenizer)
        told = [c for c in changes(self.claims(text_of(request)[1])) if self._noticed(c)]
        newest = {claim.key: place for place, claim in enumerate(told)}
        order = sorted(range(len(told)), key=lambda place: (newest[told[place].key] != place, -place))
        lines, count, form = [note(claim) for claim in told], source.tokenizer.text, form_of(request)
        chosen: list[int] = []
        left = request.max_output
        for place in order:
            cost = count(lines[place] + "\n")
            if cost <= left:
                chosen.append(place)
                left -= cost
        while count(form(_joined(lines, chosen))) > request.max_output:  # joined, they may count a little more
            chosen.pop()
        return said(form(_joined(lines, chosen)))

    def _noticed(self, claim: Claim) -> bool:
        return chance(self.source.fidelity, self.seed, "noticed", claim.key, claim.value)


def _joined(lines: Sequence[str], chosen: Sequence[int]) -> str:
    return "\n".join(lines[place] for place in sorted(chosen))


def changes(claims: Sequence[Claim]) -> list[Claim]:
    """The claims without those that only repeat the value that their key has at that point."""
    now: dict[str, str] = {}
    told: list[Claim] = []
    for claim in claims:
        if now.get(claim.key) != claim.value:
            now[claim.key] = claim.value
            told.append(claim)
    return told
