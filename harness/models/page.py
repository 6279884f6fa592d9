"""A view as a reader sees it: the question, the calls made, how long it is."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import accumulate, groupby, takewhile

from harness.contract import Call, Claim, Message, Purpose, Question, Request
from harness.models.texts import Text

MEMORY = "memory"  # the author by which the harness marks what a strategy's own tools answer
CHARACTERS_PER_TOKEN = 4  # estimate; only the onset of position loss depends on it


@dataclass(frozen=True, slots=True)
class Page:
    """calls: those in the view, by id, with the index of their message. asked: where the question was put first."""

    view: tuple[Message, ...]
    texts: tuple[Text, ...]
    purposes: Mapping[str, Purpose | None]
    calls: Mapping[str, tuple[int, Call]]
    asked: int | None
    question: Question | None

    def purpose(self, message: Message) -> Purpose | None:
        """What the call was for that the message answers; None for an action, or no answer."""
        if message.answers is None or message.answers not in self.calls:
            return None
        return self.purposes.get(self.calls[message.answers][1].name)

    def made(self, purpose: Purpose) -> Iterator[tuple[int, Call]]:
        """The calls in the view that were for this purpose, oldest first, with their message's index."""
        return ((index, call) for index, call in self.calls.values() if self.purposes.get(call.name) == purpose)

    def news(self) -> list[Claim]:
        """What the messages since the last reply state, made ones apart."""
        replies = [index for index, message in enumerate(self.view) if message.role == "assistant"]
        start = replies[-1] + 1 if replies else 0
        fresh = zip(self.view[start:], self.texts[start:], strict=True)
        return [claim for m, text in fresh if m.role == "tool" or not m.sources for claim in text.claims]

    def failed(self) -> list[Call]:
        """The actions in the view whose answers report a failure, oldest first."""
        pairs = zip(self.view, self.texts, strict=True)
        answers = [message.answers or "" for message, text in pairs if text.failed and self.purpose(message) is None]
        return [self.calls[answer][1] for answer in answers if answer in self.calls]

    def tokens(self) -> int:
        """Size of the view (estimate)."""
        return sum(len(message.content) for message in self.view) // CHARACTERS_PER_TOKEN

    def depths(self) -> list[float]:
        """The middle of each message as a share of the view's characters, 0 = its beginning."""
        ends = list(accumulate(len(message.content) for message in self.view))
        return [(end - len(m.content) / 2) / max(ends[-1], 1) for end, m in zip(ends, self.view, strict=True)]


def see(request: Request, parse: Callable[[str], Text]) -> Page:
    """Look over a view once."""
    view = request.view
    texts = tuple([parse(message.content) for message in view])
    purposes = {tool.name: tool.purpose for tool in request.tools}
    calls = {call.id: (index, call) for index, message in enumerate(view) for call in message.calls}
    blank = Page(view, texts, purposes, calls, None, None)
    asked = next(_questions(blank), None)
    return blank if asked is None else Page(view, texts, purposes, calls, *asked)


def age(page: Page) -> int:
    """Questions of the present subtask in a row, as far as the view shows; 1 = it has just begun."""
    subtask = page.question.subtask if page.question is not None else None
    return sum(1 for _ in takewhile(lambda asked: asked[1].subtask == subtask, _questions(page)))


def _questions(page: Page) -> Iterator[tuple[int, Question]]:
    """The questions put to the reader, newest first, each where it was put first (a text read again repeats it)."""
    for _, run in groupby(_put(page), key=lambda asked: asked[1]):
        *_, first = run
        yield first


def _put(page: Page) -> Iterator[tuple[int, Question]]:
    """Each message that puts a question, newest first.

    A question in a text from memory, or of the strategy's own making, was put earlier: it counts only where it stands
    in an action's answer, is marked as the next thing to do, or nothing better is there.
    """
    recalled: list[tuple[int, Question]] = []
    for index in range(len(page.view) - 1, -1, -1):
        message, text = page.view[index], page.texts[index]
        if message.role in ("assistant", "system") or (text.question is None and text.next is None):
            continue
        if message.author == MEMORY:
            continue
        if text.question is not None and (message.role == "tool" or not message.sources):
            yield index, text.question
        elif text.next is not None:
            yield index, text.next
        elif text.question is not None:
            recalled.append((index, text.question))
    yield from recalled
