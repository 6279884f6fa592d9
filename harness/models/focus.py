"""Opening and closing a focus where the subtask changes (tools with purpose open and close).

A reader sees the border when the first question of another subtask arrives, so it closes late, never early. What is
open is read off the calls in the view; a strategy that hides them is asked to open again.
"""

from __future__ import annotations

from collections.abc import Sequence

from harness.contract import Call, Grammar, Tool
from harness.models.dials import Dials
from harness.models.filling import fill, free, required
from harness.models.luck import chance, draw
from harness.models.page import Page, age
from harness.models.statements import statements
from harness.models.texts import instruction, note


def focus_call(page: Page, tools: Sequence[Tool], dials: Dials, seed: int, grammar: Grammar) -> Call | None:
    """Close the focus of a subtask that is over, else open one for the present subtask, else None."""
    subtask = page.question.subtask if page.question is not None else None
    opener = next((tool for tool in tools if tool.purpose == "open"), None)
    if subtask is None or opener is None:
        return None
    stack = _open(page)
    closer = next((tool for tool in tools if tool.purpose == "close"), None)
    over = bool(stack) and not _about(stack[-1][1], subtask)
    closes = over and closer is not None and chance(dials.close, seed, "close", str(dict(stack[-1][1].arguments)))
    opens = not any(_about(call, subtask) for _, call in stack) and chance(dials.open, seed, "open", subtask)
    if not (closes or opens) or (age(page) <= _late(dials, seed, subtask) and not _going_on(page)):
        return None
    if closes and closer is not None:
        return _close(page, closer, stack[-1], dials, seed, grammar)
    return Call("", opener.name, fill(opener, subtask, _named(page, opener, subtask)))


def _open(page: Page) -> list[tuple[int, Call]]:
    """The open calls that no close call in the view has ended, outermost first, with their message's index."""
    stack: list[tuple[int, Call]] = []
    for index, call in page.calls.values():
        purpose = page.purposes.get(call.name)
        if purpose == "open":
            stack.append((index, call))
        elif purpose == "close" and stack:
            stack.pop()
    return stack


def _going_on(page: Page) -> bool:
    """Whether the question is the one that the last closing wrote down: its border was noticed then."""
    return page.asked is not None and bool(page.view[page.asked].sources) and page.texts[page.asked].next is not None


def _about(call: Call, subtask: str) -> bool:
    return any(text == subtask or str(text).startswith(f"{subtask} ") for text in call.arguments.values())


def _named(page: Page, opener: Tool, subtask: str) -> dict[str, str]:
    """Where a name is asked for: the subtask and a number, for another task may have a subtask that is called alike."""
    if page.asked is None or not any(name == "name" and free(schema) for name, schema in required(opener)):
        return {}
    number = int(draw(0, "name", page.view[page.asked].content) * 1_000_000)
    return {"name": f"{subtask} {number:06d}"}


def _late(dials: Dials, seed: int, subtask: str) -> int:
    """Steps by which the border is noticed late, 0 to `border`."""
    return int(draw(seed, "border", subtask) * (dials.border + 1)) if dials.border else 0


def _close(page: Page, closer: Tool, opened: tuple[int, Call], dials: Dials, seed: int, grammar: Grammar) -> Call:
    """Close with notes of what was stated since the opening, and the present instruction where the tool asks for it.

    The instruction came after the opening, so it would leave the view with the rest. Where a parameter is for
    learnings, the notes go there alone, and other texts say what the focus was about.
    """
    since, opening = opened
    noted = "\n".join(_carried(page, since, dials, seed)) or "nothing to note"
    texts = [name for name, schema in required(closer) if free(schema)]
    given = {}
    if any("learn" in name for name in texts):
        about = str(next(iter(opening.arguments.values()), ""))
        given = {name: about for name in texts if "learn" not in name}
    ahead = next((name for name in closer.parameters.get("properties", {}) if "next" in name), None)
    if ahead is not None and page.asked is not None:
        given[ahead] = _ahead(page.view[page.asked].content, grammar)
    return Call("", closer.name, fill(closer, noted, given))


def _ahead(text: str, grammar: Grammar) -> str:
    words = instruction(grammar, text)
    return words if words.startswith("next: ") else f"next: {words}"


def _carried(page: Page, since: int, dials: Dials, seed: int) -> list[str]:
    """Notes of the statements after a message, oldest first; what was only restated is noted once."""
    later = [s for stated_of in statements(page).values() for s in stated_of if s.index > since]
    stated = {(s.claim.key, s.claim.value) for s in later if not s.copy}
    lines: list[str] = []
    for statement in sorted(later, key=lambda s: s.place):
        key, value, line = statement.claim.key, statement.claim.value, note(statement.claim)
        if statement.copy and ((key, value) in stated or line in lines):
            continue
        if chance(dials.carry, seed, "carry", key, value):
            lines.append(line)
    return lines
