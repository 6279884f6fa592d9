"""Puts a step's answer together: what is told, scattered among noise of the same style, then the next instruction."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tasks.family import Family, Style
from tasks.names import token
from tasks.noise import blocks, stamped
from tasks.plan import Need, Plan, Told, first_step
from tasks.wording import ASKS, DIALECTS, MARK, SIGN, ask, fill, statement


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
        said = [t for t in told if t.kind in self.family.lexicon.spoken]
        if rng.random() < self.user_share:
            said += [t for t in told if t not in said and rng.random() < 0.6]
        style = rng.choice(self.styles)
        body = self.body(style, [t for t in told if t not in said], self.noise_tokens, rng)
        user = self.body("prose", said, 12, rng) if said else ""
        return body, user

    def opening(self, step: int = 0) -> str:
        """What the user says first in a history, in place of the answer of `step`."""
        rng = self.rng(step, "answer")
        told = list(self.plan.told[step])
        rng.shuffle(told)
        return self.body("prose", told, 20, rng)

    def news(self, step: int, reported: Mapping[str, str]) -> list[str]:
        """What others have reported, as records, for the agent that takes over at `step`."""
        rng = self.rng(step, "news")
        if not reported:
            return []
        plain = self.family.forms["json"].plain
        form = plain[rng.randrange(len(plain))]
        rows = [(*key.partition("/")[::2], value) for key, value in reported.items()]
        records = [fill(form, {"e": owner, "a": name, "v": value}) for owner, name, value in rows]
        return ["\n".join([rng.choice(self.family.handovers), *records])]

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
            if style == "prose" and forms.of(row.kind) is forms:  # else the sentence is somebody's own
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
        part = "" if plan.said[step] is None else f", part {plan.said[step]}/{plan.subtasks}"
        head = f"{MARK}{step}/{plan.horizon}{part}, {SIGN}]"
        target, need = plan.targets[step], plan.needs.get(step)
        if family.switches and step > 1 and plan.strands.begins(step):
            head = f"{head} {fill(rng.choice(family.switches), {'e': target, 'o': plan.targets[step - 1]})}"
        if need is None:
            return f"{head} {fill(rng.choice(family.idle), {'e': target, 'tool': 'proceed'})}"
        tool, argument = self.phase(step)
        order = fill(rng.choice(family.orders), {"e": target, "tool": tool})
        return f"{head} {order} {ask(need, argument, self.asks(need), rng)}"

    def asks(self, need: Need) -> Sequence[str]:
        """The wordings of what a need asks for: those of a ban where something is suggested."""
        ban = self.family.lexicon.ban
        return ban.asks[need.op] if ban is not None and need.default else ASKS[need.op]

    def phase(self, step: int) -> tuple[str, str]:
        """Tool and open argument of a step: the phases follow each other within every subtask."""
        plan, phases, part = self.plan, self.family.phases, self.plan.subtask(step)
        if step in plan.reports and self.family.report is not None:
            return self.family.report[:2]
        begin = first_step(part, plan.horizon, plan.subtasks)
        end = first_step(part + 1, plan.horizon, plan.subtasks)
        place = (step - begin) % len(phases) if self.family.cycle else (step - begin) * len(phases) // (end - begin)
        tool, argument, _ = phases[place]
        return tool, argument

    def acknowledgement(self, step: int, tool: str) -> str:
        """Neutral: the same whether the action was right or wrong."""
        rng = self.rng(step, "ack")
        parts = {"tool": tool, "e": self.plan.targets[step], "v": token(rng), "n": str(rng.randrange(4, 900))}
        return fill(rng.choice(self.family.acknowledgements), parts)
