"""The statements of a view, with the places that make them older or newer."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass

from harness.contract import Claim, Message
from harness.models.page import MEMORY, Page


@dataclass(frozen=True, slots=True)
class Statement:
    """A claim and where it stands.

    index: the message. place: (message, number in it) by which statements are older or newer. copy: it restates
    (a made message, the reader's own notes, a fetched text), so it is no event of its own.
    """

    claim: Claim
    index: int
    place: tuple[int, int]
    copy: bool


def statements(page: Page, keys: Collection[str] | None = None) -> dict[str, list[Statement]]:
    """What is stated about the keys (None: about anything), each key's statements oldest first."""
    found: dict[str, list[Statement]] = {}
    wanted = None if keys is None else frozenset(keys)
    for index, (message, text) in enumerate(zip(page.view, page.texts, strict=True)):
        if not text.keys or (wanted is not None and wanted.isdisjoint(text.keys)):
            continue
        fetched = page.purpose(message) == "retrieve"
        copy = fetched or bool(message.sources) or message.role == "assistant"
        place = _offered(page, index, message) if fetched and message.author == MEMORY else index
        for number, claim in enumerate(text.claims):
            if wanted is None or claim.key in wanted:
                found.setdefault(claim.key, []).append(Statement(claim, index, (place, number), copy))
    for of_key in found.values():
        of_key.sort(key=lambda statement: statement.place)
    return found


def alike(page: Page, key: str) -> str | None:
    """The newest value of another key that ends in the same part."""
    last = _last(key)
    keys = {other for text in page.texts for other in text.keys if other != key and _last(other) == last}
    stated = [statement for of_key in statements(page, keys).values() for statement in of_key]
    return max(stated, key=lambda statement: statement.place).claim.value if stated else None


def _last(key: str) -> str:
    return key.rpartition("/")[2]


def _offered(page: Page, index: int, answer: Message) -> int:
    """Where a text from memory belongs: in the place of the made message that offered its handle, else where it stands.

    An old text that comes back is no news: its statements are as old as the placeholder's place says. (A file that is
    read again says how things are now.)
    """
    _, call = page.calls[answer.answers or ""]
    handles = [re.escape(value) for value in call.arguments.values() if isinstance(value, str) and value]
    if not handles:
        return index
    offer = re.compile(rf"(?<!\w)(?:{'|'.join(handles)})(?!\w)")
    for place, message in enumerate(page.view[:index]):
        if message.sources and page.purpose(message) is None and offer.search(message.content):
            return place
    return index
