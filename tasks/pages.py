"""Puts a step's answer together: what is told, scattered among noise of the same style, then the next instruction."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

from tasks.family import Family, Style
from tasks.names import token
from tasks.noise import blocks, stamped
from tasks.plan import Plan, Told, first_step
from tasks.wording import DIALECTS, MARK, ask, fill, statement


@dataclass(frozen=True, slots=True)
class Pages:
    """Words the steps of one episode when they come up. Each step has random numbers of its own, whatever came before.

    noise_tokens: mean tokens of filler a step. styles: what answers look like. user_share: share of answers in which
    the user says part of what there is to say.
    """

    family: Family
    plan: Plan
    seed: str
    noise_tokens: int
    styles: Sequence[Style]
    user_share: float

    def rng(self, step: int, what: str) -> random.Random:
        return random.Random(f"{self.seed} {what} {step}")

    def answer(self, step: int) -> tuple[str, str]:
        """What the tool says after the action of `step`, and what the user adds ("" = nothing)."""
        rng = self.rng(step, "answer")
        told = list(self.plan.told[step])
        rng.shuffle(told)
        said = [t for t in told if t.kind in ("rule", "temporary")]
        if rng.random() < self.user_share:
            said += [t for t in told if t not in said and rng.random() < 0.6]
        style = rng.choice(self.styles)
        body = self.body(style, [t for t in told if t not in said], self.noise_tokens, rng)
        user = self.body("prose", said, 12, rng) if said else ""
        return body, user

    def opening(self) -> str:
        """The user's first message: what is told before the first step."""
        rng = self.rng(0, "answer")
        told = list(self.plan.told[0])
        rng.shuffle(told)
        return self.body("prose", told, 20, rng)

    def file(self, path: str, done: int) -> str | None:
        """What a file says after step `done`: the newest of what was told from it, None while there is nothing."""
        told = self.plan.files.get(path, ())
        rows = {row.field: row._replace(former=None) for step, row in told if step <= done}
        if not rows:
            return None
        rng = self.rng(done, path)
        return self.body(rng.choice(self.styles), list(rows.values()), self.noise_tokens, rng)

    def body(self, style: Style, told: Sequence[Told], noise_tokens: int, rng: random.Random) -> str:
        """Statements at random places among about noise_tokens (0.4 to 3 times that) of filler."""
        size = int(noise_tokens * (0.4 + min(2.6, rng.expovariate(1 / 0.65))))
        dialect = rng.randrange(DIALECTS)
        pieces = blocks(self.family, style, dialect, size, rng)
        forms = self.family.forms[style]
        for row in told:
            text = statement(row, forms, dialect if style in ("json", "table") else rng.randrange(60))
            if style == "prose":
                text = rng.choice(self.family.openers) + text
            elif style == "log":
                text = f"INFO  {text}"
            pieces.insert(rng.randint(0, len(pieces)), text)
        if style == "log":
            pieces = stamped(pieces, rng)
        return (" " if style == "prose" else "\n").join(pieces)

    def instruction(self, step: int) -> str:
        """The order for `step`: which tool, on what, and what its open argument must be."""
        rng, plan, family = self.rng(step, "order"), self.plan, self.family
        head = f"{MARK}{step}/{plan.horizon}, part {plan.subtask(step)}/{plan.subtasks}]"
        target, need = plan.targets[step], plan.needs.get(step)
        if need is None:
            return f"{head} {fill(rng.choice(family.idle), {'e': target, 'tool': 'proceed'})}"
        tool, argument = self.phase(step)
        order = fill(rng.choice(family.orders), {"e": target, "tool": tool})
        return f"{head} {order} {ask(need, argument, rng)}"

    def phase(self, step: int) -> tuple[str, str]:
        """Tool and open argument of a step: the phases follow each other within every subtask."""
        plan, phases, part = self.plan, self.family.phases, self.plan.subtask(step)
        begin = first_step(part, plan.horizon, plan.subtasks)
        end = first_step(part + 1, plan.horizon, plan.subtasks)
        tool, argument, _ = phases[(step - begin) * len(phases) // (end - begin)]
        return tool, argument

    def acknowledgement(self, step: int, tool: str) -> str:
        """Neutral: the same whether the action was right or wrong."""
        rng = self.rng(step, "ack")
        parts = {"tool": tool, "e": self.plan.targets[step], "v": token(rng), "n": str(rng.randrange(4, 900))}
        return fill(rng.choice(self.family.acknowledgements), parts)
