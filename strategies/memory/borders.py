"""What a message asks for now, and to which subtask that belongs: read in its text."""

from __future__ import annotations

import re

_WORDS = "part|phase|stage|subtask|section|batch|milestone|chapter|shift"
# A paragraph that begins with a counter in brackets ("[step 12/80, part 2/12]") is an order, all before it is news.
_HEAD = re.compile(
    rf"^\[[^\]\n]{{0,200}}\b(?:step|turn|{_WORDS}) #?\d+\s*(?:/|of)\s*\d+[^\]\n]{{0,200}}\]\s*", re.MULTILINE
)
_PART = re.compile(rf"\b({_WORDS})\s+#?(\d+)(?:\s*(?:/|of)\s*(\d+))?", re.IGNORECASE)
_LONGEST = 600  # characters of an order without a head


def parted(text: str) -> tuple[str, str, str | None]:
    """What a message tells, what it asks for, and the subtask that it says it belongs to.

    Without a head the last paragraph is what it asks for, the text as a whole what it tells, and the subtask unknown.
    """
    heads = list(_HEAD.finditer(text))
    if not heads:
        return text, text.rstrip().rpartition("\n\n")[2][-_LONGEST:], None
    head = heads[-1]
    part = _PART.search(head[0])
    label = None if part is None else f"{part[1].lower()} {int(part[2])}" + (f"/{part[3]}" if part[3] else "")
    return text[: head.start()].rstrip(), text[head.end() :].strip(), label
