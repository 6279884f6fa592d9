"""What a message is in the dependency graph, and how much its kind is worth."""

from __future__ import annotations

import re
from typing import Literal

from harness.contract import Message
from strategies.structured.words import names

Kind = Literal["GOAL", "CONSTRAINT", "ACTION_INPUT", "ACTION_OUTPUT", "USER_MESSAGE", "SYSTEM_MESSAGE"]
Tier = Literal["goal", "constraint", "credential", "output", "log"]

ACKNOWLEDGED = 12  # words: a shorter answer only says that something was done (ours)
_RULE = re.compile(
    r"\b(?:must|never|always|do not|may not|forbidden|prohibited|not allowed|without asking|only if)\b"
    r"|\bfrom (?:now|here) on\b|n't\b",
    re.IGNORECASE,
)
_SECRET = re.compile(
    r"\b(?:pass(?:word|phrase|wd)|secret|credentials?|keys?|tokens?|certificate|address|endpoint|host|url|port"
    r"|config(?:uration)?|settings?)\b",
    re.IGNORECASE,
)
_LOG_LINE = re.compile(
    r"\s*(?:\[?\d{4}-\d\d-\d\d|\[?\d\d:\d\d:\d\d|\W?(?:DEBUG|INFO|WARN(?:ING)?|TRACE|NOTICE)\b)", re.IGNORECASE
)


def kind_of(message: Message, told: str, task: bool = False) -> Kind:
    """told: what it says, without the order that may follow. task: it is the task message. Constraints are declared, or
    a user's words of a rule."""
    if task:
        return "GOAL"
    if message.labels is not None and message.labels.kind == "constraint":
        return "CONSTRAINT"
    match message.role:
        case "system":
            return "SYSTEM_MESSAGE"
        case "assistant":
            return "ACTION_INPUT"
        case "tool":
            return "ACTION_OUTPUT"
        case "user":
            return "CONSTRAINT" if _RULE.search(told) else "USER_MESSAGE"


def tier_of(kind: Kind, told: str) -> Tier:
    """Goal and constraint; credentials, keys, addresses, configuration; other outputs; logs and acknowledgements."""
    match kind:
        case "GOAL":
            return "goal"
        case "CONSTRAINT":
            return "constraint"
        case "ACTION_INPUT" | "SYSTEM_MESSAGE":
            return "log"
    if _SECRET.search(told) and names(told):
        return "credential"
    return "log" if kind == "ACTION_OUTPUT" and (_is_log(told) or len(told.split()) < ACKNOWLEDGED) else "output"


def _is_log(text: str) -> bool:
    lines = [line for line in text.splitlines() if line.strip()]
    return 2 * sum(_LOG_LINE.match(line) is not None for line in lines) > len(lines)
