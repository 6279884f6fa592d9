"""The scripted reader: a measuring instrument, not a model (success under it is headed "simulated").

It answers a generated task's questions from the view alone, by rules and by dials. A reply is a pure function of the
view, the tools and the seed: nothing is kept from turn to turn but how texts were parsed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import ClassVar

from harness.contract import Call, Environment, Grammar, Message, Question, Reply, Request, Task, Tool
from harness.models.dials import Dials
from harness.models.filling import fill
from harness.models.focus import focus_call
from harness.models.luck import chance
from harness.models.page import Page, see
from harness.models.reading import Finding, evaluate, guess, suggested
from harness.models.retrieval import Offers, look_up, offers
from harness.models.statements import Statement, alike, statements
from harness.models.texts import Text, note, parse

UNKNOWN = "unknown"  # what a reader says that does not know
PARSED = 32_768  # most texts whose parsing is kept, per episode


@dataclass(frozen=True, slots=True)
class Scripted:
    """A source of scripted readers with these dials."""

    speaks: ClassVar[bool] = False

    reader: Dials

    def open(self, task: Task, environment: Environment, seed: int) -> Reader:
        """A reader for one episode. Raises ValueError if the task has no grammar, or a dial is out of range."""
        if task.grammar is None:
            raise ValueError(f"{type(task).__name__} has no grammar for a scripted reader: set another model")
        self.reader.check()
        parsed = lru_cache(PARSED)(partial(parse, task.grammar))
        return Reader(self.reader, task.grammar, parsed, lru_cache(PARSED)(offers))


@dataclass(frozen=True, slots=True)
class Reader:
    """A `contract.Model` for one episode. Reports no usage: the planned count is the record."""

    dials: Dials
    grammar: Grammar
    parse: Callable[[str], Text]
    offers: Offers = offers

    def complete(self, request: Request) -> Reply:
        page, seed = see(request, self.parse), request.seed
        question = page.question
        if question is None:
            return _idle(request.tools)
        stated = self._noticed(page, question, seed)
        findings = [evaluate(slot, stated) for slot in question.slots]
        action = self._action(page, question, findings, stated, seed)
        if not any(tool.name == question.tool for tool in request.tools):
            return _reply("\n".join(f"{name} = {value}" for name, value in action.arguments.items()))
        pairs = zip(question.slots, findings, strict=True)
        missing = [(slot, key) for slot, finding in pairs if finding.value is None for key in finding.missing]
        call = (
            focus_call(page, request.tools, self.dials, seed, self.grammar)
            or self._repeated(page, question, seed)
            or look_up(page, request.tools, missing, self.dials, seed, self.offers)
            or action
        )
        return _reply("\n".join([f"Calling {call.name}.", *self._notes(page, findings, seed)]), call)

    def _action(
        self, page: Page, question: Question, findings: Sequence[Finding], stated: dict[str, list[Statement]], seed: int
    ) -> Call:
        """The call that the question asks for, with what was found; else its suggestion, a guess, or "unknown"."""
        arguments = dict(question.fixed)
        for slot, finding in zip(question.slots, findings, strict=True):
            value = finding.value if finding.value is not None else suggested(slot, stated)
            if value is None and chance(self.dials.bluff, seed, "bluff", repr(question), slot.argument):
                value = guess(slot, stated, partial(alike, page))
            arguments[slot.argument] = UNKNOWN if value is None else value
        return Call("", question.tool, arguments)

    def _noticed(self, page: Page, question: Question, seed: int) -> dict[str, list[Statement]]:
        """The statements about the question's keys, but for those overlooked in the middle of a long view.

        Parabola through `miss` at the middle and 0 at both ends, after the U-shaped accuracy by position of Liu et al.
        (TACL 12, 2024, fig. 5).
        """
        stated = statements(page, {key for slot in question.slots for key in slot.keys})
        if self.dials.miss <= 0 or page.tokens() <= self.dials.miss_from:
            return stated
        depths, about = page.depths(), repr(question)

        def noticed(statement: Statement) -> bool:
            depth, claim = depths[statement.index], statement.claim
            missed = self.dials.miss * 4 * depth * (1 - depth)
            return not chance(missed, seed, "miss", about, claim.key, claim.value)

        return {key: list(filter(noticed, statements)) for key, statements in stated.items()}

    def _repeated(self, page: Page, question: Question, seed: int) -> Call | None:
        """The newest failed action once more, the likelier the more failures are in view."""
        if self.dials.poisoning <= 0:
            return None
        failed = page.failed()
        again = 1 - (1 - self.dials.poisoning) ** len(failed)
        if not chance(again, seed, "poisoning", repr(question)):
            return None
        return Call("", failed[-1].name, failed[-1].arguments)

    def _notes(self, page: Page, findings: Sequence[Finding], seed: int) -> list[str]:
        """Lines that restate the facts just used and those just told."""
        if self.dials.note <= 0:
            return []
        claims = [claim for finding in findings for claim in finding.used] + page.news()
        return list(dict.fromkeys(note(c) for c in claims if chance(self.dials.note, seed, "note", c.key, c.value)))


def _idle(tools: Sequence[Tool]) -> Reply:
    """Without an instruction in view: any action, so that the run goes on, with nothing claimed."""
    tool = next((tool for tool in tools if tool.purpose is None), None)
    return _reply("No instruction in view.", None if tool is None else Call("", tool.name, fill(tool, UNKNOWN)))


def _reply(text: str, call: Call | None = None) -> Reply:
    return Reply(Message("", "assistant", text, () if call is None else (call,)))
